/* dsa_pipe.cuh - the backward pass of one (query, head block) with atomic additions to one plane: the order is
 * nobody's.
 *
 * A tile goes through three warpgroups as through a pipe.  Group 0, `scores`, makes P and dS and most of dQ; group
 * 1, `scatter`, the other columns of dQ and dKV, 64 columns at a time, which it adds to the plane; group 2 fetches
 * KV rows.  The additions take longest and return nothing, so all else is done meanwhile for the next tile. */
#ifndef ORDO_KERNELS_DSA_PIPE_CUH
#define ORDO_KERNELS_DSA_PIPE_CUH

#include "kernels/dsa_work.cuh"

/* Named barriers. */
enum {
    DSA_KV_FULL = 1,   /* gather to scores */
    DSA_KV_EMPTY,      /* two: scores and scatter to gather, all products with the KV tile are done */
    DSA_WEIGHTS_FULL = DSA_KV_EMPTY + 2, /* P and dS: scores to scatter */
    DSA_WEIGHTS_EMPTY  /* and back */
};

/* --- scores ----------------------------------------------------------------------------------------------------- */

PTX void store_matrices(uint32_t to, const uint32_t *x)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(x[0]), "r"(x[1]),
                 "r"(x[2]), "r"(x[3])
                 : "memory");
}

/* A warp's 16 heads of a panel with a line a head: lane l names line l mod 16 of the two chunks of 8 slots that l /
 * 16 tells apart. */
PTX void store_by_head(uint32_t to, const uint32_t *pair)
{
    uint32_t lane = lane_of_warp(), row = threadIdx.x % 128 / 32 * 16 + lane % 16;

#pragma unroll
    for (int i = 0; i < 4; i++)
        store_matrices(to + row * 128 + ((2 * i + lane / 16 ^ row % 8) << 4), pair + 4 * i);
}

/* dQ += dS K with dS in registers: 256 columns, and the last 64 where K is wider than V. */
template <int TAIL> PTX void scores_dq(float *dq, float *tail, const uint32_t *ds_pair, uint32_t kv)
{
    uint64_t from = panel_descriptor(kv);

#pragma unroll
    for (int i = 0; i < 4; i++)
        wgmma<0, 256, 0, 1>::rs(dq, ds_pair + 4 * i, panel_step(from, 2048 * i), 1);
    if (TAIL)
#pragma unroll
        for (int i = 0; i < 4; i++)
            wgmma<0, 64, 0, 1>::rs(tail, ds_pair + 4 * i, panel_step(from, 8 * DSA_PANEL + 2048 * i), 1);
}

/* P and dS of a tile in pairs; dP is had by halves, to have registers for dQ. */
template <int DQK, int DV> PTX void scores_weights(const struct ordo_dsa_args *a, const struct dsa_heads *h,
                                                   const uint32_t live[2], uint32_t room, float *s, float *dp,
                                                   uint32_t *p_pair, uint32_t *ds_pair)
{
    using at = dsa_room<DQK, DV>;

    wgmma_fence();
    contract_columns<64, DQK / 64>(s, room + at::q, room + at::kv);
    wgmma_commit();
    contract_columns<32, DV / 64>(dp, room + at::dout, room + at::kv);
    wgmma_commit();
    wgmma_wait_but<1>();
    hold<32>(s);
    exponentials(s, h, live, a->scale_log2);
    wgmma_wait_but<0>();
    hold<16>(dp);
    weights(s, dp, h, live[0], a->scale, p_pair, ds_pair);
    hold<16>(dp);
    wgmma_fence();
    contract_columns<32, DV / 64>(dp, room + at::dout, room + at::kv + 32 * 128);
    wgmma_commit();
    wgmma_wait_but<0>();
    hold<16>(dp);
    weights(s + 16, dp, h, live[1], a->scale, p_pair + 8, ds_pair + 8);
}

template <int DQK, int DV> PTX void pipe_scores(const struct ordo_dsa_args *a, const struct dsa_work *w,
                                                uint32_t room)
{
    using at = dsa_room<DQK, DV>;
    constexpr int TAIL = DQK > 512;
    struct dsa_heads h = heads_of(a, w);
    float dq[128], tail[32], s[32], dp[16];

    clear<128>(dq);
    clear<32>(tail);
    clear<32>(s); /* an accumulator that nobody sets is alive, and has its register, everywhere */
    clear<16>(dp);
#pragma unroll 1
    for (int32_t tile = 0; tile < w->n_tile; tile++) {
        uint32_t live[2], p_pair[16], ds_pair[16];

        room = fresh(room);
        live_of(a, w, tile, live);
        bar_sync<DSA_KV_FULL, 256>();
        scores_weights<DQK, DV>(a, &h, live, room, s, dp, p_pair, ds_pair);
        hold<128>(dq);
        hold<32>(tail);
        wgmma_fence();
        scores_dq<TAIL>(dq, tail, ds_pair, room + at::kv);
        wgmma_commit();
        if (tile > 0)
            bar_sync<DSA_WEIGHTS_EMPTY, 256>();
        store_by_head(room + at::p, p_pair);
        store_by_head(room + at::ds, ds_pair);
        fence_async();
        bar_arrive<DSA_WEIGHTS_FULL, 256>();
        wgmma_wait_but<0>();
        hold<128>(dq);
        hold<32>(tail);
        bar_arrive<DSA_KV_EMPTY + 0, 256>();
    }
    write_dq<256, DQK>(a, w, 0, dq);
    if (TAIL)
        write_dq<64, DQK>(a, w, 512, tail);
}

/* --- scatter ---------------------------------------------------------------------------------------------------- */

/* Columns 64 chunk .. + 63 of the tile's dKV: dO^T P where V has them, then Q^T dS into the same fragment. */
template <int DQK, int DV> PTX void chunk_product(float *acc, uint32_t room, int chunk)
{
    using at = dsa_room<DQK, DV>;

    hold<32>(acc);
    wgmma_fence();
    if (chunk < DV / 64)
        contract_rows<64, 1>(acc, room + at::p, room + at::dout + chunk * DSA_PANEL, true);
    contract_rows<64, 1>(acc, room + at::ds, room + at::q + chunk * DSA_PANEL, chunk >= DV / 64);
    wgmma_commit();
}

/* Of each 64 columns a thread has 16 of its upper row and 16 of its lower row, in eight quads that stand together in
 * a plane's row (ordo_dsa_column): its two rows, from its first column on; on: there is one. */
struct dsa_rows {
    float *upper, *lower;
    int upper_on, lower_on;
};

/* The four accumulators of quad i. */
PTX float4 quad_of(const float *acc, int i)
{
    const float *x = acc + i / 2 * 8 + i % 2 * 2;

    return make_float4(x[0], x[1], x[4], x[5]);
}

PTX void add_chunk(const struct dsa_rows *rows, int chunk, const float *acc)
{
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (i % 2 ? rows->lower_on : rows->upper_on)
            red_global_v4((i % 2 ? rows->lower : rows->upper) + 64 * chunk + 16 * (i / 2), quad_of(acc, i));
}

/* The next chunk's product runs while additions leave.  The products of dQ, which came first, must be done too before
 * the KV tile goes. */
template <int DQK, int DV> PTX void add_atomic(const struct dsa_rows *rows, uint32_t room, int last, float *dq,
                                               float acc[2][32])
{
    constexpr int CHUNKS = DQK / 64;

    chunk_product<DQK, DV>(acc[0], room, 0);
    wgmma_wait_but<1>();
    bar_arrive<DSA_KV_EMPTY + 1, 256>();
    hold<128>(dq);
#pragma unroll
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        wgmma_wait_but<0>();
        hold<32>(acc[chunk % 2]);
        if (chunk + 1 < CHUNKS)
            chunk_product<DQK, DV>(acc[(chunk + 1) % 2], room, chunk + 1);
        else if (!last)
            bar_arrive<DSA_WEIGHTS_EMPTY, 256>();
        add_chunk(rows, chunk, acc[chunk % 2]);
    }
}

/* The thread's two rows of the plane in a tile. */
PTX struct dsa_rows slot_rows(const struct ordo_dsa_args *a, const int32_t id[2])
{
    float *plane = a->planes + 4 * (lane_of_warp() % 4);

    return {plane + (int64_t)(id[0] < 0 ? 0 : id[0]) * a->d8, plane + (int64_t)(id[1] < 0 ? 0 : id[1]) * a->d8,
            id[0] >= 0, id[1] >= 0};
}

PTX void slot_ids(const struct ordo_dsa_args *a, const struct dsa_work *w, int32_t tile, int32_t id[2])
{
    id[0] = row_of_slot(a, w, tile * ORDO_TILE + fragment_row());
    id[1] = row_of_slot(a, w, tile * ORDO_TILE + fragment_row() + 8);
}

template <int DQK, int DV> PTX void pipe_scatter(const struct ordo_dsa_args *a, const struct dsa_work *w,
                                                 uint32_t room)
{
    using at = dsa_room<DQK, DV>;
    float dq[128], acc[2][32];
    int32_t id[2];

    clear<128>(dq);
    clear<64>(acc[0]);
    slot_ids(a, w, 0, id);
#pragma unroll 1
    for (int32_t tile = 0; tile < w->n_tile; tile++) {
        struct dsa_rows rows = slot_rows(a, id);

        room = fresh(room);
        slot_ids(a, w, tile + 1, id);
        bar_sync<DSA_WEIGHTS_FULL, 256>();
        hold<128>(dq);
        wgmma_fence();
        contract_rows<256, 0>(dq, room + at::ds, room + at::kv + 4 * DSA_PANEL, false);
        wgmma_commit();
        add_atomic<DQK, DV>(&rows, room, tile + 1 == w->n_tile, dq, acc);
    }
    write_dq<256, DQK>(a, w, 256, dq);
}

/* --- gather, and all -------------------------------------------------------------------------------------------- */

template <int DQK, int DV> PTX void pipe_gather(const struct ordo_dsa_args *a, const struct dsa_work *w,
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
        bar_sync<DSA_KV_EMPTY + 0, 256>();
        bar_sync<DSA_KV_EMPTY + 1, 256>();
    }
}

/* Each group in a branch of its own, with its own share of the registers. */
template <int DQK, int DV> PTX void pipe(const struct ordo_dsa_args *a)
{
    extern __shared__ __align__(ORDO_LAYOUT_ALIGN) uint8_t shared[];
    uint32_t room = shared_address(shared);
    struct dsa_work w = work_of(a, blockIdx.x);
    int group = __shfl_sync(0xffffffff, threadIdx.x / 128, 0);

    if (group == 0) {
        registers_more<240>();
        pipe_scores<DQK, DV>(a, &w, room);
    } else if (group == 1) {
        registers_more<232>();
        pipe_scatter<DQK, DV>(a, &w, room);
    } else {
        registers_less<32>();
        pipe_gather<DQK, DV>(a, &w, room);
    }
}

#define DSA_PIPE(name, dqk, dv)                                                                                      \
    extern "C" __global__ void __launch_bounds__(DSA_THREADS, 1)                                                     \
        name(const __grid_constant__ struct ordo_dsa_args args)                                                      \
    {                                                                                                                \
        pipe<dqk, dv>(&args);                                                                                        \
    }

#endif
