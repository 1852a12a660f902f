/* dsa_strokes.cuh - the backward pass where a plane has one writer at a time, in two strokes for each query.
 *
 *     first   S, dP, P, dS and dQ, tile by tile in slot order, which dQ's bits depend on; P and dS are kept
 *     then    dKV = dO^T P + Q^T dS and its addition to the plane, 64 slots at a time in the order of their KV rows
 *
 * No bit of dKV depends on which slots stand in a tile together or which tile comes first: a contribution contracts
 * over the heads of one slot.  In the order of rows all CTAs of a cluster walk the plane the same way, so that a relay
 * hardly waits.  And in the second stroke nothing but additions is left, for which two warpgroups have all registers:
 * load, add and store is limited by how many bytes are on their way.
 *
 * First stroke: group 0 makes P and dS and columns 0 to 255 of dQ, group 1 the others, group 2 fetches KV rows and puts
 * P and dS away.  Second stroke: groups 0 and 1 take turns at tiles; of group 2, half as slot lanes of each. */
#ifndef ORDO_KERNELS_DSA_STROKES_CUH
#define ORDO_KERNELS_DSA_STROKES_CUH

#include "kernels/dsa_sort.cuh"
#include "kernels/dsa_update.cuh"
#include "kernels/dsa_work.cuh"
#include "protocol/fragment.h"
#include "protocol/launch.h"

#define DSA_QUADS 2048u /* bytes: a quad of each thread of a group */

/* Named barriers. */
enum {
    DSA_KV_FULL = 1,   /* group 2 to 0 */
    DSA_KV_EMPTY,      /* all to group 2 */
    DSA_WEIGHTS_FULL,  /* P and dS: group 0 to 1 and 2 */
    DSA_WEIGHTS_EMPTY, /* and back */
    DSA_GROUP,         /* two: of group 0 or 1 alone */
    DSA_GO = DSA_GROUP + 2, /* two: slot lanes to group 0 or 1 */
    DSA_DONE = DSA_GO + 2   /* two: and back */
};

/* Shared memory of the second stroke, where KV, P and dS stood: sorted slots; P and dS of a tile for each of two groups;
 * a ring of each group's, as many quads a thread as fit. */
template <int DQK, int DV> struct dsa_stroke_room {
    static constexpr uint32_t row = dsa_room<DQK, DV>::kv, slot = row + 4 * DSA_SORTED, tiles = slot + 2 * DSA_SORTED,
                              ring = tiles + 4 * DSA_PANEL, keys = ring, /* keys: while sorting */
                              quads = (dsa_room<DQK, DV>::bytes - ring) / (2 * DSA_QUADS);
    static_assert(tiles % ORDO_LAYOUT_ALIGN == 0 && quads >= 8 && 2 * quads * DSA_QUADS >= 4 * DSA_SORTED, "room");
};

/* --- first stroke ----------------------------------------------------------------------------------------------- */

PTX uint16_t *kept_weights(const struct ordo_dsa_args *a, int32_t slot)
{
    int64_t slots = (int64_t)(a->topk + ORDO_TILE - 1) / ORDO_TILE * ORDO_TILE;

    return a->weights + (blockIdx.x * slots + slot) * 128;
}

PTX void store_transposed(uint32_t to, const uint32_t *x)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(x[0]),
                 "r"(x[1]), "r"(x[2]), "r"(x[3])
                 : "memory");
}

/* A warp's 16 heads of a panel with a line a slot: lane l names line l mod 8 of the matrix l / 8, which has heads
 * 8 (l / 8 mod 2) onward and slots 8 (l / 16) onward. */
PTX void store_by_slot(uint32_t to, const uint32_t *pair)
{
    uint32_t lane = lane_of_warp(), chunk = threadIdx.x % 128 / 32 * 2 + lane / 8 % 2;

#pragma unroll
    for (int i = 0; i < 4; i++)
        store_transposed(to + (16 * i + 8 * (lane / 16) + lane % 8) * 128 + ((chunk ^ lane % 8) << 4), pair + 4 * i);
}

/* dQ += dS K with dS in registers, 256 columns. */
PTX void scores_dq(float *dq, const uint32_t *ds_pair, uint32_t kv)
{
    uint64_t from = panel_descriptor(kv);

#pragma unroll
    for (int i = 0; i < 4; i++)
        wgmma<0, 256, 0, 1>::rs(dq, ds_pair + 4 * i, panel_step(from, 2048 * i), 1);
}

template <int DQK, int DV> PTX void stroke_scores(const struct ordo_dsa_args *a, const struct dsa_work *w,
                                                  uint32_t room)
{
    using at = dsa_room<DQK, DV>;
    struct dsa_heads h = heads_of(a, w);
    float dq[128], s[32], dp[32];

    clear<128>(dq);
    clear<32>(s); /* an accumulator that nobody sets is alive, and has its register, everywhere */
    clear<32>(dp);
#pragma unroll 1
    for (int32_t tile = 0; tile < w->n_tile; tile++) {
        uint32_t live[2], p_pair[16], ds_pair[16];

        room = fresh(room);
        live_of(a, w, tile, live);
        bar_sync<DSA_KV_FULL, 256>();
        wgmma_fence();
        contract_columns<64, DQK / 64>(s, room + at::q, room + at::kv);
        wgmma_commit();
        contract_columns<64, DV / 64>(dp, room + at::dout, room + at::kv);
        wgmma_commit();
        wgmma_wait_but<1>();
        hold<32>(s);
        exponentials(s, &h, live, a->scale_log2);
        wgmma_wait_but<0>();
        hold<32>(dp);
        weights(s, dp, &h, live[0], a->scale, p_pair, ds_pair);
        weights(s + 16, dp + 16, &h, live[1], a->scale, p_pair + 8, ds_pair + 8);
        if (tile > 0)
            bar_sync<DSA_WEIGHTS_EMPTY, 384>();
        store_by_slot(room + at::p, p_pair);
        store_by_slot(room + at::ds, ds_pair);
        fence_async();
        bar_arrive<DSA_WEIGHTS_FULL, 384>();
        hold<128>(dq);
        wgmma_fence();
        scores_dq(dq, ds_pair, room + at::kv);
        wgmma_commit();
        wgmma_wait_but<0>();
        hold<128>(dq);
        bar_arrive<DSA_KV_EMPTY, 384>();
    }
    if (w->n_tile > 0)
        bar_sync<DSA_WEIGHTS_EMPTY, 384>();
    if (w->query >= 0)
        write_dq<256, DQK>(a, w, 0, dq);
}

template <int DQK, int DV> PTX void stroke_dq(const struct ordo_dsa_args *a, const struct dsa_work *w, uint32_t room)
{
    using at = dsa_room<DQK, DV>;
    constexpr int TAIL = DQK > 512;
    float dq[128], tail[32];

    clear<128>(dq);
    clear<32>(tail);
#pragma unroll 1
    for (int32_t tile = 0; tile < w->n_tile; tile++) {
        room = fresh(room);
        bar_sync<DSA_WEIGHTS_FULL, 384>();
        wgmma_fence();
        contract_rows<256, 1>(dq, room + at::ds, room + at::kv + 4 * DSA_PANEL, false);
        if (TAIL)
            contract_rows<64, 1>(tail, room + at::ds, room + at::kv + 8 * DSA_PANEL, false);
        wgmma_commit();
        wgmma_wait_but<0>();
        hold<128>(dq);
        hold<32>(tail);
        bar_arrive<DSA_WEIGHTS_EMPTY, 384>();
        bar_arrive<DSA_KV_EMPTY, 384>();
    }
    if (w->query >= 0)
        write_dq<256, DQK>(a, w, 256, dq);
    if (TAIL && w->query >= 0)
        write_dq<64, DQK>(a, w, 512, tail);
}

/* P and dS of a tile, 16 bytes a thread at a time, from where they stand to where they are kept. */
template <int DQK, int DV> PTX void keep_weights(const struct ordo_dsa_args *a, uint32_t room, int32_t tile)
{
    uint32_t line = threadIdx.x % 128 / 16, panel = threadIdx.x / 8 % 2, chunk = threadIdx.x % 8;
    uint32_t from = room + dsa_room<DQK, DV>::p + panel * DSA_PANEL + line * 128 + ((chunk ^ line % 8) << 4);
    uint16_t *to = kept_weights(a, tile * ORDO_TILE + line) + panel * 64 + chunk * 8;

#pragma unroll
    for (int i = 0; i < 8; i++) {
        uint4 v;

        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "r"(from + i * 8 * 128)
                     : "memory");
        *(uint4 *)(to + i * 8 * 128) = v;
    }
}

template <int DQK, int DV> PTX void stroke_gather(const struct ordo_dsa_args *a, const struct dsa_work *w,
                                                  uint32_t room)
{
    int32_t ids = gather_id<128>(a, w, 0);

    if (w->n_tile > 0)
        gather_heads<DQK, DV, 128>(a, w, room);
#pragma unroll 1
    for (int32_t tile = 0; tile < w->n_tile; tile++) {
        room = fresh(room);
        gather_tile<DQK, DV, 128>(a, room, ids);
        copies_done();
        bar_arrive<DSA_KV_FULL, 256>();
        ids = gather_id<128>(a, w, tile + 1);
        if (lane_of_warp() < 16 && ids >= 0)
            prefetch_row(a->kv + (int64_t)ids * DQK, DQK * 2);
        bar_sync<DSA_WEIGHTS_FULL, 384>();
        keep_weights<DQK, DV>(a, room, tile);
        bar_arrive<DSA_WEIGHTS_EMPTY, 384>();
        bar_sync<DSA_KV_EMPTY, 384>();
    }
}

/* --- second stroke ---------------------------------------------------------------------------------------------- */

/* The group's copies of P and dS of a tile of sorted slots; `slot0` is the slot that the list counts from. */
PTX void gather_weights(const struct ordo_dsa_args *a, const struct dsa_list *list, int32_t slot0, int32_t n, int32_t tile,
                        uint32_t to)
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int32_t row = threadIdx.x % 128 / 8 + 16 * i, at = tile * ORDO_TILE + row, there = at < n;

        copy_row<2>(to, row, kept_weights(a, slot0 + (there ? list->slot[at] : 0)), there);
    }
}

/* 64 columns of the tile's dKV: dO^T P where V has them, then Q^T dS into the same fragment. */
template <int DQK, int DV> PTX void panel_product(float *acc, uint32_t room, uint32_t p, int panel)
{
    using at = dsa_room<DQK, DV>;

    wgmma_fence();
    if (panel < DV / 64)
        contract_rows<64, 0>(acc, p, room + at::dout + panel * DSA_PANEL, true);
    contract_rows<64, 0>(acc, p + DSA_PANEL, room + at::q + panel * DSA_PANEL, panel >= DV / 64);
    wgmma_commit();
}

/* Quad q of eight a panel: whether its row is there, and where it stands. */
PTX int quad_has(const struct dsa_rows *rows, int q)
{
    return q % 2 ? rows->lower_on : rows->upper_on;
}

PTX float *quad_place(const struct dsa_rows *rows, int q)
{
    return (q % 2 ? rows->lower : rows->upper) + 16 * (q / 2);
}

PTX void commit_copies(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N> PTX void wait_copies_but(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

PTX float4 shared_quad(uint32_t from)
{
    float4 v;

    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(from)
                 : "memory");
    return v;
}

/* The thread's two rows of the plane in a tile of sorted slots. */
PTX struct dsa_rows sorted_rows(const struct ordo_dsa_args *a, float *plane, const struct dsa_list *list, int32_t n,
                                int32_t tile)
{
    int32_t upper = tile * ORDO_TILE + fragment_row(), lower = upper + 8;
    struct dsa_rows r;

    r.upper_on = upper < n;
    r.lower_on = lower < n;
    plane += 4 * (lane_of_warp() % 4);
    r.upper = plane + (int64_t)(r.upper_on ? list->row[upper] : 0) * a->d8;
    r.lower = plane + (int64_t)(r.lower_on ? list->row[lower] : 0) * a->d8;
    return r;
}

/* Quad q of a row's, eight a panel, into its place in the thread's ring; an empty copy where there is no such quad. */
template <int DQK, int QUADS> PTX void fetch_quad(const struct dsa_rows *rows, uint32_t ring, int q)
{
    if (q < DQK / 8)
        copy_16(ring + q % QUADS * DSA_QUADS, quad_place(rows, q), quad_has(rows, q));
    commit_copies();
}

/* A panel's eight quads: what was fetched and the products, stored; where one has left the ring, another is fetched.
 * LATER: copies that were begun since, beside the ring's. */
template <int DQK, int QUADS, int LATER> PTX void add_panel(const struct dsa_rows *rows, uint32_t ring, int panel,
                                                            const float *acc)
{
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int q = 8 * panel + i;

        wait_copies_but<QUADS - 1 + LATER>();
        store_quad(quad_place(rows, q), add_quad(shared_quad(ring + q % QUADS * DSA_QUADS), quad_of(acc, i)),
                   quad_has(rows, q));
        fetch_quad<DQK, QUADS>(rows, ring, q + QUADS);
    }
}

/* A thread's quads go through a ring of its own in shared memory: a copy needs no register while it is under way. */
template <int DQK, int DV, int C, int GROUP> PTX void stroke_add(const struct ordo_dsa_args *a, uint32_t room,
                                                                 const struct dsa_list *list, int32_t slot0, int32_t n)
{
    using at = dsa_stroke_room<DQK, DV>;
    constexpr int PANELS = DQK / 64, QUADS = at::quads;
    float *plane = a->planes + ordo_lane_plane(blockIdx.x, C) * a->plane_rows * a->d8;
    uint32_t p = room + at::tiles + GROUP * 2 * DSA_PANEL;
    uint32_t ring = room + at::ring + GROUP * QUADS * DSA_QUADS + threadIdx.x % 128 * 16;
    struct ordo_handoff hand = {DSA_GO + GROUP, DSA_DONE + GROUP, 128 + ORDO_TILE};
    int32_t n_tile = (n + ORDO_TILE - 1) / ORDO_TILE;
    float acc[32];

    clear<32>(acc);
    gather_weights(a, list, slot0, n, GROUP, p);
#pragma unroll 1
    for (int32_t tile = GROUP; tile < n_tile; tile += 2) {
        struct dsa_rows rows = sorted_rows(a, plane, list, n, tile);

        room = fresh(room);
        copies_done();
        bar_sync<DSA_GROUP + GROUP, 128>();
        if (C > 1)
            ordo_fragment_go(hand);
#pragma unroll
        for (int q = 0; q < QUADS; q++)
            fetch_quad<DQK, QUADS>(&rows, ring, q);
#pragma unroll
        for (int panel = 0; panel < PANELS; panel++) {
            hold<32>(acc);
            panel_product<DQK, DV>(acc, room, p, panel);
            wgmma_wait_but<0>();
            hold<32>(acc);
            if (panel + 1 < PANELS) {
                add_panel<DQK, QUADS, 0>(&rows, ring, panel, acc);
                continue;
            }
            bar_sync<DSA_GROUP + GROUP, 128>();
            gather_weights(a, list, slot0, n, tile + 2, p);
            commit_copies();
            add_panel<DQK, QUADS, 1>(&rows, ring, panel, acc);
        }
        if (C > 1)
            ordo_fragment_done(hand);
    }
    copies_done();
}

/* One lane a slot, 64 for the even tiles and 64 for the odd ones. */
template <int C> PTX void stroke_slots(const struct ordo_dsa_args *a, const struct dsa_list *list, int32_t n, int32_t wave)
{
    int32_t set = threadIdx.x % 128 / 64, rank = ordo_lane_rank(blockIdx.x, C);
    uint32_t *mask = a->masks + ordo_dsa_mask(a, ordo_lane_plane(blockIdx.x, C), wave, a->head_block);
    struct ordo_handoff hand = {DSA_GO + set, DSA_DONE + set, 128 + ORDO_TILE};
    int32_t n_tile = (n + ORDO_TILE - 1) / ORDO_TILE;

#pragma unroll 1
    for (int32_t tile = set; tile < n_tile; tile += 2) {
        int32_t at = tile * ORDO_TILE + threadIdx.x % ORDO_TILE;

        ordo_relay_slot(mask, C, rank, at < n ? (int64_t)list->row[at] : -1, hand);
    }
}

/* --- all -------------------------------------------------------------------------------------------------------- */

/* The second stroke of a query, up to DSA_SORTED slots at a time. */
template <int DQK, int DV, int C, int GROUP> PTX void second_stroke(const struct ordo_dsa_args *a,
                                                                    const struct dsa_work *w, uint8_t *shared,
                                                                    uint32_t room, int32_t wave)
{
    using at = dsa_stroke_room<DQK, DV>;
    struct dsa_list list = {(uint32_t *)(shared + at::row), (uint16_t *)(shared + at::slot)};

#pragma unroll 1
    for (int32_t slot0 = 0; slot0 < w->clamped; slot0 += DSA_SORTED) {
        int32_t n;

        bar_sync<DSA_ALL, DSA_THREADS>();
        n = sort_slots(a, w, slot0, (uint32_t *)(shared + at::keys), &list);
        if constexpr (GROUP < 2)
            stroke_add<DQK, DV, C, GROUP>(a, room, &list, slot0, n);
        else if constexpr (C > 1)
            stroke_slots<C>(a, &list, n, wave);
    }
    bar_sync<DSA_ALL, DSA_THREADS>();
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
