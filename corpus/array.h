/* array.h - a shape and a type over a stream of bytes, and how it becomes the index tensor or the lengths.
 *
 * Every binary format ends here, so what is accepted and how it is refused is the same for all of them. */
#ifndef ORDO_CORPUS_ARRAY_H
#define ORDO_CORPUS_ARRAY_H

#include "corpus/dtype.h"
#include "corpus/problem.h"
#include "corpus/stream.h"

#define ORDO_MAX_DIM 64 /* as in NumPy 2 */

struct ordo_array {
    char descr[16]; /* as a .npy has it, cut to fit */
    struct ordo_dtype dtype;
    bool any_type; /* the type may be one that slots cannot have */
    bool fortran; /* first dimension varies fastest in the file */
    int n_dim;
    uint64_t dim[ORDO_MAX_DIM];
};

/* "(128, 2048)", cut to fit; returns out. */
const char *ordo_array_shape_text(const struct ordo_array *a, char *out, size_t size);

/* Reads all of s as the index tensor: last dimension Top-K, the others flattened in C order into queries.  Sets
 * n_query, topk and idx of *p, or leaves idx NULL. */
enum ordo_status ordo_array_to_topk(const struct ordo_site *at, const struct ordo_array *a, struct ordo_stream *s,
                                    struct ordo_problem *p);

/* Reads all of s as p->length: as many values as p has queries, in any shape. */
enum ordo_status ordo_array_to_length(const struct ordo_site *at, const struct ordo_array *a, struct ordo_stream *s,
                                      struct ordo_problem *p);

#endif
