/* dsa_first.cuh - the first stroke (dsa_strokes.cuh): P, dS and dQ of a query, tile by tile. */
#ifndef ORDO_KERNELS_DSA_FIRST_CUH
#define ORDO_KERNELS_DSA_FIRST_CUH

#include "kernels/dsa_work.cuh"

/* Named barriers of both strokes.  Where it says two, and not of which, the numbers of the groups from or to which
 * tell them apart. */
enum {
    DSA_KV_FULL = 1,       /* group 2 to 0 */
    DSA_KV_EMPTY = 2,      /* two: groups 0 and 1 to 2 */
    DSA_WEIGHTS_FULL = 3,  /* P and dS; two: group 0 to 1 and 2 */
    DSA_WEIGHTS_EMPTY = 5, /* and back; two: groups 1 and 2 to 0 */
    DSA_GO = 8,            /* two: slot lanes of the even tiles and of the odd ones to groups 0 and 1 */
    DSA_DONE = 10,         /* and back */
    DSA_KEPT = 12          /* group 2 to 1; to 0 it says so by DSA_KV_FULL, which nobody needs then */
};

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

/* Group 0: both others are done with P and dS. */
PTX void weights_gone(void)
{
    bar_sync<DSA_WEIGHTS_EMPTY + 1, 256>();
    bar_sync<DSA_WEIGHTS_EMPTY + 2, 256>();
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
            weights_gone();
        store_by_slot(room + at::p, p_pair);
        store_by_slot(room + at::ds, ds_pair);
        fence_async();
        bar_arrive<DSA_WEIGHTS_FULL + 1, 256>();
        bar_arrive<DSA_WEIGHTS_FULL + 2, 256>();
        hold<128>(dq);
        wgmma_fence();
        scores_dq(dq, ds_pair, room + at::kv);
        wgmma_commit();
        wgmma_wait_but<0>();
        hold<128>(dq);
        bar_arrive<DSA_KV_EMPTY + 0, 256>();
    }
    if (w->n_tile > 0)
        weights_gone();
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
        bar_sync<DSA_WEIGHTS_FULL + 1, 256>();
        wgmma_fence();
        contract_rows<256, 1>(dq, room + at::ds, room + at::kv + 4 * DSA_PANEL, false);
        if (TAIL)
            contract_rows<64, 1>(tail, room + at::ds, room + at::kv + 8 * DSA_PANEL, false);
        wgmma_commit();
        wgmma_wait_but<0>();
        hold<128>(dq);
        hold<32>(tail);
        bar_arrive<DSA_WEIGHTS_EMPTY + 1, 256>();
        bar_arrive<DSA_KV_EMPTY + 1, 256>();
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

/* Asks for `bytes` of a row to be in L2 soon; means nothing else. */
PTX void prefetch_row(const void *from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
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
        bar_sync<DSA_WEIGHTS_FULL + 2, 256>();
        keep_weights<DQK, DV>(a, room, tile);
        bar_arrive<DSA_WEIGHTS_EMPTY + 2, 256>();
        bar_sync<DSA_KV_EMPTY + 0, 256>();
        bar_sync<DSA_KV_EMPTY + 1, 256>();
    }
}

#endif
