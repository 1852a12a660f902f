/* gen_impl.h - what the presets draw with; see gen.h. */
#ifndef ORDO_CORPUS_GEN_IMPL_H
#define ORDO_CORPUS_GEN_IMPL_H

#include "base/rng.h"
#include "corpus/gen.h"

#include <stdbool.h>

struct ordo_draw {
    struct ordo_gen_params par;
    int32_t n_live;  /* min(topk, n_kv): slots of a row that hold an id */
    uint64_t *taken; /* one bit per id; all zero between rows */
    int32_t *pool;   /* room for n_kv ids */
    struct ordo_rng rng;
};

/* Uniform in [0, bound), 0 < bound < 2^31: the high half of a 32 x 32 bit product, rejecting the short stretch
 * (Lemire, "Fast Random Integer Generation in an Interval", 2019).  Twice as fast as a division per id. */
static inline uint32_t ordo_draw_below(struct ordo_rng *rng, uint32_t bound)
{
    uint64_t m = (ordo_rng_next(rng) >> 32) * bound;

    if ((uint32_t)m < bound)
        for (uint32_t tail = -bound % bound; (uint32_t)m < tail;)
            m = (ordo_rng_next(rng) >> 32) * bound;
    return (uint32_t)(m >> 32);
}

static inline bool ordo_draw_is_taken(const struct ordo_draw *d, int32_t id)
{
    return d->taken[id >> 6] >> (id & 63) & 1;
}

/* Whether the id was free. */
static inline bool ordo_draw_take(struct ordo_draw *d, int32_t id)
{
    bool fresh = !ordo_draw_is_taken(d, id);

    d->taken[id >> 6] |= UINT64_C(1) << (id & 63);
    return fresh;
}

/* Frees the ids of a row; dead slots have none. */
static inline void ordo_draw_release(struct ordo_draw *d, const int32_t *row)
{
    for (int32_t j = 0; j < d->n_live; j++)
        if (row[j] >= 0 && row[j] < d->par.n_kv)
            d->taken[row[j] >> 6] = 0;
}

/* The presets, ended by one without a name. */
extern const struct ordo_preset ordo_presets[];

#endif
