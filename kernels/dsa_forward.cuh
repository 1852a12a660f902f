/* dsa_forward.cuh - O and LSE: what the backward pass is given.
 *
 * One CTA has a query and a head block; KV rows are gathered in tiles of 64 slots, the next while one is worked on.
 * Eight warps: warp w has heads 16 (w mod 4) and half of O's columns; both halves make the scores of their heads, so
 * that P goes from accumulators to operands without a detour.  Tiles without a live slot are left out, as in the
 * twin.  Every product is a chain of mma.sync k16 steps, whose bits are wgmma's (tests/golden). */
#ifndef ORDO_KERNELS_DSA_FORWARD_CUH
#define ORDO_KERNELS_DSA_FORWARD_CUH

#include "kernels/dsa_forward.h"
#include "kernels/dsa_scalar.cuh"

/* --- instructions ----------------------------------------------------------------------------------------------- */

PTX void ldmatrix(uint32_t r[4], const uint16_t *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p))
                 : "memory");
}

PTX void ldmatrix_trans(uint32_t r[4], const uint16_t *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(p))
                 : "memory");
}

/* 16 bytes to shared memory; zeros where `there` is 0, and then nothing is read. */
PTX void copy16(uint16_t *to, const uint16_t *from, int there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
                 "r"(there ? 16 : 0)
                 : "memory");
}

PTX void copies_end(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

PTX void copies_wait_but_last(void)
{
    asm volatile("cp.async.wait_group 1;" ::: "memory");
}

/* --- tiles ------------------------------------------------------------------------------------------------------ */

template <int DQK> struct forward_room {
    static const int stride = DQK + 8; /* elements: rows 16 bytes apart modulo 128, for ldmatrix */
    uint16_t q[ORDO_HEAD_BLOCK * stride];
    uint16_t kv[2][ORDO_TILE * stride];
    int32_t row[2][ORDO_TILE]; /* of a slot; -1 for a dead one */
};

/* The first tile from `tile` on with a live slot, its rows written to `row`; -1 if there is none.  The whole CTA. */
PTX int32_t next_tile(const struct ordo_dsa_args *a, int64_t query, int32_t clamped, int32_t tile, int32_t *row)
{
    for (; tile * ORDO_TILE < clamped; tile++) {
        int32_t j = tile * ORDO_TILE + (int32_t)threadIdx.x, k = -1;

        if (threadIdx.x < ORDO_TILE && j < clamped) {
            k = a->idx[query * a->topk + j];
            k = ordo_slot_live(k, a->n_kv, j, clamped) ? k : -1;
        }
        if (threadIdx.x < ORDO_TILE)
            row[threadIdx.x] = k;
        if (__syncthreads_or(k >= 0))
            return tile;
    }
    return -1;
}

/* Copies the rows that are there, zeros for the others; row i stands `from_stride` elements behind row i - 1, or
 * where row[i] says. */
template <int DQK> PTX void copy_rows(uint16_t *to, const uint16_t *from, const int32_t *row, int32_t n)
{
    const int chunks = DQK / 8;

    for (int i = (int)threadIdx.x; i < 64 * chunks; i += (int)blockDim.x) {
        int at = i / chunks, d = i % chunks * 8;
        int32_t k = row != NULL ? row[at] : at < n ? at : -1;

        copy16(to + at * forward_room<DQK>::stride + d, from + (int64_t)(k < 0 ? 0 : k) * DQK + d, k >= 0);
    }
}

/* --- one warp's work -------------------------------------------------------------------------------------------- */

template <int DQK, int DV> struct forward_warp {
    float acc[DV / 16][4];          /* 16 heads x DV / 2 columns, in blocks of 8 */
    float max[2], base[2], lane[2]; /* of heads g and g + 8; lane: slots 2t, 2t + 1 of each 8 */
    int first, t;                   /* first head of the warp; lane mod 4 */
};

/* S of 16 heads and 64 slots.  ORDER: features ascending. */
template <int DQK> PTX void scores(float s[8][4], const uint16_t *q, const uint16_t *kv)
{
    const int stride = forward_room<DQK>::stride, l = (int)threadIdx.x % 32;

#pragma unroll
    for (int b = 0; b < 8; b++)
        s[b][0] = s[b][1] = s[b][2] = s[b][3] = 0.0f;
    q += l % 16 * stride + l / 16 * 8;
    kv += (l / 16 * 8 + l % 8) * stride + l / 8 % 2 * 8;
    for (int k = 0; k < DQK; k += 16) {
        uint32_t fa[4], fb[4];

        ldmatrix(fa, q + k);
#pragma unroll
        for (int b = 0; b < 8; b += 2) {
            ldmatrix(fb, kv + b * 8 * stride + k);
            mma_k16<0>(s[b], fa, fb);
            mma_k16<0>(s[b + 1], fa, fb + 2);
        }
    }
}

/* P of one of the two heads over s, its base and lane sum; returns the factor of its row of O. */
template <int DQK, int DV>
PTX float weights(struct forward_warp<DQK, DV> *w, int r, float s[8][4], const int32_t *row, float scale_log2)
{
    float max = w->max[r], base, alpha, sum;

#pragma unroll
    for (int i = 0; i < 16; i++) {
        float x = s[i / 2][2 * r + i % 2];

        max = row[i / 2 * 8 + 2 * w->t + i % 2] >= 0 && x > max ? x : max;
    }
    for (int offset = 1; offset < 4; offset *= 2) {
        float other = __shfl_xor_sync(0xffffffffu, max, offset);

        max = other > max ? other : max;
    }
    base = ORDO_MUL(max, scale_log2);
    alpha = ordo_exp2_6(ORDO_SUB(w->base[r], base));
    sum = ORDO_MUL(w->lane[r], alpha);
#pragma unroll
    for (int i = 0; i < 16; i++) { /* ORDER: a lane's slots ascending */
        float *x = &s[i / 2][2 * r + i % 2];

        *x = row[i / 2 * 8 + 2 * w->t + i % 2] >= 0 ? ordo_exp2_6(ORDO_FMA(*x, scale_log2, -base)) : 0.0f;
        sum = ORDO_ADD(sum, *x);
    }
    w->max[r] = max;
    w->base[r] = base;
    w->lane[r] = sum;
    return alpha;
}

/* O += P V.  ORDER: slots ascending. */
template <int DQK, int DV> PTX void add_pv(struct forward_warp<DQK, DV> *w, float s[8][4], const uint16_t *v)
{
    const int stride = forward_room<DQK>::stride, l = (int)threadIdx.x % 32;

    v += l % 16 * stride + l / 16 * 8;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        uint32_t fa[4] = {bf16_pair(s[2 * k][0], s[2 * k][1]), bf16_pair(s[2 * k][2], s[2 * k][3]),
                          bf16_pair(s[2 * k + 1][0], s[2 * k + 1][1]), bf16_pair(s[2 * k + 1][2], s[2 * k + 1][3])};
        uint32_t fb[4];

#pragma unroll
        for (int b = 0; b < DV / 16; b += 2) {
            ldmatrix_trans(fb, v + k * 16 * stride + b * 8);
            mma_k16<0>(w->acc[b], fa, fb);
            mma_k16<0>(w->acc[b + 1], fa, fb + 2);
        }
    }
}

template <int DQK, int DV>
PTX void work_tile(struct forward_warp<DQK, DV> *w, const uint16_t *q, const uint16_t *kv, const int32_t *row, int half,
                   float scale_log2)
{
    float s[8][4], alpha[2];

    scores<DQK>(s, q + w->first * forward_room<DQK>::stride, kv);
    alpha[0] = weights<DQK, DV>(w, 0, s, row, scale_log2);
    alpha[1] = weights<DQK, DV>(w, 1, s, row, scale_log2);
#pragma unroll
    for (int i = 0; i < DV / 4; i++)
        w->acc[i / 4][i % 4] = ORDO_MUL(w->acc[i / 4][i % 4], alpha[i % 4 / 2]);
    add_pv<DQK, DV>(w, s, kv + half * (DV / 2));
}

/* O and LSE of one of the two heads; without a tile both are what a dead row has. */
template <int DQK, int DV>
PTX void finish(const struct ordo_dsa_args *a, const struct forward_warp<DQK, DV> *w, int r, int64_t query,
                int32_t head, int half, bool dead)
{
    int64_t row = query * a->n_head + head;
    uint16_t *o = (uint16_t *)a->o + row * DV + half * (DV / 2) + 2 * w->t;
    float sum = w->lane[r], all, reciprocal;

    sum = ORDO_ADD(sum, __shfl_xor_sync(0xffffffffu, sum, 1));
    sum = ORDO_ADD(sum, __shfl_xor_sync(0xffffffffu, sum, 2));
    if (head >= a->n_head)
        return;
    all = ORDO_ADD(sum, ordo_exp2_6(ORDO_SUB(ORDO_MUL(sink_of(a, head), DSA_LOG2E), w->base[r])));
    reciprocal = ORDO_DIV(1.0f, all);
#pragma unroll
    for (int b = 0; b < DV / 16; b++) /* + 0.0: a zero is +0 */
        *(uint32_t *)(o + 8 * b) = dead ? 0
                                        : bf16_pair(ORDO_FMA(w->acc[b][2 * r], reciprocal, 0.0f),
                                                    ORDO_FMA(w->acc[b][2 * r + 1], reciprocal, 0.0f));
    if (half == 0 && w->t == 0)
        ((float *)a->lse)[row] = dead ? minus_infinity() : ORDO_MUL(ORDO_ADD(w->base[r], ordo_log2(sum)), DSA_LN2);
}

/* --- the kernel ------------------------------------------------------------------------------------------------- */

template <int DQK, int DV> PTX void forward(const struct ordo_dsa_args *a)
{
    extern __shared__ __align__(128) uint8_t shared[];
    struct forward_room<DQK> *room = (struct forward_room<DQK> *)shared;
    int64_t query = blockIdx.x;
    int warp = (int)threadIdx.x / 32, half = warp / 4, buffer = 0;
    int32_t first_head = (int32_t)blockIdx.y * ORDO_HEAD_BLOCK, heads = a->n_head - first_head;
    int32_t clamped = clamped_length(a, query);
    int32_t tile = next_tile(a, query, clamped, 0, room->row[0]);
    bool dead = tile < 0;
    struct forward_warp<DQK, DV> w;

    w.first = warp % 4 * 16;
    w.t = (int)threadIdx.x % 4;
    for (int i = 0; i < 2; i++) {
        w.max[i] = w.base[i] = minus_infinity();
        w.lane[i] = 0.0f;
    }
#pragma unroll
    for (int i = 0; i < DV / 4; i++)
        w.acc[i / 4][i % 4] = 0.0f;
    copy_rows<DQK>(room->q, a->q + (query * a->n_head + first_head) * DQK, NULL, heads);
    if (tile >= 0)
        copy_rows<DQK>(room->kv[0], a->kv, room->row[0], 0);
    copies_end();
    while (tile >= 0) { /* ORDER: tiles ascending */
        tile = next_tile(a, query, clamped, tile + 1, room->row[1 - buffer]);
        if (tile >= 0)
            copy_rows<DQK>(room->kv[1 - buffer], a->kv, room->row[1 - buffer], 0);
        copies_end();
        copies_wait_but_last();
        __syncthreads();
        if (w.first < heads)
            work_tile<DQK, DV>(&w, room->q, room->kv[buffer], room->row[buffer], half, a->scale_log2);
        __syncthreads();
        buffer = 1 - buffer;
    }
    for (int r = 0; r < 2; r++)
        finish<DQK, DV>(a, &w, r, query, first_head + w.first + 8 * r + (int)threadIdx.x % 32 / 4, half, dead);
}

#define FORWARD(dqk, dv)                                                                                             \
    static_assert(sizeof(struct forward_room<dqk>) == ORDO_DSA_FORWARD_SHARED(dqk), "what the launch asks for");     \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                             \
        ordo_dsa_forward_##dqk##_##dv(const __grid_constant__ struct ordo_dsa_args a)                                \
    {                                                                                                                \
        forward<dqk, dv>(&a);                                                                                        \
    }
FORWARD(576, 512)
FORWARD(512, 512)

#endif
