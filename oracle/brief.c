/* brief.c - see brief.h.
 *
 * The unit is the last place of the smallest exponent.  A significand has 24 bits, moved up by at most 94 places, and
 * 64 of them carry 6 bits more: 124 bits and a sign.  Where the exponents lie within 32 binades 64 bits will do. 
 * Results are rounded from 63 bits whose last one stands for all below it. */
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

/* A magnitude as x * 2^(place - 149); the last bit of x is sticky if x was reduced. */
struct magnitude {
    uint64_t x;
    int place;
};

static inline int top_of(uint64_t x)
{
    return 63 - __builtin_clzll(x | 1);
}

static inline double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline struct magnitude reduce(__int128 signed_x, int place)
{
    unsigned __int128 x = (unsigned __int128)(signed_x < 0 ? -signed_x : signed_x);
    uint64_t high = (uint64_t)(x >> 64);
    int shift = high || x >> 63 ? 66 - (high ? __builtin_clzll(high) : 64) : 0;

    if (!shift)
        return (struct magnitude){(uint64_t)x, place};
    return (struct magnitude){(uint64_t)(x >> shift) | ((x & (((unsigned __int128)1 << shift) - 1)) != 0),
                              place + shift};
}

/* The encoding, as wide.c explains it. */
static inline uint32_t encode(struct magnitude m, int digits, int floor_bit, uint32_t inf)
{
    int top = top_of(m.x) + m.place, lsb = top - digits + 1 > floor_bit ? top - digits + 1 : floor_bit;
    int shift = lsb - m.place;
    uint64_t kept = 0, code;

    if (!m.x)
        return 0;
    if (shift <= 0) {
        kept = m.x << -shift;
    } else if (shift < 64) { /* beyond, it is below half of the last place */
        uint64_t rest = m.x & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);

        kept = m.x >> shift;
        kept += (rest > half) | ((rest == half) & kept & 1);
    }
    code = ((uint64_t)(lsb - floor_bit) << (digits - 1)) + kept;
    return code < inf ? (uint32_t)code : inf;
}

/* Rounded up to double. */
static inline double up(struct magnitude m)
{
    int top = top_of(m.x), lsb = top > 52 ? top - 52 : 0;
    uint64_t kept = m.x >> lsb;

    kept += (m.x & ((UINT64_C(1) << lsb) - 1)) != 0;
    return (double)kept * power_of_two(lsb + m.place - 149);
}

/* The lowest and highest place of the terms; false when they are too far apart or special. */
static inline bool range(const float *term, size_t n, size_t stride, int *low, int *high)
{
    *low = 254;
    *high = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = ordo_fp32_bits(term[i * stride]);
        int at = place_of(bits), is_zero = !(bits & ~ORDO_FP32_SIGN); /* a zero has no place */

        *low = at < *low && !is_zero ? at : *low;
        *high = at > *high ? at : *high;
    }
    return *high < 254 && *high - *low <= ORDO_BRIEF_BINADES;
}

/* Of a term that is not zero, or is: then its shift is cut to one that exists. */
static inline int64_t scaled(uint32_t bits, int place)
{
    int64_t sign = -(int64_t)(bits >> 31);
    int shift = place_of(bits) - place;

    return (((int64_t)significand_of(bits) << (shift & 63)) ^ sign) - sign;
}

static inline __int128 scaled_wide(uint32_t bits, int place)
{
    __int128 x = (__int128)significand_of(bits) << ((place_of(bits) - place) & 127);

    return bits & ORDO_FP32_SIGN ? -x : x;
}

enum { NARROW = 32 };

/* The sum, and the sum less the tree. */
static inline void add_up(const float *term, size_t n, size_t stride, uint32_t tree, int place,
                          struct magnitude out[2], bool *negative)
{
    __int128 sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += scaled_wide(ordo_fp32_bits(term[i * stride]), place);
    *negative = sum < 0;
    out[0] = reduce(sum, place);
    out[1] = reduce(sum - scaled_wide(tree, place), place);
}

static inline void add_up_narrow(const float *term, size_t n, size_t stride, uint32_t tree, int place,
                                 struct magnitude out[2], bool *negative)
{
    int64_t sum = 0, rest;

    for (size_t i = 0; i < n; i++)
        sum += scaled(ordo_fp32_bits(term[i * stride]), place);
    rest = sum - scaled(tree, place);
    *negative = sum < 0;
    out[0] = (struct magnitude){(uint64_t)(sum < 0 ? -sum : sum), place};
    out[1] = (struct magnitude){(uint64_t)(rest < 0 ? -rest : rest), place};
}

bool ordo_brief(const float *term, size_t n, size_t stride, uint32_t tree, struct ordo_brief *out)
{
    int tree_place = place_of(tree), low, high;
    bool tree_is_zero = !(tree & ~ORDO_FP32_SIGN), negative;
    struct magnitude m[2];

    if (n > ORDO_BRIEF_TERMS || !range(term, n, stride, &low, &high) || !ordo_fp32_finite(tree))
        return false;
    if (!tree_is_zero && (tree_place < low || tree_place - low > ORDO_BRIEF_BINADES + 6))
        return false;
    if (high - low <= NARROW && tree_place - low <= NARROW + 6)
        add_up_narrow(term, n, stride, tree, low, m, &negative);
    else
        add_up(term, n, stride, tree, low, m, &negative);
    out->fp32 = encode(m[0], 24, 0, ORDO_FP32_INF) | (negative ? ORDO_FP32_SIGN : 0);
    out->bf16 = (uint16_t)(encode(m[0], 8, 16, ORDO_BF16_INF) | (negative ? 0x8000 : 0));
    out->error = up(m[1]);
    return true;
}
