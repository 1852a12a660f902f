/* attention_backward.c - P, dS, dQ and the contribution to dKV of one CTA. */
#include "ref/attention_impl.h"

#include "base/size.h"
#include "ref/attention_scalar.h"

#include <math.h>
#include <string.h>

/* dP of the gathered slots. */
static enum ordo_status make_dp(const struct ordo_twin *t, struct ordo_cta *c, struct ordo_err *err)
{
    int32_t groups = (int32_t)ordo_div_up((uint64_t)t->d_v, ORDO_K_GROUP);
    struct ordo_product dp = {
        .format = &ordo_format_bf16,
        .m = c->n_head, .n = c->n_slot, .k = t->d_v,
        .a = t->a->in.dout + ordo_cta_at(t, c, t->d_v), .a_row = t->d_v, .a_k = 1,
        .b = c->kv, .b_k = 1, .b_column = t->d_qk,
        .c = c->dp, .c_row = c->n_slot,
        .group = ordo_walk_list(t->contract->dp_groups, groups, c->order), .n_group = groups,
    };

    memset(c->dp, 0, (size_t)c->n_head * (size_t)c->n_slot * sizeof *c->dp);
    return ordo_twin_product(t, ORDO_STAGE_DP, &dp, err);
}

/* Of one head: P over s, then both rounded. */
static void weights_of_head(const struct ordo_twin *t, struct ordo_cta *c, int32_t h, float folded, float delta)
{
    int64_t at = (int64_t)h * c->n_slot;
    uint32_t *p = c->s + at;

    ordo_attention_exp(t->contract->exp, p, c->row, c->n_slot, t->scale_log2, folded, p);
    for (int32_t j = 0; j < c->n_slot; j++) {
        float scaled = ORDO_MUL(t->a->in.scale, ordo_float_of(p[j]));
        float ds = ORDO_MUL(scaled, ORDO_SUB(ordo_float_of(c->dp[at + j]), delta));

        c->p[at + j] = ordo_bf16_round(p[j]);
        c->ds[at + j] = c->row[j] >= 0 ? ordo_bf16_round(ordo_bits_of(ds)) : 0;
    }
}

enum ordo_status ordo_cta_weights(const struct ordo_twin *t, struct ordo_cta *c, const float *lse, const float *delta,
                                  struct ordo_err *err)
{
    const float *sink = t->a->in.sink;
    enum ordo_status status = c->n_slot ? make_dp(t, c, err) : ORDO_OK;

    for (int32_t h = 0; h < c->n_head && status == ORDO_OK; h++) {
        float folded = ordo_fold_lse(t->contract->exp, lse[h], sink ? sink[c->first_head + h] : -HUGE_VALF);

        if (!ordo_is_infinite(folded)) {
            weights_of_head(t, c, h, folded, delta[h]);
            continue;
        }
        memset(c->p + (int64_t)h * c->n_slot, 0, (size_t)c->n_slot * sizeof *c->p);
        memset(c->ds + (int64_t)h * c->n_slot, 0, (size_t)c->n_slot * sizeof *c->ds);
    }
    return status;
}

/* --- dQ --------------------------------------------------------------------------------------------------------- */

/* The gathered groups, tile by tile. */
static void order_slots(const struct ordo_twin *t, struct ordo_cta *c)
{
    int32_t n = 0;

    for (int32_t i = 0; i < c->n_tile; i++) {
        const struct ordo_tile_groups *tile = &c->tile[ordo_walk_at(t->contract->tile_walk, c->n_tile, i)];

        for (int32_t g = 0; g < tile->n; g++)
            c->order[n++] = tile->first + ordo_walk_at(t->contract->dq_groups, tile->n, g);
    }
}

enum ordo_status ordo_cta_dq(const struct ordo_twin *t, struct ordo_cta *c, uint16_t *dq, struct ordo_err *err)
{
    struct ordo_product product = {
        .format = &ordo_format_bf16,
        .m = c->n_head, .n = t->d_qk, .k = c->n_slot,
        .a = c->ds, .a_row = c->n_slot, .a_k = 1,
        .b = c->kv, .b_k = t->d_qk, .b_column = 1,
        .c = c->acc, .c_row = t->d_qk,
        .group = c->order, .n_group = c->n_slot / ORDO_K_GROUP,
    };
    int64_t n = (int64_t)c->n_head * t->d_qk;
    enum ordo_status status = ORDO_OK;

    memset(c->acc, 0, (size_t)n * sizeof *c->acc);
    order_slots(t, c);
    if (c->n_slot)
        status = ordo_twin_product(t, ORDO_STAGE_DQ, &product, err);
    for (int64_t i = 0; i < n; i++)
        dq[i] = ordo_bf16_round(c->acc[i]);
    return status;
}

/* --- dKV -------------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_cta_contribution(const struct ordo_twin *t, struct ordo_cta *c, struct ordo_err *err)
{
    int32_t groups = (int32_t)ordo_div_up((uint64_t)c->n_head, ORDO_K_GROUP);
    const int32_t *group = ordo_walk_list(t->contract->dkv_groups, groups, c->order);
    struct ordo_product of_v = {
        .format = &ordo_format_bf16,
        .m = c->n_slot, .n = t->d_v, .k = c->n_head,
        .a = c->p, .a_row = 1, .a_k = c->n_slot,
        .b = t->a->in.dout + ordo_cta_at(t, c, t->d_v), .b_k = t->d_v, .b_column = 1,
        .c = c->contribution, .c_row = t->d_qk,
        .group = group, .n_group = groups,
    };
    struct ordo_product of_k = of_v;
    bool v_first = t->contract->dkv_first == ORDO_DKV_DO_P;
    enum ordo_status status;

    if (c->n_slot == 0)
        return ORDO_OK;
    of_k.n = t->d_qk;
    of_k.b_k = t->d_qk;
    of_k.a = c->ds;
    of_k.b = t->a->in.q + ordo_cta_at(t, c, t->d_qk);
    memset(c->contribution, 0, (size_t)c->n_slot * (size_t)t->d_qk * sizeof *c->contribution);
    status = ordo_twin_product(t, ORDO_STAGE_DKV, v_first ? &of_v : &of_k, err); /* ORDER: both into one fragment */
    return status == ORDO_OK ? ordo_twin_product(t, ORDO_STAGE_DKV, v_first ? &of_k : &of_v, err) : status;
}
