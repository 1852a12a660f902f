/* dsa_update.cuh - a CTA's tile of contributions onto its plane, sixteen bytes a thread at a time.
 *
 * The reducers are one warpgroup.  Of each 64 columns a thread has 16 of its upper row and 16 of its lower row, in
 * eight quads that stand together in a plane's row (ordo_dsa_column).  A dead slot's row is null: nothing is added. */
#ifndef ORDO_KERNELS_DSA_UPDATE_CUH
#define ORDO_KERNELS_DSA_UPDATE_CUH

#include "base/fp32op.h"
#include "kernels/ptx.cuh"

/* A thread's two rows of a plane, from its first column on. */
struct dsa_rows {
    float *upper, *lower;
};

/* Quad i of eight of a chunk of 64 columns: where it stands, and its four accumulators. */
PTX float *quad_place(const struct dsa_rows *rows, int chunk, int i)
{
    float *row = i % 2 ? rows->lower : rows->upper;

    return row ? row + 64 * chunk + 16 * (i / 2) : nullptr;
}

PTX float4 quad_of(const float *acc, int i)
{
    const float *x = acc + i / 2 * 8 + i % 2 * 2;

    return make_float4(x[0], x[1], x[4], x[5]);
}

PTX float4 load_quad(const float *from)
{
    float4 v;

    asm volatile("ld.weak.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(from)
                 : "memory");
    return v;
}

PTX void store_quad(float *to, float4 v)
{
    asm volatile("st.weak.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
}

PTX float4 add_quad(float4 a, float4 b)
{
    return make_float4(ORDO_ADD(a.x, b.x), ORDO_ADD(a.y, b.y), ORDO_ADD(a.z, b.z), ORDO_ADD(a.w, b.w));
}

#endif
