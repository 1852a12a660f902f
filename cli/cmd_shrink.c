/* cmd_shrink.c - `ordo shrink CASE`: a smaller case that fails with the same signature. */
#include "cli/fuzz_report.h"
#include "cli/group.h"
#include "cli/out.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a Ctrl-C ends with the smallest so far --------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static void listen_to_signals(void)
{
    struct sigaction end = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};

    (void)sigaction(SIGINT, &end, NULL);
}

/* --- the verb --------------------------------------------------------------------------------------------------- */

static void say(const struct ordo_args *args, const struct ordo_case *c, const char *signature, uint64_t tries)
{
    const char *file = ordo_opt_string(args, "output");
    char what[200], *text = ordo_need(ordo_case_print(c, false));

    ordo_report_case(c, what, sizeof what);
    if (args->json) {
        json_t *o = ordo_json_new("ordo.shrink/1");

        ordo_json_text(o, "signature", signature);
        ordo_json_u64(o, "tries", tries);
        ordo_json_int(o, "n_query", c->problem.n_query);
        ordo_json_int(o, "topk", c->problem.topk);
        ordo_json_text(o, "case", text);
        ordo_out_json(o);
    } else if (file) {
        printf("shrunk   %s, in %" PRIu64 " tries: %s\nreplay   ordo replay %s\n", what, tries, signature, file);
    } else {
        fputs(text, stdout);
    }
    free(text);
}

/* A finding, or a refusal of what was to pass: both are there in smaller cases too.  Another promise that is not
 * kept, a number or a failure that does not come, no smaller case is held to. */
static enum ordo_status check_fails(const char *path, const struct ordo_case *c, const struct ordo_trial_result *r,
                                    struct ordo_err *err)
{
    const char *outcome = ordo_trial_outcome(r);
    char broken[160];

    if (r->finding.source != ORDO_SOURCE_NONE)
        return ORDO_OK;
    if (strcmp(outcome, "refused") == 0 && strcmp(c->expect, outcome) != 0)
        return ORDO_OK;
    if (ordo_trial_breaks_promise(c, r, broken, sizeof broken))
        return ordo_fail(err, ORDO_USAGE, path, "case",
                         "%s; no smaller case promises that, so there is nothing to shrink", broken);
    return ordo_fail(err, ORDO_USAGE, path, "case", "does not fail, so there is nothing to shrink");
}

static enum ordo_status shrink(const struct ordo_args *args, struct ordo_case *c, struct ordo_err *err)
{
    const char *file = ordo_opt_string(args, "output");
    struct ordo_trial_result r = {.verdict = ORDO_REFUSED};
    uint64_t tries = 0;
    enum ordo_status status = ordo_case_read(args->operand[0], c, err);

    if (status == ORDO_OK)
        status = ordo_replay_case(c, &r, err);
    if (status == ORDO_OK)
        status = check_fails(args->operand[0], c, &r, err);
    if (status == ORDO_OK)
        status = ordo_shrink_finding(c, ordo_trial_outcome(&r), &interrupted, &tries, err);
    if (status == ORDO_OK && r.finding.source != ORDO_SOURCE_NONE)
        memcpy(c->expect, r.finding.signature, sizeof c->expect);
    if (status == ORDO_OK && file)
        status = ordo_case_write(file, c, err);
    if (status == ORDO_OK)
        say(args, c, ordo_trial_outcome(&r), tries);
    return status;
}

static int run(struct ordo_args *args)
{
    struct ordo_case c;
    struct ordo_err err = {0};
    enum ordo_status status;

    listen_to_signals();
    status = shrink(args, &c, &err);

    ordo_case_free(&c);
    if (status != ORDO_OK)
        return ordo_report_error(args, status, &err);
    return interrupted ? ORDO_INTERRUPTED : ORDO_OK;
}

static const struct ordo_option options[] = {
    {.name = "output", .kind = ORDO_OPT_STRING, .letter = 'o', .metavar = "FILE",
     .help = "the case to write (else standard output)"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_shrink = {
    .name = "shrink",
    .summary = "make a failing case smaller",
    .operands = "CASE",
    .min_operands = 1,
    .max_operands = 1,
    .option = options,
    .detail = "A case fails by a finding, or by being refused where it does not expect that.\n"
              "Ctrl-C ends with the smallest case found so far (exit code 130); a second one kills.\n",
    .run = run,
};
