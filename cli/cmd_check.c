/* cmd_check.c - `ordo check`: from a Top-K index file to a verdict; what runs before a merge. */
#include "base/parallel.h"
#include "cli/check.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/report.h"
#include "cli/verb.h"
#include "store/store.h"

#include <stdio.h>

const char *const ordo_check_verdict_name[4] = {"pass", "fail", "refused", "undecided"};

static const enum ordo_status exit_code[4] = {ORDO_OK, ORDO_FINDING, ORDO_FINDING, ORDO_BUDGET};

const char *const ordo_check_warning[ORDO_N_WARNINGS] = {
    "no slot is live, so nothing was there to be proved; is --kv right?",
    "more than nine of ten slots are dead; is --kv right?",
};

static enum ordo_status evaluate(struct ordo_check *c, const struct ordo_args *args, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    while (status == ORDO_OK && c->n_evaluation < ORDO_N_CLASSES) {
        struct ordo_inputs inputs = {(enum ordo_input_class)c->n_evaluation, ordo_opt_u64(args, "seed"),
                                     ordo_opt_int(args, "width")};

        status = ordo_evaluate(&c->plan, &c->proof, &inputs, &c->evaluation[c->n_evaluation++], err);
    }
    return status;
}

static int threads(const struct ordo_args *args)
{
    return ordo_opt_given(args, "jobs") ? ordo_opt_int(args, "jobs") : ordo_processors();
}

static void judge_proof(struct ordo_check *c)
{
    char place[160];

    if (c->proof.violation.kind == ORDO_VIOLATION_OUTSIDE) {
        c->verdict = ORDO_CHECK_REFUSED;
        (void)snprintf(c->finding, sizeof c->finding, "%s", ordo_violation_info[ORDO_VIOLATION_OUTSIDE].text);
    } else if (c->proof.verdict == ORDO_REFUSED) {
        c->verdict = ORDO_CHECK_REFUSED;
        (void)snprintf(c->finding, sizeof c->finding,
                       "%llu duplicate ids inside a query; the deterministic contract wants unique ids",
                       (unsigned long long)c->proof.scan.n_duplicate);
    } else if (c->proof.verdict == ORDO_VIOLATED) {
        c->verdict = ORDO_CHECK_FAIL;
        ordo_report_place(&c->proof.violation, place, sizeof place);
        (void)snprintf(c->finding, sizeof c->finding, "%s: %s", place,
                       ordo_violation_info[c->proof.violation.kind].text);
    }
}

/* The first evaluation that is not clean decides. */
static void judge_values(struct ordo_check *c)
{
    for (int i = 0; i < c->n_evaluation; i++) {
        const struct ordo_oracle_summary *s = &c->evaluation[i].oracle;

        if (ordo_oracle_clean(s) || c->verdict != ORDO_CHECK_PASS)
            continue;
        c->verdict = ORDO_CHECK_FAIL;
        (void)snprintf(c->finding, sizeof c->finding,
                       "%s inputs: row %d, column %d has bits 0x%08x where the exact sum rounds to 0x%08x",
                       ordo_input_class_name[i], (int)s->failed_row, (int)s->failed_column,
                       (unsigned)s->failed_judgement.tree, (unsigned)s->failed_judgement.exact_fp32);
    }
}

static void judge_full(struct ordo_check *c)
{
    const struct ordo_full *f = &c->full;
    const struct ordo_oracle_summary *s = &f->oracle;

    if (f->too_large && c->verdict == ORDO_CHECK_PASS) {
        c->verdict = ORDO_CHECK_UNDECIDED;
        (void)snprintf(c->finding, sizeof c->finding,
                       "--level full was not run: %s; the proof and the seeded sums hold", f->why);
    }
    if (f->extent < ORDO_FULL_SAMPLED || c->verdict != ORDO_CHECK_PASS || (f->different == 0 && ordo_oracle_clean(s)))
        return;
    c->verdict = ORDO_CHECK_FAIL;
    if (f->different)
        (void)snprintf(c->finding, sizeof c->finding,
                       "dKV row %d, column %d has bits 0x%08x by the plan's walk and 0x%08x by the proved order",
                       (int)f->row, (int)f->column, (unsigned)f->by_walk, (unsigned)f->by_proof);
    else
        (void)snprintf(c->finding, sizeof c->finding,
                       "dKV row %d, column %d has bits 0x%08x where its exact sum rounds to 0x%08x",
                       (int)s->failed_row, (int)s->failed_column, (unsigned)s->failed_judgement.tree,
                       (unsigned)s->failed_judgement.exact_fp32);
}

static void judge_stages(struct ordo_check *c)
{
    for (int i = 0; i < ORDO_STAGES && c->verdict == ORDO_CHECK_PASS; i++) {
        const struct ordo_stage_tally *t = &c->full.stages.tally[i];

        if (t->n_outside == 0)
            continue;
        c->verdict = ORDO_CHECK_FAIL;
        (void)snprintf(c->finding, sizeof c->finding,
                       "a sum of stage %s has bits 0x%08x, %.3g from the exact sum of its inputs where %.3g may be",
                       ordo_stage_name[i], (unsigned)t->got, t->error, t->limit);
    }
}

static enum ordo_status work(struct ordo_check *c, const struct ordo_args *args, struct ordo_err *err)
{
    enum ordo_status status = ordo_input_read(args, c->file, &c->problem, err);
    struct ordo_request request;

    if (status != ORDO_OK)
        return status;
    request = ordo_input_request(args, &c->problem);
    c->problem_digest = ordo_problem_digest(&c->problem);
    status = ordo_plan_make(&request, &c->plan, err);
    if (status == ORDO_OK)
        status = ordo_census_make(&c->problem, &c->census, err);
    if (status == ORDO_OK)
        status = ordo_prove(&c->plan, &c->problem, &c->proof, err);
    if (status == ORDO_OK && c->proof.verdict == ORDO_PROVED)
        status = evaluate(c, args, err);
    if (status == ORDO_OK && c->proof.verdict == ORDO_PROVED && ordo_opt_choice(args, "level") == 1)
        status = ordo_check_full(&c->plan, &c->problem, &c->proof, ordo_opt_u64(args, "seed"), threads(args),
                                 &c->full, err);
    if (status != ORDO_OK)
        return status;
    if (c->census.scan.live == 0)
        c->warnings |= 1u << ORDO_WARN_NOTHING_LIVE;
    else if (c->census.dead / 9 > c->census.scan.live)
        c->warnings |= 1u << ORDO_WARN_MOSTLY_DEAD;
    judge_proof(c);
    judge_values(c);
    judge_full(c);
    judge_stages(c);
    c->finished_us = ordo_store_now_us();
    return ORDO_OK;
}

/* What was found out is said even where it cannot be stored. */
static int say_and_store(struct ordo_check *c, const struct ordo_args *args)
{
    struct ordo_err err = {0};
    enum ordo_status stored = c->db ? ordo_check_store(c, args, &err) : ORDO_OK;

    if (args->json)
        ordo_check_print_json(c);
    else
        ordo_check_print(c, args);
    if (stored != ORDO_OK)
        return ordo_report_error(args, stored, &err);
    return exit_code[c->verdict];
}

static int run(struct ordo_args *args)
{
    struct ordo_check c = {.file = args->operand[0], .started_us = ordo_store_now_us()};
    struct ordo_err err = {0};
    enum ordo_status status;
    int code;

    if (ordo_opt_flag(args, "no-db") && ordo_opt_given(args, "db")) {
        (void)ordo_fail(&err, ORDO_USAGE, NULL, "--no-db", "does not go with --db");
        return ordo_report_error(args, ORDO_USAGE, &err);
    }
    if (!ordo_opt_flag(args, "no-db"))
        c.db = ordo_input_db(args) ? ordo_input_db(args) : "ordo.db";
    status = work(&c, args, &err);
    code = status == ORDO_OK ? say_and_store(&c, args) : ordo_report_error(args, status, &err);
    for (int i = 0; i < c.n_evaluation; i++)
        ordo_evaluation_free(&c.evaluation[i]);
    ordo_proof_free(&c.proof);
    ordo_census_free(&c.census);
    ordo_problem_free(&c.problem);
    return code;
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT,
    ORDO_OPTIONS_PLAN,
    ORDO_OPTION_SEED,
    {.name = "width", .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = 4096, .preset = "8",
     .help = "columns of the seeded contributions"},
    {.name = "level", .kind = ORDO_OPT_CHOICE, .metavar = "order|full", .preset = "order",
     .help = "full: the attention twin too, on seeded tensors; undecided where these pass 8 GiB"},
    {.name = "jobs", .kind = ORDO_OPT_INT, .letter = 'j', .metavar = "N", .min = 1, .max = ORDO_MAX_THREADS,
     .help = "full: threads (else one a processor)"},
    ORDO_OPTION_DB,
    {.name = "no-db", .kind = ORDO_OPT_FLAG, .help = "store nothing"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_check = {
    .name = "check",
    .summary = "from an index file to a verdict: inspect, plan, prove, evaluate, judge, store",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .option = options,
    .run = run,
};
