/* attend.h - a sparse attention problem as the oracle takes it: the tensors, the index tensor, and who is live.
 *
 * Written from the formulas alone; shares with ref/ the formats and nothing else.  Per query q, head h and live slot
 * with KV row k:
 *
 *     s = scale q.k          p = exp(s) / (sum exp(s) + exp(sink))        dP = dO.v        v: k's first Dv columns
 *     delta = sum p dP       dS = scale p (dP - delta)
 *     dQ = sum dS k          dKV[k] = sum dS q, and + sum p dO in the first Dv columns     dSink = - sum p_sink delta
 *
 * (delta = sum_d O dO with O = sum p v: the same number where nothing rounds.) */
#ifndef ORDO_ORACLE_ATTEND_H
#define ORDO_ORACLE_ATTEND_H

#include "corpus/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* q: BF16 [Q][H][Dqk]; kv: BF16 [KV][Dqk]; dout: BF16 [Q][H][Dv]; sink: fp32 [H], NULL for none.  All the caller's.
 *
 * parts and tile are 0 for a sparse problem; oracle/dense.h sets them for a dense one that it says as a sparse one.
 * parts: chains, one a query head, that the terms of a KV row are summed in; each may begin and end inside a step of
 * the tensor core.  tile: slots between two rescales of the forward, at least (0: 64). */
struct ordo_attend {
    const struct ordo_problem *problem;
    int32_t n_head, d_qk, d_v;
    const uint16_t *q, *kv, *dout;
    const float *sink;
    float scale;
    int32_t parts, tile;
};

/* The KV rows of a query's live slots, in slot order, duplicates as often as they stand there; returns how many.
 * row: room for topk. */
static inline int32_t ordo_attend_live(const struct ordo_problem *p, int32_t query, int32_t *row)
{
    int32_t end = ordo_problem_length(p, query), n = 0;

    end = end < p->topk ? end : p->topk;
    for (int32_t j = 0; j < end; j++) {
        int32_t id = ordo_problem_row(p, query)[j];

        if (id >= 0 && id < p->n_kv)
            row[n++] = id;
    }
    return n;
}

static inline const uint16_t *ordo_attend_q(const struct ordo_attend *a, int32_t query, int32_t head)
{
    return a->q + ((int64_t)query * a->n_head + head) * a->d_qk;
}

static inline const uint16_t *ordo_attend_dout(const struct ordo_attend *a, int32_t query, int32_t head)
{
    return a->dout + ((int64_t)query * a->n_head + head) * a->d_v;
}

static inline const uint16_t *ordo_attend_kv(const struct ordo_attend *a, int32_t row)
{
    return a->kv + (int64_t)row * a->d_qk;
}

#endif
