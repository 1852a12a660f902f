/* cmd_replay.c - `ordo replay FILE`: what a file of evidence showed, shown again.  Its first line says what it is. */
#include "cli/fuzz_report.h"
#include "cli/group.h"
#include "cli/out.h"
#include "cli/replay.h"
#include "cli/verb.h"

#include <stdio.h>
#include <string.h>

static void say_case(const struct ordo_args *args, const struct ordo_case *c, const struct ordo_trial_result *r,
                     const char *broken)
{
    const char *verdict = r->is_virtual ? "planned" : ordo_verdict_name[r->verdict];
    struct ordo_digest digest;
    struct ordo_err err = {0};
    char what[200], hex[ORDO_DIGEST_HEX] = "";
    json_t *o;

    if (ordo_case_digest(c, &digest, &err) == ORDO_OK)
        (void)ordo_digest_hex(&digest, hex);
    ordo_report_case(c, what, sizeof what);
    if (!args->json) {
        printf("case     %s: %s\n         %s%s%s%s\n", args->operand[0], what, c->report, c->report[0] ? "  " : "",
               c->link, c->link[0] || c->report[0] ? "" : "no report");
        printf("digest   %s\n", hex);
        if (c->outputs[0])
            printf("outputs  %s\n", c->outputs);
        if (r->finding.source != ORDO_SOURCE_NONE)
            printf("finding  %s\n         %s\n", r->finding.signature, r->finding.text);
        printf("verdict  %s%s%s\n", verdict, broken[0] ? "; " : "", broken);
        return;
    }
    o = ordo_json_new("ordo.replay/1");
    ordo_json_text(o, "file", args->operand[0]);
    ordo_json_text(o, "digest", hex);
    ordo_json_text(o, "outputs", c->outputs[0] ? c->outputs : NULL);
    ordo_json_text(o, "verdict", verdict);
    ordo_json_text(o, "signature", r->finding.source != ORDO_SOURCE_NONE ? r->finding.signature : NULL);
    ordo_json_text(o, "finding", r->finding.source != ORDO_SOURCE_NONE ? r->finding.text : NULL);
    ordo_json_text(o, "broken_promise", broken[0] ? broken : NULL);
    ordo_out_json(o);
}

/* Clean: no finding, and the case's promise kept; without a promise, proved. */
static enum ordo_status replay_case(const struct ordo_args *args, int *code, struct ordo_err *err)
{
    struct ordo_case c;
    struct ordo_trial_result r = {.verdict = ORDO_REFUSED};
    char broken[160] = "";
    enum ordo_status status = ordo_case_read(args->operand[0], &c, err);

    if (status == ORDO_OK)
        status = ordo_replay_case(&c, &r, err);
    if (status == ORDO_OK) {
        bool breaks = ordo_trial_breaks_promise(&c, &r, broken, sizeof broken);
        bool clean = c.expect[0] ? !breaks : r.is_virtual || r.verdict == ORDO_PROVED;

        say_case(args, &c, &r, broken);
        *code = clean && r.finding.source == ORDO_SOURCE_NONE ? ORDO_OK : ORDO_FINDING;
    }
    ordo_case_free(&c);
    return status;
}

static const struct kind {
    const char *first_line;
    enum ordo_status (*replay)(const struct ordo_args *args, int *code, struct ordo_err *err);
} kinds[] = {
    {ORDO_CASE_MAGIC, replay_case},
    {"ordo-schedule 1", ordo_replay_schedule},
};

/* By the file's first line; an unreadable file is the reader's to refuse. */
static const struct kind *kind_of(const char *path)
{
    char line[64] = "";
    FILE *f = fopen(path, "r");

    if (!f)
        return &kinds[0];
    if (fgets(line, sizeof line, f))
        line[strcspn(line, "\n")] = '\0';
    (void)fclose(f);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(line, kinds[i].first_line) == 0)
            return &kinds[i];
    return &kinds[0];
}

static int run(struct ordo_args *args)
{
    struct ordo_err err = {0};
    int code = ORDO_OK;
    enum ordo_status status = kind_of(args->operand[0])->replay(args, &code, &err);

    return status == ORDO_OK ? code : ordo_report_error(args, status, &err);
}

static const struct ordo_option options[] = {
    {.name = "svg", .kind = ORDO_OPT_STRING, .metavar = "FILE", .help = "a schedule: draw it"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_replay = {
    .name = "replay",
    .summary = "a saved case or schedule again: held to what it promises, or made step by step",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .option = options,
    .detail = "A case is what `fuzz` and `shrink` save, a schedule what `prove --protocol --trail` writes; the first "
              "line says which.\n"
              "Exit code 1 if a case breaks its promise, or a schedule ends in a race, a wrong order, a left-over "
              "bit or a deadlock.\n",
    .run = run,
};
