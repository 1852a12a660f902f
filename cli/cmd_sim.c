/* cmd_sim.c - `ordo sim`: how long an order takes, where it waits and how far that is from the least possible. */
#include "cli/dense.h"
#include "cli/group.h"
#include "cli/out.h"
#include "cli/sim.h"
#include "cli/verb.h"

static int run(struct ordo_args *args)
{
    struct ordo_err err = {0};

    if (ordo_opt_flag(args, "dense") && args->n_operand) {
        (void)ordo_fail(&err, ORDO_USAGE, NULL, "--dense", "does not go with a file");
        return ordo_report_error(args, ORDO_USAGE, &err);
    }
    if (ordo_opt_flag(args, "dense"))
        return (ordo_opt_given(args, "bits")       ? ordo_sim_bits
                : ordo_opt_given(args, "measured") ? ordo_sim_measured
                                                   : ordo_sim_dense)(args);
    if (!args->n_operand)
        (void)ordo_fail(&err, ORDO_USAGE, NULL, "FILE", "an index file is needed, or --dense");
    else if (!ordo_opt_given(args, "kv"))
        (void)ordo_fail(&err, ORDO_USAGE, NULL, "--kv", "is needed");
    else
        return ordo_sim_relay(args);
    return ordo_report_error(args, ORDO_USAGE, &err);
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT_KV(false),
    {.name = "tile", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = 65536,
     .preset = "64", .help = "slots that are computed and added together"},
    ORDO_OPTIONS_DENSE,
    {.name = "heads", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX,
     .preset = "32", .help = "query heads of all sequences"},
    ORDO_OPTIONS_DENSE_MODEL,
    {.name = "bits", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_STRING, .metavar = "A,B",
     .help = "which gradients two schedules give other bits, and a smallest input"},
    {.name = "svg", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "--order: draw the tasks over time"},
    {.name = "trace", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "--order: write them as a Chrome trace, which Perfetto reads too"},
    {.name = "measured", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "compare with a card's times, as corpus/dense/h200.csv has them: rank correlations"},
    ORDO_OPTION_SEED_OF(ORDO_FORM_DENSE),
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

static void names(FILE *out)
{
    fputs("Schedules:\n", out);
    for (int i = 0; ordo_dense_schedules[i]; i++)
        fprintf(out, "  %-16s %s\n", ordo_dense_schedules[i]->name, ordo_dense_schedules[i]->about);
}

const struct ordo_verb ordo_verb_sim = {
    .name = "sim",
    .summary = "time an order exactly: critical path, waits, distance from the least possible",
    .operands = "FILE --kv N | --dense",
    .min_operands = 0,
    .max_operands = 1,
    .option = options,
    .more = names,
    .run = run,
};
