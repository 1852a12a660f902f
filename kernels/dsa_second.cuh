/* dsa_second.cuh - the second stroke (dsa_strokes.cuh): dKV of a query, added to its plane in the order of rows. */
#ifndef ORDO_KERNELS_DSA_SECOND_CUH
#define ORDO_KERNELS_DSA_SECOND_CUH

#include "kernels/dsa_first.cuh"
#include "kernels/dsa_sort.cuh"
#include "protocol/fragment.h"

#define DSA_RING (16u * ORDO_FRAGMENT_TURNS * ORDO_FRAGMENT_THREADS) /* bytes of a group's (protocol/fragment.h) */

/* Shared memory of the second stroke, where KV, P and dS stood: sorted slots; P and dS of two tiles, the even ones
 * and the odd ones; a ring of each of two groups' (protocol/fragment.h). */
template <int DQK, int DV> struct dsa_stroke_room {
    static constexpr uint32_t row = dsa_room<DQK, DV>::kv, slot = row + 4 * DSA_SORTED, tiles = slot + 2 * DSA_SORTED,
                              ring = tiles + 4 * DSA_PANEL, keys = ring, /* keys: while sorting */
                              bytes = ring + 2 * DSA_RING;
    static_assert(tiles % ORDO_LAYOUT_ALIGN == 0 && bytes - keys >= 4 * DSA_SORTED && bytes <= 232448, "room");
};

PTX uint32_t tile_weights(uint32_t tiles, int32_t tile)
{
    return tiles + tile % 2 * 2 * DSA_PANEL;
}

/* The group's half of the copies of P and dS of a tile of sorted slots; `slot0` is the slot that the list counts
 * from. */
template <int GROUP> PTX void gather_weights(const struct ordo_dsa_args *a, const struct dsa_list *list,
                                             int32_t slot0, int32_t n, int32_t tile, uint32_t tiles)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int32_t row = threadIdx.x % 128 / 8 + 16 * (2 * GROUP + i), at = tile * ORDO_TILE + row, there = at < n;

        copy_row<2>(tile_weights(tiles, tile), row, kept_weights(a, slot0 + (there ? list->slot[at] : 0)), there);
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

/* The row of a place in the list, or -1. */
PTX int64_t sorted_row(const struct dsa_list *list, int32_t n, int32_t at)
{
    return at < n ? (int64_t)list->row[at] : -1;
}

/* What slot lanes and both groups agree on; of two tiles in turn, for the lanes of the next one wait already. */
PTX struct ordo_handoff stroke_hand(int32_t tile)
{
    struct ordo_handoff hand = {DSA_GO + tile % 2, DSA_DONE + tile % 2, DSA_PAIR_THREADS + ORDO_TILE};

    return hand;
}

/* What gather_weights copies for the next tile joins the next group of the ring's, and so is waited for with the last
 * chunk's additions.  It goes where the tile before this one stood, which both groups left at the barrier. */
template <int DQK, int DV, int C, int GROUP>
PTX void stroke_add(const struct ordo_dsa_args *a, uint32_t room, const struct dsa_list *list, int32_t slot0,
                    int32_t n)
{
    using at = dsa_stroke_room<DQK, DV>;
    static_assert(DQK / ORDO_FRAGMENT_COLUMNS / ORDO_FRAGMENT_GROUPS >= 2, "a group has a last chunk but one");
    const int first = ordo_fragment_chunk(GROUP, DQK), end = ordo_fragment_chunk(GROUP + 1, DQK);
    float *plane = a->planes + ordo_lane_plane(blockIdx.x, C) * a->plane_rows * a->d8;
    uint32_t tiles = room + at::tiles;
    int32_t n_tile = (n + ORDO_TILE - 1) / ORDO_TILE;
    float acc[32];

    clear<32>(acc);
    gather_weights<GROUP>(a, list, slot0, n, 0, tiles);
#pragma unroll 1
    for (int32_t tile = 0; tile < n_tile; tile++) {
        int32_t slot = tile * ORDO_TILE + fragment_row();
        struct ordo_fragment f =
            ordo_fragment_of(plane, sorted_row(list, n, slot), sorted_row(list, n, slot + 8), room + at::ring, DQK,
                             GROUP, threadIdx.x % ORDO_FRAGMENT_THREADS);

        room = fresh(room);
        copies_done();
        barrier_sync<DSA_PAIR, DSA_PAIR_THREADS>();
        ORDO_FRAGMENT_TILE(C > 1, f, stroke_hand(tile), acc, chunk, {
            hold<32>(acc);
            panel_product<DQK, DV>(acc, room, tile_weights(tiles, tile), first + chunk);
            wgmma_wait_but<0>();
            hold<32>(acc);
            if (first + chunk + 2 == end)
                gather_weights<GROUP>(a, list, slot0, n, tile + 1, tiles);
        });
    }
    copies_done();
}

/* One lane a slot, 64 for the even tiles and 64 for the odd ones. */
template <int C> PTX void stroke_slots(const struct ordo_dsa_args *a, const struct dsa_list *list, int32_t n,
                                       int32_t wave)
{
    int32_t rank = ordo_lane_rank(blockIdx.x, C), n_tile = (n + ORDO_TILE - 1) / ORDO_TILE;
    uint32_t *mask = a->masks + ordo_dsa_mask(a, ordo_lane_plane(blockIdx.x, C), wave, a->head_block);

#pragma unroll 1
    for (int32_t tile = threadIdx.x % 128 / ORDO_TILE; tile < n_tile; tile += 2) {
        int32_t at = tile * ORDO_TILE + threadIdx.x % ORDO_TILE;

        ordo_relay_slot(mask, C, rank, at < n ? (int64_t)list->row[at] : -1, stroke_hand(tile));
    }
}

#endif
