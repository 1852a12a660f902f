/* dsa_update.cuh - contributions onto a plane, sixteen bytes a thread at a time.
 *
 * Of each 64 columns a thread has 16 of its upper row and 16 of its lower row, in eight quads that stand together in a
 * plane's row (ordo_dsa_column). */
#ifndef ORDO_KERNELS_DSA_UPDATE_CUH
#define ORDO_KERNELS_DSA_UPDATE_CUH

#include "base/fp32op.h"
#include "kernels/ptx.cuh"

/* A thread's two rows of a plane, from its first column on; on: there is one. */
struct dsa_rows {
    float *upper, *lower;
    int upper_on, lower_on;
};

/* The four accumulators of quad i. */
PTX float4 quad_of(const float *acc, int i)
{
    const float *x = acc + i / 2 * 8 + i % 2 * 2;

    return make_float4(x[0], x[1], x[4], x[5]);
}

PTX void store_quad(float *to, float4 v, int there)
{
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %5, 0;\n"
                 "@p st.weak.global.v4.f32 [%0], {%1, %2, %3, %4}; }" ::"l"(to),
                 "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "r"(there)
                 : "memory");
}

/* Asks for `bytes` of a row to be in L2 soon; means nothing else. */
PTX void prefetch_row(const void *from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

PTX float4 add_quad(float4 a, float4 b)
{
    return make_float4(ORDO_ADD(a.x, b.x), ORDO_ADD(a.y, b.y), ORDO_ADD(a.z, b.z), ORDO_ADD(a.w, b.w));
}

#endif
