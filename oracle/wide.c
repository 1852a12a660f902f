/* wide.c - see wide.h.
 *
 * Rounding to a format of `digits` significant bits whose subnormals are multiples of 2^(floor - 149): keep the bits
 * from position max(top - digits + 1, floor) up, as an integer q.  If the exponent field of the smallest normal is 1
 * then the encoding of q * 2^(lsb - 149) is ((lsb - floor) << (digits - 1)) + q, subnormals included, and a carry out
 * of the significand moves into the exponent by itself. */
#include "oracle/wide.h"

#include "ref/fp.h"

#include <math.h>

/* Position of the highest set bit, -1 for zero. */
static int top_of(const struct ordo_wide *x)
{
    for (int i = ORDO_WIDE_LIMBS - 1; i >= 0; i--)
        if (x->limb[i])
            return 64 * i + 63 - __builtin_clzll(x->limb[i]);
    return -1;
}

/* The bits from position lsb up; the caller knows that they fit. */
static uint64_t bits_from(const struct ordo_wide *x, int lsb)
{
    int limb = lsb / 64, shift = lsb % 64;
    uint64_t low, high;

    if (limb >= ORDO_WIDE_LIMBS)
        return 0;
    low = x->limb[limb] >> shift;
    high = limb + 1 < ORDO_WIDE_LIMBS ? x->limb[limb + 1] : 0;
    return shift ? low | high << (64 - shift) : low;
}

/* Whether any bit below position end is set. */
static bool any_below(const struct ordo_wide *x, int end)
{
    int limb = end / 64;
    uint64_t mask = (UINT64_C(1) << end % 64) - 1;

    if (limb < ORDO_WIDE_LIMBS && (x->limb[limb] & mask))
        return true;
    while (--limb >= 0)
        if (x->limb[limb])
            return true;
    return false;
}

/* Whether the discarded part below lsb makes the nearest-even integer one larger than kept. */
static bool rounds_up(const struct ordo_wide *x, int lsb, uint64_t kept)
{
    if (lsb == 0 || !(bits_from(x, lsb - 1) & 1))
        return false;
    return (kept & 1) || any_below(x, lsb - 1);
}

/* The encoding of |x| as explained above, inf at most. */
static uint32_t encode(const struct ordo_wide *x, int digits, int floor_bit, uint32_t inf)
{
    int top = top_of(x), lsb = top - digits + 1 > floor_bit ? top - digits + 1 : floor_bit;
    uint64_t kept, code;

    if (top < 0)
        return 0;
    kept = bits_from(x, lsb);
    code = ((uint64_t)(lsb - floor_bit) << (digits - 1)) + kept + rounds_up(x, lsb, kept);
    return code < inf ? (uint32_t)code : inf;
}

uint32_t ordo_wide_fp32(const struct ordo_wide *x)
{
    return encode(x, 24, 0, ORDO_FP32_INF) | (x->negative ? ORDO_FP32_SIGN : 0);
}

uint16_t ordo_wide_bf16(const struct ordo_wide *x)
{
    return (uint16_t)(encode(x, 8, 16, ORDO_BF16_INF) | (x->negative ? 0x8000 : 0));
}

double ordo_wide_abs_up(const struct ordo_wide *x)
{
    int top = top_of(x), lsb = top > 52 ? top - 52 : 0;
    uint64_t kept = top < 0 ? 0 : bits_from(x, lsb) + any_below(x, lsb);

    return ldexp((double)kept, lsb - 149);
}
