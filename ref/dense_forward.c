/* dense_forward.c - O, LSE and delta of a query tile: the online softmax over the KV tiles that it sees, ascending.
 *
 * As in attention_forward.c a row keeps its largest score, its base, four lane sums and a row of O; a tile that
 * raises the base first scales sums and row by exp2(old base - base). */
#include "ref/dense_impl.h"

#include "ref/attention_scalar.h"

#include <math.h>
#include <string.h>

enum { LANES = 4 };

struct row {
    bool seen; /* a visible column */
    float max, base, lane[LANES];
};

static float max_of(const uint32_t *s, int32_t n, float max)
{
    for (int32_t j = 0; j < n; j++) {
        float x = ordo_float_of(s[j]);

        max = x > max ? x : max;
    }
    return max;
}

/* P of one row and tile, and what that does to its sums and its row of O. */
static void tile_of_row(const struct ordo_dense_run *r, struct ordo_dense_pair *pair, int32_t i, struct row *row)
{
    int64_t at = (int64_t)i * pair->n;
    int32_t visible = ordo_dense_visible(r->p, pair, i);
    float max = max_of(pair->s + at, visible, row->max), base = ORDO_MUL(max, r->scale_log2), alpha;
    uint32_t *acc = pair->acc + (int64_t)i * r->p->d, p[ORDO_DENSE_TILE];
    bool none;

    if (visible == 0) {
        memset(pair->pw + at, 0, (size_t)pair->n * sizeof *pair->pw);
        return;
    }
    none = max == -HUGE_VALF; /* as in attention_forward.c: scores of -Inf add nothing */
    alpha = none ? 1.0f : ordo_exp_by(r->contract->exp, ORDO_SUB(row->base, base));
    ordo_attention_exp(r->contract->exp, pair->s + at, ordo_dense_live(pair, visible), pair->n, r->scale_log2,
                       none ? 0.0f : base, p);
    for (int lane = 0; lane < LANES; lane++)
        row->lane[lane] = ORDO_MUL(row->lane[lane], alpha);
    for (int32_t j = 0; j < pair->n; j++) { /* ORDER: a lane's columns ascending */
        row->lane[j / 2 % LANES] = ORDO_ADD(row->lane[j / 2 % LANES], ordo_float_of(p[j]));
        pair->pw[at + j] = ordo_bf16_round(p[j]);
    }
    for (int32_t c = 0; alpha != 1.0f && c < r->p->d; c++)
        acc[c] = ordo_bits_of(ORDO_MUL(ordo_float_of(acc[c]), alpha));
    row->max = max;
    row->base = base;
    row->seen = true;
}

static enum ordo_status add_tile(const struct ordo_dense_run *r, struct ordo_dense_pair *pair, struct row *row,
                                 struct ordo_err *err)
{
    const struct ordo_dense_problem *p = r->p;
    int32_t groups = (pair->n + ORDO_K_GROUP - 1) / ORDO_K_GROUP;
    struct ordo_product pv = {
        .format = &ordo_format_bf16,
        .m = pair->m, .n = p->d, .k = pair->n,
        .a = pair->pw, .a_row = pair->n, .a_k = 1,
        .b = r->twin->in.v + ordo_dense_at(p->kv_len, p->kv_heads, p->d, pair->batch, pair->kv_first, pair->kv_head),
        .b_k = (ptrdiff_t)p->kv_heads * p->d, .b_column = 1,
        .c = pair->acc, .c_row = p->d,
        .group = ordo_walk_list(r->contract->pv_groups, groups, pair->group), .n_group = groups,
    };
    enum ordo_status status = ordo_dense_scores(r, pair, err);

    for (int32_t i = 0; i < pair->m && status == ORDO_OK; i++)
        tile_of_row(r, pair, i, &row[i]);
    return status == ORDO_OK ? ordo_mma(r->model, r->isa, &pv, err) : status;
}

/* O of one row: times 1 / sum. */
static void finish(const struct ordo_dense_run *r, const struct ordo_dense_pair *pair, int32_t i,
                   const struct row *row, uint16_t *o)
{
    const uint32_t *acc = pair->acc + (int64_t)i * r->p->d;
    float sum = ORDO_ADD(ORDO_ADD(row->lane[0], row->lane[1]), ORDO_ADD(row->lane[2], row->lane[3]));
    float reciprocal = sum == 0.0f ? 0.0f : ORDO_DIV(1.0f, sum);

    for (int32_t c = 0; c < r->p->d; c++) /* + 0.0: a zero is +0 */
        o[c] = ordo_bf16_round(ordo_bits_of(ORDO_FMA(ordo_float_of(acc[c]), reciprocal, 0.0f)));
    r->lse[ordo_dense_stat_at(r->p, pair) + i] =
        ordo_canonical(ORDO_MUL(ORDO_ADD(row->base, ordo_log2(sum)), ORDO_LN2));
}

static void start(const struct ordo_dense_run *r, struct ordo_dense_pair *pair, struct row *row)
{
    memset(pair->acc, 0, (size_t)pair->m * (size_t)r->p->d * sizeof *pair->acc);
    for (int32_t i = 0; i < pair->m; i++)
        row[i] = (struct row){.max = -HUGE_VALF, .base = -HUGE_VALF};
}

enum ordo_status ordo_dense_forward(void *run, int thread, int64_t item, struct ordo_err *err)
{
    const struct ordo_dense_run *r = run;
    const struct ordo_dense_mask *mask = r->twin->schedule->launch.mask;
    struct ordo_dense_pair *pair = &r->hand[thread];
    int32_t head = (int32_t)(item / mask->n_q), tile = (int32_t)(item % mask->n_q);
    uint16_t *o = (uint16_t *)(uintptr_t)r->o; /* ours to write where there is a forward */
    struct row row[ORDO_DENSE_TILE];
    enum ordo_status status = ORDO_OK;

    ordo_dense_pair_set(r, head, tile, 0, pair);
    start(r, pair, row);
    for (int32_t kv = 0; kv < mask->n_kv && status == ORDO_OK; kv++) { /* ORDER: ascending */
        if (!ordo_dense_sees(mask, tile, kv))
            continue;
        ordo_dense_pair_set(r, head, tile, kv, pair);
        status = add_tile(r, pair, row, err);
    }
    for (int32_t i = 0; i < pair->m && status == ORDO_OK; i++) {
        uint16_t *to =
            o + ordo_dense_at(r->p->q_len, r->p->q_heads, r->p->d, pair->batch, pair->q_first + i, pair->head);

        if (row[i].seen)
            finish(r, pair, i, &row[i], to);
        else {
            memset(to, 0, (size_t)r->p->d * sizeof *to);
            r->lse[ordo_dense_stat_at(r->p, pair) + i] = -HUGE_VALF;
        }
    }
    return status;
}

enum ordo_status ordo_dense_delta(void *run, int thread, int64_t item, struct ordo_err *err)
{
    const struct ordo_dense_run *r = run;
    const struct ordo_dense_problem *p = r->p;
    const struct ordo_dense_mask *mask = r->twin->schedule->launch.mask;
    struct ordo_dense_pair *pair = &r->hand[thread];

    (void)err;
    ordo_dense_pair_set(r, (int32_t)(item / mask->n_q), (int32_t)(item % mask->n_q), 0, pair);
    for (int32_t i = 0; i < pair->m; i++) {
        int64_t at = ordo_dense_at(p->q_len, p->q_heads, p->d, pair->batch, pair->q_first + i, pair->head);
        int64_t stat = ordo_dense_stat_at(p, pair) + i;
        bool inert = ordo_is_infinite(ORDO_MUL(r->lse[stat], ORDO_LOG2E));

        r->delta[stat] = inert ? 0.0f : ordo_delta(r->o + at, r->twin->in.dout + at, p->d);
    }
    return ORDO_OK;
}
