/* size.h - arithmetic on sizes that says when it overflows.
 *
 * Each function stores the result and returns true, or returns false and leaves *out alone.  Everything that becomes
 * an extent, an offset or a byte count goes through here: a 128-plane workspace passes 32 bits at 29,128 rows. */
#ifndef ORDO_BASE_SIZE_H
#define ORDO_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Extents (queries, KV rows, Top-K) are refused above this. */
#define ORDO_MAX_EXTENT INT64_C(2147483647)

static inline bool ordo_add(uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out = sum;
    return true;
}

static inline bool ordo_mul(uint64_t a, uint64_t b, uint64_t *out)
{
    uint64_t product;

    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out = product;
    return true;
}

/* Rounds a up to a multiple of unit (unit > 0). */
static inline bool ordo_round_up(uint64_t a, uint64_t unit, uint64_t *out)
{
    uint64_t rest = a % unit;

    return rest ? ordo_add(a, unit - rest, out) : (*out = a, true);
}

static inline uint64_t ordo_div_up(uint64_t a, uint64_t unit)
{
    return a / unit + (a % unit != 0);
}

/* count * size bytes, uninitialised (zeroed by the second); NULL on overflow or without memory.  A zero count gives
 * a pointer that may be freed.  The caller frees. */
void *ordo_alloc(uint64_t count, size_t size);
void *ordo_alloc_zero(uint64_t count, size_t size);

#endif
