/* exp2.h - 2^x in fp32 by fused multiply-adds alone: the same bits from gcc and on a GPU.
 *
 * n = x rounded to an integer, f = x - n exactly, a polynomial of degree 5 or 6 in f on [-1/2, 1/2], then n into the
 * exponent field.  Contract beside the polynomial: x < -126 gives +0 (no subnormal results, as ex2.approx.ftz),
 * x >= 128 gives +Inf, NaN gives 0x7fffffff; integers give exact powers of two.
 *
 * The coefficients minimise the relative error with the constant fixed at 1: 9.5e-8 (degree 5), 3.6e-9 (degree 6).
 * Errors of the whole over all inputs: `ordo bench exp2`. */
#ifndef ORDO_BASE_EXP2_H
#define ORDO_BASE_EXP2_H

#include "base/fp32op.h"

ORDO_BOTH float ordo_exp2_poly5(float f)
{
    float p = ORDO_FMA(0.0013274750672280788421630859375f, f, 0.0096715651452541351318359375f);

    p = ORDO_FMA(p, f, 0.0555069930851459503173828125f);
    p = ORDO_FMA(p, f, 0.24022240936756134033203125f);
    p = ORDO_FMA(p, f, 0.693147003650665283203125f);
    return ORDO_FMA(p, f, 1.0f);
}

ORDO_BOTH float ordo_exp2_poly6(float f)
{
    float p = ORDO_FMA(0.000152412845636975717139617919921875f, f, 0.001339130220003426074981689453125f);

    p = ORDO_FMA(p, f, 0.00961883366107940673828125f);
    p = ORDO_FMA(p, f, 0.0555035881698131561279296875f);
    p = ORDO_FMA(p, f, 0.240226447582244873046875f);
    p = ORDO_FMA(p, f, 0.693147182464599609375f);
    return ORDO_FMA(p, f, 1.0f);
}

/* Bits of 2^x; degree 5 or 6. */
ORDO_BOTH uint32_t ordo_exp2_bits(float x, int degree)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it leaves the integer in the low bits */
    int inside = x >= -126.0f && x < 128.0f;
    float in = inside ? x : 0.0f;
    float shifted = ORDO_ADD(in, magic);
    float f = ORDO_SUB(in, ORDO_SUB(shifted, magic));
    float p = degree == 5 ? ordo_exp2_poly5(f) : ordo_exp2_poly6(f);
    uint32_t bits = ordo_bits_of(p) + (ordo_bits_of(shifted) << 23); /* mod 2^32: the magic's own bits leave */
    uint32_t outside = x < -126.0f ? 0u : x >= 128.0f ? ORDO_INF_BITS : ORDO_NAN_BITS;

    return inside ? bits : outside;
}

ORDO_BOTH float ordo_exp2_5(float x)
{
    return ordo_float_of(ordo_exp2_bits(x, 5));
}

ORDO_BOTH float ordo_exp2_6(float x)
{
    return ordo_float_of(ordo_exp2_bits(x, 6));
}

#endif
