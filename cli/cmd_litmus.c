/* cmd_litmus.c - `ordo litmus`: which outcomes of small programs the PTX memory model allows.
 *
 * A condition that does not hold is an answer, not a finding: only --expect compares. */
#include "cli/expect.h"
#include "cli/group.h"
#include "cli/out.h"
#include "cli/verb.h"
#include "sim/ptx_litmus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 20 }; /* bytes of a file */

/* The file as bytes; the caller frees. */
static enum ordo_status read_file(const char *path, char **text, size_t *size, struct ordo_err *err)
{
    FILE *f = fopen(path, "rb");
    enum ordo_status status = ORDO_OK;

    *text = NULL;
    if (!f)
        return ordo_fail_errno(err, ORDO_BAD_INPUT, errno, path, "open", "cannot be opened");
    *text = ordo_need(malloc(LARGEST + 1));
    *size = fread(*text, 1, LARGEST + 1, f);
    if (ferror(f))
        status = ordo_fail_errno(err, ORDO_BAD_INPUT, errno, path, "read", "cannot be read");
    else if (*size > LARGEST)
        status = ordo_fail(err, ORDO_BAD_INPUT, path, "size", "larger than %d bytes", LARGEST);
    (void)fclose(f);
    return status;
}

static void say_json(const char *file, bool liveness, const struct ordo_ptx_verdict *v)
{
    json_t *o = ordo_json_new("ordo.litmus/1");

    ordo_json_text(o, "file", file);
    ordo_json_text(o, "model", ORDO_PTX_MODEL);
    ordo_json_text(o, "property", liveness ? "liveness" : "condition");
    ordo_json_set(o, "holds", v->decided ? json_boolean(v->holds) : json_null());
    if (v->refused[0])
        ordo_json_text(o, "refused", v->refused);
    if (v->race_known)
        ordo_json_bool(o, "race", v->tally.race);
    else
        ordo_json_set(o, "race", json_null());
    ordo_json_u64(o, "executions", v->tally.executions);
    if (liveness)
        ordo_json_u64(o, "stuck", v->tally.stuck);
    else
        ordo_json_u64(o, "blocked", v->tally.blocked);
    ordo_out_json(o);
}

static void say_text(const char *file, bool liveness, const struct ordo_ptx_verdict *v)
{
    if (!v->decided)
        printf("%s: refused: %s\n", file, v->refused);
    else if (liveness && v->tally.stuck == 0 && (v->tally.cut || v->tally.exhausted))
        printf("%s: %s (by the values that repeat, not by all executions)\n", file,
               v->holds ? "every fair execution ends" : "a fair execution never ends");
    else if (liveness)
        printf("%s: %s (executions that end %llu, that never end %llu)\n", file,
               v->holds ? "every fair execution ends" : "a fair execution never ends",
               (unsigned long long)v->tally.executions, (unsigned long long)v->tally.stuck);
    else
        printf("%s: the condition %s (executions %llu, satisfying %llu, blocked %llu%s)\n", file,
               v->holds ? "holds" : "does not hold", (unsigned long long)v->tally.executions,
               (unsigned long long)v->tally.satisfied, (unsigned long long)v->tally.blocked,
               v->tally.race ? ", data race" : "");
}

static enum ordo_status draw(const char *path, const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w,
                             struct ordo_err *err)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "svg", "cannot be written");
    ordo_ptx_picture(p, w, f);
    if (fclose(f) != 0)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "svg", "cannot be written");
    return ORDO_OK;
}

/* Parses and decides; what cannot be read is a verdict "refused", with ORDO_BAD_INPUT for the exit code. */
static enum ordo_status decide(const struct ordo_args *args, const char *file, struct ordo_ptx_program *p,
                               struct ordo_ptx_verdict *v, struct ordo_err *err)
{
    char *text;
    size_t size = 0;
    enum ordo_status status = read_file(file, &text, &size, err);

    *v = (struct ordo_ptx_verdict){0};
    if (status == ORDO_OK)
        status = ordo_ptx_parse(file, text, size, p, err);
    free(text);
    if (status == ORDO_OK) {
        if (!ordo_ptx_decide(p, ordo_opt_flag(args, "liveness"), v))
            return ordo_fail(err, ORDO_ENVIRONMENT, file, "memory", "no memory for the search");
        return v->decided ? ORDO_OK : ORDO_BAD_INPUT;
    }
    (void)snprintf(v->refused, sizeof v->refused, "%s: %s", err->field, err->reason);
    return status;
}

/* An execution to show where none decides: one that never ends if none ends, else one that an axiom forbids. */
static void look_for_witness(const struct ordo_ptx_program *p, bool liveness, struct ordo_ptx_verdict *v)
{
    struct ordo_ptx_verdict endless;

    if (!liveness && v->tally.executions == 0 && v->tally.blocked > 0 && ordo_ptx_decide(p, true, &endless)) {
        v->tally.witness = endless.tally.witness;
        v->circle = endless.circle;
    } else if (!liveness) {
        ordo_ptx_why_not(p, v);
    }
}

static void explain(const struct ordo_ptx_program *p, const struct ordo_ptx_verdict *v)
{
    if (v->tally.witness)
        ordo_ptx_explain(p, v->tally.witness, stdout);
    else if (v->circle.found)
        ordo_ptx_explain_circle(p, &v->circle, stdout);
    else
        printf("no execution to show: none decides, and dropping one axiom lets none through\n");
}

/* One file; the exit code that it asks for. */
static int one(const struct ordo_args *args, const char *file, struct ordo_ptx_program *p,
               struct ordo_expectations *expect)
{
    bool liveness = ordo_opt_flag(args, "liveness");
    const char *svg = ordo_opt_string(args, "svg");
    struct ordo_ptx_verdict v;
    struct ordo_err err = {0};
    enum ordo_status status = decide(args, file, p, &v, &err);
    int code = (int)status;

    if (status == ORDO_ENVIRONMENT)
        return ordo_report_error(args, status, &err);
    if (args->json)
        say_json(file, liveness, &v);
    else
        say_text(file, liveness, &v);
    if (expect)
        code = ordo_expect_compare(expect, file, liveness, &v) ? ORDO_OK : ORDO_FINDING;
    if ((svg || ordo_opt_flag(args, "explain")) && v.decided && !v.tally.witness)
        look_for_witness(p, liveness, &v);
    if (ordo_opt_flag(args, "explain") && !args->json && v.decided)
        explain(p, &v);
    if (svg && v.tally.witness) {
        status = draw(svg, p, v.tally.witness, &err);
        code = status == ORDO_OK ? code : ordo_report_error(args, status, &err);
    }
    ordo_ptx_verdict_free(&v);
    return code;
}

static int run(struct ordo_args *args)
{
    const char *path = ordo_opt_string(args, "expect");
    struct ordo_ptx_program *p = ordo_need(malloc(sizeof *p));
    struct ordo_expectations expect = {0};
    struct ordo_err err = {0};
    enum ordo_status status = ORDO_OK;
    int code = ORDO_OK;

    if (path)
        status = ordo_expect_read(path, &expect, &err);
    if (status == ORDO_OK && ordo_opt_string(args, "svg") && args->n_operand != 1)
        status = ordo_fail(&err, ORDO_USAGE, NULL, "--svg", "one picture needs one litmus file, not %d",
                           args->n_operand);
    if (status != ORDO_OK) {
        code = ordo_report_error(args, status, &err);
        goto out;
    }
    for (int i = 0; i < args->n_operand; i++) {
        int c = one(args, args->operand[i], p, path ? &expect : NULL);

        code = c > code ? c : code;
    }
out:
    ordo_expect_free(&expect);
    free(p);
    return code;
}

static const struct ordo_option options[] = {
    {.name = "liveness", .kind = ORDO_OPT_FLAG, .help = "decide whether every fair execution ends"},
    {.name = "explain", .kind = ORDO_OPT_FLAG, .help = "show the execution that decides, with its edges"},
    {.name = "svg", .kind = ORDO_OPT_STRING, .metavar = "FILE", .help = "draw that execution (one litmus file)"},
    {.name = "expect", .kind = ORDO_OPT_STRING, .metavar = "CSV",
     .help = "compare with columns file,model,property,holds[,race[,executions]]; a difference is exit code 1"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_litmus = {
    .name = "litmus",
    .summary = "decide PTX litmus tests by the axioms of the memory model",
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = -1,
    .option = options,
    .detail = "`holds` is the final condition as quantified in the file (exists, ~exists, forall), or with\n"
              "--liveness that every fair execution ends.  What cannot be read is refused, with exit code 3.\n",
    .run = run,
};
