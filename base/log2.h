/* log2.h - log2(x) in fp32 by fused multiply-adds alone: the same bits from gcc and on a GPU.
 *
 * x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), f exact; log2(1 + f) = f C + f^2 Q(f).  C = 1/ln 2 is the sum
 * of two fp32 numbers, f C_HIGH is kept whole as h + l, and e + h is added without loss (|e| >= 1 > |h|, or e = 0),
 * so that only what is small is rounded more than once:  (e + h) + (its rest + (l + f (C_LOW + f Q))).
 *
 * Exact at powers of two (log2(1) = +0); +0 and -0 give -Inf, +Inf gives +Inf, negative numbers, -Inf and NaN give
 * 0x7fffffff; subnormals are taken as they are.  Q has degree 9, made by base/log2_fit.py: relative error 8.4e-10 of
 * log2(1 + f).  Errors of the whole over all inputs: `ordo bench exp2`. */
#ifndef ORDO_BASE_LOG2_H
#define ORDO_BASE_LOG2_H

#include "base/fp32op.h"

ORDO_BOTH float ordo_log2_q(float f)
{
    float q = ORDO_FMA(0.093980960547924041748046875f, f, -0.16664569079875946044921875f);

    q = ORDO_FMA(q, f, 0.1721754372119903564453125f);
    q = ORDO_FMA(q, f, -0.1793784201145172119140625f);
    q = ORDO_FMA(q, f, 0.205096423625946044921875f);
    q = ORDO_FMA(q, f, -0.24043667316436767578125f);
    q = ORDO_FMA(q, f, 0.28857123851776123046875f);
    q = ORDO_FMA(q, f, -0.3606748878955841064453125f);
    q = ORDO_FMA(q, f, 0.48089802265167236328125f);
    return ORDO_FMA(q, f, -0.721347510814666748046875f);
}

/* log2 of 2^e (1 + f). */
ORDO_BOTH float ordo_log2_reduced(float e, float f)
{
    const float c_high = 1.44269502162933349609375f, c_low = 1.925963033500011079013347625732421875e-8f;
    float h = ORDO_MUL(f, c_high);
    float l = ORDO_FMA(f, c_high, -h);
    float sum = ORDO_ADD(e, h);
    float rest = ORDO_SUB(h, ORDO_SUB(sum, e));
    float small = ORDO_FMA(ORDO_FMA(ordo_log2_q(f), f, c_low), f, l);

    return ORDO_ADD(sum, ORDO_ADD(rest, small));
}

/* Bits of log2 of the number with bits x. */
ORDO_BOTH uint32_t ordo_log2_bits(uint32_t x)
{
    const uint32_t low = UINT32_C(0x3f3504f3), one = UINT32_C(0x3f800000); /* sqrt(1/2), 1 */
    int tiny = x < UINT32_C(0x00800000);                                   /* then x 2^149 is an integer below 2^23 */
    uint32_t from = (tiny ? ordo_bits_of((float)(int32_t)(x & UINT32_C(0x007fffff))) : x) + (one - low);
    int32_t e = (int32_t)(from >> 23) - 127 - (tiny ? 149 : 0);
    float f = ORDO_SUB(ordo_float_of((from & UINT32_C(0x007fffff)) + low), 1.0f);
    uint32_t bits = ordo_bits_of(ordo_log2_reduced((float)e, f));
    uint32_t outside = (x << 1) == 0u ? 0xff800000u : x == ORDO_INF_BITS ? ORDO_INF_BITS : ORDO_NAN_BITS;

    return x - 1u < ORDO_INF_BITS - 1u ? bits : outside; /* a positive number */
}

ORDO_BOTH float ordo_log2(float x)
{
    return ordo_float_of(ordo_log2_bits(ordo_bits_of(x)));
}

#endif
