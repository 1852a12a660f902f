/* problem.h - what a sparse attention problem is, in memory: extents, the Top-K index tensor, per-query lengths.
 *
 * Leading dimensions of the file are flattened into queries; ids are global rows of the flattened KV. */
#ifndef ORDO_CORPUS_PROBLEM_H
#define ORDO_CORPUS_PROBLEM_H

#include "base/digest.h"
#include "base/status.h"

#include <stdint.h>

/* Invariant: 0 <= n_query, n_kv, topk <= 2^31-1; idx holds n_query * topk ids (query major); length holds n_query
 * values or is NULL (then every query is topk long).  Ids and lengths are the stored values saturated to int32, which
 * changes no slot's liveness.  Both arrays are owned by the problem. */
struct ordo_problem {
    int32_t n_query, topk, n_kv;
    int32_t *idx;
    int32_t *length;
};

/* Frees the arrays and zeroes the struct. */
void ordo_problem_free(struct ordo_problem *p);

static inline const int32_t *ordo_problem_row(const struct ordo_problem *p, int32_t query)
{
    return p->idx + (int64_t)query * p->topk;
}

static inline int32_t ordo_problem_length(const struct ordo_problem *p, int32_t query)
{
    return p->length ? p->length[query] : p->topk;
}

/* The name of the problem by content: BLAKE2b-256 of "ordo-problem/1\n", then as little-endian uint32 n_query, topk,
 * n_kv, then each slot's id with every dead slot as 0xFFFFFFFF.  Dtype, padding value and file format do not
 * matter. */
struct ordo_digest ordo_problem_digest(const struct ordo_problem *p);

#endif
