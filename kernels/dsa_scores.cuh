/* dsa_scores.cuh - the role that makes P and dS of a tile, and columns 0 to 255 and 512 onward of dQ. */
#ifndef ORDO_KERNELS_DSA_SCORES_CUH
#define ORDO_KERNELS_DSA_SCORES_CUH

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

/* One bit a live slot of the tile, of those that the thread has in its first column pair on. */
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

PTX void store_matrices(uint32_t to, const uint32_t *x)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(x[0]), "r"(x[1]),
                 "r"(x[2]), "r"(x[3])
                 : "memory");
}

/* A warp's 16 heads of a panel: lane l names line l mod 16 of the two chunks of 8 slots that l / 16 tells apart. */
PTX void store_panel(uint32_t to, const uint32_t *pair)
{
    uint32_t lane = lane_of_warp(), row = threadIdx.x % 128 / 32 * 16 + lane % 16;

#pragma unroll
    for (int i = 0; i < 4; i++)
        store_matrices(to + row * 128 + ((2 * i + lane / 16 ^ row % 8) << 4), pair + 4 * i);
}

/* dQ += dS K with dS in registers: 256 columns, and the last 64 where K is wider than V. */
template <int TAIL> PTX void scores_dq(float *dq, float *tail, const uint32_t *ds_pair, uint32_t kv)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        wgmma<128, 0, 1>::rs(dq, ds_pair + 4 * i, panel_descriptor(kv + 2048 * i), 1);
#pragma unroll
    for (int i = 0; i < 4; i++)
        wgmma<128, 0, 1>::rs(dq + 64, ds_pair + 4 * i, panel_descriptor(kv + 2 * DSA_PANEL + 2048 * i), 1);
    if (TAIL)
#pragma unroll
        for (int i = 0; i < 4; i++)
            wgmma<64, 0, 1>::rs(tail, ds_pair + 4 * i, panel_descriptor(kv + 8 * DSA_PANEL + 2048 * i), 1);
}

/* P and dS of a tile in pairs; dP is had by halves, to have registers for dQ. */
template <int DQK, int DV> PTX void scores_weights(const struct ordo_dsa_args *a, const struct dsa_heads *h,
                                                   const uint32_t live[2], uint32_t room, uint32_t *p_pair,
                                                   uint32_t *ds_pair)
{
    using at = dsa_room<DQK, DV>;
    float s[32], dp[16];

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

template <int DQK, int DV, class DESIGN> PTX void scores_query(const struct ordo_dsa_args *a,
                                                               const struct dsa_work *w, uint32_t room)
{
    using at = dsa_room<DQK, DV>;
    constexpr int TAIL = DQK > 512;
    struct dsa_heads h = heads_of(a, w);
    float dq[128], tail[32];

    clear<128>(dq);
    clear<32>(tail);
#pragma unroll 1
    for (int32_t tile = 0; tile < w->n_tile; tile++) {
        uint32_t live[2], p_pair[16], ds_pair[16];

        live_of(a, w, tile, live);
        bar_sync<DSA_KV_FULL, 128 + DESIGN::GATHER>();
        scores_weights<DQK, DV>(a, &h, live, room, p_pair, ds_pair);
        hold<128>(dq);
        hold<32>(tail);
        wgmma_fence();
        scores_dq<TAIL>(dq, tail, ds_pair, room + at::kv);
        wgmma_commit();
        bar_sync<DSA_WEIGHTS_EMPTY, 256>();
        store_panel(room + at::p, p_pair);
        store_panel(room + at::ds, ds_pair);
        fence_async();
        bar_arrive<DSA_WEIGHTS_FULL, 256>();
        wgmma_wait_but<0>();
        hold<128>(dq);
        hold<32>(tail);
        bar_arrive<DSA_KV_EMPTY, 256 + DESIGN::GATHER>();
    }
    if (w->query >= 0)
        write_dq<256, DQK>(a, w, 0, dq);
    if (TAIL && w->query >= 0)
        write_dq<64, DQK>(a, w, 512, tail);
}

#endif
