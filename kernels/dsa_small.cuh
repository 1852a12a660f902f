/* dsa_small.cuh - the kernels around the backward pass: plane start, masks, statistics of a row, dSink, the fold. */
#ifndef ORDO_KERNELS_DSA_SMALL_CUH
#define ORDO_KERNELS_DSA_SMALL_CUH

#include "kernels/dsa_scalar.cuh"
#include "protocol/mask.h"

#define DSA_SMALL(name, threads)                                                                                    \
    extern "C" __global__ void __launch_bounds__(threads) name(const __grid_constant__ struct ordo_dsa_args a)

/* Plane start: +0.0 everywhere, the masks behind the rows included, 16 bytes at a time. */
DSA_SMALL(ordo_dsa_clear, 256)
{
    int64_t n = (int64_t)a.n_plane * a.plane_rows * a.d8 / 4, step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        ((uint4 *)a.planes)[i] = make_uint4(0, 0, 0, 0);
}

/* One CTA a (query, head block). */
DSA_SMALL(ordo_dsa_mask_build, 256)
{
    int32_t query = (int32_t)blockIdx.x, lane = ordo_lane_of(query, a.wave_width);
    int32_t plane = ordo_lane_plane(lane, a.cluster), rank = ordo_lane_rank(lane, a.cluster);
    uint32_t *mask = a.masks + ordo_dsa_mask(&a, plane, ordo_lane_wave(query, a.wave_width), (int32_t)blockIdx.y);

    ordo_mask_build(mask, a.idx + (int64_t)query * a.topk, a.topk, a.length == NULL ? a.topk : a.length[query], a.n_kv,
                    a.cluster, rank, (int32_t)threadIdx.x, (int32_t)blockDim.x);
}

/* --- statistics of a row ---------------------------------------------------------------------------------------- */

/* Whether the query has a live slot; the whole CTA asks. */
PTX int row_lives(const struct ordo_dsa_args *a, int64_t query)
{
    int32_t clamped = clamped_length(a, query), any = 0;

    for (int32_t j = (int32_t)threadIdx.x; j < clamped; j += (int32_t)blockDim.x)
        any |= ordo_slot_live(a->idx[query * a->topk + j], a->n_kv, j, clamped);
    return __syncthreads_or(any);
}

PTX float bf16_low(uint32_t pair)
{
    return __uint_as_float(pair << 16);
}

PTX float bf16_high(uint32_t pair)
{
    return __uint_as_float(pair & 0xffff0000u);
}

/* sum_d O dO by one warp.  ORDER: lane (d / 8) mod 32, d ascending by fma from +0.0; then the warp's tree. */
PTX float delta_of(const uint16_t *o, const uint16_t *dout, int32_t n, int32_t lane)
{
    float sum = 0.0f;

    for (int32_t d = 8 * lane; d < n; d += 256) {
        uint4 x = *(const uint4 *)(o + d), y = *(const uint4 *)(dout + d);
        uint32_t of_o[4] = {x.x, x.y, x.z, x.w}, of_dout[4] = {y.x, y.y, y.z, y.w};

#pragma unroll
        for (int i = 0; i < 4; i++) {
            sum = ORDO_FMA(bf16_low(of_o[i]), bf16_low(of_dout[i]), sum);
            sum = ORDO_FMA(bf16_high(of_o[i]), bf16_high(of_dout[i]), sum);
        }
    }
    return warp_tree(sum);
}

/* One CTA a query, one warp a head.  A row without a live slot has LSE = -Inf, whatever was saved for it. */
DSA_SMALL(ordo_dsa_preprocess, 256)
{
    int64_t query = blockIdx.x;
    int32_t lane = (int32_t)threadIdx.x % 32;
    int lives = row_lives(&a, query);

    for (int32_t h = (int32_t)threadIdx.x / 32; h < a.n_head; h += (int32_t)blockDim.x / 32) {
        int64_t row = query * a.n_head + h, at = (int64_t)h * a.q8 + query;
        float folded = folded_lse(lives ? a.lse[row] : minus_infinity(), sink_of(&a, h)), delta = 0.0f;

        if (!is_infinite(folded)) /* the same for all lanes */
            delta = delta_of(a.o + row * a.d_v, a.dout + row * a.d_v, a.d_v, lane);
        if (lane == 0) {
            a.delta[at] = delta;
            a.folded[at] = folded;
        }
    }
}

/* One warp a head.  ORDER: lane q mod 32 by fma, q ascending from +0.0; then the warp's tree. */
DSA_SMALL(ordo_dsa_dsink, 32)
{
    int32_t h = (int32_t)blockIdx.x;
    float k = ORDO_MUL(sink_of(&a, h), DSA_LOG2E), sum = 0.0f;

#pragma unroll 8
    for (int32_t q = (int32_t)threadIdx.x; q < a.n_query; q += 32) {
        int64_t at = (int64_t)h * a.q8 + q;
        float folded = a.folded[at], share = is_infinite(folded) ? 0.0f : ordo_exp2_6(ORDO_SUB(k, folded));
        float next = ORDO_FMA(share, -a.delta[at], sum);

        sum = share == 0.0f ? sum : next;
    }
    sum = warp_tree(sum);
    if (threadIdx.x == 0)
        a.dsink[h] = sum;
}

/* --- the fold --------------------------------------------------------------------------------------------------- */

PTX float4 add4(float4 x, float4 y)
{
    return make_float4(ORDO_ADD(x.x, y.x), ORDO_ADD(x.y, y.y), ORDO_ADD(x.z, y.z), ORDO_ADD(x.w, y.w));
}

/* ordo_launch_fold (protocol/launch.h) for four columns at once, its sums in registers: the planes stay as they are.
 * ORDER: groups of eight planes ascending from +0.0, then the group sums ascending from +0.0. */
PTX float4 fold4(const float *plane, int64_t stride, int32_t n_plane)
{
    float4 total = make_float4(0, 0, 0, 0);

    for (int32_t first = 0; first < n_plane; first += ORDO_FOLD_GROUP) {
        float4 group = make_float4(0, 0, 0, 0), x[ORDO_FOLD_GROUP];

#pragma unroll
        for (int i = 0; i < ORDO_FOLD_GROUP; i++)
            if (first + i < n_plane)
                x[i] = *(const float4 *)(plane + (first + i) * stride);
#pragma unroll
        for (int i = 0; i < ORDO_FOLD_GROUP; i++)
            if (first + i < n_plane)
                group = add4(group, x[i]);
        total = add4(total, group);
    }
    return total;
}

/* Fold and conversion in one: a thread's four places of a plane's row are columns 2t, 2t + 1, 2t + 8, 2t + 9 of its
 * group of 16 (ordo_dsa_column); Dqk is a multiple of 16. */
DSA_SMALL(ordo_dsa_fold, 256)
{
    int32_t quads = a.d8 / 4;
    int64_t n = (int64_t)a.n_kv * quads, step = (int64_t)gridDim.x * blockDim.x, stride = a.plane_rows * a.d8;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        int64_t row = i / quads;
        int32_t place = (int32_t)(i % quads) * 4, column = (place & ~15) + (place & 15) / 2;
        float4 sum = fold4(a.planes + row * a.d8 + place, stride, a.n_plane);
        int64_t at = row * a.d_qk + column;

        *(uint32_t *)(a.dkv + at) = bf16_pair(sum.x, sum.y);
        *(uint32_t *)(a.dkv + at + 8) = bf16_pair(sum.z, sum.w);
        if (a.dkv_fp32 != NULL) {
            *(float2 *)(a.dkv_fp32 + at) = make_float2(sum.x, sum.y);
            *(float2 *)(a.dkv_fp32 + at + 8) = make_float2(sum.z, sum.w);
        }
    }
}

#endif
