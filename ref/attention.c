/* attention.c - the attention twin's entry: what is refused, what one CTA does, dSink. */
#include "ref/attention.h"

#include "base/parallel.h"
#include "base/size.h"
#include "ref/attention_impl.h"
#include "ref/attention_scalar.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what is refused -------------------------------------------------------------------------------------------- */

static enum ordo_status same_extent(const char *name, int32_t of_problem, int32_t of_plan, struct ordo_err *err)
{
    if (of_problem == of_plan)
        return ORDO_OK;
    return ordo_fail(err, ORDO_BAD_INPUT, NULL, name, "the problem has %" PRId32 ", the plan %" PRId32, of_problem,
                     of_plan);
}

static enum ordo_status check(const struct ordo_attention *a, struct ordo_err *err)
{
    const struct ordo_request *r = &a->plan->request;
    enum ordo_status status = same_extent("q", a->problem->n_query, r->n_query, err);

    if (status == ORDO_OK)
        status = same_extent("topk", a->problem->topk, r->topk, err);
    if (status == ORDO_OK)
        status = same_extent("kv", a->problem->n_kv, r->n_kv, err);
    if (status == ORDO_OK && !(a->in.scale > 0 && a->in.scale < HUGE_VALF))
        status = ordo_fail(err, ORDO_BAD_INPUT, NULL, "scale", "must be a positive number");
    if (status == ORDO_OK && (a->in.o == NULL) != (a->in.lse == NULL))
        status = ordo_fail(err, ORDO_BAD_INPUT, NULL, "o", "o and lse come from one forward: both or none");
    return status;
}

/* --- what CTAs share -------------------------------------------------------------------------------------------- */

enum ordo_status ordo_attention_model(const struct ordo_plan *plan, const struct ordo_mma_model **model,
                                      struct ordo_err *err)
{
    static const int32_t sm[] = {[ORDO_TARGET_SM100] = 100, [ORDO_TARGET_SM90] = 90};

    return ordo_mma_find(sm[plan->request.target], model, err);
}

enum ordo_status ordo_twin_make(const struct ordo_attention *a, const struct ordo_attention_outputs *out,
                                struct ordo_twin *t, struct ordo_err *err)
{
    const struct ordo_request *r = &a->plan->request;
    uint64_t n = (uint64_t)r->n_query * (uint64_t)r->n_head;
    enum ordo_status status = check(a, err);

    *t = (struct ordo_twin){
        .a = a,
        .out = out,
        .contract = a->plan->contract,
        .isa = a->scalar ? ORDO_ISA_SCALAR : ordo_isa_best(),
        .n_head = r->n_head,
        .d_qk = r->d_qk,
        .d_v = r->d_v,
        .scale_log2 = ORDO_MUL(a->in.scale, ORDO_LOG2E),
    };
    if (status == ORDO_OK)
        status = ordo_attention_model(a->plan, &t->model, err);
    if (status != ORDO_OK)
        return status;
    t->lse = out->lse ? out->lse : ordo_alloc(n, sizeof *t->lse);
    t->delta = out->delta ? out->delta : ordo_alloc(n, sizeof *t->delta);
    if (!t->lse || !t->delta)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for %" PRIu64 " rows of statistics", n);
    return ORDO_OK;
}

void ordo_twin_free(struct ordo_twin *t)
{
    if (t->out && t->lse != t->out->lse)
        free(t->lse);
    if (t->out && t->delta != t->out->delta)
        free(t->delta);
}

/* delta of the CTA's heads; +0 where the row is inert. */
static enum ordo_status make_delta(const struct ordo_twin *t, const struct ordo_cta *c, const uint16_t *o,
                                   struct ordo_err *err)
{
    const float *lse = t->lse + ordo_cta_at(t, c, 1), *sink = t->a->in.sink;
    const uint16_t *dout = t->a->in.dout + ordo_cta_at(t, c, t->d_v);
    float *delta = t->delta + ordo_cta_at(t, c, 1);
    enum ordo_status status = ORDO_OK;

    for (int32_t h = 0; h < c->n_head && status == ORDO_OK; h++) {
        float folded = ordo_fold_lse(t->contract->exp, lse[h], sink ? sink[c->first_head + h] : -HUGE_VALF);
        bool inert = c->n_slot == 0 || ordo_is_infinite(folded);

        delta[h] = inert ? 0.0f : ordo_delta(o + (int64_t)h * t->d_v, dout + (int64_t)h * t->d_v, t->d_v);
        if (!inert)
            status = ordo_twin_show_delta(t, o + (int64_t)h * t->d_v, dout + (int64_t)h * t->d_v, delta[h], err);
    }
    return status;
}

/* LSE of a row without a live slot is -Inf from here on, whatever the input says, so that nobody need look again. */
static void take_lse(const struct ordo_twin *t, const struct ordo_cta *c)
{
    const float *lse = t->a->in.lse + ordo_cta_at(t, c, 1);
    float *to = t->lse + ordo_cta_at(t, c, 1);

    for (int32_t h = 0; h < c->n_head; h++)
        to[h] = c->n_slot ? lse[h] : -HUGE_VALF;
}

enum ordo_status ordo_twin_stats(const struct ordo_twin *t, struct ordo_cta *c, struct ordo_err *err)
{
    int64_t at = ordo_cta_at(t, c, t->d_v);
    const uint16_t *o = t->a->in.o ? t->a->in.o + at : c->o;
    enum ordo_status status = ordo_cta_scores(t, c, err);

    if (status == ORDO_OK && !t->a->in.o)
        status = ordo_cta_forward(t, c, c->o, t->lse + ordo_cta_at(t, c, 1), err);
    else if (status == ORDO_OK)
        take_lse(t, c);
    if (status != ORDO_OK)
        return status;
    if (t->out->o)
        memcpy(t->out->o + at, o, (size_t)c->n_head * (size_t)t->d_v * sizeof *o);
    return make_delta(t, c, o, err);
}

enum ordo_status ordo_twin_cta(const struct ordo_twin *t, struct ordo_cta *c, struct ordo_err *err)
{
    const struct ordo_attention_outputs *out = t->out;
    int64_t at = ordo_cta_at(t, c, 1);
    enum ordo_status status = ordo_twin_stats(t, c, err);

    if (status != ORDO_OK)
        return status;
    if (out->dq || out->dkv || out->dkv_fp32 || out->planes)
        status = ordo_cta_weights(t, c, t->lse + at, t->delta + at, err);
    if (status == ORDO_OK && out->dq)
        status = ordo_cta_dq(t, c, out->dq + ordo_cta_at(t, c, t->d_qk), err);
    return status;
}

/* --- dSink ------------------------------------------------------------------------------------------------------ */

/* ORDER: lane q mod 32, q ascending from +0.0; then offsets 16, 8, 4, 2, 1. */
static float sink_gradient(const struct ordo_twin *t, int32_t h, float sink)
{
    float lane[32] = {0};

    for (int64_t q = 0; q < t->a->problem->n_query; q++) {
        int64_t at = q * t->n_head + h;
        float share = ordo_sink_share(t->contract->exp, ordo_fold_lse(t->contract->exp, t->lse[at], sink), sink);

        if (share != 0.0f) /* a row that gives the sink nothing adds nothing, whatever its delta */
            lane[q % 32] = ORDO_FMA(share, -t->delta[at], lane[q % 32]);
    }
    return ordo_canonical(ordo_lane_tree(lane, 32));
}

/* The terms of head h for whoever looks. */
static enum ordo_status show(const struct ordo_twin *t, int32_t h, float sink, float dsink, struct ordo_err *err)
{
    int64_t n = t->a->problem->n_query;
    float *share, *delta;
    enum ordo_status status;

    if (!t->a->probe || !t->a->probe->sum)
        return ORDO_OK;
    share = ordo_alloc(2 * (uint64_t)n, sizeof *share);
    if (!share)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the terms of dSink");
    delta = share + n;
    for (int64_t q = 0; q < n; q++) {
        int64_t at = q * t->n_head + h;

        share[q] = ordo_sink_share(t->contract->exp, ordo_fold_lse(t->contract->exp, t->lse[at], sink), sink);
        delta[q] = share[q] != 0.0f ? -t->delta[at] : 0.0f;
    }
    status = ordo_twin_show_dsink(t, share, delta, n, dsink, err);
    free(share);
    return status;
}

enum ordo_status ordo_twin_dsink(const struct ordo_twin *t, float *dsink, struct ordo_err *err)
{
    const float *sinks = t->a->in.sink;
    enum ordo_status status = ORDO_OK;

    for (int32_t h = 0; h < t->n_head && status == ORDO_OK; h++) {
        float sink = sinks ? sinks[h] : -HUGE_VALF;

        dsink[h] = sink_gradient(t, h, sink);
        status = show(t, h, sink, dsink[h], err);
    }
    return status;
}

/* --- all -------------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_attention(const struct ordo_attention *a, int n_thread,
                                const struct ordo_attention_outputs *out, struct ordo_err *err)
{
    struct ordo_twin t;
    enum ordo_status status = ordo_twin_make(a, out, &t, err);

    if (status == ORDO_OK)
        status = ordo_twin_planes(&t, n_thread, err);
    if (status == ORDO_OK && out->dsink)
        status = ordo_twin_dsink(&t, out->dsink, err);
    ordo_twin_free(&t);
    return status;
}
