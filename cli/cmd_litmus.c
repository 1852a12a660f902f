/* cmd_litmus.c - `ordo litmus`: which outcomes of small programs the PTX memory model allows.
 *
 * A condition that does not hold is an answer, not a finding: only --expect compares. */
#include "cli/expect.h"
#include "cli/group.h"
#include "cli/litmus_page.h"
#include "cli/out.h"
#include "cli/verb.h"

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

/* Parses and decides; what cannot be read is a verdict "refused", with ORDO_BAD_INPUT for the exit code. */
static enum ordo_status decide(const char *file, bool liveness, struct ordo_ptx_program *p,
                               struct ordo_ptx_verdict *v, struct ordo_err *err)
{
    char *text;
    size_t size = 0;
    enum ordo_status status = read_file(file, &text, &size, err);

    *v = (struct ordo_ptx_verdict){0};
    p->note[0] = 0;
    if (status == ORDO_OK)
        status = ordo_ptx_parse(file, text, size, p, err);
    free(text);
    if (status == ORDO_OK) {
        if (!ordo_ptx_decide(p, liveness, v))
            return ordo_fail(err, ORDO_ENVIRONMENT, file, "memory", "no memory for the search");
        return v->decided ? ORDO_OK : ORDO_BAD_INPUT;
    }
    (void)snprintf(v->refused, sizeof v->refused, "%s: %s", err->field, err->reason);
    return status;
}

/* One file in one mode; the exit code that it asks for: with x, whether the verdict is the one written there. */
static int one(const struct ordo_args *args, const char *file, bool liveness, const struct ordo_expectation *x,
               struct ordo_ptx_program *p)
{
    const char *svg = ordo_opt_string(args, "svg");
    bool explains = ordo_opt_flag(args, "explain");
    struct ordo_ptx_verdict v;
    struct ordo_err err = {0};
    enum ordo_status status = decide(file, liveness, p, &v, &err);
    int code = (int)status;

    if (status == ORDO_ENVIRONMENT)
        return ordo_report_error(args, status, &err);
    if ((svg || explains) && v.decided && !v.tally.witness)
        ordo_litmus_look(p, liveness, &v);
    if (args->json)
        ordo_litmus_json(file, liveness, explains, p, &v);
    else
        ordo_litmus_text(file, liveness, explains, p, &v);
    if (x)
        code = ordo_expect_compare(x, file, &v) ? ORDO_OK : ORDO_FINDING;
    if (svg) {
        status = ordo_litmus_draw(svg, file, p, &v, &err);
        code = status == ORDO_OK ? code : ordo_report_error(args, status, &err);
    }
    ordo_ptx_verdict_free(&v);
    return code;
}

/* Every line that is about the file; with --liveness only those of that property. */
static int as_expected(const struct ordo_args *args, const char *file, const struct ordo_expectations *e,
                       struct ordo_ptx_program *p)
{
    int code = ORDO_OK, n = 0;

    for (int i = 0; i < e->n; i++)
        if (ordo_expect_is_about(&e->line[i], file)) {
            n++;
            if (!e->line[i].liveness && ordo_opt_flag(args, "liveness"))
                continue;
            int c = one(args, file, e->line[i].liveness, &e->line[i], p);

            code = c > code ? c : code;
        }
    if (n == 0) {
        fprintf(stderr, "%s: nothing is expected of it\n", file);
        code = ORDO_FINDING;
    }
    return code;
}

/* The files that the table at path names, in its folder. */
static int all_expected(const struct ordo_args *args, const char *path, const struct ordo_expectations *e,
                        struct ordo_ptx_program *p)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0, code = ORDO_OK;
    size_t size = (size_t)folder + sizeof e->line->file;
    char *file = ordo_need(malloc(size));

    for (int i = 0; i < e->n; i++) {
        int before = 0, c;

        while (strcmp(e->line[before].file, e->line[i].file) != 0)
            before++;
        if (before < i)
            continue;
        (void)snprintf(file, size, "%.*s%s", folder, path, e->line[i].file);
        c = as_expected(args, file, e, p);
        code = c > code ? c : code;
    }
    free(file);
    return code;
}

static enum ordo_status check_usage(const struct ordo_args *args, struct ordo_err *err)
{
    if (args->n_operand == 0 && !ordo_opt_string(args, "expect"))
        return ordo_fail(err, ORDO_USAGE, NULL, "FILE", "a litmus file is needed, or --expect, which names some");
    if (ordo_opt_string(args, "svg") && args->n_operand != 1)
        return ordo_fail(err, ORDO_USAGE, NULL, "--svg", "one picture needs one litmus file, not %d",
                         args->n_operand);
    return ORDO_OK;
}

static int run(struct ordo_args *args)
{
    const char *path = ordo_opt_string(args, "expect");
    struct ordo_ptx_program *p = ordo_need(malloc(sizeof *p));
    struct ordo_expectations expect = {0};
    struct ordo_err err = {0};
    enum ordo_status status = check_usage(args, &err);
    int code = ORDO_OK;

    if (status == ORDO_OK && path)
        status = ordo_expect_read(path, &expect, &err);
    if (status != ORDO_OK) {
        code = ordo_report_error(args, status, &err);
        goto out;
    }
    if (path && args->n_operand == 0)
        code = all_expected(args, path, &expect, p);
    for (int i = 0; i < args->n_operand; i++) {
        int c = path ? as_expected(args, args->operand[i], &expect, p)
                     : one(args, args->operand[i], ordo_opt_flag(args, "liveness"), NULL, p);

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
     .help = "compare with columns file,model,property,holds[,race[,executions]]; a difference is exit code 1;\n"
             "without FILE all that it names, in its folder"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_litmus = {
    .name = "litmus",
    .summary = "decide PTX litmus tests by the axioms of the memory model",
    .operands = "[FILE...]",
    .min_operands = 0,
    .max_operands = -1,
    .option = options,
    .detail = "`holds` is the final condition as quantified in the file (exists, ~exists, forall), or with\n"
              "--liveness that every fair execution ends.  What cannot be read is refused, with exit code 3.\n",
    .run = run,
};
