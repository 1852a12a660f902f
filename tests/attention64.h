/* attention64.h - sparse attention in fp64, from its formulas alone; and how far the BF16 kernels may be from it.
 *
 *     s = scale q.k                LSE = ln sum exp(s), natural, without the sink      L = logaddexp(LSE, sink)
 *     p = exp(s - L)               O = sum p v                                         delta = sum O dO
 *     dP = dO.v                    dS = scale p (dP - delta)                           dQ = sum dS k
 *     dKV = sum dS q + sum p dO (the first d_v columns)                              dSink = -sum exp(sink - L) delta
 *
 * K is a row of KV, V its first d_v columns.  A slot is live iff 0 <= id < n_kv and its column lies below the query's
 * length clamped to [0, topk]; a dead slot has no p at all, and each live one counts, equal ids too.  A row without a
 * live slot, or with the sink at +Inf, has O = 0 and adds nothing to any gradient, as exact zeros.
 *
 * Shares with ref/ neither code nor arithmetic: loops over all slots, libm's exp and log, no tiles, no order.
 *
 * The bound.  Each output carries |kernel - reference| <= bound, for a kernel that does what follows, in any order of
 * its sums; near64.h has the constants and how they combine (nothing of second order is dropped).
 *
 *   S, dP          chains of the tensor core over the columns: 21 2^-25 a step of 16, times sum |q k|, sum |dO v|
 *   exp argument   S's error, and 2^-24 a rounding of s, m, LSE, L and sink (the scale, log2 e, their product, the
 *                  fused multiply-add): at most 8 of each; 1 + ceil(topk/64) of them and as many exp2 in the forward,
 *                  which rescales once a tile
 *   p              e^error, exp2's 2^-22; flushed below 2^-126; to BF16 where it is a factor: 2^-8
 *   Z              fp32 sum of at most topk terms; an error of e^a in every term is one of e^a in the sum
 *   LSE, L         log2's 2^-22 (1 + |log2 x|) and 8 roundings
 *   O              chain over the slots, 4 steps a tile of 64; 4 fp32 roundings a tile; then BF16
 *   delta          of the BF16 O: fp32 products and sum
 *   dS             fp32: one rounding of the difference, three of the product; to BF16: 2^-8
 *   dQ             chain over the slots; 4 fp32 additions a tile; then BF16
 *   dKV            a chain of 8 steps for each (query, head block), then fp32: one addition each into planes, and the
 *                  fold of at most 128 + 16 planes and groups; then BF16
 *   dSink          exp2 as above; fp32 sum over the queries
 *
 * BF16 has 8 significant bits, so its unit roundoff is 2^-8.  What the fp64 code itself loses (2^-53 an operation) is
 * far below the fp32 terms; each bound is enlarged by 1/1024 for it. */
#ifndef ORDO_TESTS_ATTENTION64_H
#define ORDO_TESTS_ATTENTION64_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* q: query x head x d_qk; kv: row x d_qk; dout: query x head x d_v; sink: head, or NULL for -Inf; idx: query x topk;
 * length: query, or NULL for topk.  All storage is the caller's. */
struct attention64_in {
    int32_t n_query, n_kv, n_head, topk, d_qk, d_v;
    double scale;
    const double *q, *kv, *dout, *sink;
    const int32_t *idx, *length;
};

/* One output: the number, the sum of the |terms| that it is made of (what its error is measured by), and the bound.
 * lse of a row without a live slot is -Inf and has no bound. */
struct number64 {
    double *value, *terms, *bound;
    size_t n;
};

struct attention64 {
    struct number64 o, lse, delta, dq, dkv, dsink;
};

/* Allocates and fills *out; aborts without memory. */
void attention64(const struct attention64_in *in, struct attention64 *out);
void attention64_free(struct attention64 *a);

/* Whether a kernel's number may stand for element i: inside the bound, or the same infinity.  NaN never may. */
static inline bool attention64_holds(const struct number64 *a, size_t i, double kernel)
{
    if (isinf(a->value[i]) || isinf(kernel))
        return kernel == a->value[i];
    return fabs(kernel - a->value[i]) <= a->bound[i] * (1 + 0x1p-10);
}

/* A BF16 as fp64. */
static inline double attention64_bf16(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;
    float x;

    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

#endif
