/* dsa_scalar.cuh - single numbers of the attention kernels: each formula is the contract's (sim/contract.h), each
 * operation rounds once (base/fp32op.h).  The twin spells them for itself. */
#ifndef ORDO_KERNELS_DSA_SCALAR_CUH
#define ORDO_KERNELS_DSA_SCALAR_CUH

#include "base/exp2.h"
#include "base/log2.h"
#include "kernels/dsa_args.h"
#include "kernels/ptx.cuh"
#include "protocol/index.h"

#define DSA_LOG2E 1.44269502162933349609375f /* log2 e and ln 2, rounded to fp32 */
#define DSA_LN2   0.693147182464599609375f

PTX float minus_infinity(void)
{
    return __uint_as_float(0xff800000u);
}

PTX bool is_infinite(float x)
{
    return (__float_as_uint(x) << 1) == (ORDO_INF_BITS << 1);
}

PTX float sink_of(const struct ordo_dsa_args *a, int32_t head)
{
    return a->sink == NULL ? minus_infinity() : a->sink[head];
}

/* log2 of the denominator; +Inf for a row that adds nothing. */
PTX float folded_lse(float lse, float sink)
{
    float a = ORDO_MUL(lse, DSA_LOG2E), k = ORDO_MUL(sink, DSA_LOG2E);
    float high = a > k ? a : k, low = a > k ? k : a;

    if (is_infinite(a))
        return __uint_as_float(ORDO_INF_BITS);
    return ORDO_ADD(high, ordo_log2(ORDO_ADD(1.0f, ordo_exp2_6(ORDO_SUB(low, high)))));
}

/* Two BF16, the first in the low half. */
PTX uint32_t bf16_pair(float first, float second)
{
    uint32_t y;

    asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(second), "f"(first));
    return y;
}

/* The sum of a warp's values: offsets 16, 8, 4, 2, 1, a lane adds the one above it.  Valid in lane 0. */
PTX float warp_tree(float x)
{
    for (int offset = 16; offset > 0; offset /= 2)
        x = ORDO_ADD(x, __shfl_down_sync(0xffffffffu, x, offset));
    return x;
}

PTX int32_t clamped_length(const struct ordo_dsa_args *a, int64_t query)
{
    return ordo_clamp_length(a->length == NULL ? a->topk : a->length[query], a->topk);
}

#endif
