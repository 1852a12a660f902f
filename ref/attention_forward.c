/* attention_forward.c - O and LSE of one CTA: the online softmax, tile by tile.
 *
 * A head keeps the largest score so far, its base b = max (scale log2 e), four lane sums and a row of O.  A tile that
 * raises the base first scales sums and row by exp2(old b - b), which is exactly 1 where nothing moved.  Scores of
 * -Inf alone leave b at -Inf: their p is exp2(-Inf) = 0, nothing is scaled, and the row ends as one without a live
 * slot.  A NaN score makes LSE and O NaN. */
#include "ref/attention_impl.h"

#include "base/size.h"
#include "ref/attention_scalar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 4 };

struct head {
    float max, base, lane[LANES];
};

/* The largest live score of n slots, at least max.  A NaN is never larger. */
static float max_of(const uint32_t *s, const int32_t *row, int32_t n, float max)
{
    for (int32_t j = 0; j < n; j++) {
        float x = ordo_float_of(s[j]);

        max = row[j] >= 0 && x > max ? x : max;
    }
    return max;
}

/* P of one head and tile, and what that does to its sums; returns the factor of its row of O. */
static float tile_of_head(const struct ordo_twin *t, const struct ordo_cta *c, int32_t first, int32_t n, int32_t h,
                          struct head *head)
{
    int64_t at = (int64_t)h * c->n_slot + first;
    float max = max_of(c->s + at, c->row + first, n, head->max), base = ORDO_MUL(max, t->scale_log2);
    bool none = max == -HUGE_VALF;
    float alpha = none ? 1.0f : ordo_exp_by(t->contract->exp, ORDO_SUB(head->base, base));
    uint32_t p[ORDO_TILE];

    ordo_attention_exp(t->contract->exp, c->s + at, c->row + first, n, t->scale_log2, none ? 0.0f : base, p);
    for (int lane = 0; lane < LANES; lane++)
        head->lane[lane] = ORDO_MUL(head->lane[lane], alpha);
    for (int32_t j = 0; j < n; j++) { /* ORDER: a lane's slots ascending */
        float *sum = &head->lane[c->column[first + j] / 2 % LANES];

        *sum = ORDO_ADD(*sum, ordo_float_of(p[j]));
        c->p[at + j] = ordo_bf16_round(p[j]);
    }
    head->max = max;
    head->base = base;
    return alpha;
}

static void scale_row(uint32_t *acc, int32_t n, float alpha)
{
    for (int32_t d = 0; d < n; d++)
        acc[d] = ordo_bits_of(ORDO_MUL(ordo_float_of(acc[d]), alpha));
}

static enum ordo_status add_tile(const struct ordo_twin *t, struct ordo_cta *c, const struct ordo_tile_groups *tile,
                                 struct head *head, struct ordo_err *err)
{
    int32_t first = tile->first * ORDO_K_GROUP, n = tile->n * ORDO_K_GROUP;
    struct ordo_product pv = {
        .format = &ordo_format_bf16,
        .m = c->n_head, .n = t->d_v, .k = n,
        .a = c->p + first, .a_row = c->n_slot, .a_k = 1,
        .b = c->kv + (int64_t)first * t->d_qk, .b_k = t->d_qk, .b_column = 1,
        .c = c->acc, .c_row = t->d_v,
        .group = ordo_walk_list(t->contract->pv_groups, tile->n, c->order), .n_group = tile->n,
    };

    for (int32_t h = 0; h < c->n_head; h++) {
        float alpha = tile_of_head(t, c, first, n, h, &head[h]);

        if (alpha != 1.0f)
            scale_row(c->acc + (int64_t)h * t->d_v, t->d_v, alpha);
    }
    return ordo_twin_product(t, ORDO_STAGE_PV, &pv, err);
}

/* O of one head: times 1 / (sum + the sink's part). */
static void finish(const struct ordo_twin *t, const struct ordo_cta *c, int32_t h, struct head *head, uint16_t *o,
                   float *lse)
{
    const float *sinks = t->a->in.sink;
    float sink = sinks ? sinks[c->first_head + h] : -HUGE_VALF, sum, all, reciprocal;
    const uint32_t *acc = c->acc + (int64_t)h * t->d_v;

    sum = ORDO_ADD(ORDO_ADD(head->lane[0], head->lane[1]), ORDO_ADD(head->lane[2], head->lane[3]));
    all = ORDO_ADD(sum, ordo_exp_by(t->contract->exp, ORDO_SUB(ORDO_MUL(sink, ORDO_LOG2E), head->base)));
    reciprocal = sum == 0.0f ? 0.0f : ORDO_DIV(1.0f, all);
    for (int32_t d = 0; d < t->d_v; d++) /* + 0.0: a zero is +0 */
        o[(int64_t)h * t->d_v + d] =
            ordo_bf16_round(ordo_bits_of(ORDO_FMA(ordo_float_of(acc[d]), reciprocal, 0.0f)));
    lse[h] = ordo_canonical(ORDO_MUL(ORDO_ADD(head->base, ordo_log2(sum)), ORDO_LN2));
}

enum ordo_status ordo_cta_forward(const struct ordo_twin *t, struct ordo_cta *c, uint16_t *o, float *lse,
                                  struct ordo_err *err)
{
    struct head head[ORDO_HEAD_BLOCK];
    enum ordo_status status = ORDO_OK;

    for (int32_t h = 0; h < c->n_head; h++) {
        head[h] = (struct head){.max = -HUGE_VALF, .base = -HUGE_VALF};
        lse[h] = -HUGE_VALF;
    }
    if (c->n_tile == 0) {
        memset(o, 0, (size_t)c->n_head * (size_t)t->d_v * sizeof *o);
        return ORDO_OK;
    }
    memset(c->acc, 0, (size_t)c->n_head * (size_t)t->d_v * sizeof *c->acc);
    for (int32_t i = 0; i < c->n_tile && status == ORDO_OK; i++) /* ORDER: the contract's walk */
        status = add_tile(t, c, &c->tile[ordo_walk_at(t->contract->tile_walk, c->n_tile, i)], head, err);
    for (int32_t h = 0; h < c->n_head && status == ORDO_OK; h++)
        finish(t, c, h, &head[h], o, lse);
    return status;
}
