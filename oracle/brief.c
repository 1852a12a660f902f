/* brief.c - see brief.h.
 *
 * The unit is the last place of the smallest exponent.  A significand has 24 bits, moved up by at most 94 places, and
 * 64 of them carry 6 bits more: 124 bits and a sign. */
#include "oracle/brief.h"

#include "ref/fp.h"

/* bits = significand * 2^(place - 149), without the sign. */
static inline int place_of(uint32_t bits)
{
    int exponent = (int)(bits >> 23 & 0xff);

    return exponent - (exponent != 0);
}

static inline uint32_t significand_of(uint32_t bits)
{
    return (bits & ORDO_FP32_FRACTION) | (uint32_t)((bits >> 23 & 0xff) != 0) << 23;
}

static inline int top_of(unsigned __int128 x)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;

    return high ? 127 - __builtin_clzll(high) : low ? 63 - __builtin_clzll(low) : -1;
}

static inline double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The encoding of x * 2^(place - 149), as wide.c explains it. */
static inline uint32_t encode(unsigned __int128 x, int place, int digits, int floor_bit, uint32_t inf)
{
    int top = top_of(x) + place, lsb = top - digits + 1 > floor_bit ? top - digits + 1 : floor_bit;
    int shift = lsb - place;
    uint64_t kept, code;

    if (!x)
        return 0;
    if (shift <= 0) {
        kept = (uint64_t)x << -shift;
    } else if (shift > 127) {
        kept = 0; /* below half of the last place */
    } else {
        unsigned __int128 rest = x & (((unsigned __int128)1 << shift) - 1), half = (unsigned __int128)1 << (shift - 1);

        kept = (uint64_t)(x >> shift);
        kept += rest > half || (rest == half && (kept & 1));
    }
    code = ((uint64_t)(lsb - floor_bit) << (digits - 1)) + kept;
    return code < inf ? (uint32_t)code : inf;
}

/* x * 2^(place - 149), rounded up. */
static inline double up(unsigned __int128 x, int place)
{
    int top = top_of(x), lsb = top > 52 ? top - 52 : 0;
    uint64_t kept = (uint64_t)(x >> lsb);

    kept += lsb && (x & (((unsigned __int128)1 << lsb) - 1)) != 0;
    return (double)kept * power_of_two(lsb + place - 149);
}

static inline __int128 scaled(uint32_t bits, int place)
{
    __int128 x = (__int128)((unsigned __int128)significand_of(bits) << (place_of(bits) - place));

    return bits & ORDO_FP32_SIGN ? -x : x;
}

/* The lowest place of the terms; false when they are too far apart or special. */
static inline bool range(const float *term, size_t n, size_t stride, int *place)
{
    int low = 254, high = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t bits = ordo_fp32_bits(term[i * stride]);
        int at = place_of(bits);

        if (!(bits & ~ORDO_FP32_SIGN))
            continue; /* a zero has no place */
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    *place = low;
    return high < 254 && high - low <= ORDO_BRIEF_BINADES;
}

bool ordo_brief(const float *term, size_t n, size_t stride, uint32_t tree, struct ordo_brief *out)
{
    bool tree_is_zero = !(tree & ~ORDO_FP32_SIGN);
    int place;
    __int128 sum = 0, rest;
    unsigned __int128 size;

    if (n > ORDO_BRIEF_TERMS || !range(term, n, stride, &place) || !ordo_fp32_finite(tree))
        return false;
    if (!tree_is_zero && (place_of(tree) < place || place_of(tree) - place > ORDO_BRIEF_BINADES + 6))
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = ordo_fp32_bits(term[i * stride]);

        sum += bits & ~ORDO_FP32_SIGN ? scaled(bits, place) : 0;
    }
    rest = sum - (tree_is_zero ? 0 : scaled(tree, place));
    size = (unsigned __int128)(sum < 0 ? -sum : sum);
    out->fp32 = encode(size, place, 24, 0, ORDO_FP32_INF) | (sum < 0 ? ORDO_FP32_SIGN : 0);
    out->bf16 = (uint16_t)(encode(size, place, 8, 16, ORDO_BF16_INF) | (sum < 0 ? 0x8000 : 0));
    out->error = up((unsigned __int128)(rest < 0 ? -rest : rest), place);
    return true;
}
