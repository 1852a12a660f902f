/* dsa_strokes.cuh - the backward pass where a plane has one writer at a time, in two strokes for each query.
 *
 *     first   S, dP, P, dS and dQ, tile by tile in slot order, which dQ's bits depend on; P and dS are kept
 *     then    dKV = dO^T P + Q^T dS and its addition to the plane, 64 slots at a time in the order of their KV rows
 *
 * No bit of dKV depends on which slots stand in a tile together or which tile comes first: a contribution contracts
 * over the heads of one slot.  In the order of rows all CTAs of a cluster walk the plane the same way, so that a
 * relay hardly waits.  And in the second stroke nothing but additions is left, for which two warpgroups have all
 * registers: load, add and store is limited by how many bytes are on their way.
 *
 * First stroke: group 0 makes P and dS and columns 0 to 255 of dQ, group 1 the others, group 2 fetches KV rows and
 * puts P and dS away.  Second stroke: groups 0 and 1 have half of a tile's columns each; group 2 are slot lanes, half
 * of them of every other tile. */
#ifndef ORDO_KERNELS_DSA_STROKES_CUH
#define ORDO_KERNELS_DSA_STROKES_CUH

#include "kernels/dsa_second.cuh"
#include "protocol/launch.h"

/* The second stroke of a query, up to DSA_SORTED slots at a time. */
template <int DQK, int DV, int C, int GROUP> PTX void second_stroke(const struct ordo_dsa_args *a,
                                                                    const struct dsa_work *w, uint8_t *shared,
                                                                    uint32_t room, int32_t wave)
{
    using at = dsa_stroke_room<DQK, DV>;
    struct dsa_list list = {(uint32_t *)(shared + at::row), (uint16_t *)(shared + at::slot)};

#pragma unroll 1
    for (int32_t slot0 = 0; slot0 < w->clamped; slot0 += DSA_SORTED) {
        int32_t n = sort_places(w, slot0);

        if constexpr (GROUP < 2) {
            bar_sync<GROUP ? DSA_KEPT : DSA_KV_FULL, 256>();
            barrier_sync<DSA_PAIR, DSA_PAIR_THREADS>();
            sort_slots(a, w, slot0, (uint32_t *)(shared + at::keys), &list);
            if (GROUP == 0)
                bar_arrive<DSA_WEIGHTS_FULL + 2, 256>(); /* the list is there */
            stroke_add<DQK, DV, C, GROUP>(a, room, &list, slot0, sorted_live(&list, n));
        } else {
            bar_arrive<DSA_KV_FULL, 256>(); /* P and dS are put away, and the list is not looked at */
            bar_arrive<DSA_KEPT, 256>();
            bar_sync<DSA_WEIGHTS_FULL + 2, 256>();
            if constexpr (C > 1)
                stroke_slots<C>(a, &list, sorted_live(&list, n), wave);
        }
    }
    if (w->clamped == 0)
        return;
    if constexpr (GROUP < 2) {
        bar_arrive<DSA_KV_EMPTY + GROUP, 256>(); /* Q and dO may go too */
    } else {
        bar_sync<DSA_KV_EMPTY + 0, 256>();
        bar_sync<DSA_KV_EMPTY + 1, 256>();
    }
}

/* All waves of one group: registers are shared out by group, and so each has its own code. */
template <int DQK, int DV, int C, int GROUP> PTX void waves(const struct ordo_dsa_args *a, uint8_t *shared)
{
    uint32_t room = shared_address(shared);

#pragma unroll 1
    for (int32_t wave = a->first_wave; wave < a->end_wave; wave++) {
        struct dsa_work w =
            work_of(a, ordo_lane_query(wave, a->wave_width, ordo_lane_plane(blockIdx.x, C), C,
                                       ordo_lane_rank(blockIdx.x, C), a->n_query));

        if constexpr (GROUP == 0)
            stroke_scores<DQK, DV>(a, &w, room);
        else if constexpr (GROUP == 1)
            stroke_dq<DQK, DV>(a, &w, room);
        else
            stroke_gather<DQK, DV>(a, &w, room);
        if (C > 1 && wave > a->first_wave)
            ORDO_CLUSTER_WAIT(acquire);
        second_stroke<DQK, DV, C, GROUP>(a, &w, shared, room, wave);
        if (C > 1)
            ORDO_CLUSTER_ARRIVE(release);
    }
    if (C > 1)
        ORDO_CLUSTER_WAIT(acquire);
}

template <int DQK, int DV, int C> PTX void strokes(const struct ordo_dsa_args *a)
{
    extern __shared__ __align__(ORDO_LAYOUT_ALIGN) uint8_t shared[];
    int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);

    if (group == 0) {
        registers_more<240>();
        waves<DQK, DV, C, 0>(a, shared);
    } else if (group == 1) {
        registers_more<240>();
        waves<DQK, DV, C, 1>(a, shared);
    } else {
        registers_less<24>();
        waves<DQK, DV, C, 2>(a, shared);
    }
}

#define DSA_STROKES(name, dqk, dv, cluster)                                                                          \
    extern "C" __global__ void __launch_bounds__(DSA_THREADS, 1)                                                     \
        name(const __grid_constant__ struct ordo_dsa_args args)                                                      \
    {                                                                                                                \
        strokes<dqk, dv, cluster>(&args);                                                                            \
    }

#endif
