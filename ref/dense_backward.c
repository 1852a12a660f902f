/* dense_backward.c - dQ of a query tile by the ranks of its KV tiles; dK and dV of a KV tile by its steps.
 *
 * Both make P and dS of each pair anew: seven products a pair where a kernel makes five, and no sum depends on who
 * made it, so that threads share nothing. */
#include "ref/dense_impl.h"

#include "ref/attention_scalar.h"

#include <string.h>

/* --- dQ --------------------------------------------------------------------------------------------------------- */

/* part = dS K of the pair. */
static enum ordo_status contribution(const struct ordo_dense_run *r, struct ordo_dense_pair *pair,
                                     struct ordo_err *err)
{
    const struct ordo_dense_problem *p = r->p;
    int32_t groups = (pair->n + ORDO_K_GROUP - 1) / ORDO_K_GROUP;
    struct ordo_product product = {
        .format = &ordo_format_bf16,
        .m = pair->m, .n = p->d, .k = pair->n,
        .a = pair->ds, .a_row = pair->n, .a_k = 1,
        .b = r->twin->in.k + ordo_dense_at(p->kv_len, p->kv_heads, p->d, pair->batch, pair->kv_first, pair->kv_head),
        .b_k = (ptrdiff_t)p->kv_heads * p->d, .b_column = 1,
        .c = pair->part, .c_row = p->d,
        .group = ordo_walk_list(r->contract->dq_groups, groups, pair->group), .n_group = groups,
    };

    memset(pair->part, 0, (size_t)pair->m * (size_t)p->d * sizeof *pair->part);
    return ordo_mma(r->model, r->isa, &product, err);
}

static void add_part(const struct ordo_dense_run *r, struct ordo_dense_pair *pair)
{
    for (int64_t i = 0; i < (int64_t)pair->m * r->p->d; i++)
        pair->acc[i] = ordo_bits_of(
            ordo_add_by(r->contract->add, ordo_float_of(pair->acc[i]), ordo_float_of(pair->part[i])));
}

static void write_dq(const struct ordo_dense_run *r, const struct ordo_dense_pair *pair)
{
    const struct ordo_dense_problem *p = r->p;

    for (int32_t i = 0; i < pair->m; i++) {
        int64_t at = ordo_dense_at(p->q_len, p->q_heads, p->d, pair->batch, pair->q_first + i, pair->head);

        for (int32_t c = 0; c < p->d; c++) {
            float x = ordo_canonical(ordo_float_of(pair->acc[(int64_t)i * p->d + c]));

            if (r->out->dq)
                r->out->dq[at + c] = ordo_bf16_round(ordo_bits_of(x));
            if (r->out->dq_fp32)
                r->out->dq_fp32[at + c] = x;
        }
    }
}

enum ordo_status ordo_dense_dq(void *run, int thread, int64_t item, struct ordo_err *err)
{
    const struct ordo_dense_run *r = run;
    const struct ordo_dense *schedule = r->twin->schedule;
    int32_t n_q = schedule->launch.mask->n_q, head = (int32_t)(item / n_q), tile = (int32_t)(item % n_q);
    struct ordo_dense_pair *pair = &r->hand[thread];
    int32_t n = ordo_dense_order(schedule, head, tile, pair->order);
    enum ordo_status status = ORDO_OK;

    if (n < 0)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "schedule",
                         "the ranks of query tile %d of head %d are no permutation", (int)tile, (int)head);
    ordo_dense_pair_set(r, head, tile, 0, pair);
    memset(pair->acc, 0, (size_t)pair->m * (size_t)r->p->d * sizeof *pair->acc);
    for (int32_t i = 0; i < n && status == ORDO_OK; i++) { /* ORDER: ranks ascending */
        ordo_dense_pair_set(r, head, tile, pair->order[i], pair);
        status = ordo_dense_weights(r, pair, err);
        if (status == ORDO_OK)
            status = contribution(r, pair, err);
        add_part(r, pair);
    }
    if (status == ORDO_OK)
        write_dq(r, pair);
    return status;
}

/* --- dK and dV -------------------------------------------------------------------------------------------------- */

/* c += X^T Y over the query rows of the pair: X is P or dS, Y dO or Q. */
static enum ordo_status accumulate(const struct ordo_dense_run *r, struct ordo_dense_pair *pair, const uint16_t *x,
                                   const uint16_t *y, uint32_t *c, struct ordo_err *err)
{
    const struct ordo_dense_problem *p = r->p;
    int32_t groups = (pair->m + ORDO_K_GROUP - 1) / ORDO_K_GROUP;
    struct ordo_product product = {
        .format = &ordo_format_bf16,
        .m = pair->n, .n = p->d, .k = pair->m,
        .a = x, .a_row = 1, .a_k = pair->n,
        .b = y + ordo_dense_at(p->q_len, p->q_heads, p->d, pair->batch, pair->q_first, pair->head),
        .b_k = (ptrdiff_t)p->q_heads * p->d, .b_column = 1,
        .c = c, .c_row = p->d,
        .group = ordo_walk_list(r->contract->dkv_groups, groups, pair->group), .n_group = groups,
    };

    return ordo_mma(r->model, r->isa, &product, err);
}

/* One query head's dV in acc and dK in acc2. */
static enum ordo_status of_head(const struct ordo_dense_run *r, struct ordo_dense_pair *pair, int32_t head,
                                int32_t tile, struct ordo_err *err)
{
    const struct ordo_dense *schedule = r->twin->schedule;
    int32_t steps = ordo_dense_steps(schedule->launch.mask, tile);
    size_t bytes = (size_t)r->p->tile_kv * (size_t)r->p->d * sizeof *pair->acc;
    enum ordo_status status = ORDO_OK;

    memset(pair->acc, 0, bytes);
    memset(pair->acc2, 0, bytes);
    for (int32_t step = 0; step < steps && status == ORDO_OK; step++) { /* ORDER: the CTA's steps */
        ordo_dense_pair_set(r, head, schedule->schedule->query(schedule, head, tile, step), tile, pair);
        status = ordo_dense_weights(r, pair, err);
        if (status == ORDO_OK)
            status = accumulate(r, pair, pair->pw, r->twin->in.dout, pair->acc, err);
        if (status == ORDO_OK)
            status = accumulate(r, pair, pair->ds, r->twin->in.q, pair->acc2, err);
    }
    return status;
}

static void add_head(float *sum, const uint32_t *acc, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] = ORDO_ADD(sum[i], ordo_float_of(acc[i]));
}

static void write_rows(const struct ordo_dense_run *r, const struct ordo_dense_pair *pair, const float *sum,
                       uint16_t *to, float *to_fp32)
{
    const struct ordo_dense_problem *p = r->p;

    for (int32_t j = 0; j < pair->n; j++) {
        int64_t at = ordo_dense_at(p->kv_len, p->kv_heads, p->d, pair->batch, pair->kv_first + j, pair->kv_head);

        for (int32_t c = 0; c < p->d; c++) {
            float x = ordo_canonical(sum[(int64_t)j * p->d + c]);

            if (to)
                to[at + c] = ordo_bf16_round(ordo_bits_of(x));
            if (to_fp32)
                to_fp32[at + c] = x;
        }
    }
}

enum ordo_status ordo_dense_dkv(void *run, int thread, int64_t item, struct ordo_err *err)
{
    const struct ordo_dense_run *r = run;
    const struct ordo_dense_problem *p = r->p;
    int32_t n_kv = r->twin->schedule->launch.mask->n_kv, group = p->q_heads / p->kv_heads;
    int32_t tile = (int32_t)(item % n_kv), kv_head = (int32_t)(item / n_kv); /* batch * kv_heads + head */
    int32_t first = kv_head / p->kv_heads * p->q_heads + kv_head % p->kv_heads * group;
    struct ordo_dense_pair *pair = &r->hand[thread];
    int64_t n = (int64_t)p->tile_kv * p->d;
    enum ordo_status status = ORDO_OK;

    memset(pair->sum, 0, (size_t)n * sizeof *pair->sum);
    memset(pair->sum2, 0, (size_t)n * sizeof *pair->sum2);
    for (int32_t g = 0; g < group && status == ORDO_OK; g++) { /* ORDER: heads of a group ascending, from +0.0 */
        status = of_head(r, pair, first + g, tile, err);
        add_head(pair->sum, pair->acc, n);
        add_head(pair->sum2, pair->acc2, n);
    }
    if (status != ORDO_OK)
        return status;
    ordo_dense_pair_set(r, first, 0, tile, pair);
    write_rows(r, pair, pair->sum, r->out->dv, r->out->dv_fp32);
    write_rows(r, pair, pair->sum2, r->out->dk, r->out->dk_fp32);
    return ORDO_OK;
}
