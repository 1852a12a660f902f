/* live_rows.c - see live_rows.h. */
#include "corpus/live_rows.h"

#include "base/size.h"

#include <stdlib.h>

#define OWN_NUMBERS (INT32_C(1) << 24)

enum ordo_status ordo_live_rows_make(const struct ordo_problem *p, struct ordo_live_rows *rows, struct ordo_err *err)
{
    uint64_t n_word = ordo_div_up((uint64_t)p->n_kv, 64);

    *rows = (struct ordo_live_rows){.n = (uint32_t)p->n_kv};
    if (p->n_kv <= OWN_NUMBERS)
        return ORDO_OK;
    rows->n = 0;
    rows->live = ordo_alloc_zero(n_word, sizeof *rows->live);
    rows->before = ordo_alloc(n_word, sizeof *rows->before);
    if (!rows->live || !rows->before)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for its rows");
    for (int32_t q = 0; p->topk && q < p->n_query; q++) {
        const int32_t *idx = ordo_problem_row(p, q);

        ORDO_FOR_LIVE(p, q, idx, j)
            rows->live[idx[j] >> 6] |= UINT64_C(1) << (idx[j] & 63);
    }
    for (uint64_t w = 0; w < n_word; w++) {
        rows->before[w] = rows->n;
        rows->n += (uint32_t)__builtin_popcountll(rows->live[w]);
    }
    rows->row = ordo_alloc(rows->n, sizeof *rows->row);
    if (!rows->row)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for its rows");
    for (uint32_t w = 0, n = 0; w < n_word; w++)
        for (uint64_t bits = rows->live[w]; bits; bits &= bits - 1)
            rows->row[n++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
    return ORDO_OK;
}

uint32_t *ordo_live_rows_starts(const struct ordo_problem *p, const struct ordo_live_rows *rows, uint32_t times)
{
    uint32_t *start = ordo_alloc_zero((uint64_t)rows->n + 1, sizeof *start);
    uint64_t end = 0;

    for (int32_t q = 0; start && p->topk && q < p->n_query; q++) {
        const int32_t *idx = ordo_problem_row(p, q);

        ORDO_FOR_LIVE(p, q, idx, j)
            start[ordo_live_rows_number(rows, idx[j])]++;
    }
    for (uint32_t i = 0; start && i <= rows->n; i++) {
        uint64_t here = end;

        end += (uint64_t)start[i] * times;
        start[i] = (uint32_t)here;
    }
    if (end < UINT32_MAX)
        return start;
    free(start);
    return NULL;
}

void ordo_live_rows_free(struct ordo_live_rows *rows)
{
    free(rows->live);
    free(rows->before);
    free(rows->row);
    *rows = (struct ordo_live_rows){0};
}
