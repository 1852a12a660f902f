/* npy.h - NumPy's array file, versions 1.0, 2.0 and 3.0 (numpy/lib/format.py describes them). */
#ifndef ORDO_CORPUS_NPY_H
#define ORDO_CORPUS_NPY_H

#include "corpus/array.h"

#define ORDO_NPY_MAGIC "\x93NUMPY"

/* Reads magic, version and header from s, which then stands at the data. */
enum ordo_status ordo_npy_header(const struct ordo_site *at, struct ordo_stream *s, struct ordo_array *a);

/* The same, whatever the type: a->dtype is then not set, only a->descr. */
enum ordo_status ordo_npy_any_header(const struct ordo_site *at, struct ordo_stream *s, struct ordo_array *a);

/* A whole .npy in s as the index tensor, or as the lengths of *p. */
enum ordo_status ordo_npy_topk(const struct ordo_site *at, struct ordo_stream *s, struct ordo_problem *p);
enum ordo_status ordo_npy_length(const struct ordo_site *at, struct ordo_stream *s, struct ordo_problem *p);

/* The header of our own files, for an array in C order: version 1.0, the data begin at byte ORDO_NPY_HEAD, a multiple
 * of 64, as NumPy aligns them.  At most four dimensions. */
enum { ORDO_NPY_HEAD = 128 };
void ordo_npy_head(const char *descr, const uint64_t *dim, int n_dim, char head[ORDO_NPY_HEAD]);

#endif
