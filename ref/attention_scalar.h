/* attention_scalar.h - what the twin does to single fp32 numbers between the products, one rounded operation a name.
 *
 * Every formula is the contract's (sim/contract.h).  Branches only choose: no result depends on how they compile. */
#ifndef ORDO_REF_ATTENTION_SCALAR_H
#define ORDO_REF_ATTENTION_SCALAR_H

#include "base/ex2_sm90.h"
#include "base/exp2.h"
#include "base/log2.h"
#include "ref/fp.h"
#include "sim/contract.h"

#define ORDO_LOG2E 1.44269502162933349609375f /* log2 e and ln 2, rounded to fp32 */
#define ORDO_LN2   0.693147182464599609375f

#define ORDO_ALWAYS static inline __attribute__((always_inline))

ORDO_ALWAYS float ordo_exp_by(enum ordo_exp_kind kind, float x)
{
    return kind == ORDO_EXP_6   ? ordo_exp2_6(x)
           : kind == ORDO_EXP_5 ? ordo_exp2_5(x)
                                : ordo_float_of(ordo_ex2_sm90(ordo_bits_of(x)));
}

/* The one NaN that a GPU makes, for whatever NaN this CPU made. */
static inline float ordo_canonical(float x)
{
    return x == x ? x : ordo_float_of(ORDO_NAN_BITS);
}

static inline bool ordo_is_infinite(float x)
{
    return (ordo_bits_of(x) << 1) == (ORDO_INF_BITS << 1);
}

/* F: log2 of the denominator, from a natural LSE and a natural sink; +Inf for a row that adds nothing. */
static inline float ordo_fold_lse(enum ordo_exp_kind kind, float lse, float sink)
{
    float a = ORDO_MUL(lse, ORDO_LOG2E), k = ORDO_MUL(sink, ORDO_LOG2E);
    float high = a > k ? a : k, low = a > k ? k : a;
    float rest = ordo_log2(ORDO_ADD(1.0f, ordo_exp_by(kind, ORDO_SUB(low, high))));

    if (ordo_is_infinite(a))
        return HUGE_VALF;
    return ORDO_ADD(high, rest); /* +Inf where k is */
}

/* The sink's share of a row's mass, 0 for an inert row and without a sink. */
static inline float ordo_sink_share(enum ordo_exp_kind kind, float folded, float sink)
{
    if (ordo_is_infinite(folded))
        return 0.0f;
    return ordo_exp_by(kind, ORDO_SUB(ORDO_MUL(sink, ORDO_LOG2E), folded));
}

/* Lane sums to one, offsets n / 2, ..., 2, 1; n a power of two. */
static inline float ordo_lane_tree(float *lane, int n)
{
    for (int offset = n / 2; offset > 0; offset /= 2)
        for (int i = 0; i < offset; i++)
            lane[i] = ORDO_ADD(lane[i], lane[i + offset]);
    return lane[0];
}

/* delta: BF16 O and dO, n columns.  Lane (d / 8) mod 32, d ascending; each product is exact in the fma. */
static inline float ordo_delta(const uint16_t *o, const uint16_t *dout, int32_t n)
{
    float lane[32] = {0};

    for (int32_t d = 0; d < n; d++) { /* ORDER: a lane's columns ascending */
        float *sum = &lane[d / 8 % 32];

        *sum = ORDO_FMA(ordo_float_of(ordo_bf16_to_fp32_bits(o[d])),
                        ordo_float_of(ordo_bf16_to_fp32_bits(dout[d])), *sum);
    }
    return ordo_canonical(ordo_lane_tree(lane, 32));
}

/* One term onto a plane, or one plane onto another. */
ORDO_ALWAYS float ordo_flush(float x)
{
    uint32_t bits = ordo_bits_of(x);

    return (bits & ORDO_INF_BITS) == 0 ? ordo_float_of(bits & UINT32_C(0x80000000)) : x;
}

ORDO_ALWAYS float ordo_add_by(enum ordo_add_kind kind, float a, float b)
{
    if (kind == ORDO_ADD_IEEE)
        return ORDO_ADD(a, b);
    return ordo_flush(ORDO_ADD(ordo_flush(a), ordo_flush(b)));
}

#endif
