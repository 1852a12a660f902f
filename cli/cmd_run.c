/* cmd_run.c - `ordo run`: the kernels on this machine's card, held to the twin bit for bit, and to themselves.
 *
 * Without a driver or a card it says `not run` and ends with ORDO_ENVIRONMENT: never a pass. */
#include "base/parallel.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/line.h"
#include "cli/out.h"
#include "cli/report.h"
#include "cli/run_golden.h"
#include "cli/run_report.h"
#include "cli/verb.h"
#include "sim/design.h"
#include "sim/domain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the command line ------------------------------------------------------------------------------------------- */

static struct ordo_rig_request request_of(const struct ordo_args *args)
{
    return (struct ordo_rig_request){
        .repeats = ordo_opt_int(args, "repeats"),
        .watchdog = ordo_opt_int(args, "watchdog"),
        .n_thread = ordo_opt_given(args, "jobs") ? ordo_opt_int(args, "jobs") : ordo_processors(),
        .no_twin = ordo_opt_flag(args, "no-twin"),
        .planes = ordo_opt_flag(args, "planes"),
        .no_poison = ordo_opt_flag(args, "no-poison"),
        .values = {.seed = ordo_opt_u64(args, "seed"),
                   .kind = (enum ordo_input_class)ordo_opt_choice(args, "values"),
                   .sink = (enum ordo_sink_kind)ordo_opt_choice(args, "sink"),
                   .tiny = ordo_opt_flag(args, "tiny")},
        .inputs = ordo_opt_string(args, "inputs"),
        .output = ordo_opt_string(args, "output"),
    };
}

/* What goes on the card does so whole, and is inside the contract. */
static enum ordo_status make_plan(const struct ordo_args *args, struct ordo_rig *run, struct ordo_err *err)
{
    struct ordo_request request = ordo_input_request(args, &run->problem);
    struct ordo_domain domain = {0};
    enum ordo_status status = ordo_input_kernels(&request, err);

    if (status == ORDO_OK)
        status = ordo_plan_make(&request, &run->plan, err);
    if (status == ORDO_OK)
        status = ordo_domain_make(&run->problem, &domain, err);
    if (status == ORDO_OK)
        status = ordo_contract_scan_make(&run->problem, &domain, NULL, &run->scan, err);
    ordo_domain_free(&domain);
    return status;
}

/* --- saying so -------------------------------------------------------------------------------------------------- */

static int say_refused(const struct ordo_args *args, const struct ordo_rig *run)
{
    if (args->json) {
        json_t *o = ordo_json_new("ordo.run/1");

        ordo_json_text(o, "file", args->operand[0]);
        ordo_json_text(o, "verdict", "refused");
        ordo_json_u64(o, "duplicates", run->scan.n_duplicate);
        ordo_report_duplicates_json(o, &run->scan);
        ordo_out_json(o);
    } else {
        ordo_report_duplicates(&run->scan, 10);
        printf("refused  %" PRIu64 " duplicate ids inside a query; the deterministic contract wants unique ids\n",
               run->scan.n_duplicate);
    }
    return ORDO_FINDING;
}

static enum ordo_status save(const struct ordo_rig_request *q, struct ordo_rig *run, struct ordo_err *err)
{
    struct ordo_npz_array array[ORDO_OUTPUTS];
    size_t n = ordo_output_arrays(&run->plan, &run->got, array);

    return q->output && !run->on.hung ? ordo_npz_write(q->output, array, n, err) : ORDO_OK;
}

/* --- the work --------------------------------------------------------------------------------------------------- */

static int work(struct ordo_args *args, struct ordo_rig *run, struct ordo_err *err)
{
    struct ordo_rig_request q = request_of(args);
    const char *db = ordo_input_db(args);
    int64_t id = 0;
    enum ordo_status status = ordo_input_read(args, args->operand[0], &run->problem, err);

    if (status == ORDO_OK && q.inputs && (ordo_opt_given(args, "seed") || q.values.tiny))
        status = ordo_fail(err, ORDO_USAGE, NULL, "--inputs", "does not go with --seed or --tiny");
    if (status == ORDO_OK)
        status = make_plan(args, run, err);
    if (status == ORDO_OK && run->scan.n_duplicate)
        return say_refused(args, run);
    if (status != ORDO_OK)
        return ordo_report_error(args, status, err);
    status = ordo_rig_open(&run->card, ordo_opt_string(args, "cubins"), err);
    if (status == ORDO_OK)
        status = ordo_rig_all(run, &q, err);
    if (status == ORDO_OK)
        status = save(&q, run, err);
    if (status == ORDO_OK && db) {
        char *line = ordo_need(ordo_args_line(args));

        status = ordo_rig_store(run, &q, db, line, args->operand[0], &id, err);
        free(line);
    }
    if (status != ORDO_OK)
        return ordo_report_error(args, status, err);
    if (args->json)
        ordo_rig_say_json(args, run, &q, id);
    else
        ordo_rig_say(run, &q, db, id);
    return ordo_rig_clean(run) ? ORDO_OK : ORDO_FINDING;
}

static int run_file(struct ordo_args *args)
{
    struct ordo_rig run = {0};
    struct ordo_err err = {0};
    int code;

    if (args->n_operand != 1 || !ordo_opt_given(args, "kv")) {
        (void)ordo_fail(&err, ORDO_USAGE, NULL, args->n_operand ? "--kv" : "FILE",
                        "is needed, unless --record, --verify or --predict is there");
        return ordo_report_error(args, ORDO_USAGE, &err);
    }
    if (ordo_opt_given(args, "cost")) {
        (void)ordo_fail(&err, ORDO_USAGE, NULL, "--cost", "goes with --verify and --predict, not with an index file");
        return ordo_report_error(args, ORDO_USAGE, &err);
    }
    code = ordo_rig_leave(run.on.hung, work(args, &run, &err));
    ordo_rig_free(&run);
    ordo_card_close(run.card);
    return code;
}

static int run(struct ordo_args *args)
{
    return ordo_rig_golden_asked(args) ? ordo_rig_golden(args) : run_file(args);
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT_KV(false),
    ORDO_OPTIONS_SHAPE,
    {.name = "target", .kind = ORDO_OPT_CHOICE, .metavar = "sm100|sm90", .preset = "sm90",
     .help = "the GPU to plan for; there are kernels for sm90"},
    {.name = "design", .kind = ORDO_OPT_CHOICE, .metavar = "auto|private-shards|cluster-relay|atomic",
     .preset = "auto", .help = "how the order is fixed; atomic: not at all"},
    {.name = "cluster", .kind = ORDO_OPT_CHOICE, .metavar = "4|8|16", .help = "CTAs of a cluster (else by policy)"},
    {.name = "wave", .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = 65536,
     .help = "query lanes of a wave (else by policy)"},
    {.name = "inputs", .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = ".npz with q, kv, do, perhaps sink, o and lse, scale (else seeded)"},
    ORDO_OPTION_SEED,
    {.name = "values", .kind = ORDO_OPT_CHOICE, .metavar = "exact|rough", .preset = "rough",
     .help = "seeded: small integers with logits 0, or anything"},
    {.name = "sink", .kind = ORDO_OPT_CHOICE, .metavar = "seeded|off|inf|huge|mixed", .preset = "seeded",
     .help = "seeded: the sink of each head"},
    ORDO_OPTION_TINY,
    ORDO_OPTIONS_CARD,
    {.name = "no-twin", .kind = ORDO_OPT_FLAG, .help = "repeats only: no bits predicted"},
    {.name = "no-poison", .kind = ORDO_OPT_FLAG,
     .help = "the first run finds memory as it was allocated, for tools that watch that"},
    {.name = "jobs", .kind = ORDO_OPT_INT, .letter = 'j', .metavar = "N", .min = 1, .max = ORDO_MAX_THREADS,
     .help = "threads of the twin (else one a processor)"},
    {.name = "output", .kind = ORDO_OPT_STRING, .letter = 'o', .metavar = "FILE",
     .help = "the .npz to write the card's outputs to"},
    {.name = "record", .kind = ORDO_OPT_STRING, .metavar = "LIST",
     .help = "a golden file of the cases in LIST, on stdout"},
    {.name = "verify", .kind = ORDO_OPT_STRING, .metavar = "FILE", .help = "measures a golden file again"},
    {.name = "predict", .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "holds the twin to a golden file; needs no card"},
    {.name = "cost", .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX,
     .help = "verify, predict: only cases of up to N million products"},
    ORDO_OPTION_DB,
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_run = {
    .name = "run",
    .summary = "the kernels on this card: their bits against the twin's, again and again",
    .operands = "[FILE]",
    .min_operands = 0,
    .max_operands = 1,
    .option = options,
    .detail = "Verdicts: pass; not-compared (clean, but --no-twin: no bit was predicted); differs (from the twin);\n"
              "unstable (between runs); residue (mask bits are left); hung.\n"
              "Without a driver or a card: not run, exit code 4.\n",
    .run = run,
};
