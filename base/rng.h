/* rng.h - seeded numbers, the same bytes on every machine.
 *
 * splitmix64: state += golden gamma; output = mix(state).  Source: Steele, Lea, Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014; the finaliser is Stafford's variant 13. */
#ifndef ORDO_BASE_RNG_H
#define ORDO_BASE_RNG_H

#include "base/both.h"

#include <stdint.h>

struct ordo_rng {
    uint64_t state;
};

/* A bijection of 64 bits in which every output bit depends on every input bit. */
ORDO_BOTH uint64_t ordo_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t ordo_rng_next(struct ordo_rng *rng)
{
    rng->state += UINT64_C(0x9e3779b97f4a7c15);
    return ordo_mix(rng->state);
}

/* Uniform in [0, bound), bound > 0.  Rejects the short last stretch, so there is no bias at all. */
static inline uint64_t ordo_rng_below(struct ordo_rng *rng, uint64_t bound)
{
    uint64_t tail = -bound % bound, x;

    do
        x = ordo_rng_next(rng);
    while (x < tail);
    return x % bound;
}

#endif
