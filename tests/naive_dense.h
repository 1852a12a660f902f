/* naive_dense.h - dense attention once more, for one batch and one query head: whole matrices, one element at a time.
 *
 * What must be equal bit for bit is the arithmetic of single numbers, which is shared (ref/attention_scalar.h, the
 * scalar step of ref/mma.h); what is said again is everything else: masks, tiles, who sums what in which order. */
#ifndef ORDO_TESTS_NAIVE_DENSE_H
#define ORDO_TESTS_NAIVE_DENSE_H

#include "ref/attention_scalar.h"
#include "ref/dense.h"
#include "ref/mma.h"
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>

enum { NAIVE_LONGEST = 96, NAIVE_D = 32 };

struct naive_dense {
    int32_t n_q, n_kv, d, tile_q, tile_kv;
    bool causal;
    float scale;
    uint16_t q[NAIVE_LONGEST][NAIVE_D], k[NAIVE_LONGEST][NAIVE_D], v[NAIVE_LONGEST][NAIVE_D];
    uint16_t dout[NAIVE_LONGEST][NAIVE_D], o[NAIVE_LONGEST][NAIVE_D];
    float lse[NAIVE_LONGEST], delta[NAIVE_LONGEST];
    uint16_t p[NAIVE_LONGEST][NAIVE_LONGEST], ds[NAIVE_LONGEST][NAIVE_LONGEST];
    float dq[NAIVE_LONGEST][NAIVE_D], dk[NAIVE_LONGEST][NAIVE_D], dv[NAIVE_LONGEST][NAIVE_D];
};

/* c + the products a[i] b[i], i < n at most 16, as one step of SM 9.0. */
static inline float naive_step(const uint16_t *a, const uint16_t *b, int32_t n, float c)
{
    uint16_t x[16] = {0}, y[16] = {0};
    const struct ordo_mma_model *model;
    struct ordo_mma_operands operands = {&ordo_format_bf16, x, y, 1, 1};
    struct ordo_mma_loss loss;

    assert_int_equal(ordo_mma_find(90, &model, NULL), ORDO_OK);
    for (int32_t i = 0; i < n; i++) {
        x[i] = a[i];
        y[i] = b[i];
    }
    return ordo_fp32(ordo_mma_step(model, &operands, ordo_fp32_bits(c), &loss));
}

static inline float naive_dot(const uint16_t *a, const uint16_t *b, int32_t n)
{
    float sum = 0;

    for (int32_t i = 0; i < n; i += 16)
        sum = naive_step(a + i, b + i, n - i < 16 ? n - i : 16, sum);
    return sum;
}

static inline bool naive_sees(const struct naive_dense *x, int32_t i, int32_t j)
{
    return !x->causal || j - (x->n_kv - x->n_q) <= i;
}

/* c + sum over rows [from, to) of left[row][a] right[row][b], 16 rows a step. */
static inline float naive_rows(const uint16_t *left, int32_t left_row, const uint16_t *right, int32_t from,
                               int32_t to, float c)
{
    for (int32_t r = from; r < to; r += 16) {
        uint16_t a[16], b[16];
        int32_t n = to - r < 16 ? to - r : 16;

        for (int32_t i = 0; i < n; i++) {
            a[i] = left[(int64_t)(r + i) * left_row];
            b[i] = right[(int64_t)(r + i) * NAIVE_D];
        }
        c = naive_step(a, b, n, c);
    }
    return c;
}

/* P and dS of every visible pair, from lse and o. */
static inline void naive_weights(struct naive_dense *x)
{
    for (int32_t i = 0; i < x->n_q; i++) {
        float folded = ORDO_MUL(x->lse[i], ORDO_LOG2E);

        x->delta[i] = ordo_is_infinite(folded) ? 0.0f : ordo_delta(x->o[i], x->dout[i], x->d);
        for (int32_t j = 0; j < x->n_kv; j++) {
            float s = naive_dot(x->q[i], x->k[j], x->d), dp = naive_dot(x->dout[i], x->v[j], x->d);
            float p = ordo_exp2_6(ORDO_FMA(s, ORDO_MUL(x->scale, ORDO_LOG2E), -folded));
            bool on = naive_sees(x, i, j) && !ordo_is_infinite(folded);

            x->p[i][j] = on ? ordo_bf16_round(ordo_fp32_bits(p)) : 0;
            x->ds[i][j] = on ? ordo_bf16_round(ordo_fp32_bits(
                                   ORDO_MUL(ORDO_MUL(x->scale, p), ORDO_SUB(dp, x->delta[i]))))
                             : 0;
        }
    }
}

static inline int32_t naive_end(int32_t first, int32_t tile, int32_t n)
{
    return first + tile < n ? first + tile : n;
}

/* kv[]: the n KV tiles that add to query tile q, in order. */
static inline void naive_dq(struct naive_dense *x, int32_t q, const int32_t *kv, int32_t n)
{
    for (int32_t i = q * x->tile_q; i < naive_end(q * x->tile_q, x->tile_q, x->n_q); i++)
        for (int32_t c = 0; c < x->d; c++) {
            x->dq[i][c] = 0;
            for (int32_t t = 0; t < n; t++) {
                int32_t from = kv[t] * x->tile_kv, to = naive_end(from, x->tile_kv, x->n_kv);
                float part = 0;

                for (int32_t j = from; j < to; j += 16) {
                    uint16_t b[16];
                    int32_t m = to - j < 16 ? to - j : 16;

                    for (int32_t e = 0; e < m; e++)
                        b[e] = x->k[j + e][c];
                    part = naive_step(&x->ds[i][j], b, m, part);
                }
                x->dq[i][c] += part;
            }
        }
}

/* q[]: the n query tiles that KV tile kv visits, in order. */
static inline void naive_dkv(struct naive_dense *x, int32_t kv, const int32_t *q, int32_t n)
{
    for (int32_t j = kv * x->tile_kv; j < naive_end(kv * x->tile_kv, x->tile_kv, x->n_kv); j++)
        for (int32_t c = 0; c < x->d; c++) {
            float dk = 0, dv = 0;

            for (int32_t t = 0; t < n; t++) {
                int32_t from = q[t] * x->tile_q, to = naive_end(from, x->tile_q, x->n_q);

                dv = naive_rows(&x->p[0][j], NAIVE_LONGEST, &x->dout[0][c], from, to, dv);
                dk = naive_rows(&x->ds[0][j], NAIVE_LONGEST, &x->q[0][c], from, to, dk);
            }
            x->dk[j][c] = dk;
            x->dv[j][c] = dv;
        }
}

#endif
