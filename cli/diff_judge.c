/* diff_judge.c - each tier's answer: the second run, dkv's own rounding, the twin's bits, the declared interval,
 * the real one, the truth. */
#include "cli/diff.h"

#include "base/size.h"
#include "ref/fp.h"
#include "sim/domain.h"

#include <stdlib.h>

/* What a diff may cost: the twin about a minute of two cores, intervals some seconds, a gigabyte of each. */
static const double most_macs = 1e11, near_budget = 8e9, most_elements = 2e7;

double ordo_diff_macs(const struct ordo_diff_work *w)
{
    const struct ordo_request *r = &w->c.plan.request;

    return (double)r->n_query * r->topk * r->n_head * 3 * ((double)r->d_qk + r->d_v);
}

static enum ordo_status scan(struct ordo_diff_work *w, struct ordo_err *err)
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

void ordo_diff_repeat(struct ordo_diff_work *w)
{
    if (!w->repeated) {
        ordo_diff_not_run(w, ORDO_DIFF_REPEAT, "there is no --again");
        return;
    }
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        struct ordo_tier *t = &w->tier[ORDO_DIFF_REPEAT][i];

        if (!w->has[i])
            t->not_run = "not in the file";
        else if (w->again[i].format != w->actual[i].format || w->again[i].narrow != w->actual[i].narrow)
            t->not_run = "the two runs have it in different formats";
        else
            ordo_tier_bits(&w->again[i], &w->actual[i], t);
    }
}

static enum ordo_status convert_one(const struct ordo_actual *from, const struct ordo_actual *to, struct ordo_tier *t,
                                    struct ordo_err *err)
{
    struct ordo_actual want = {.format = ORDO_NEAR_BF16, .n = to->n};
    uint16_t *rounded;

    want.data = rounded = ordo_alloc((uint64_t)to->n, sizeof *rounded);
    if (!rounded)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to round what came in fp32");
    for (int64_t i = 0; i < to->n; i++)
        rounded[i] = ordo_bf16_round(ordo_actual_bits(from, i));
    t->not_run = NULL;
    ordo_tier_bits(to, &want, t);
    free(rounded);
    return ORDO_OK;
}

/* dkv must be dkv_fp32, rounded to BF16. */
enum ordo_status ordo_diff_convert(struct ordo_diff_work *w, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    ordo_diff_not_run(w, ORDO_DIFF_CONVERT, "the file does not have it in fp32 and in BF16");
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++) {
        const struct ordo_actual *from = &w->actual[i], *to = &w->converted[i];

        if (to->data && to->format == ORDO_NEAR_BF16 && from->format == ORDO_NEAR_FP32)
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

static enum ordo_status twin(int n_thread, struct ordo_diff_work *w, struct ordo_err *err)
{
    struct ordo_twin_run *run = &w->c.run;
    bool large = ordo_diff_macs(w) > most_macs ||
                 ordo_twin_run_bytes(&w->c.plan, n_thread, false) > ordo_memory_bytes() / 2;
    enum ordo_status status = large ? ORDO_OK : ordo_twin_run(run, n_thread, false, err);

    w->saved = (struct ordo_near_saved){run->a.in.o ? run->a.in.o : run->out.o,
                                        run->a.in.lse ? run->a.in.lse : run->out.lse};
    if (status != ORDO_OK || large || w->scan.n_duplicate) {
        ordo_diff_not_run(w, ORDO_DIFF_BITS, large ? "the problem is too large for the twin"
                                         : "ids stand twice in a query, outside the contract of bits");
        return status;
    }
    ordo_diff_not_run(w, ORDO_DIFF_BITS, NULL);
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        if (w->has[i])
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

static enum ordo_status intervals(struct ordo_diff_work *w, struct ordo_err *err)
{
    enum ordo_status status = ordo_units_choose(&w->c.attend, &ordo_unit_cost_near, near_budget, most_elements,
                                                w->units[0], err);

    if (status == ORDO_OK)
        status = want_near(w, 0, err);
    if (status == ORDO_OK)
        status = interval(w, ORDO_DIFF_REAL, ORDO_NEAR_REAL, err);
    ordo_diff_not_run(w, ORDO_DIFF_DECLARED, "nobody has the forward's o and lse, and the problem is too large for the twin");
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
    enum ordo_status status = scan(w, err);

    ordo_diff_repeat(w);
    if (status == ORDO_OK)
        status = ordo_diff_convert(w, err);
    if (status == ORDO_OK)
        status = twin(n_thread, w, err);
    if (status == ORDO_OK)
        status = intervals(w, err);
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
    for (int i = 0; i < 3 * ORDO_REAL_OUTPUTS; i++)
        free(w->data[i]);
    ordo_contract_scan_free(&w->scan);
    ordo_case_run_free(&w->c);
    if (w->dense)
        ordo_dense_case_free(w->dense);
}
