/* dsa_work.cuh - what one CTA has to do, and what its threads do to numbers in registers. */
#ifndef ORDO_KERNELS_DSA_WORK_CUH
#define ORDO_KERNELS_DSA_WORK_CUH

#include "base/exp2.h"
#include "kernels/dsa_tile.cuh"
#include "protocol/index.h"

enum { DSA_THREADS = 384 }; /* three warpgroups */

/* The named barrier of all threads where they come to it from different places of the code: not 0, which tools take for
 * one place. */
enum { DSA_ALL = 15 };

/* --- which query, which rows ------------------------------------------------------------------------------------ */

struct dsa_work {
    int64_t query; /* -1: none, a surplus lane of the tail wave */
    int32_t first_head, n_head, clamped, n_tile;
};

PTX struct dsa_work work_of(const struct ordo_dsa_args *a, int64_t query)
{
    struct dsa_work w = {query, a->head_block * ORDO_HEAD_BLOCK, 0, 0, 0};

    w.n_head = a->n_head - w.first_head < ORDO_HEAD_BLOCK ? a->n_head - w.first_head : ORDO_HEAD_BLOCK;
    if (query >= 0)
        w.clamped = ordo_clamp_length(a->length ? a->length[query] : a->topk, a->topk);
    w.n_tile = (w.clamped + ORDO_TILE - 1) / ORDO_TILE;
    return w;
}

/* The KV row of a slot, or -1. */
PTX int32_t row_of_slot(const struct ordo_dsa_args *a, const struct dsa_work *w, int32_t slot)
{
    int32_t id = slot < w->clamped ? a->idx[w->query * a->topk + slot] : -1;

    return ordo_slot_live(id, a->n_kv, slot, w->clamped) ? id : -1;
}

/* Element (head, column 0) of the query's rows of a [Q][H][width] tensor. */
PTX int64_t head_at(const struct ordo_dsa_args *a, const struct dsa_work *w, int32_t head, int32_t width)
{
    return ((int64_t)w->query * a->n_head + w->first_head + head) * width;
}

PTX uint32_t lane_of_warp(void)
{
    return threadIdx.x % 32;
}

/* The upper one of a thread's two rows of a fragment; the other is eight below. */
PTX uint32_t fragment_row(void)
{
    return threadIdx.x % 128 / 32 * 16 + lane_of_warp() / 4;
}

/* --- gathering, by THREADS threads from the first of a warpgroup on ----------------------------------------------- */

/* Q and dO of the heads that are there, eight threads a row. */
template <int DQK, int DV, int THREADS> PTX void gather_heads(const struct ordo_dsa_args *a, const struct dsa_work *w,
                                                              uint32_t room)
{
#pragma unroll 1
    for (uint32_t row = threadIdx.x % 128 / 8; row < 64; row += THREADS / 8) {
        int there = (int32_t)row < w->n_head;
        int32_t head = there ? (int32_t)row : 0;

        copy_row<DQK / 64>(room + dsa_room<DQK, DV>::q, row, a->q + head_at(a, w, head, DQK), there);
        copy_row<DV / 64>(room + dsa_room<DQK, DV>::dout, row, a->dout + head_at(a, w, head, DV), there);
    }
}

/* A warp's copies of a tile take rows 4 at a time, THREADS / 8 apart; lane l knows the id of row l mod 4 of time
 * l / 4. */
template <int THREADS> PTX int32_t gather_id(const struct ordo_dsa_args *a, const struct dsa_work *w, int32_t tile)
{
    uint32_t lane = lane_of_warp() % (4 * 512 / THREADS);

    return row_of_slot(a, w, tile * ORDO_TILE + threadIdx.x % 128 / 32 * 4 + lane % 4 + lane / 4 * (THREADS / 8));
}

/* The KV rows of a tile; ids: gather_id of it. */
template <int DQK, int DV, int THREADS> PTX void gather_tile(const struct ordo_dsa_args *a, uint32_t room, int32_t ids)
{
#pragma unroll 1
    for (int i = 0; i < 512 / THREADS; i++) {
        int32_t id = __shfl_sync(0xffffffff, ids, 4 * i + lane_of_warp() / 8);

        copy_row<DQK / 64>(room + dsa_room<DQK, DV>::kv, threadIdx.x % 128 / 8 + i * (THREADS / 8),
                           a->kv + (int64_t)(id < 0 ? 0 : id) * DQK, id >= 0);
    }
}

/* --- P and dS --------------------------------------------------------------------------------------------------- */

/* What a thread knows of its two heads. */
struct dsa_heads {
    float folded[2], delta[2];
    int on[2]; /* it is there and its row is not inert */
};

PTX struct dsa_heads heads_of(const struct ordo_dsa_args *a, const struct dsa_work *w)
{
    struct dsa_heads h;

#pragma unroll
    for (int half = 0; half < 2; half++) {
        int32_t head = (int32_t)fragment_row() + 8 * half;
        int64_t at = (int64_t)(w->first_head + head) * a->q8 + w->query;

        h.on[half] = w->query >= 0 && head < w->n_head;
        h.folded[half] = h.on[half] ? a->folded[at] : 0.0f;
        h.delta[half] = h.on[half] ? a->delta[at] : 0.0f;
        h.on[half] &= (ordo_bits_of(h.folded[half]) << 1) != (ORDO_INF_BITS << 1);
    }
    return h;
}

/* One bit a live slot of the tile, by 32, from the thread's first column pair on. */
PTX void live_of(const struct ordo_dsa_args *a, const struct dsa_work *w, int32_t tile, uint32_t live[2])
{
    uint32_t t = 2 * (lane_of_warp() % 4);

#pragma unroll
    for (int half = 0; half < 2; half++)
        live[half] = __ballot_sync(0xffffffff, row_of_slot(a, w, tile * ORDO_TILE + 32 * half + lane_of_warp()) >= 0)
                     >> t;
}

/* S becomes P, unrounded. */
PTX void exponentials(float *s, const struct dsa_heads *h, const uint32_t live[2], float scale_log2)
{
#pragma unroll
    for (int i = 0; i < 32; i++) {
        int half = i >> 1 & 1, bit = 8 * (i / 4 % 4) + (i & 1);
        float p = ordo_exp2_6(ORDO_FMA(s[i], scale_log2, -h->folded[half]));

        s[i] = h->on[half] && (live[i / 16] >> bit & 1) ? p : 0.0f;
    }
}

PTX uint32_t bf16_pair(float low, float high)
{
    uint32_t y;

    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
    return y;
}

/* P and dP of 32 slots become BF16 pairs of P and dS, in the order of A's fragments. */
PTX void weights(const float *p, const float *dp, const struct dsa_heads *h, uint32_t live, float scale,
                 uint32_t *p_pair, uint32_t *ds_pair)
{
#pragma unroll
    for (int i = 0; i < 16; i += 2) {
        int half = i >> 1 & 1;
        float ds[2];

#pragma unroll
        for (int j = 0; j < 2; j++) {
            float x = ORDO_MUL(ORDO_MUL(scale, p[i + j]), ORDO_SUB(dp[i + j], h->delta[half]));

            ds[j] = h->on[half] && (live >> (8 * (i / 4) + j) & 1) ? x : 0.0f;
        }
        p_pair[i / 2] = bf16_pair(p[i], p[i + 1]);
        ds_pair[i / 2] = bf16_pair(ds[0], ds[1]);
    }
}

/* --- dQ --------------------------------------------------------------------------------------------------------- */

template <int N> PTX void clear(float *acc)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        acc[i] = 0.0f;
}

/* N columns of dQ, `first` onward, of the heads that are there. */
template <int N, int DQK> PTX void write_dq(const struct ordo_dsa_args *a, const struct dsa_work *w, int first,
                                            const float *acc)
{
    uint32_t row = fragment_row(), t = 2 * (lane_of_warp() % 4);

#pragma unroll
    for (int half = 0; half < 2; half++) {
        int32_t head = (int32_t)row + 8 * half;
        uint32_t *to = (uint32_t *)(a->dq + head_at(a, w, head, DQK) + first + t);

        if (head < w->n_head)
#pragma unroll
            for (int i = 0; i < N / 8; i++)
                to[4 * i] = bf16_pair(acc[4 * i + 2 * half], acc[4 * i + 2 * half + 1]);
    }
}

#endif
