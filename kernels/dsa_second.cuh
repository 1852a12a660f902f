/* dsa_second.cuh - the second stroke (dsa_strokes.cuh): dKV of a query, added to its plane in the order of rows. */
#ifndef ORDO_KERNELS_DSA_SECOND_CUH
#define ORDO_KERNELS_DSA_SECOND_CUH

#include "kernels/dsa_first.cuh"
#include "kernels/dsa_sort.cuh"
#include "protocol/fragment.h"

#define DSA_QUADS 2048u /* bytes: a quad of each thread of a group */

/* Shared memory of the second stroke, where KV, P and dS stood: sorted slots; P and dS of a tile for each of two
 * groups; a ring of each group's, as many quads a thread as fit. */
template <int DQK, int DV> struct dsa_stroke_room {
    static constexpr uint32_t row = dsa_room<DQK, DV>::kv, slot = row + 4 * DSA_SORTED, tiles = slot + 2 * DSA_SORTED,
                              ring = tiles + 4 * DSA_PANEL, keys = ring, /* keys: while sorting */
                              quads = (dsa_room<DQK, DV>::bytes - ring) / (2 * DSA_QUADS);
    static_assert(tiles % ORDO_LAYOUT_ALIGN == 0 && quads >= 8 && 2 * quads * DSA_QUADS >= 4 * DSA_SORTED, "room");
};

/* The group's copies of P and dS of a tile of sorted slots; `slot0` is the slot that the list counts from. */
PTX void gather_weights(const struct ordo_dsa_args *a, const struct dsa_list *list, int32_t slot0, int32_t n,
                        int32_t tile, uint32_t to)
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

/* Quad q, eight a panel, into its place in the thread's ring; an empty copy where there is no such quad. */
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
template <int DQK, int DV, int C, int GROUP>
PTX void stroke_add(const struct ordo_dsa_args *a, uint32_t room, const struct dsa_list *list, int32_t slot0,
                    int32_t n)
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
template <int C> PTX void stroke_slots(const struct ordo_dsa_args *a, const struct dsa_list *list, int32_t n,
                                       int32_t wave)
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

#endif
