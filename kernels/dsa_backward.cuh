/* dsa_backward.cuh - the sparse attention backward pass of one (query, head block) after the other, by one CTA.
 *
 *     S = Q K^T, dP = dO V^T                   64 heads x 64 slots of a tile
 *     P = exp2(S scale_log2 - F), dS = bf16((scale P)(dP - delta))
 *     dQ += dS K                               in registers over all tiles, 256 columns or more a warpgroup
 *     dKV = dO^T P, then + Q^T dS              64 columns at a time, onto the plane
 *
 * Warpgroups have roles, and a tile goes through them as through a pipe: `gather` fetches KV rows, `scores` makes P and
 * dS, `scatter` makes dKV and updates the plane.  The update takes longest, and all else is done meanwhile for the next
 * tile.  In a relay half of the third group are `slots`, which wait for the rows' turns and pass them on.
 *
 * What is rounded where and added in which order is sim/contract.h's; the twin is ref/attention.h. */
#ifndef ORDO_KERNELS_DSA_BACKWARD_CUH
#define ORDO_KERNELS_DSA_BACKWARD_CUH

#include "base/exp2.h"
#include "kernels/dsa_tile.cuh"
#include "kernels/dsa_update.cuh"
#include "protocol/launch.h"
#include "protocol/relay.h"

enum dsa_role { DSA_SCORES, DSA_SCATTER, DSA_HELP };

/* Named barriers: 0 is the CTA's. */
enum {
    DSA_KV_FULL = 1,    /* gather to scores */
    DSA_KV_EMPTY,       /* all products with the KV tile are done */
    DSA_WEIGHTS_FULL,   /* P and dS: scores to scatter */
    DSA_WEIGHTS_EMPTY,  /* and back */
    DSA_QUERY_END,      /* scatter to gather: Q and dO may go */
    DSA_GO,             /* slots to scatter */
    DSA_DONE,           /* and back */
    DSA_BETWEEN         /* of the scatter group alone */
};

/* Threads of the roles in the third group. */
enum { DSA_SLOT_THREADS = ORDO_TILE, DSA_THREADS = 384 };

/* What a CTA does to a plane; how many threads gather. */
struct dsa_atomic { /* adds atomically, in any order */
    enum { WAVES = 0, CLUSTER = 1, GATHER = 128 };
};
struct dsa_shards { /* it is the only one */
    enum { WAVES = 1, CLUSTER = 1, GATHER = 128 };
};
template <int C> struct dsa_relay { /* each row after all lower ranks of its cluster */
    enum { WAVES = 1, CLUSTER = C, GATHER = 128 - DSA_SLOT_THREADS };
};

/* --- the work of a CTA ------------------------------------------------------------------------------------------ */

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

template <class DESIGN> PTX int64_t query_of(const struct ordo_dsa_args *a, int32_t wave)
{
    if (DESIGN::WAVES == 0)
        return blockIdx.x;
    return ordo_lane_query(wave, a->wave_width, ordo_lane_plane(blockIdx.x, DESIGN::CLUSTER), DESIGN::CLUSTER,
                           ordo_lane_rank(blockIdx.x, DESIGN::CLUSTER), a->n_query);
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

PTX uint32_t bf16_pair(float low, float high)
{
    uint32_t y;

    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
    return y;
}

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

#include "kernels/dsa_scatter.cuh"
#include "kernels/dsa_scores.cuh"

/* --- gather ----------------------------------------------------------------------------------------------------- */

/* Eight threads copy a row; THREADS of them go over all 64. */
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

template <int DQK, int DV, int THREADS> PTX void gather_query(const struct ordo_dsa_args *a, const struct dsa_work *w,
                                                              uint32_t room)
{
    int32_t ids = gather_id<THREADS>(a, w, 0);

    if (w->n_tile > 0)
        gather_heads<DQK, DV, THREADS>(a, w, room);
#pragma unroll 1
    for (int32_t tile = 0; tile < w->n_tile; tile++) {
#pragma unroll 1
        for (int i = 0; i < 512 / THREADS; i++) {
            int32_t id = __shfl_sync(0xffffffff, ids, 4 * i + lane_of_warp() / 8);

            copy_row<DQK / 64>(room + dsa_room<DQK, DV>::kv, threadIdx.x % 128 / 8 + i * (THREADS / 8),
                               a->kv + (int64_t)(id < 0 ? 0 : id) * DQK, id >= 0);
        }
        copies_done();
        bar_arrive<DSA_KV_FULL, 128 + THREADS>();
        ids = gather_id<THREADS>(a, w, tile + 1);
        bar_sync<DSA_KV_EMPTY, 256 + THREADS>();
    }
    if (w->n_tile > 0)
        bar_sync<DSA_QUERY_END, 128 + THREADS>();
}

/* --- all -------------------------------------------------------------------------------------------------------- */

/* Those who touch no plane and no mask may run ahead of the hand-over of a wave, by one wave at most. */
template <class DESIGN> PTX void arrive_at_wave_end(int first)
{
    if (DESIGN::CLUSTER == 1)
        return;
    if (!first)
        ORDO_CLUSTER_WAIT(acquire);
    ORDO_CLUSTER_ARRIVE(release);
}

/* All threads are done with wave after wave. */
template <class DESIGN> PTX void wait_for_last_wave(void)
{
    if (DESIGN::CLUSTER > 1)
        ORDO_CLUSTER_WAIT(acquire);
}

/* The third group's warps: all gather, or the second half are slots. */
template <int DQK, int DV, class DESIGN> PTX void help(const struct ordo_dsa_args *a, uint32_t room, int32_t first,
                                                       int32_t end)
{
    int gathers = __shfl_sync(0xffffffff, threadIdx.x % 128 < DESIGN::GATHER, 0);

    for (int32_t wave = first; wave < end; wave++) {
        struct dsa_work w = work_of(a, query_of<DESIGN>(a, wave));

        if (gathers) {
            gather_query<DQK, DV, DESIGN::GATHER>(a, &w, room);
            arrive_at_wave_end<DESIGN>(wave == first);
        } else if constexpr (DESIGN::CLUSTER > 1) {
            slots_query<DESIGN::CLUSTER>(a, &w, wave);
            ordo_launch_hand_over();
        }
    }
    if (gathers)
        wait_for_last_wave<DESIGN>();
}

/* Each role in a branch of its own, with its own share of the registers. */
template <int DQK, int DV, class DESIGN> PTX void backward(const struct ordo_dsa_args *a)
{
    extern __shared__ __align__(ORDO_LAYOUT_ALIGN) uint8_t shared_room[];
    uint32_t room = shared_address(shared_room);
    int role = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);
    int32_t first = DESIGN::WAVES ? a->first_wave : 0, end = DESIGN::WAVES ? a->end_wave : 1;

    if (role == DSA_SCORES) {
        registers_more<240>();
        for (int32_t wave = first; wave < end; wave++) {
            struct dsa_work w = work_of(a, query_of<DESIGN>(a, wave));

            scores_query<DQK, DV, DESIGN>(a, &w, room);
            arrive_at_wave_end<DESIGN>(wave == first);
        }
        bar_sync<DSA_WEIGHTS_EMPTY, 256>();
        wait_for_last_wave<DESIGN>();
    } else if (role == DSA_SCATTER) {
        registers_more<232>();
        bar_arrive<DSA_WEIGHTS_EMPTY, 256>();
        for (int32_t wave = first; wave < end; wave++) {
            struct dsa_work w = work_of(a, query_of<DESIGN>(a, wave));

            scatter_query<DQK, DV, DESIGN>(a, &w, room);
            scatter_hand_over<DESIGN>();
        }
    } else {
        registers_less<32>();
        help<DQK, DV, DESIGN>(a, room, first, end);
    }
}

#define DSA_KERNEL(name, dqk, dv, design)                                                                               \
    extern "C" __global__ void __launch_bounds__(DSA_THREADS, 1)                                            \
        name(const __grid_constant__ struct ordo_dsa_args args)                                                      \
    {                                                                                                                \
        backward<dqk, dv, design>(&args);                                                                       \
    }

#endif
