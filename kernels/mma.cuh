/* mma.cuh - D = A B + C by each tensor core instruction, as a chain of k16 (or k8) steps.
 *
 * The kernels differ in the instruction and in where and how the operands stand; the arithmetic asked for is the
 * same, so the words must be.  One grid has all tiles, along z. */
#ifndef ORDO_KERNELS_MMA_CUH
#define ORDO_KERNELS_MMA_CUH

#include "kernels/layout.h"
#include "kernels/product.h"
#include "kernels/ptx.cuh"

PTX uint32_t pair(const uint16_t *p)
{
    return *(const uint32_t *)p;
}

/* The product of this CTA's tile. */
PTX struct ordo_tile_product tile_of(const struct ordo_tile_product *all)
{
    struct ordo_tile_product p = *all;
    size_t i = blockIdx.z;

    p.a += i * p.m * p.k;
    p.b += i * p.n * p.k;
    p.c = p.c == NULL ? NULL : p.c + i * p.m * p.n;
    p.d += i * p.m * p.n;
    return p;
}

/* One warp, one 16 x 8 piece.  Fragments: PTX ISA, "Matrix Fragments for mma.m16n8k16" and "m16n8k8". */
template <int F16, int STEP> PTX void mma_chain(const struct ordo_tile_product *p)
{
    uint32_t lane = threadIdx.x % 32, g = lane / 4, t = 2 * (lane % 4);
    uint32_t row = 16 * blockIdx.x + g, col = 8 * blockIdx.y;
    const uint16_t *a = p->a + (size_t)row * p->k + t, *b = p->b + (size_t)(col + g) * p->k + t;
    size_t at = (size_t)row * p->n + col + t, below = at + 8 * (size_t)p->n;
    float d[4] = {0, 0, 0, 0};

    if (p->c != NULL) {
        d[0] = __uint_as_float(p->c[at]), d[1] = __uint_as_float(p->c[at + 1]);
        d[2] = __uint_as_float(p->c[below]), d[3] = __uint_as_float(p->c[below + 1]);
    }
    for (uint32_t k = 0; k < p->k; k += STEP) {
        const uint16_t *a8 = a + 8 * (size_t)p->k;

        if (STEP == 16) {
            uint32_t fa[4] = {pair(a + k), pair(a8 + k), pair(a + k + 8), pair(a8 + k + 8)};
            uint32_t fb[2] = {pair(b + k), pair(b + k + 8)};

            mma_k16<F16>(d, fa, fb);
        } else {
            uint32_t fa[2] = {pair(a + k), pair(a8 + k)};

            mma_k8<F16>(d, fa, pair(b + k));
        }
    }
    p->d[at] = __float_as_uint(d[0]), p->d[at + 1] = __float_as_uint(d[1]);
    p->d[below] = __float_as_uint(d[2]), p->d[below + 1] = __float_as_uint(d[3]);
}

#define KERNEL(name, f16, step)                                                                                  \
    extern "C" __global__ void name(const __grid_constant__ struct ordo_tile_product all)                        \
    {                                                                                                            \
        struct ordo_tile_product p = tile_of(&all);                                                              \
                                                                                                                 \
        mma_chain<f16, step>(&p);                                                                                \
    }
KERNEL(mma_m16n8k16, 0, 16)
KERNEL(mma_m16n8k8, 0, 8)
KERNEL(mma_f16_m16n8k16, 1, 16)
KERNEL(mma_f16_m16n8k8, 1, 8)
#undef KERNEL

/* Copies rows x k elements, k0 onward, into their places; all threads of the CTA. */
PTX void fill(uint8_t *to, const struct ordo_layout *layout, const uint16_t *from, uint32_t k_all, uint32_t k0)
{
    for (uint32_t i = threadIdx.x; i < layout->rows * layout->k; i += blockDim.x) {
        uint32_t row = i / layout->k, k = i % layout->k;

        *(uint16_t *)(to + ordo_layout_place(layout, row, k)) = from[(size_t)row * k_all + k0 + k];
    }
}

/* The fragment of A for one k16 in a warpgroup's registers: 16 rows a warp. */
PTX void load_fragment(uint32_t a[4], const uint16_t *from, uint32_t k_all)
{
    uint32_t lane = threadIdx.x % 32, row = threadIdx.x % 128 / 32 * 16 + lane / 4, t = 2 * (lane % 4);
    const uint16_t *upper = from + (size_t)row * k_all + t, *lower = upper + 8 * (size_t)k_all;

    a[0] = pair(upper), a[1] = pair(lower), a[2] = pair(upper + 8), a[3] = pair(lower + 8);
}

/* Reads C into a warpgroup's accumulators, or writes them to D: rows as above, pairs of columns 8 apart. */
template <int N, bool STORE> PTX void accumulators(float *d, uint32_t *matrix, uint32_t n_all)
{
    uint32_t lane = threadIdx.x % 32, row = threadIdx.x % 128 / 32 * 16 + lane / 4, t = 2 * (lane % 4);

#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        uint32_t *at = matrix + (size_t)(row + (i & 2 ? 8 : 0)) * n_all + i / 4 * 8 + t + (i & 1);

        if (STORE)
            *at = __float_as_uint(d[i]);
        else
            d[i] = __uint_as_float(*at);
    }
}

/* One stage with A in registers: commit groups of COUNT steps.  Their fragments are loaded first and the loop has no
 * other step in it, else the compiler waits after each. */
template <int F16, int N, int TB, int COUNT>
PTX void stage_rs(float *d, const uint16_t *a, uint32_t k_all, const struct ordo_layout *lb, uint32_t at_b, int *add)
{
    for (uint32_t k = 0; k < lb->k; k += 16 * COUNT) {
        uint32_t fa[COUNT][4];

#pragma unroll
        for (int i = 0; i < COUNT; i++)
            load_fragment(fa[i], a + k + 16 * i, k_all);
        wgmma_fence();
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            wgmma<F16, N, 0, TB>::rs(d, fa[i], ordo_layout_descriptor(lb, at_b + ordo_layout_slice(lb, k + 16 * i)),
                                     *add);
            *add = 1;
        }
        wgmma_commit();
        wgmma_wait();
    }
}

/* One stage with A in shared memory: one commit group. */
template <int F16, int N, int TA, int TB>
PTX void stage_ss(float *d, const struct ordo_layout *la, uint32_t at_a, const struct ordo_layout *lb, uint32_t at_b,
                  int *add)
{
    wgmma_fence();
    for (uint32_t k = 0; k < la->k; k += 16) {
        wgmma<F16, N, TA, TB>::ss(d, ordo_layout_descriptor(la, at_a + ordo_layout_slice(la, k)),
                                  ordo_layout_descriptor(lb, at_b + ordo_layout_slice(lb, k)), *add);
        *add = 1;
    }
    wgmma_commit();
    wgmma_wait();
}

/* A CTA of 1 or 2 warpgroups, 64 rows each, one B of N rows for both.  REGISTERS: steps in a commit group with A in
 * registers, 0 if A stands in shared memory. */
template <int F16, int N, int REGISTERS, int TA, int TB> PTX void wgmma_chain(const struct ordo_tile_product *p)
{
    extern __shared__ __align__(ORDO_LAYOUT_ALIGN) uint8_t room[];
    uint32_t group = threadIdx.x / 128, groups = blockDim.x / 128, row0 = blockIdx.x * groups * 64;
    struct ordo_layout la = {TA, p->width_a, 64, p->stage}, lb = {TB, p->width_b, N, p->stage};
    uint32_t bytes_a = REGISTERS > 0 ? 0 : ordo_layout_bytes(&la);
    uint8_t *room_b = room + groups * bytes_a;
    uint32_t at_a = shared_address(room + group * bytes_a), at_b = shared_address(room_b);
    const uint16_t *a = p->a + (size_t)row0 * p->k, *b = p->b + (size_t)blockIdx.y * N * p->k;
    size_t out = (size_t)(row0 + 64 * group) * p->n + (size_t)blockIdx.y * N;
    int add = p->c != NULL;
    float d[N / 2];

#pragma unroll
    for (int i = 0; i < N / 2; i++)
        d[i] = __uint_as_float(0x7fc0abcd); /* a NaN: must not matter where scale-d is 0 */
    if (add)
        accumulators<N, false>(d, p->c + out, p->n);
    for (uint32_t k0 = 0; k0 < p->k; k0 += p->stage) {
        for (uint32_t i = 0; REGISTERS == 0 && i < groups; i++)
            fill(room + i * bytes_a, &la, a + (size_t)i * 64 * p->k, p->k, k0);
        fill(room_b, &lb, b, p->k, k0);
        fence_async();
        __syncthreads();
        if constexpr (REGISTERS > 0)
            stage_rs<F16, N, TB, REGISTERS>(d, a + (size_t)group * 64 * p->k + k0, p->k, &lb, at_b, &add);
        else
            stage_ss<F16, N, TA, TB>(d, &la, at_a, &lb, at_b, &add);
        __syncthreads();
    }
    accumulators<N, true>(d, p->d + out, p->n);
}

#define KERNEL(name, f16, n, registers, ta, tb)                                                                  \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                         \
        name(const __grid_constant__ struct ordo_tile_product all)                                               \
    {                                                                                                            \
        struct ordo_tile_product p = tile_of(&all);                                                              \
                                                                                                                 \
        wgmma_chain<f16, n, registers, ta, tb>(&p);                                                              \
    }
/* NAME_HOW_AB: A's and B's major, k or m; A from shared memory (ss), from registers by four steps (r4), by one. */
#define KERNELS(name, f16, n)                                                                                    \
    KERNEL(name##_ss_kk, f16, n, 0, 0, 0)                                                                        \
    KERNEL(name##_ss_km, f16, n, 0, 0, 1)                                                                        \
    KERNEL(name##_ss_mk, f16, n, 0, 1, 0)                                                                        \
    KERNEL(name##_ss_mm, f16, n, 0, 1, 1)                                                                        \
    KERNEL(name##_r4_kk, f16, n, 4, 0, 0)                                                                        \
    KERNEL(name##_r4_km, f16, n, 4, 0, 1)
#define ONES(name, n)                                                                                            \
    KERNEL(name##_r1_kk, 0, n, 1, 0, 0)                                                                          \
    KERNEL(name##_r1_km, 0, n, 1, 0, 1)
KERNELS(wgmma_8, 0, 8)
KERNELS(wgmma_16, 0, 16)
KERNELS(wgmma_24, 0, 24)
KERNELS(wgmma_32, 0, 32)
KERNELS(wgmma_40, 0, 40)
KERNELS(wgmma_64, 0, 64)
KERNELS(wgmma_96, 0, 96)
KERNELS(wgmma_128, 0, 128)
KERNELS(wgmma_144, 0, 144)
KERNELS(wgmma_240, 0, 240)
KERNELS(wgmma_248, 0, 248)
KERNELS(wgmma_256, 0, 256)
ONES(wgmma_8, 8)
ONES(wgmma_16, 16)
ONES(wgmma_32, 32)
ONES(wgmma_64, 64)
ONES(wgmma_128, 128)
ONES(wgmma_256, 256)
KERNEL(wgmma_f16_8_ss_kk, 1, 8, 0, 0, 0)
KERNELS(wgmma_f16_64, 1, 64)

#endif
