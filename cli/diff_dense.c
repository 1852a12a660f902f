/* diff_dense.c - the tiers for dense attention, and which other schedule explains bits that the twin does not
 * have. */
#include "cli/diff.h"

#include <stdlib.h>

/* What a diff may cost: the twin about a minute of two cores, a gigabyte of intervals.  Intervals may take twenty
 * fp64 operations for one of MPFR that --budget allows, which is a quarter of its time. */
static const double most_macs = 1e11, near_share = 20, most_elements = 2e7;

/* Multiplications of the twin: seven products a pair of tiles. */
static double macs_of(const struct ordo_dense_case *c)
{
    const struct ordo_dense_problem *p = &c->problem;

    return 7.0 * p->batch * p->q_heads * (double)c->mask.pairs * p->tile_q * p->tile_kv * p->d;
}

/* --- T0 --------------------------------------------------------------------------------------------------------- */

static void bits_of(const struct ordo_diff_work *w, int output, const struct ordo_dense_case *twin,
                    struct ordo_tier *t)
{
    const struct ordo_actual *got = &w->actual[output];
    bool fp32 = got->format == ORDO_NEAR_FP32;
    struct ordo_actual want = {
        .format = fp32 ? ORDO_NEAR_FP32 : ORDO_NEAR_BF16, .n = got->n,
        .data = ordo_dense_output_data(twin, (fp32 ? ordo_dense_gradient_fp32 : ordo_dense_gradient_output)[output])};

    if (got->format == want.format)
        ordo_tier_bits(got, &want, t);
    else
        t->not_run = "the twin has it in another format";
}

static enum ordo_status twin(int n_thread, struct ordo_diff_work *w, struct ordo_err *err)
{
    struct ordo_dense_case *c = w->dense;
    bool large = macs_of(c) > most_macs;
    enum ordo_status status = large ? ORDO_OK : ordo_dense_case_run(c, n_thread, true, err);

    w->guessed = !(c->o && c->lse) && !w->shown.o;
    w->saved = c->o && c->lse ? (struct ordo_near_saved){c->o, c->lse}
               : w->shown.o       ? w->shown
                                  : (struct ordo_near_saved){c->out.o, c->out.lse};
    ordo_diff_not_run(w, ORDO_DIFF_BITS, large ? "the problem is too large for the twin" : NULL);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS && !large && status == ORDO_OK; i++)
        if (w->has[i])
            bits_of(w, i, c, &w->tier[ORDO_DIFF_BITS][i]);
    return status;
}

/* --- T1, T2 ----------------------------------------------------------------------------------------------------- */

static enum ordo_status want_near(struct ordo_diff_work *w, int which, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    ordo_near_free(&w->near);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS && status == ORDO_OK; i++)
        status = ordo_dense_want_near(&w->near, &w->dense_attend, i, w->has[i] ? w->units[which][i].n : 0,
                                      w->units[which][i].unit, err);
    return status;
}

/* A sample without a row is no answer. */
static void say_empty(struct ordo_diff_work *w, int tier, int which)
{
    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++)
        if (w->has[i] && w->units[which][i].n == 0)
            w->tier[tier][i].not_run =
                "one row of it takes every softmax row of its heads, more than --budget pays for";
}

static enum ordo_status interval(double budget, struct ordo_diff_work *w, int tier, enum ordo_near_kind kind,
                                 struct ordo_err *err)
{
    int which = ordo_diff_units(w, tier);
    enum ordo_status status = ordo_dense_choose(&w->dense_attend, &ordo_unit_cost_near, kind, near_share * budget,
                                                most_elements, w->units[which], err);

    if (status == ORDO_OK)
        status = want_near(w, which, err);
    if (status == ORDO_OK)
        status = ordo_dense_near(&w->dense_attend, kind, ORDO_DENSE_WRONG_NONE, &w->saved, &w->near, err);
    ordo_diff_not_run(w, tier, NULL);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS && status == ORDO_OK; i++)
        if (w->has[i])
            ordo_tier_interval(&w->actual[i], &w->near.set[i], &w->tier[tier][i]);
    say_empty(w, tier, which);
    return status;
}

static enum ordo_status intervals(double budget, struct ordo_diff_work *w, struct ordo_err *err)
{
    enum ordo_status status = interval(budget, w, ORDO_DIFF_REAL, ORDO_NEAR_REAL, err);

    ordo_diff_not_run(w, ORDO_DIFF_DECLARED,
                      "nobody has the forward's o and lse, and the problem is too large for the twin");
    if (status == ORDO_OK && w->saved.o && w->saved.lse)
        status = interval(budget, w, ORDO_DIFF_DECLARED, ORDO_NEAR_DECLARED, err);
    return status;
}

static enum ordo_status truth(double budget, struct ordo_diff_work *w, struct ordo_err *err)
{
    enum ordo_status status = ordo_dense_choose(&w->dense_attend, &ordo_unit_cost_real, ORDO_NEAR_REAL, budget,
                                                most_elements / 2, w->units[1], err);

    for (int i = 0; i < ORDO_DENSE_GRADIENTS && status == ORDO_OK; i++)
        status = ordo_dense_want_real(&w->real, &w->dense_attend, i, w->has[i] ? w->units[1][i].n : 0,
                                      w->units[1][i].unit, err);
    if (status == ORDO_OK)
        status = ordo_dense_real(&w->dense_attend, &w->real, err);
    if (status == ORDO_OK)
        status = want_near(w, 1, err);
    if (status == ORDO_OK)
        status = ordo_dense_near(&w->dense_attend, ORDO_NEAR_REAL, ORDO_DENSE_WRONG_NONE, NULL, &w->near, err);
    ordo_diff_not_run(w, ORDO_DIFF_TRUTH, NULL);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS && status == ORDO_OK; i++)
        if (w->has[i])
            ordo_tier_real(&w->actual[i], &w->real.set[i], &w->near.set[i], &w->tier[ORDO_DIFF_TRUTH][i]);
    say_empty(w, ORDO_DIFF_TRUTH, 1);
    return status;
}

enum ordo_status ordo_diff_dense_judge(const struct ordo_args *args, int n_thread, struct ordo_diff_work *w,
                                       struct ordo_err *err)
{
    double budget = ordo_opt_int(args, "budget") * 1e6;
    enum ordo_status status = ordo_diff_convert(w, err);

    ordo_diff_repeat(w);
    if (status == ORDO_OK)
        status = twin(n_thread, w, err);
    if (status == ORDO_OK)
        status = intervals(budget, w, err);
    if (status == ORDO_OK)
        status = truth(budget, w, err);
    return status;
}

/* --- other schedules -------------------------------------------------------------------------------------------- */

/* Whether the twin under another schedule has every bit; a schedule that does not fit explains nothing. */
static enum ordo_status try(const struct ordo_diff_work *w, const char *order, int n_thread, bool *explains,
                            struct ordo_err *err)
{
    const struct ordo_dense_case *c = w->dense;
    struct ordo_dense_case other = {.problem = c->problem, .scale = c->scale};
    enum ordo_status status =
        ordo_dense_case_order(&other, order, c->schedule.launch.sms, c->schedule.launch.section, err);

    *explains = false;
    if (status == ORDO_OK) {
        other.tensors = c->tensors; /* lent */
        other.o = c->o;
        other.lse = c->lse;
        status = ordo_dense_case_run(&other, n_thread, true, err);
        *explains = status == ORDO_OK;
    } else if (status == ORDO_BAD_INPUT) {
        status = ORDO_OK;
    }
    for (int i = 0; i < ORDO_DENSE_GRADIENTS && *explains; i++) {
        struct ordo_tier t = {0};

        if (!w->has[i] || w->tier[ORDO_DIFF_BITS][i].not_run)
            continue;
        bits_of(w, i, &other, &t);
        *explains = t.n_bad == 0;
    }
    other.tensors = (struct ordo_dense_tensors){0};
    other.o = NULL;
    other.lse = NULL;
    ordo_dense_case_free(&other);
    return status;
}

enum ordo_status ordo_diff_dense_order(int n_thread, struct ordo_diff_work *w, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    w->triage = ORDO_TRIAGE_OPEN;
    if (macs_of(w->dense) > most_macs / 10) {
        w->searched = "the problem is too large to try other schedules";
        return ORDO_OK;
    }
    for (int i = 0; ordo_dense_schedules[i] && status == ORDO_OK && !w->alternative; i++) {
        const char *name = ordo_dense_schedules[i]->name;
        bool explains;

        if (ordo_dense_schedules[i] == w->dense->schedule.schedule)
            continue;
        status = try(w, name, n_thread, &explains, err);
        if (status == ORDO_OK && explains) {
            w->triage = ORDO_TRIAGE_ORDER;
            w->alternative = name;
        }
    }
    return status;
}
