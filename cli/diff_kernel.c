/* diff_kernel.c - outputs of the kernels on this machine's card: run as `ordo run` runs them, judged as anybody's. */
#include "cli/diff.h"

#include "sim/design.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- the command line ------------------------------------------------------------------------------------------- */

enum ordo_status ordo_diff_kernel_options(const struct ordo_args *args, struct ordo_err *err)
{
    static const char *const others[] = {"actual", "again", "design"};
    static const char *const own[] = {"repeats", "watchdog", "planes", "cubins"};
    bool kernel = ordo_opt_given(args, "kernel");

    if (!kernel && !ordo_opt_given(args, "actual"))
        return ordo_fail(err, ORDO_USAGE, NULL, "--actual", "is needed, or --kernel");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (kernel && ordo_opt_given(args, others[i]))
            return ordo_fail(err, ORDO_USAGE, NULL, "--kernel", "does not go with --%s", others[i]);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (!kernel && ordo_opt_given(args, own[i]))
            return ordo_fail(err, ORDO_USAGE, NULL, "--kernel", "is needed with --%s, which asks a card", own[i]);
    if (kernel && ordo_opt_given(args, "target") && strcmp(ordo_opt_string(args, "target"), "sm90") != 0)
        return ordo_fail(err, ORDO_USAGE, NULL, "--target", "there are kernels for sm90 only");
    return ORDO_OK;
}

/* --- the card's outputs ----------------------------------------------------------------------------------------- */

/* As if `ordo run -o` had written them and they had been read again; lent by the rig. */
static void take(struct ordo_diff_work *w)
{
    static const char *const key[ORDO_REAL_OUTPUTS] = {"dq", "dkv_fp32", "dsink"};
    static const enum ordo_output output[ORDO_REAL_OUTPUTS] = {ORDO_OUTPUT_DQ, ORDO_OUTPUT_DKV_FP32,
                                                               ORDO_OUTPUT_DSINK};
    struct ordo_attention_outputs *got = &w->rig->got;

    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        w->has[i] = true;
        w->key[i] = key[i];
        w->actual[i] = (struct ordo_actual){
            .format = ordo_output_width(output[i]) == 2 ? ORDO_NEAR_BF16 : ORDO_NEAR_FP32,
            .n = (int64_t)ordo_output_count(&w->c.plan, output[i]),
            .data = *ordo_output_place(got, output[i]),
        };
    }
    w->converted[ORDO_REAL_DKV] = (struct ordo_actual){
        .format = ORDO_NEAR_BF16, .n = w->actual[ORDO_REAL_DKV].n, .data = got->dkv};
    w->shown = (struct ordo_near_saved){got->o, got->lse};
}

/* What the design promises, unless another claim was typed. */
static enum ordo_claim claim_of(const struct ordo_args *args, const struct ordo_plan *plan)
{
    if (ordo_opt_given(args, "claim"))
        return (enum ordo_claim)ordo_opt_choice(args, "claim");
    return plan->design->sync == ORDO_SYNC_ATOMIC ? ORDO_CLAIM_CONTRACT : ORDO_CLAIM_BITS;
}

/* The rig has problem and twin for as long as it runs, and the card no longer than that: tiers may take a while. */
static enum ordo_status measure(const struct ordo_args *args, int n_thread, struct ordo_diff_work *w,
                                struct ordo_err *err)
{
    struct ordo_rig_request request = {.repeats = ordo_opt_int(args, "repeats"),
                                       .watchdog = ordo_opt_int(args, "watchdog"),
                                       .n_thread = n_thread,
                                       .no_twin = ordo_diff_large(w, n_thread),
                                       .planes = ordo_opt_flag(args, "planes")};
    struct ordo_rig *rig = w->rig;
    enum ordo_status status = ordo_rig_open(&rig->card, ordo_opt_string(args, "cubins"), err);

    if (status != ORDO_OK)
        return status;
    rig->plan = w->c.plan;
    rig->problem = w->c.problem;
    rig->twin = w->c.run;
    status = ordo_rig_prepare(rig, &request, err);
    if (status == ORDO_OK)
        status = ordo_rig_measure(rig, &request, err);
    w->c.run = rig->twin;
    rig->problem = (struct ordo_problem){0};
    rig->twin = (struct ordo_twin_run){0};
    if (rig->on.hung)
        return ordo_fail(err, ORDO_FINDING, NULL, "--kernel",
                         "hung: a run was not over after %g s, a wait that never ends", rig->on.limit);
    ordo_rig_release(&rig->on);
    ordo_card_close(rig->card);
    rig->card = NULL;
    return status;
}

enum ordo_status ordo_diff_kernel(const struct ordo_args *args, int n_thread, struct ordo_diff_work *w,
                                  struct ordo_err *err)
{
    enum ordo_status status;

    w->claim = claim_of(args, &w->c.plan);
    status = ordo_diff_scan(w, err);
    if (status == ORDO_OK && w->scan.n_duplicate)
        status = ordo_fail(err, ORDO_FINDING, args->operand[0], NULL,
                           "refused: %" PRIu64 " duplicate ids inside a query; the contract wants unique ids",
                           w->scan.n_duplicate);
    if (status != ORDO_OK)
        return status;
    w->rig = calloc(1, sizeof *w->rig);
    if (!w->rig)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for a run on a card");
    status = measure(args, n_thread, w, err);
    if (status == ORDO_OK)
        take(w);
    return status;
}

void ordo_diff_kernel_free(struct ordo_diff_work *w)
{
    if (!w->rig)
        return;
    ordo_rig_free(w->rig);
    ordo_card_close(w->rig->card);
    free(w->rig);
    w->rig = NULL;
}
