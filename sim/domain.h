/* domain.h - which KV rows the per-row tables cover.
 *
 * Tables are dense in a compact row number.  Up to 2^24 KV rows it is the row itself.  Beyond, only granules of eight
 * rows that some live slot names are kept: eight rows are a whole number of mask words for every cluster size, so
 * moving a granule moves words and leaves all packing inside them alone. */
#ifndef ORDO_SIM_DOMAIN_H
#define ORDO_SIM_DOMAIN_H

#include "corpus/problem.h"

#include <stdbool.h>
#include <stdlib.h>

struct ordo_domain {
    uint32_t n;          /* compact rows, a multiple of 8 */
    int64_t end;         /* one past the last row */
    uint64_t *live;      /* one bit a granule, or NULL for the identity */
    uint32_t *before;    /* live granules before each 64-bit word of `live` */
    uint32_t *granule;   /* compact granule -> granule */
};

/* ORDO_ENVIRONMENT without memory.  Free with ordo_domain_free, also after a failure. */
enum ordo_status ordo_domain_make(const struct ordo_problem *p, struct ordo_domain *d, struct ordo_err *err);
void ordo_domain_free(struct ordo_domain *d);

/* Compact number of a row that some live slot names. */
static inline uint32_t ordo_domain_compact(const struct ordo_domain *d, int32_t row)
{
    uint32_t g, bit;

    if (!d->live)
        return (uint32_t)row;
    g = (uint32_t)row >> 3;
    bit = g & 63;
    g = d->before[g >> 6] +
        (uint32_t)__builtin_popcountll(d->live[g >> 6] & ((UINT64_C(1) << bit) - 1));
    return g << 3 | ((uint32_t)row & 7);
}

/* Whether the tables have the row. */
static inline bool ordo_domain_has(const struct ordo_domain *d, int64_t row)
{
    if (!d->live)
        return row >= 0 && row < d->n;
    return row >= 0 && row < d->end && d->live[row >> 9] >> (row >> 3 & 63) & 1;
}

static inline int32_t ordo_domain_row(const struct ordo_domain *d, uint32_t compact)
{
    return d->live ? (int32_t)(d->granule[compact >> 3] << 3 | (compact & 7)) : (int32_t)compact;
}

#endif
