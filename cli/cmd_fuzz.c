/* cmd_fuzz.c - `ordo fuzz`: random cases through every judge, until time or cases end.  Findings are shrunk and
 * kept. */
#include "base/parallel.h"
#include "cli/fuzz_report.h"
#include "cli/group.h"
#include "cli/out.h"
#include "cli/verb.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- signals ---------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted;
static uint64_t seed_at_work;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* A bug of ours in the middle of a case: says which, so that it can be drawn again; then the abort goes on. */
static void on_abort(int signal)
{
    char line[160];
    int n = snprintf(line, sizeof line, "ordo fuzz: died in this case: ordo fuzz --seed %" PRIu64 " --from %" PRIu64
                     " --cases 1\n", seed_at_work, ordo_campaign_at);

    (void)signal;
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
        return;
}

/* The first Ctrl-C asks for an end, the second is deadly. */
static void listen_to_signals(void)
{
    struct sigaction end = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND},
                     died = {.sa_handler = on_abort, .sa_flags = (int)SA_RESETHAND};

    (void)sigaction(SIGINT, &end, NULL);
    (void)sigaction(SIGABRT, &died, NULL);
}

/* --- options ---------------------------------------------------------------------------------------------------- */

/* "90", "90s", "5m", "2h"; false for anything else. */
static bool read_time(const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } unit[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
    char *end;
    unsigned long n;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    n = strtoul(text, &end, 10);
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (strcmp(end, unit[i].name) == 0 && !errno && n > 0 && n < 1000000) {
            *seconds = (double)n * unit[i].seconds;
            return true;
        }
    return false;
}

static enum ordo_status read_options(const struct ordo_args *args, struct ordo_campaign *c, struct ordo_err *err)
{
    const char *time = ordo_opt_string(args, "time");

    c->seed = ordo_opt_u64(args, "seed");
    c->first = ordo_opt_u64(args, "from");
    c->n_case = ordo_opt_u64(args, "cases");
    c->stop_after = ordo_opt_int(args, "stop");
    c->n_thread = ordo_opt_given(args, "jobs") ? ordo_opt_int(args, "jobs") : ordo_processors();
    if (time && !read_time(time, &c->seconds))
        return ordo_fail(err, ORDO_USAGE, NULL, "--time", "'%s' is not a time such as 30s, 10m or 2h", time);
    if (!time && !ordo_opt_given(args, "cases"))
        c->seconds = 10;
    if (ordo_opt_given(args, "cases") && !c->n_case)
        return ordo_fail(err, ORDO_USAGE, NULL, "--cases", "there must be one at least");
    return ordo_case_keep_ready(ordo_opt_string(args, "save"), ordo_opt_string(args, "db"), err);
}

/* --- findings --------------------------------------------------------------------------------------------------- */

struct keeper {
    const struct ordo_args *args;
    enum ordo_status status; /* of the first file that could not be written */
    struct ordo_err err;
};

static void found(void *ctx, const struct ordo_campaign_finding *f)
{
    struct keeper *k = ctx;
    const char *save = ordo_opt_string(k->args, "save"), *db = ordo_opt_string(k->args, "db");
    uint64_t seed = ordo_opt_u64(k->args, "seed");
    char drawn[160], path[4096] = "";
    enum ordo_status status = ORDO_OK;

    if (save)
        status = ordo_case_save(save, &f->shrunk, path, sizeof path, &k->err);
    if (k->status == ORDO_OK)
        k->status = status;
    (void)snprintf(drawn, sizeof drawn, "ordo fuzz --seed %" PRIu64 " --from %" PRIu64 " --cases 1", seed, f->number);
    if (db && k->status == ORDO_OK)
        k->status = ordo_case_keep(db, &f->shrunk, drawn, &k->err);
    if (!k->args->json)
        ordo_report_finding(f, seed, status == ORDO_OK && save ? path : NULL);
}

static int run(struct ordo_args *args)
{
    struct keeper keeper = {.args = args, .status = ORDO_OK};
    struct ordo_campaign *c = ordo_need(calloc(1, sizeof *c));
    struct ordo_err err = {0};
    enum ordo_status status = read_options(args, c, &err);
    int code;

    c->interrupted = &interrupted;
    c->found = found;
    c->ctx = &keeper;
    seed_at_work = c->seed;
    listen_to_signals();
    if (status == ORDO_OK) {
        status = ordo_campaign_run(c, &err);
        if (status == ORDO_OK && args->json)
            ordo_report_campaign_json(c);
        else if (status == ORDO_OK)
            ordo_report_campaign(c);
    }
    if (status == ORDO_OK && keeper.status != ORDO_OK) {
        status = keeper.status;
        err = keeper.err;
    }
    code = status != ORDO_OK ? ordo_report_error(args, status, &err)
           : c->was_interrupted ? ORDO_INTERRUPTED
           : c->n_finding     ? ORDO_FINDING
                              : ORDO_OK;
    ordo_campaign_free(c);
    free(c);
    return code;
}

static const struct ordo_option options[] = {
    {.name = "time", .kind = ORDO_OPT_STRING, .metavar = "TIME", .help = "how long: 30s, 10m, 2h (else 10s)"},
    {.name = "cases", .kind = ORDO_OPT_U64, .metavar = "N", .help = "how many cases"},
    ORDO_OPTION_SEED,
    {.name = "from", .kind = ORDO_OPT_U64, .metavar = "N", .preset = "0", .help = "number of the first case"},
    {.name = "stop", .kind = ORDO_OPT_INT, .metavar = "N", .min = 0, .max = ORDO_MAX_FINDINGS, .preset = "0",
     .help = "end after so many findings, 0 for never"},
    {.name = "jobs", .kind = ORDO_OPT_INT, .letter = 'j', .metavar = "N", .min = 1, .max = ORDO_MAX_THREADS,
     .help = "threads (else one a processor); never changes a case or a count"},
    {.name = "save", .kind = ORDO_OPT_STRING, .metavar = "DIR",
     .help = "write shrunk findings there, named by content"},
    {.name = "db", .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "add shrunk findings to the corpus of this database"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_fuzz = {
    .name = "fuzz",
    .summary = "random index patterns, plans and schedules through every judge",
    .operands = "",
    .min_operands = 0,
    .max_operands = 0,
    .option = options,
    .detail = "Case i depends on --seed and i alone.  Ctrl-C ends after the case at hand and prints the\n"
              "summary (exit code 130); a second one kills.\n"
              "Out of reach: cases are small, so that arithmetic which leaves 32 bits only for more than\n"
              "2^31 elements or words is never met here; `ordo prove --protocol` asks for that at the plan's\n"
              "own extents, and tests at extents near 2^31.\n",
    .run = run,
};
