/* dense.h - dense attention forward and backward, every bit: the twin of kernels that run a schedule of sim/dense.h.
 *
 * A tile is tile_q queries or tile_kv KV rows; what a CTA visits in which order, and which KV tile adds to dQ of a
 * query tile at which place, is the schedule's.  Numbers are as in ref/attention.h: one softmax, one contract.
 *
 *     s     = Q K^T                                    tensor core, fp32
 *     p     = exp2(s (scale log2 e) - LSE log2 e)      0 where the mask hides the pair
 *     LSE   = ln sum_j exp(scale s_j)                  natural
 *     O     = P V
 *     delta = sum_d O dO                               of the BF16 O
 *     dS    = bf16(scale p (dO V^T - delta))
 *     dV    = P^T dO, dK = dS^T Q                      one accumulator a KV tile and query head, from its first query
 *                                                      tile to its last; heads of a group are added ascending,
 *                                                      from +0.0
 *     dQ    = dS K                                     a product from zero for each KV tile, added by ascending rank
 *                                                      from +0.0
 *
 * All round once at the end: dq, dk, dv and o are BF16.  A query that sees nothing, or whose LSE is infinite, adds
 * nothing anywhere: dQ = +0, delta = +0; the forward gives it LSE = -Inf and O = +0.  Heads q h read KV head
 * h / (Hq / Hkv).
 *
 * Tensors are contiguous and row-major, as FlashAttention has them: [B][S][H][D]; statistics are [B][H][S]. */
#ifndef ORDO_REF_DENSE_H
#define ORDO_REF_DENSE_H

#include "base/status.h"
#include "sim/contract.h"
#include "sim/dense.h"

#include <stdbool.h>
#include <stdint.h>

struct ordo_dense_problem {
    int32_t batch, q_len, kv_len, q_heads, kv_heads, d; /* q_heads a multiple of kv_heads */
    int32_t tile_q, tile_kv;                            /* multiples of 16, at most ORDO_DENSE_TILE */
    bool causal; /* KV row j is seen by query i iff j <= i + kv_len - q_len; tiles that the mask hides are not seen */
};

enum { ORDO_DENSE_TILE = 256, ORDO_DENSE_D = 256 };

struct ordo_dense_inputs {
    const uint16_t *q, *k, *v, *dout; /* BF16 [B][q_len][Hq][D], [B][kv_len][Hkv][D] twice, [B][q_len][Hq][D] */
    const uint16_t *o;                /* BF16 [B][q_len][Hq][D] and fp32 [B][Hq][q_len], as the forward saved them; */
    const float *lse;                 /* both NULL: the twin's own forward makes them */
    float scale;                      /* > 0; customary 1 / sqrt(D) */
};

/* What is NULL is not made.  NaNs are 0x7fffffff and BF16 0x7fff. */
struct ordo_dense_outputs {
    uint16_t *o;       /* BF16 [B][q_len][Hq][D] */
    float *lse, *delta; /* fp32 [B][Hq][q_len] */
    uint16_t *dq;      /* BF16 [B][q_len][Hq][D] */
    uint16_t *dk, *dv; /* BF16 [B][kv_len][Hkv][D] */
    float *dq_fp32, *dk_fp32, *dv_fp32; /* of the same extents: before they round */
};

struct ordo_dense_twin {
    const struct ordo_dense_problem *problem;
    const struct ordo_dense *schedule; /* of batch * q_heads heads, head b Hq + h; its mask: tiles of the problem */
    const struct ordo_contract *contract;
    int32_t sm; /* whose tensor core: 90 */
    struct ordo_dense_inputs in;
    bool scalar; /* without vector units: the same bits, slowly */
};

/* ORDO_BAD_INPUT names an extent that cannot be. */
enum ordo_status ordo_dense_problem_check(const struct ordo_dense_problem *p, struct ordo_err *err);

/* The tile pairs that a problem's lengths and its causal flag leave: value[q * n_kv + kv] is 1 where some element of
 * the pair is seen, else 0.  value: n_q * n_kv numbers, the caller's; see ordo_dense_mask_take. */
void ordo_dense_problem_tiles(const struct ordo_dense_problem *p, int32_t *value);
static inline int32_t ordo_dense_tiles_q(const struct ordo_dense_problem *p)
{
    return (p->q_len + p->tile_q - 1) / p->tile_q;
}
static inline int32_t ordo_dense_tiles_kv(const struct ordo_dense_problem *p)
{
    return (p->kv_len + p->tile_kv - 1) / p->tile_kv;
}

/* ORDO_BAD_INPUT: an extent that cannot be, a schedule of other extents, a scale that is no positive number, one of o
 * and lse without the other, ranks that are no permutation.  ORDO_ENVIRONMENT: no memory.  n_thread never changes a
 * bit. */
enum ordo_status ordo_dense_attention(const struct ordo_dense_twin *twin, int n_thread,
                                      const struct ordo_dense_outputs *out, struct ordo_err *err);

#endif
