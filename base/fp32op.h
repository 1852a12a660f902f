/* fp32op.h - single fp32 operations that mean the same under gcc and on the device: what twin and kernels both spell.
 *
 * Each rounds once, to nearest even, and keeps subnormals.  On the device they are the intrinsics that no flag fuses;
 * -ftz=true would flush in them, so no kernel is built with it.  On the host they are C's own operations: such code is
 * built with -ffp-contract=off and without -ffast-math, and fused only where it says ORDO_FMA. */
#ifndef ORDO_BASE_FP32OP_H
#define ORDO_BASE_FP32OP_H

#include "base/both.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__) || defined __ASSOCIATIVE_MATH__
#error "bits are not predicted under -ffast-math or its parts"
#endif
#if FLT_EVAL_METHOD != 0
#error "fp32 must be evaluated in fp32: on x86 build with -msse2 -mfpmath=sse"
#endif

#ifdef __CUDA_ARCH__
#define ORDO_FMA(a, b, c) __fmaf_rn(a, b, c)
#define ORDO_ADD(a, b)    __fadd_rn(a, b)
#define ORDO_SUB(a, b)    __fsub_rn(a, b)
#define ORDO_MUL(a, b)    __fmul_rn(a, b)
#define ORDO_DIV(a, b)    __fdiv_rn(a, b)
#else
#define ORDO_FMA(a, b, c) fmaf(a, b, c)
#define ORDO_ADD(a, b)    ((a) + (b))
#define ORDO_SUB(a, b)    ((a) - (b))
#define ORDO_MUL(a, b)    ((a) * (b))
#define ORDO_DIV(a, b)    ((a) / (b))
#endif

#define ORDO_INF_BITS UINT32_C(0x7f800000)
#define ORDO_NAN_BITS UINT32_C(0x7fffffff) /* what GPU arithmetic returns for every NaN */

ORDO_BOTH uint32_t ordo_bits_of(float x)
{
#ifdef __CUDA_ARCH__
    return __float_as_uint(x);
#else
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
#endif
}

ORDO_BOTH float ordo_float_of(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
#endif
}

#endif
