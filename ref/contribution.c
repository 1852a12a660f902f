/* contribution.c - see contribution.h.
 *
 * One key per (seed, leaf, row), then a splitmix64 stream over the columns.  Both classes are free of branches on the
 * random bits: a mispredicted branch would cost more than the value. */
#include "ref/contribution.h"

#include "base/rng.h"
#include "base/status.h"
#include "ref/fp.h"

const char *const ordo_input_class_name[2] = {"exact", "rough"};

/* How a rough value is put together: exponent field low + [0, count), then (bits & keep) | set. */
struct shape {
    uint32_t low, count, keep, set;
};

enum { NARROW_LOW = 127 - 6, NARROW_COUNT = 12, WIDE_LOW = 127 - 20, WIDE_COUNT = 41 };

static const struct shape shape_of[4] = {
    {NARROW_LOW, NARROW_COUNT, UINT32_MAX, 0},
    {WIDE_LOW, WIDE_COUNT, UINT32_MAX, 0},
    {0, 0, UINT32_MAX, 1},      /* subnormal: no exponent, fraction made non-zero */
    {0, 0, 0, ORDO_FP32_SIGN},  /* -0.0 */
};

/* Of 64 values: one -0.0, one subnormal, eight wide, the rest narrow. */
static const uint8_t shape_index[64] = {3, 2, 1, 1, 1, 1, 1, 1, 1, 1};

static inline uint64_t key_of(uint64_t seed, uint32_t leaf, int32_t row)
{
    return ordo_mix(ordo_mix(seed) + ((uint64_t)leaf << 32 | (uint32_t)row));
}

/* Uniform enough in [0, count): 16 random bits scaled, count small. */
static inline uint32_t scaled(uint64_t x, int shift, uint32_t count)
{
    return ((uint32_t)(x >> shift) & 0xffff) * count >> 16;
}

static inline float exact_value(uint64_t x, int32_t column)
{
    int32_t whole = (int32_t)scaled(x, 0, 9) - 4;
    uint32_t power = 127 + (uint32_t)(x >> 16 & 1) + (uint32_t)(column % 17) - 8;

    return (float)whole * ordo_fp32(power << 23);
}

static inline float rough_value(uint64_t x)
{
    const struct shape *s = &shape_of[shape_index[x >> 58]];
    uint32_t exponent = s->low + scaled(x, 24, s->count);
    uint32_t bits = (uint32_t)x << 8 & ORDO_FP32_SIGN;

    bits |= exponent << 23 | ((uint32_t)x & ORDO_FP32_FRACTION);
    return ordo_fp32((bits & s->keep) | s->set);
}

void ordo_contribution_span(const struct ordo_inputs *in, uint32_t leaf, int32_t row, int32_t first, int32_t n,
                            float *out)
{
    struct ordo_rng rng = {key_of(in->seed, leaf, row)};

    ORDO_BUG_ON(first < 0 || n < 0 || n > in->width - first);
    rng.state += (uint64_t)first * UINT64_C(0x9e3779b97f4a7c15);
    if (in->kind == ORDO_EXACT)
        for (int32_t c = 0; c < n; c++)
            out[c] = exact_value(ordo_rng_next(&rng), first + c);
    else
        for (int32_t c = 0; c < n; c++)
            out[c] = rough_value(ordo_rng_next(&rng));
}

void ordo_contribution(const struct ordo_inputs *in, uint32_t leaf, int32_t row, float *out)
{
    ordo_contribution_span(in, leaf, row, 0, in->width, out);
}
