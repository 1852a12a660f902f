/* dsa_scatter.cuh - the role that makes dKV of a tile and adds it to the plane, and columns 256 to 511 of dQ. */
#ifndef ORDO_KERNELS_DSA_SCATTER_CUH
#define ORDO_KERNELS_DSA_SCATTER_CUH

/* The thread's two rows of the plane in a tile. */
PTX struct dsa_rows rows_of(const struct ordo_dsa_args *a, float *plane, const int32_t id[2])
{
    uint32_t column = 4 * (lane_of_warp() % 4);

    return {id[0] < 0 ? nullptr : plane + (int64_t)id[0] * a->d8 + column,
            id[1] < 0 ? nullptr : plane + (int64_t)id[1] * a->d8 + column};
}

PTX void scatter_ids(const struct ordo_dsa_args *a, const struct dsa_work *w, int32_t tile, int32_t id[2])
{
    id[0] = row_of_slot(a, w, tile * ORDO_TILE + fragment_row());
    id[1] = row_of_slot(a, w, tile * ORDO_TILE + fragment_row() + 8);
}

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

/* After the last product of a tile: its weights may go, and after that of a query also Q and dO. */
template <class DESIGN> PTX void products_done(int last_tile)
{
    bar_arrive<DSA_WEIGHTS_EMPTY, 256>();
    if (last_tile)
        bar_arrive<DSA_QUERY_END, 128 + DESIGN::GATHER>();
}

/* Atomic additions return nothing, so the next chunk's product runs while they leave. */
template <int DQK, int DV, class DESIGN> PTX void add_atomic(const struct dsa_rows *rows, uint32_t room,
                                                             int last_tile, float *ready)
{
    constexpr int CHUNKS = DQK / 64;
    float acc[2][32];

    chunk_product<DQK, DV>(acc[0], room, 0);
    wgmma_wait_but<1>();
    bar_arrive<DSA_KV_EMPTY, 256 + DESIGN::GATHER>();
    hold<128>(ready);
#pragma unroll
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        wgmma_wait_but<0>();
        hold<32>(acc[chunk % 2]);
        if (chunk + 1 < CHUNKS)
            chunk_product<DQK, DV>(acc[(chunk + 1) % 2], room, chunk + 1);
        else
            products_done<DESIGN>(last_tile);
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (float *to = quad_place(rows, chunk, i))
                red_global_v4(to, quad_of(acc[chunk % 2], i));
    }
}

/* Where there is one writer: load, add, store.  A thread's next loads leave as its stores do, before the next chunk's
 * product, so that eight are on their way all the time. */
template <int DQK, int DV, class DESIGN> PTX void add_alone(const struct dsa_rows *rows, uint32_t room,
                                                            int last_tile, float *ready)
{
    constexpr int CHUNKS = DQK / 64;
    float acc[32];
    float4 old[8];

    chunk_product<DQK, DV>(acc, room, 0);
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (const float *from = quad_place(rows, 0, i))
            old[i] = load_quad(from);
    wgmma_wait_but<1>();
    bar_arrive<DSA_KV_EMPTY, 256 + DESIGN::GATHER>();
    hold<128>(ready);
#pragma unroll
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        wgmma_wait_but<0>();
        hold<32>(acc);
        if (chunk + 1 == CHUNKS)
            products_done<DESIGN>(last_tile);
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (float *at = quad_place(rows, chunk, i)) {
                store_quad(at, add_quad(old[i], quad_of(acc, i)));
                if (chunk + 1 < CHUNKS)
                    old[i] = load_quad(at + 64);
            }
        if (chunk + 1 < CHUNKS)
            chunk_product<DQK, DV>(acc, room, chunk + 1);
    }
}

template <int DQK, int DV, class DESIGN> PTX void scatter_query(const struct ordo_dsa_args *a,
                                                                const struct dsa_work *w, uint32_t room)
{
    using at = dsa_room<DQK, DV>;
    int32_t plane = DESIGN::WAVES ? ordo_lane_plane(blockIdx.x, DESIGN::CLUSTER) : 0, id[2];
    float *to = a->planes + plane * a->plane_rows * a->d8;
    float dq[128];

    clear<128>(dq);
    scatter_ids(a, w, 0, id);
#pragma unroll 1
    for (int32_t tile = 0; tile < w->n_tile; tile++) {
        struct dsa_rows rows = rows_of(a, to, id);
        int last = tile + 1 == w->n_tile;

        scatter_ids(a, w, tile + 1, id);
        bar_sync<DSA_WEIGHTS_FULL, 256>();
        hold<128>(dq);
        wgmma_fence();
        contract_rows<128, 0>(dq, room + at::ds, room + at::kv + 4 * DSA_PANEL, false);
        contract_rows<128, 0>(dq + 64, room + at::ds, room + at::kv + 6 * DSA_PANEL, false);
        wgmma_commit();
        if (DESIGN::CLUSTER > 1)
            ORDO_BAR_SYNC(DSA_GO, 128 + DSA_SLOT_THREADS);
        if (DESIGN::WAVES)
            add_alone<DQK, DV, DESIGN>(&rows, room, last, dq);
        else
            add_atomic<DQK, DV, DESIGN>(&rows, room, last, dq);
        if (DESIGN::CLUSTER > 1)
            ORDO_BAR_SYNC(DSA_DONE, 128 + DSA_SLOT_THREADS);
    }
    if (w->query >= 0)
        write_dq<256, DQK>(a, w, 256, dq);
}

/* One lane a slot. */
template <int C> PTX void slots_query(const struct ordo_dsa_args *a, const struct dsa_work *w, int32_t wave)
{
    int32_t rank = ordo_lane_rank(blockIdx.x, C);
    uint32_t *mask = a->masks + ordo_dsa_mask(a, ordo_lane_plane(blockIdx.x, C), wave, a->head_block);
    struct ordo_handoff hand = {DSA_GO, DSA_DONE, 128 + DSA_SLOT_THREADS};

#pragma unroll 1
    for (int32_t tile = 0; tile < w->n_tile; tile++)
        ordo_relay_slot(mask, C, rank, row_of_slot(a, w, tile * ORDO_TILE + threadIdx.x % ORDO_TILE), hand);
}

/* Between two queries of one CTA: the plane's rows pass to other threads, in a relay to other CTAs. */
template <class DESIGN> PTX void scatter_hand_over(void)
{
    if (DESIGN::CLUSTER > 1)
        ordo_launch_hand_over();
    else if (DESIGN::WAVES)
        bar_sync<DSA_BETWEEN, 128>();
}

#endif
