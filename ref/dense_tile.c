/* dense_tile.c - one pair of tiles: room for it, what the mask shows of it, S, P and dS. */
#include "ref/dense_impl.h"

#include "base/size.h"
#include "ref/attention_scalar.h"

#include <stdlib.h>
#include <string.h>

enum ordo_status ordo_dense_pair_make(const struct ordo_dense_problem *p, int32_t n_kv, struct ordo_dense_pair *pair,
                                      struct ordo_err *err)
{
    uint64_t m = (uint64_t)p->tile_q, n = (uint64_t)p->tile_kv, d = (uint64_t)p->d, side = m > n ? m : n;

    *pair = (struct ordo_dense_pair){
        .s = ordo_alloc(m * n, sizeof *pair->s),
        .dp = ordo_alloc(m * n, sizeof *pair->dp),
        .pw = ordo_alloc(m * n, sizeof *pair->pw),
        .ds = ordo_alloc(m * n, sizeof *pair->ds),
        .acc = ordo_alloc(side * d, sizeof *pair->acc),
        .acc2 = ordo_alloc(side * d, sizeof *pair->acc2),
        .part = ordo_alloc(side * d, sizeof *pair->part),
        .sum = ordo_alloc(n * d, sizeof *pair->sum),
        .sum2 = ordo_alloc(n * d, sizeof *pair->sum2),
        .order = ordo_alloc((uint64_t)n_kv, sizeof *pair->order),
    };
    memset(pair->live + ORDO_DENSE_TILE, -1, sizeof pair->live / 2);
    if (!pair->s || !pair->dp || !pair->pw || !pair->ds || !pair->acc || !pair->acc2 || !pair->part || !pair->sum ||
        !pair->sum2 || !pair->order)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the work of one CTA");
    return ORDO_OK;
}

void ordo_dense_pair_free(struct ordo_dense_pair *pair)
{
    free(pair->s);
    free(pair->dp);
    free(pair->pw);
    free(pair->ds);
    free(pair->acc);
    free(pair->acc2);
    free(pair->part);
    free(pair->sum);
    free(pair->sum2);
    free(pair->order);
    *pair = (struct ordo_dense_pair){0};
}

static int32_t at_most(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

void ordo_dense_pair_set(const struct ordo_dense_run *r, int32_t head, int32_t q_tile, int32_t kv_tile,
                         struct ordo_dense_pair *pair)
{
    const struct ordo_dense_problem *p = r->p;

    pair->batch = head / p->q_heads;
    pair->head = head % p->q_heads;
    pair->kv_head = pair->head / (p->q_heads / p->kv_heads);
    pair->q_first = q_tile * p->tile_q;
    pair->kv_first = kv_tile * p->tile_kv;
    pair->m = at_most(p->tile_q, p->q_len - pair->q_first);
    pair->n = at_most(p->tile_kv, p->kv_len - pair->kv_first);
}

int32_t ordo_dense_visible(const struct ordo_dense_problem *p, const struct ordo_dense_pair *pair, int32_t i)
{
    int32_t last = pair->q_first + i + p->kv_len - p->q_len; /* the last KV row that the query sees */
    int32_t visible = p->causal ? last - pair->kv_first + 1 : pair->n;

    return visible < 0 ? 0 : at_most(visible, pair->n);
}

/* A times B^T over D columns: rows of a query tensor with rows of a KV tensor. */
static enum ordo_status rows_by_rows(const struct ordo_dense_run *r, struct ordo_dense_pair *pair, const uint16_t *a,
                                     const uint16_t *b, enum ordo_walk walk, uint32_t *c, struct ordo_err *err)
{
    const struct ordo_dense_problem *p = r->p;
    int32_t groups = (int32_t)ordo_div_up((uint64_t)p->d, ORDO_K_GROUP);
    struct ordo_product product = {
        .format = &ordo_format_bf16,
        .m = pair->m, .n = pair->n, .k = p->d,
        .a = a + ordo_dense_at(p->q_len, p->q_heads, p->d, pair->batch, pair->q_first, pair->head),
        .a_row = (ptrdiff_t)p->q_heads * p->d, .a_k = 1,
        .b = b + ordo_dense_at(p->kv_len, p->kv_heads, p->d, pair->batch, pair->kv_first, pair->kv_head),
        .b_k = 1, .b_column = (ptrdiff_t)p->kv_heads * p->d,
        .c = c, .c_row = pair->n,
        .group = ordo_walk_list(walk, groups, pair->group), .n_group = groups,
    };

    memset(c, 0, (size_t)pair->m * (size_t)pair->n * sizeof *c);
    return ordo_mma(r->model, r->isa, &product, err);
}

enum ordo_status ordo_dense_scores(const struct ordo_dense_run *r, struct ordo_dense_pair *pair, struct ordo_err *err)
{
    return rows_by_rows(r, pair, r->twin->in.q, r->twin->in.k, r->contract->s_groups, pair->s, err);
}

/* P over s, then both rounded; a row without mass is zeros. */
static void weights_of_row(const struct ordo_dense_run *r, struct ordo_dense_pair *pair, int32_t i, float lse,
                           float delta)
{
    int64_t at = (int64_t)i * pair->n;
    int32_t visible = ordo_dense_visible(r->p, pair, i);
    float folded = ORDO_MUL(lse, ORDO_LOG2E);
    uint32_t *p = pair->s + at;

    if (ordo_is_infinite(folded)) {
        memset(pair->pw + at, 0, (size_t)pair->n * sizeof *pair->pw);
        memset(pair->ds + at, 0, (size_t)pair->n * sizeof *pair->ds);
        return;
    }
    ordo_attention_exp(r->contract->exp, p, ordo_dense_live(pair, visible), pair->n, r->scale_log2, folded, p);
    for (int32_t j = 0; j < pair->n; j++) {
        float scaled = ORDO_MUL(r->twin->in.scale, ordo_float_of(p[j]));
        float ds = ORDO_MUL(scaled, ORDO_SUB(ordo_float_of(pair->dp[at + j]), delta));

        pair->pw[at + j] = ordo_bf16_round(p[j]);
        pair->ds[at + j] = j < visible ? ordo_bf16_round(ordo_bits_of(ds)) : 0;
    }
}

enum ordo_status ordo_dense_weights(const struct ordo_dense_run *r, struct ordo_dense_pair *pair,
                                    struct ordo_err *err)
{
    int64_t at = ordo_dense_stat_at(r->p, pair);
    enum ordo_status status = ordo_dense_scores(r, pair, err);

    if (status == ORDO_OK)
        status = rows_by_rows(r, pair, r->twin->in.dout, r->twin->in.v, r->contract->dp_groups, pair->dp, err);
    for (int32_t i = 0; i < pair->m && status == ORDO_OK; i++)
        weights_of_row(r, pair, i, r->lse[at + i], r->delta[at + i]);
    return status;
}
