/* domain.c - see domain.h. */
#include "sim/domain.h"

#include "base/size.h"
#include "protocol/live.h"

#include <string.h>

#define IDENTITY_ROWS (INT32_C(1) << 24)

static void mark_live(const struct ordo_problem *p, uint64_t *live)
{
    for (int32_t q = 0; p->topk && q < p->n_query; q++) {
        const int32_t *idx = ordo_problem_row(p, q);
        int32_t clamped = ordo_clamp_length(ordo_problem_length(p, q), p->topk);

        for (int32_t j = 0; j < clamped; j++)
            if (ordo_slot_live(idx[j], p->n_kv, j, clamped))
                live[idx[j] >> 9] |= UINT64_C(1) << (idx[j] >> 3 & 63);
    }
}

enum ordo_status ordo_domain_make(const struct ordo_problem *p, struct ordo_domain *d, struct ordo_err *err)
{
    uint64_t n_granule = ordo_div_up((uint64_t)p->n_kv, 8), n_word = ordo_div_up(n_granule, 64);
    uint32_t n_live = 0;

    *d = (struct ordo_domain){.n = (uint32_t)(n_granule * 8), .end = (int64_t)(n_granule * 8)};
    if (p->n_kv <= IDENTITY_ROWS)
        return ORDO_OK;
    d->live = ordo_alloc_zero(n_word, sizeof *d->live);
    d->before = ordo_alloc(n_word, sizeof *d->before);
    if (!d->live || !d->before)
        goto no_memory;
    mark_live(p, d->live);
    for (uint64_t w = 0; w < n_word; w++) {
        d->before[w] = n_live;
        n_live += (uint32_t)__builtin_popcountll(d->live[w]);
    }
    d->granule = ordo_alloc(n_live, sizeof *d->granule);
    if (!d->granule)
        goto no_memory;
    d->n = 0;
    for (uint64_t w = 0; w < n_word; w++)
        for (uint64_t bits = d->live[w]; bits; bits &= bits - 1)
            d->granule[d->n++] = (uint32_t)(w * 64 + (uint64_t)__builtin_ctzll(bits));
    d->n *= 8;
    return ORDO_OK;
no_memory:
    return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for the row tables");
}

void ordo_domain_free(struct ordo_domain *d)
{
    free(d->live);
    free(d->before);
    free(d->granule);
    memset(d, 0, sizeof *d);
}
