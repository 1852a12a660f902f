/* scalar.cuh - functions of one word and single additions, as words or as block digests; and the seeded inputs.
 *
 * A function of one word takes first, first + step, ... modulo 2^32. */
#ifndef ORDO_KERNELS_SCALAR_CUH
#define ORDO_KERNELS_SCALAR_CUH

#include "base/exp2.h"
#include "base/families.h"
#include "base/fnv.h"
#include "base/log2.h"
#include "kernels/product.h"
#include "kernels/ptx.cuh"

/* --- inputs ----------------------------------------------------------------------------------------------------- */

/* One thread an element; z is the tile, whose seed is seed + z. */
extern "C" __global__ void make_operands(const __grid_constant__ struct ordo_tile_product p, int family,
                                         uint64_t seed)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, tile = blockIdx.z;
    size_t n_a = (size_t)p.m * p.k, n_b = (size_t)p.n * p.k, n_c = p.c == NULL ? 0 : (size_t)p.m * p.n;

    seed += tile;
    if (i < n_a)
        p.a[tile * n_a + i] = ordo_family_a(family, seed, (uint32_t)(i / p.k), (uint32_t)(i % p.k));
    if (i < n_b)
        p.b[tile * n_b + i] = ordo_family_b(family, seed, (uint32_t)(i / p.k), (uint32_t)(i % p.k));
    if (i < n_c)
        p.c[tile * n_c + i] = ordo_family_c(family, seed, (uint32_t)(i / p.n), (uint32_t)(i % p.n));
}

/* --- functions of one word -------------------------------------------------------------------------------------- */

/* A packed conversion as one number, or all ones where its halves differ. */
PTX uint32_t one_of(uint32_t both)
{
    return both >> 16 == (both & 0xffff) ? both >> 16 : 0xffffffff;
}

PTX uint32_t unary(int op, int form, uint32_t x)
{
    switch (op) {
    case ORDO_OP_EX2:
        return ex2_approx_ftz(x);
    case ORDO_OP_EXP2_5:
        return ordo_exp2_bits(__uint_as_float(x), 5);
    case ORDO_OP_EXP2_6:
        return ordo_exp2_bits(__uint_as_float(x), 6);
    case ORDO_OP_LOG2:
        return ordo_log2_bits(x);
    case ORDO_OP_CVT_BF16:
        return form == ORDO_FORM_X2 ? one_of(cvt_bf16x2(x)) : cvt_bf16(x);
    default:
        return form == ORDO_FORM_X2 ? one_of(cvt_f16x2(x)) : cvt_f16(x);
    }
}

extern "C" __global__ void unary_words(int op, int form, uint32_t first, uint32_t step, uint64_t n, uint32_t *out)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x)
        out[i] = unary(op, form, first + (uint32_t)i * step);
}

/* One thread a block of base/fnv.h. */
extern "C" __global__ void unary_blocks(int op, int form, uint32_t first, uint32_t step, uint64_t n, uint64_t *out)
{
    uint64_t block = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, i = block * ORDO_FNV_BLOCK;
    uint64_t end = i + ORDO_FNV_BLOCK < n ? i + ORDO_FNV_BLOCK : n, h = ORDO_FNV_START;

    if (i >= n)
        return;
    for (; i < end; i++)
        h = ordo_fnv_word(h, unary(op, form, first + (uint32_t)i * step));
    out[block] = h;
}

/* --- additions -------------------------------------------------------------------------------------------------- */

/* Sums of pairs, out[i] = c(i, 0) + c(i, 1): the first stands in memory, the second is added to it.  One CTA has
 * ORDO_ADD_THREADS of them; n is a multiple of that. */
extern "C" __global__ void __launch_bounds__(ORDO_ADD_THREADS)
    additions(int op, int form, int family, uint64_t seed, uint32_t *out)
{
    __shared__ __align__(128) float room[ORDO_ADD_THREADS];
    uint32_t at = blockIdx.x * ORDO_ADD_THREADS, i = at + threadIdx.x;
    uint32_t in_memory = ordo_family_c(family, seed, i, 0), added = ordo_family_c(family, seed, i, 1);
    float *global = (float *)out, mine = __uint_as_float(added);

    out[i] = in_memory;
    room[threadIdx.x] = op == ORDO_RED_SHARED ? __uint_as_float(in_memory) : mine;
    asm volatile("fence.proxy.async;" ::: "memory"); /* both memories, for the bulk reduction */
    __syncthreads();
    if (op == ORDO_FADD) {
        out[i] = add_rn(in_memory, added);
    } else if (op == ORDO_RED_SHARED) {
        if (form == ORDO_FORM_ATOM)
            atom_shared(room + threadIdx.x, mine);
        else
            red_shared(room + threadIdx.x, mine);
        __syncthreads();
        out[i] = __float_as_uint(room[threadIdx.x]);
    } else if (op == ORDO_BULK) {
        if (threadIdx.x == 0)
            bulk_add(global + at, room, sizeof room);
    } else if (form == ORDO_FORM_V4) {
        if (threadIdx.x % 4 == 0)
            red_global_v4(global + i, *(const float4 *)(room + threadIdx.x));
    } else if (form == ORDO_FORM_ATOM) {
        atom_global(global + i, mine);
    } else {
        red_global(global + i, mine);
    }
}

#endif
