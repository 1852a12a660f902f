/* live_rows.h - KV rows as table indices: small numbers for the rows that live slots name.
 *
 * Up to 2^24 KV rows a row is its own number; beyond, only the rows that some live slot names have one, ascending. */
#ifndef ORDO_CORPUS_LIVE_ROWS_H
#define ORDO_CORPUS_LIVE_ROWS_H

#include "corpus/problem.h"
#include "protocol/live.h"

struct ordo_live_rows {
    uint32_t n;       /* numbers are below */
    uint64_t *live;   /* one bit a KV row; NULL: each row is its own number, like the next two */
    uint32_t *before; /* live rows before each word of it */
    uint32_t *row;    /* of each number */
};

/* Runs over the live slots j of a query whose ids are idx[0 .. topk). */
#define ORDO_FOR_LIVE(p, query, idx, j)                                                                              \
    for (int32_t j = 0, n_##j = ordo_clamp_length(ordo_problem_length(p, query), (p)->topk); j < n_##j; j++)         \
        if (ordo_slot_live((idx)[j], (p)->n_kv, j, n_##j))

/* ORDO_ENVIRONMENT without memory.  Free with ordo_live_rows_free, also after a failure. */
enum ordo_status ordo_live_rows_make(const struct ordo_problem *p, struct ordo_live_rows *rows, struct ordo_err *err);
void ordo_live_rows_free(struct ordo_live_rows *rows);

/* Where each row's slots begin if all live slots stand row after row, `times` places each: n + 1 numbers, the last
 * the end.  NULL without memory, or if the end passes 32 bits; the caller frees. */
uint32_t *ordo_live_rows_starts(const struct ordo_problem *p, const struct ordo_live_rows *rows, uint32_t times);

/* The number of a row that some live slot names. */
static inline uint32_t ordo_live_rows_number(const struct ordo_live_rows *rows, int32_t row)
{
    uint64_t below;

    if (!rows->live)
        return (uint32_t)row;
    below = rows->live[row >> 6] & ((UINT64_C(1) << (row & 63)) - 1);
    return rows->before[row >> 6] + (uint32_t)__builtin_popcountll(below);
}

#endif
