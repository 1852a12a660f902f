/* diff_judge.c - each tier's answer: the second run, dkv's own rounding, the twin's bits, the declared interval,
 * the real one, the truth. */
#include "cli/diff.h"

#include "base/size.h"
#include "ref/fp.h"
#include "sim/design.h"
#include "sim/domain.h"

#include <math.h>
#include <stdlib.h>

/* What a diff may cost: the twin about a minute of two cores, a gigabyte of intervals.  Intervals may take twenty
 * fp64 operations for one of MPFR that --budget allows, which is a quarter of its time or less. */
static const double most_macs = 1e11, near_per_mpfr = 20, most_elements = 2e7;

double ordo_diff_macs(const struct ordo_diff_work *w)
{
    const struct ordo_request *r = &w->c.plan.request;

    return (double)r->n_query * r->topk * r->n_head * 3 * ((double)r->d_qk + r->d_v);
}

enum ordo_status ordo_diff_scan(struct ordo_diff_work *w, struct ordo_err *err)
{
    struct ordo_domain domain;
    enum ordo_status status = ordo_domain_make(&w->c.problem, &domain, err);

    if (status == ORDO_OK)
        status = ordo_contract_scan_make(&w->c.problem, &domain, NULL, &w->scan, err);
    ordo_domain_free(&domain);
    return status;
}

/* --- T4, T0 ----------------------------------------------------------------------------------------------------- */

void ordo_diff_not_run(struct ordo_diff_work *w, int tier, const char *why)
{
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        w->tier[tier][i].not_run = w->has[i] ? why : "not in the file";
}

/* Every bit that the files hold; fp32 that holds BF16 is fp32 here. */
static void compare_runs(struct ordo_actual again, struct ordo_actual first, struct ordo_tier *t)
{
    if (again.narrow)
        again = (struct ordo_actual){.format = ORDO_NEAR_FP32, .n = again.n, .data = again.data};
    if (first.narrow)
        first = (struct ordo_actual){.format = ORDO_NEAR_FP32, .n = first.n, .data = first.data};
    ordo_tier_bits(&again, &first, t);
}

void ordo_diff_repeat(struct ordo_diff_work *w)
{
    ordo_diff_not_run(w, ORDO_DIFF_REPEAT, w->repeated ? NULL
                                           : w->rig    ? "the card's own runs say it"
                                                       : "there is no --again");
    for (int i = 0; i < ORDO_REAL_OUTPUTS && w->repeated; i++) {
        struct ordo_tier *t = &w->tier[ORDO_DIFF_REPEAT][i];

        if (w->has[i])
            compare_runs(w->again[i], w->actual[i], t);
        if (w->converted_again[i].data && t->n_bad == 0)
            compare_runs(w->converted_again[i], w->converted[i], t);
    }
}

static enum ordo_status convert_one(const struct ordo_actual *from, const struct ordo_actual *to, struct ordo_tier *t,
                                    struct ordo_err *err)
{
    struct ordo_actual want = {.format = to->format, .n = to->n, .data = from->data};
    uint16_t *rounded = NULL;

    if (to->format != ORDO_NEAR_FP32) {
        want.data = rounded = ordo_alloc((uint64_t)to->n, sizeof *rounded);
        if (!rounded)
            return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to round what came in fp32");
        for (int64_t i = 0; i < to->n; i++)
            rounded[i] = (uint16_t)ordo_format_bits(to->format, ordo_actual_bits(from, i));
    }
    t->not_run = NULL;
    ordo_tier_bits(to, &want, t);
    free(rounded);
    return ORDO_OK;
}

/* dkv must be dkv_fp32, rounded to its own format; so of dense outputs. */
enum ordo_status ordo_diff_convert(struct ordo_diff_work *w, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    ordo_diff_not_run(w, ORDO_DIFF_CONVERT, "the file does not have it in fp32 and rounded");
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++) {
        const struct ordo_actual *from = &w->actual[i], *to = &w->converted[i];

        if (to->data)
            status = convert_one(from, to, &w->tier[ORDO_DIFF_CONVERT][i], err);
    }
    return status;
}

void ordo_diff_bits(const struct ordo_diff_work *w, int output, const struct ordo_attention_outputs *twin,
                    struct ordo_tier *t)
{
    struct ordo_actual got = w->actual[output], want = {.format = ORDO_NEAR_BF16, .n = got.n};

    if (output == ORDO_REAL_DSINK && got.narrow)
        got = (struct ordo_actual){.format = ORDO_NEAR_FP32, .n = got.n, .data = got.data};
    if (output == ORDO_REAL_DSINK || (output == ORDO_REAL_DKV && got.format == ORDO_NEAR_FP32)) {
        want.format = ORDO_NEAR_FP32;
        want.data = output == ORDO_REAL_DSINK ? twin->dsink : twin->dkv_fp32;
    } else {
        want.data = output == ORDO_REAL_DQ ? twin->dq : twin->dkv;
    }
    if (got.format == want.format)
        ordo_tier_bits(&got, &want, t);
    else
        t->not_run = "the twin has it in another format";
}

bool ordo_diff_large(const struct ordo_diff_work *w, int n_thread)
{
    return ordo_diff_macs(w) > most_macs ||
           ordo_twin_run_bytes(&w->c.plan, n_thread, false) > ordo_memory_bytes() / 2;
}

/* Beside a card the twin has run. */
static enum ordo_status twin(int n_thread, struct ordo_diff_work *w, struct ordo_err *err)
{
    struct ordo_twin_run *run = &w->c.run;
    bool large = ordo_diff_large(w, n_thread);
    enum ordo_status status = large || run->out.dq ? ORDO_OK : ordo_twin_run(run, n_thread, false, err);

    w->guessed = !run->a.in.o && !w->shown.o;
    w->saved = run->a.in.o ? (struct ordo_near_saved){run->a.in.o, run->a.in.lse}
               : w->shown.o ? w->shown
                            : (struct ordo_near_saved){run->out.o, run->out.lse};
    if (status != ORDO_OK || large || w->scan.n_duplicate) {
        ordo_diff_not_run(w, ORDO_DIFF_BITS, large ? "the problem is too large for the twin"
                                                   : "ids stand twice in a query, outside the contract of bits");
        return status;
    }
    ordo_diff_not_run(w, ORDO_DIFF_BITS, NULL);
    if (w->has[ORDO_REAL_DKV] && w->c.plan.design->sync == ORDO_SYNC_ATOMIC)
        w->tier[ORDO_DIFF_BITS][ORDO_REAL_DKV].not_run = "the design promises no order of its additions";
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        if (w->has[i] && !w->tier[ORDO_DIFF_BITS][i].not_run)
            ordo_diff_bits(w, i, &run->out, &w->tier[ORDO_DIFF_BITS][i]);
    return ORDO_OK;
}

/* --- T1, T2 ----------------------------------------------------------------------------------------------------- */

static enum ordo_status want_near(struct ordo_diff_work *w, int which, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    ordo_near_free(&w->near);
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++)
        status = ordo_near_want(&w->near, &w->c.attend, i, w->has[i] ? w->units[which][i].n : 0,
                                w->units[which][i].unit, err);
    return status;
}

static enum ordo_status interval(struct ordo_diff_work *w, int tier, enum ordo_near_kind kind, struct ordo_err *err)
{
    enum ordo_status status = ordo_near_run(&w->c.attend, kind, ORDO_WRONG_NONE, &w->saved, &w->near, err);

    ordo_diff_not_run(w, tier, NULL);
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++)
        if (w->has[i])
            ordo_tier_interval(&w->actual[i], &w->near.set[i], &w->tier[tier][i]);
    return status;
}

/* What is not sampled because nothing adds to it costs nothing to judge. */
static void dead_units(struct ordo_diff_work *w)
{
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        const struct ordo_units *u = &w->units[0][i];

        if (w->has[i])
            ordo_tier_dead(&w->actual[i], w->near.set[i].width, u->n_dead, u->unit + u->n,
                           &w->tier[ORDO_DIFF_REAL][i]);
    }
}

static enum ordo_status intervals(const struct ordo_args *args, struct ordo_diff_work *w, struct ordo_err *err)
{
    double budget = ordo_opt_int(args, "budget") * 1e6 * near_per_mpfr;
    enum ordo_status status =
        ordo_units_choose(&w->c.attend, &ordo_unit_cost_near, budget, most_elements, w->units[0], err);

    if (status == ORDO_OK)
        status = want_near(w, 0, err);
    if (status == ORDO_OK)
        status = interval(w, ORDO_DIFF_REAL, ORDO_NEAR_REAL, err);
    if (status == ORDO_OK)
        dead_units(w);
    ordo_diff_not_run(w, ORDO_DIFF_DECLARED,
                      "nobody has the forward's o and lse, and the problem is too large for the twin");
    if (status == ORDO_OK && w->saved.o && w->saved.lse)
        status = interval(w, ORDO_DIFF_DECLARED, ORDO_NEAR_DECLARED, err);
    return status;
}

static enum ordo_status truth(const struct ordo_args *args, struct ordo_diff_work *w, struct ordo_err *err)
{
    double budget = ordo_opt_int(args, "budget") * 1e6;
    enum ordo_status status =
        ordo_units_choose(&w->c.attend, &ordo_unit_cost_real, budget, most_elements / 2, w->units[1], err);

    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++)
        status = ordo_real_want(&w->real, &w->c.attend, i, w->has[i] ? w->units[1][i].n : 0, w->units[1][i].unit,
                                err);
    if (status == ORDO_OK)
        status = ordo_real_run(&w->c.attend, &w->real, err);
    if (status == ORDO_OK)
        status = want_near(w, 1, err);
    if (status == ORDO_OK)
        status = ordo_near_run(&w->c.attend, ORDO_NEAR_REAL, ORDO_WRONG_NONE, NULL, &w->near, err);
    ordo_diff_not_run(w, ORDO_DIFF_TRUTH, NULL);
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++)
        if (w->has[i])
            ordo_tier_real(&w->actual[i], &w->real.set[i], &w->near.set[i], &w->tier[ORDO_DIFF_TRUTH][i]);
    return status;
}

enum ordo_status ordo_diff_judge(const struct ordo_args *args, int n_thread, struct ordo_diff_work *w,
                                 struct ordo_err *err)
{
    enum ordo_status status = w->rig ? ORDO_OK : ordo_diff_scan(w, err);

    ordo_diff_repeat(w);
    if (status == ORDO_OK)
        status = ordo_diff_convert(w, err);
    if (status == ORDO_OK)
        status = twin(n_thread, w, err);
    if (status == ORDO_OK)
        status = intervals(args, w, err);
    if (status == ORDO_OK)
        status = truth(args, w, err);
    return status;
}

void ordo_diff_free(struct ordo_diff_work *w)
{
    ordo_near_free(&w->near);
    ordo_real_free(&w->real);
    ordo_units_free(w->units[0]);
    ordo_units_free(w->units[1]);
    ordo_units_free(w->units[2]);
    for (int i = 0; i < 4 * ORDO_REAL_OUTPUTS + 2; i++)
        free(w->data[i]);
    ordo_contract_scan_free(&w->scan);
    ordo_case_run_free(&w->c);
}
