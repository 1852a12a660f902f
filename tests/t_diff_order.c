/* t_diff_order.c - what explains other bits: outputs of a twin with one choice of the contract changed are called by
 * that choice, an order or a model; outputs with a flipped bit are explained by nothing. */
#include "cli/diff.h"
#include "sim/contract.h"
#include "tests/test.h"

#include <string.h>

static struct ordo_err err;

/* A dO that makes contributions subnormal, so that flushing shows. */
static void tiny(struct ordo_twin_run *run, const struct ordo_request *r)
{
    for (int32_t i = 0; i < r->n_query * r->n_head * r->d_v; i++)
        run->tensors.dout[i] = (uint16_t)((run->tensors.dout[i] & 0x807f) | (1 + i % 3) << 7);
}

static void case_make(struct ordo_diff_work *w, bool subnormal)
{
    static int32_t idx[12 * 100];
    const struct ordo_request r = {.n_query = 12, .n_kv = 120, .topk = 100, .n_head = 20, .d_qk = 48, .d_v = 32,
                                   .target = ORDO_TARGET_SM90, .cluster = 4, .wave = 8};
    const struct ordo_values values = {.seed = 3, .kind = ORDO_ROUGH};

    memset(w, 0, sizeof *w);
    for (int q = 0; q < 12; q++)
        for (int j = 0; j < 100; j++)
            idx[q * 100 + j] = (7 * j + 5 * q) % 120;
    w->c.problem = (struct ordo_problem){12, 100, 120, idx, NULL};
    assert_ok(ordo_plan_make(&r, &w->c.plan, &err), err);
    assert_ok(ordo_twin_run_seed(&w->c.run, &w->c.plan, &w->c.problem, &values, &err), err);
    if (subnormal)
        tiny(&w->c.run, &r);
}

/* The outputs of the same inputs under another contract. */
static void outputs_under(struct ordo_diff_work *w, const struct ordo_contract *contract, struct ordo_plan *plan,
                          struct ordo_twin_run *run)
{
    const struct ordo_request *r = &w->c.plan.request;

    *plan = w->c.plan;
    plan->contract = contract;
    *run = (struct ordo_twin_run){.a = w->c.run.a};
    run->a.plan = plan;
    assert_ok(ordo_twin_run(run, 1, false, &err), err);
    w->has[ORDO_REAL_DQ] = w->has[ORDO_REAL_DKV] = w->has[ORDO_REAL_DSINK] = true;
    w->actual[ORDO_REAL_DQ] =
        (struct ordo_actual){ORDO_NEAR_BF16, false, (int64_t)r->n_query * r->n_head * r->d_qk, run->out.dq};
    w->actual[ORDO_REAL_DKV] =
        (struct ordo_actual){ORDO_NEAR_FP32, false, (int64_t)r->n_kv * r->d_qk, run->out.dkv_fp32};
    w->actual[ORDO_REAL_DSINK] = (struct ordo_actual){ORDO_NEAR_FP32, false, r->n_head, run->out.dsink};
}

/* Is it called by its name, or, of choices that happen to give the same bits, by another of its kind. */
static void explained(const struct ordo_contract *contract, enum ordo_triage triage, const char *text, bool flip)
{
    struct ordo_diff_work w;
    struct ordo_twin_run run;
    struct ordo_plan plan;

    case_make(&w, contract->add == ORDO_ADD_RED_FTZ);
    outputs_under(&w, contract, &plan, &run);
    if (flip)
        run.out.dq[5] ^= 1;
    assert_ok(ordo_diff_order(1, &w, &err), err);
    if (w.triage != triage || (text && (!w.alternative || strcmp(w.alternative, text) != 0)))
        fail_msg("triage %d, not %d: %s", (int)w.triage, (int)triage, w.alternative ? w.alternative : "nothing");
    ordo_twin_run_free(&run);
    ordo_twin_run_free(&w.c.run);
}

static void each_choice(void **state)
{
    struct ordo_contract c[] = {
        {.tile_walk = ORDO_DESCENDING}, {.s_groups = ORDO_DESCENDING}, {.dkv_groups = ORDO_DESCENDING},
        {.dkv_first = ORDO_DKV_Q_DS},   {.exp = ORDO_EXP_5},           {.exp = ORDO_EXP_EX2},
        {.add = ORDO_ADD_RED_FTZ},
    };
    static const char *const text[] = {
        "tiles walked from last to first", "S: k-groups from last to first", "dKV: head groups from last to first",
        "dKV: Q^T dS before dO^T P",       "exp2 of degree 5",               "exp2 of the special-function unit",
        "additions that flush subnormals",
    };

    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
        explained(&c[i], i < 4 ? ORDO_TRIAGE_ORDER : ORDO_TRIAGE_MODEL, text[i], false);
}

/* The intervals of all outputs, from a forward. */
static void intervals(const struct ordo_diff_work *w, enum ordo_near_kind kind,
                      const struct ordo_attention_outputs *forward, struct ordo_near_gradient *near)
{
    const struct ordo_attention_inputs *in = &w->c.run.a.in;
    const struct ordo_request *r = &w->c.plan.request;
    const struct ordo_near_saved saved = {forward->o, forward->lse};
    const struct ordo_attend a = {.problem = &w->c.problem, .n_head = r->n_head, .d_qk = r->d_qk, .d_v = r->d_v,
                                  .q = in->q, .kv = in->kv, .dout = in->dout, .sink = in->sink, .scale = in->scale};

    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        assert_ok(ordo_near_want(near, &a, i, ordo_real_units(&a, i), NULL, &err), err);
    assert_ok(ordo_near_run(&a, kind, ORDO_WRONG_NONE, &saved, near, &err), err);
}

/* Another order in the forward too: T1 from its own O and LSE holds; from another forward's it need not, and so a T1
 * that had to guess them breaks no claim. */
static void own_forward(void **state)
{
    const struct ordo_contract c = {.tile_walk = ORDO_DESCENDING};
    struct ordo_diff_work w;
    struct ordo_twin_run run;
    struct ordo_plan plan;
    uint64_t n_bad[2] = {0};

    (void)state;
    case_make(&w, false);
    outputs_under(&w, &c, &plan, &run);
    assert_ok(ordo_twin_run(&w.c.run, 1, false, &err), err);
    for (int own = 0; own < 2; own++) {
        struct ordo_near_gradient near = {0};

        intervals(&w, ORDO_NEAR_DECLARED, own ? &run.out : &w.c.run.out, &near);
        for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
            struct ordo_tier t;

            ordo_tier_interval(&w.actual[i], &near.set[i], &t);
            n_bad[own] += t.n_bad;
        }
        ordo_near_free(&near);
    }
    assert_true(n_bad[0] > 100 && n_bad[1] == 0);
    ordo_twin_run_free(&run);
    ordo_twin_run_free(&w.c.run);
}

/* Contributions far below 2^-126, by additions that flush. */
static void flushed(void **state)
{
    const struct ordo_contract c = {.add = ORDO_ADD_RED_FTZ};
    struct ordo_diff_work w;
    struct ordo_twin_run run;
    struct ordo_plan plan;
    uint64_t n_zero = 0;

    (void)state;
    case_make(&w, true);
    for (int32_t i = 0; i < w.c.plan.request.n_query * w.c.plan.request.n_head * w.c.plan.request.d_qk; i++)
        w.c.run.tensors.q[i] = (uint16_t)((w.c.run.tensors.q[i] & 0x80ff) | (127 - 40) << 7);
    outputs_under(&w, &c, &plan, &run);
    for (int kind = 0; kind < 2; kind++) {
        struct ordo_near_gradient near = {0};

        intervals(&w, (enum ordo_near_kind)kind, &run.out, &near);
        for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
            struct ordo_tier t;

            ordo_tier_interval(&w.actual[i], &near.set[i], &t);
            if (t.n_bad)
                fail_msg("%s: %d of %d outside, the first %g for %g +- %g", ordo_real_name[i], (int)t.n_bad, (int)t.n,
                         t.first.got, t.first.want, t.first.bound);
        }
        for (int64_t k = 0; k < w.actual[ORDO_REAL_DKV].n; k++)
            n_zero += run.out.dkv_fp32[k] == 0 && near.set[ORDO_REAL_DKV].top[k] > 0;
        ordo_near_free(&near);
    }
    assert_true(n_zero > 100);
    ordo_twin_run_free(&run);
    ordo_twin_run_free(&w.c.run);
}

static void nothing(void **state)
{
    (void)state;
    explained(&ordo_contract_sparse, ORDO_TRIAGE_OPEN, NULL, true);
}

int main(void)
{
    const struct CMUnitTest test[] = {cmocka_unit_test(each_choice), cmocka_unit_test(nothing),
                                      cmocka_unit_test(own_forward), cmocka_unit_test(flushed)};

    return cmocka_run_group_tests(test, NULL, NULL);
}
