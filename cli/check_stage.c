/* check_stage.c - see check_stage.h. */
#include "cli/check_stage.h"

#include "base/size.h"
#include "ref/mma.h"

#include <stdlib.h>

enum { QUERIES = 8 };
static const double most_products = 1e8; /* what the exact sums may cost: some tenths of a second */

/* Periods: primes that no customary extent has as a factor, so that no column is left out. */
static const int32_t prime[] = {7, 13, 29, 61, 127, 251, 509, 1021, 2053, 4099, 8209, 16411, 32771, 65537, 0};

const char *const ordo_stage_name[ORDO_STAGES] = {"s", "dp", "o", "dq", "dkv", "delta", "dsink"};

static enum ordo_status product(void *ctx, enum ordo_stage stage, const struct ordo_product *p,
                                const uint32_t *before, struct ordo_err *err)
{
    struct ordo_stages *s = ctx;
    struct ordo_stage_product seen = {p->m, p->n, p->k, p->a, p->b, p->a_row, p->a_k, p->b_k, p->b_column, p->c_row,
                                      before, p->c, p->bound};

    (void)err;
    ordo_stage_product(&s->tally[stage], &seen, s->period);
    return ORDO_OK;
}

static enum ordo_status sum(void *ctx, enum ordo_stage stage, const float *a, const float *b, int64_t n,
                            int32_t roundings, float result, struct ordo_err *err)
{
    struct ordo_stages *s = ctx;

    (void)err;
    ordo_stage_sum(&s->tally[stage], a, b, n, roundings, result);
    return ORDO_OK;
}

/* The query as a problem of its own. */
static enum ordo_status one_query(const struct ordo_twin_run *run, int32_t query, struct ordo_stages *stages,
                                  struct ordo_err *err)
{
    const struct ordo_problem *all = run->a.problem;
    const struct ordo_attention_inputs *in = &run->a.in;
    struct ordo_request r = run->a.plan->request;
    int32_t length = ordo_problem_length(all, query);
    struct ordo_problem one = {1, all->topk, all->n_kv, all->idx + (int64_t)query * all->topk, &length};
    struct ordo_attention_probe probe = {stages, product, sum};
    uint64_t rows = (uint64_t)r.n_head, width = (uint64_t)r.d_qk;
    struct ordo_attention_outputs out = {.dq = ordo_alloc(rows * width, sizeof *out.dq),
                                         .dkv_fp32 = ordo_alloc((uint64_t)r.n_kv * width, sizeof *out.dkv_fp32)};
    struct ordo_attention a = {.problem = &one, .in = *in, .probe = &probe};
    struct ordo_plan plan;
    enum ordo_status status;

    r.n_query = 1;
    status = ordo_plan_make(&r, &plan, err);
    a.plan = &plan;
    a.in.q += (int64_t)query * r.n_head * r.d_qk;
    a.in.dout += (int64_t)query * r.n_head * r.d_v;
    a.in.o = NULL; /* its forward's sums are looked at too */
    a.in.lse = NULL;
    if (status == ORDO_OK && (!out.dq || !out.dkv_fp32))
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for one query's outputs");
    if (status == ORDO_OK)
        status = ordo_attention(&a, 1, &out, err);
    free(out.dq);
    free(out.dkv_fp32);
    return status;
}

static bool has_live(const struct ordo_problem *p, int32_t query)
{
    int32_t end = ordo_problem_length(p, query);

    for (int32_t j = 0; j < p->topk && j < end; j++)
        if (ordo_problem_row(p, query)[j] >= 0 && ordo_problem_row(p, query)[j] < p->n_kv)
            return true;
    return false;
}

enum ordo_status ordo_check_stages(const struct ordo_twin_run *run, struct ordo_stages *stages, struct ordo_err *err)
{
    const struct ordo_request *r = &run->a.plan->request;
    const struct ordo_problem *p = run->a.problem;
    double each = (double)r->topk * r->n_head * 3 * ((double)r->d_qk + r->d_v);
    enum ordo_status status = ORDO_OK;
    int32_t step, at = 0;
    int i = 0;

    *stages = (struct ordo_stages){.period = 1};
    for (int32_t query = 0; query < p->n_query; query++)
        stages->all_queries += has_live(p, query);
    step = stages->all_queries / QUERIES + 1;
    while ((double)stages->period * most_products < each * QUERIES && prime[i])
        stages->period = prime[i++];
    for (int32_t query = 0; query < p->n_query && status == ORDO_OK; query++) {
        if (!has_live(p, query) || at++ % step)
            continue;
        stages->queries++;
        status = one_query(run, query, stages, err);
    }
    return status;
}
