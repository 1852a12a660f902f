/* outputs.c - see outputs.h: the twin's run of a case, and what holds of every case. */
#include "fuzz/outputs.h"

#include "base/size.h"
#include "oracle/judge.h"
#include "protocol/live.h"
#include "ref/fp.h"
#include "ref/ordered.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ordo_wrong_say(struct ordo_wrong *wrong, const char *rule, const char *text, ...)
{
    va_list args;

    if (wrong->rule[0])
        return;
    (void)snprintf(wrong->rule, sizeof wrong->rule, "%s", rule);
    va_start(args, text);
    (void)vsnprintf(wrong->text, sizeof wrong->text, text, args);
    va_end(args);
}

/* --- the run ---------------------------------------------------------------------------------------------------- */

/* Elements of the outputs. */
struct extents {
    uint64_t rows, o, dq, dkv;
};

static struct extents extents_of(const struct ordo_request *r)
{
    uint64_t rows = (uint64_t)r->n_query * (uint64_t)r->n_head;

    return (struct extents){rows, rows * (uint64_t)r->d_v, rows * (uint64_t)r->d_qk,
                            (uint64_t)r->n_kv * (uint64_t)r->d_qk};
}

static enum ordo_status check_size(const struct ordo_request *r, struct ordo_err *err)
{
    double rows = (double)r->n_query * r->n_head, macs = rows * r->topk * (3.0 * r->d_qk + 2.0 * r->d_v);

    if (macs > 0x1p34 || rows * r->d_qk > 0x1p28 || (double)r->n_kv * r->d_qk > 0x1p28)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "outputs", "are too much work for a case");
    return ORDO_OK;
}

static void fill16(const struct ordo_case *c, enum ordo_case_fill which, uint16_t *x, uint64_t n)
{
    for (uint64_t i = 0; x && c->filled >> which & 1 && i < n; i++)
        x[i] = ordo_bf16_round(ordo_fp32_bits(c->fill[which]));
}

static void fill32(const struct ordo_case *c, enum ordo_case_fill which, float *x, uint64_t n)
{
    for (uint64_t i = 0; x && c->filled >> which & 1 && i < n; i++)
        x[i] = c->fill[which];
}

static enum ordo_status make_tensors(const struct ordo_case *c, const struct ordo_request *r, struct ordo_outputs *x,
                                     struct ordo_err *err)
{
    struct ordo_values values = {.seed = c->value_seed, .kind = c->rough ? ORDO_ROUGH : ORDO_EXACT};
    struct extents n = extents_of(r);
    enum ordo_status status = ordo_tensors_seed(r, &values, &x->tensors, err);

    if (status != ORDO_OK)
        return status;
    if (c->filled >> ORDO_FILL_O & 1 && !(x->o = ordo_alloc(n.o, sizeof *x->o)))
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "o", "no memory for it");
    if (c->filled >> ORDO_FILL_LSE & 1 && !(x->lse = ordo_alloc(n.rows, sizeof *x->lse)))
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "lse", "no memory for it");
    fill16(c, ORDO_FILL_Q, x->tensors.q, n.dq);
    fill16(c, ORDO_FILL_KV, x->tensors.kv, n.dkv);
    fill16(c, ORDO_FILL_DO, x->tensors.dout, n.o);
    fill16(c, ORDO_FILL_O, x->o, n.o);
    fill32(c, ORDO_FILL_SINK, x->tensors.sink, (uint64_t)r->n_head);
    fill32(c, ORDO_FILL_LSE, x->lse, n.rows);
    return ORDO_OK;
}

static enum ordo_status make_outputs(const struct ordo_request *r, struct ordo_attention_outputs *out,
                                     struct ordo_err *err)
{
    struct extents n = extents_of(r);

    *out = (struct ordo_attention_outputs){
        .o = ordo_alloc(n.o, sizeof *out->o),
        .lse = ordo_alloc(n.rows, sizeof *out->lse),
        .delta = ordo_alloc(n.rows, sizeof *out->delta),
        .dq = ordo_alloc(n.dq, sizeof *out->dq),
        .dkv = ordo_alloc(n.dkv, sizeof *out->dkv),
        .dkv_fp32 = ordo_alloc(n.dkv, sizeof *out->dkv_fp32),
        .dsink = ordo_alloc((uint64_t)r->n_head, sizeof *out->dsink),
    };
    if (!out->o || !out->lse || !out->delta || !out->dq || !out->dkv || !out->dkv_fp32 || !out->dsink)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "outputs", "no memory for them");
    return ORDO_OK;
}

enum ordo_status ordo_outputs_make(const struct ordo_case *c, const struct ordo_plan *plan, struct ordo_outputs *x,
                                   struct ordo_err *err)
{
    const struct ordo_request *r = &plan->request;
    bool scaled = c->filled >> ORDO_FILL_SCALE & 1;
    enum ordo_status status = check_size(r, err);

    if (status == ORDO_OK)
        status = make_tensors(c, r, x, err);
    if (status == ORDO_OK)
        status = make_outputs(r, &x->out, err);
    x->a = (struct ordo_attention){
        .plan = plan,
        .problem = &c->problem,
        .in = {x->tensors.q, x->tensors.kv, x->tensors.dout, x->tensors.sink, x->o, x->lse,
               scaled ? c->fill[ORDO_FILL_SCALE] : (float)(1 / sqrt((double)r->d_qk))},
    };
    return status == ORDO_OK ? ordo_attention(&x->a, 1, &x->out, err) : status;
}

void ordo_outputs_free(struct ordo_outputs *x)
{
    ordo_tensors_free(&x->tensors);
    free(x->o), free(x->lse);
    free(x->out.o), free(x->out.lse), free(x->out.delta), free(x->out.dq);
    free(x->out.dkv), free(x->out.dkv_fp32), free(x->out.dsink);
    *x = (struct ordo_outputs){.o = NULL};
}

/* --- what holds of every case ----------------------------------------------------------------------------------- */

static bool zero16(const uint16_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i])
            return false;
    return true;
}

/* Whether the query has a live slot; marks the rows that its live slots name. */
static bool live(const struct ordo_problem *p, int32_t query, unsigned char *named)
{
    const int32_t *idx = ordo_problem_row(p, query);
    int32_t clamped = ordo_clamp_length(ordo_problem_length(p, query), p->topk);
    bool any = false;

    for (int32_t j = 0; j < clamped; j++) {
        if (!ordo_slot_live(idx[j], p->n_kv, j, clamped))
            continue;
        named[idx[j]] = 1;
        any = true;
    }
    return any;
}

/* delta of an ordinary row: d_v / 32 and a few additions deep, of exact products. */
static void judge_delta(const struct ordo_outputs *x, int64_t row, float sink, struct ordo_wrong *wrong)
{
    int64_t n = x->a.plan->request.d_v;
    double sum = 0, size = 0;

    if (!isfinite(x->out.lse[row]) || !(fabsf(sink) < 1e38f || sink < 0))
        return;
    for (int64_t d = row * n; d < (row + 1) * n; d++) {
        double term = (double)ordo_fp32(ordo_bf16_to_fp32_bits(x->out.o[d])) *
                      (double)ordo_fp32(ordo_bf16_to_fp32_bits(x->a.in.dout[d]));

        sum += term;
        size += fabs(term);
    }
    if (isfinite(size) && size < 0x1p120 && !(fabs((double)x->out.delta[row] - sum) <=
                                              ((double)n / 32 + 14) * 0x1p-24 * size + 0x1p-140))
        ordo_wrong_say(wrong, "delta", "row %" PRId64 " has delta %.9g, and O and dO give %.9g", row,
                       (double)x->out.delta[row], sum);
}

static void judge_query(const struct ordo_outputs *x, int32_t q, bool any, struct ordo_wrong *wrong)
{
    const struct ordo_request *r = &x->a.plan->request;

    for (int32_t h = 0; h < r->n_head; h++) {
        int64_t row = (int64_t)q * r->n_head + h;

        if (any)
            judge_delta(x, row, x->tensors.sink[h], wrong);
        else if (x->out.lse[row] != -HUGE_VALF || ordo_fp32_bits(x->out.delta[row]) != 0 ||
                 !zero16(x->out.dq + row * r->d_qk, r->d_qk) ||
                 (!x->o && !zero16(x->out.o + row * r->d_v, r->d_v)))
            ordo_wrong_say(wrong, "dead query", "query %" PRId32 ", head %" PRId32 " has no live slot, yet an output",
                           q, h);
    }
}

static enum ordo_status judge_slots(const struct ordo_outputs *x, struct ordo_wrong *wrong, struct ordo_err *err)
{
    const struct ordo_problem *p = x->a.problem;
    int64_t width = x->a.plan->request.d_qk;
    unsigned char *named = ordo_alloc_zero((uint64_t)p->n_kv, 1);

    if (!named)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "outputs", "no memory to mark the KV rows");
    for (int32_t q = 0; q < p->n_query; q++)
        judge_query(x, q, live(p, q, named), wrong);
    for (int64_t k = 0; k < p->n_kv; k++)
        for (int64_t i = k * width; i < (k + 1) * width; i++) {
            uint32_t bits = ordo_fp32_bits(x->out.dkv_fp32[i]);

            if (x->out.dkv[i] != ordo_bf16_round(bits))
                ordo_wrong_say(wrong, "rounding", "dKV row %" PRId64 " is not its fp32 rounded", k);
            if (!named[k] && bits)
                ordo_wrong_say(wrong, "untouched row", "no live slot names dKV row %" PRId64 ", yet it has a value",
                               k);
        }
    free(named);
    return ORDO_OK;
}

/* A row by the proved order. */
static enum ordo_status judge_row(const struct ordo_outputs *x, const struct ordo_row *row, uint32_t index,
                                  struct ordo_oracle *oracle, struct ordo_wrong *wrong, struct ordo_err *err)
{
    const struct ordo_plan *plan = x->a.plan;
    int32_t width = plan->request.d_qk;
    float *term = ordo_alloc(((uint64_t)row->n_add + 1) * (uint64_t)width, sizeof *term);
    float *sum = term + (size_t)row->n_add * (size_t)width;
    enum ordo_status status = term ? ordo_attention_terms(&x->a, row, term, err)
                                   : ordo_fail(err, ORDO_ENVIRONMENT, NULL, "outputs", "no memory for a row's terms");

    if (status == ORDO_OK) {
        ordo_ref_sum(row, (uint32_t)plan->planes, term, width, sum);
        for (int32_t d = 0; d < width; d++) {
            float walk = x->out.dkv_fp32[(int64_t)row->row * width + d];

            if (ordo_fp32_bits(walk) != ordo_fp32_bits(sum[d]) && (walk == walk || sum[d] == sum[d]))
                ordo_wrong_say(wrong, "order", "dKV row %" PRId32 ", column %" PRId32 " is 0x%08" PRIx32
                               " by the walk and 0x%08" PRIx32 " by the proof", row->row, d, ordo_fp32_bits(walk),
                               ordo_fp32_bits(sum[d]));
        }
        status = ordo_judge_row(oracle, row, index, term, width, sum, NULL, err);
    }
    free(term);
    return status;
}

enum ordo_status ordo_outputs_judge(const struct ordo_case *c, const struct ordo_rows *order, struct ordo_outputs *x,
                                    struct ordo_wrong *wrong, struct ordo_err *err)
{
    struct ordo_oracle oracle;
    enum ordo_status status = judge_slots(x, wrong, err);

    if (status == ORDO_OK)
        status = ordo_outputs_claims(c, x, wrong, err);
    if (status != ORDO_OK)
        return status;
    status = ordo_oracle_init(&oracle, false, (uint32_t)x->a.plan->planes, 64, err);
    if (status != ORDO_OK)
        return status;
    x->a.in.o = x->out.o; /* so that a term costs a slot; LSE of dead queries is of no account to the others */
    x->a.in.lse = x->out.lse;
    for (uint32_t i = 0; i < ordo_rows_count(order) && status == ORDO_OK; i++) {
        struct ordo_row row = ordo_rows_get(order, i);

        status = judge_row(x, &row, i, &oracle, wrong, err);
    }
    if (!ordo_oracle_clean(&oracle.summary))
        ordo_wrong_say(wrong, "outside bound", "dKV row %" PRId32 ", column %" PRId32 " is not near its exact sum",
                       oracle.summary.failed_row, oracle.summary.failed_column);
    ordo_oracle_free(&oracle);
    return status;
}
