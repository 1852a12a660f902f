/* cmd_db.c - `ordo db`: the table of what one may do with the results database.  Only import, upgrade and corpus add
 * write; nothing but import and corpus add makes a database. */
#include "cli/db.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/moment.h"
#include "cli/near.h"
#include "cli/out.h"
#include "cli/verb.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The same order as `words`.  options: which of those that not all take, " a b ". */
static const struct action {
    int min, max; /* operands; max -1: any number */
    enum ordo_store_mode mode;
    const char *options;
    enum ordo_status (*run)(struct ordo_db_call *call, struct ordo_err *err);
} actions[] = {
    {0, 0, ORDO_STORE_READ, " verdict problem plan design since until limit ", ordo_db_list},
    {0, 0, ORDO_STORE_READ, " verdict problem plan design since until limit ", ordo_db_list},
    {1, 1, ORDO_STORE_READ, " ", ordo_db_show},
    {1, 1, ORDO_STORE_READ, " ", ordo_db_sql},
    {0, 0, ORDO_STORE_READ, " problem plan ", ordo_db_flips},
    {2, 2, ORDO_STORE_READ, " ", ordo_db_compare},
    {1, 1, ORDO_STORE_READ, " problem plan ", ordo_db_trend},
    {0, 0, ORDO_STORE_READ, " verdict problem plan design since until format output ", ordo_db_export},
    {1, -1, ORDO_STORE_WRITE, " ", ordo_db_import},
    {0, 0, ORDO_STORE_READ, " ", ordo_db_check},
    {0, 0, ORDO_STORE_WRITE, " ", ordo_db_upgrade},
    {1, -1, ORDO_STORE_WRITE, " expect provenance ", ordo_db_corpus_add},
    {0, 0, ORDO_STORE_READ, " ", ordo_db_corpus_list},
    {1, 1, ORDO_STORE_READ, " ", ordo_db_corpus_show},
    {1, 1, ORDO_STORE_READ, " ", ordo_db_corpus_export},
};

static const struct ordo_word words[] = {
    {"list", "", "one line per run, the newest first (v_run)"},
    {"query", "", "the same: runs by --verdict --problem --plan --design --since --until"},
    {"show", "ID", "all that is known of a run"},
    {"sql", "TEXT", "one statement that only reads; the views are API"},
    {"flips", "", "same problem, plan, build, device and input, two outputs (v_flip); exit 1 if any"},
    {"compare", "A B", "two runs, thing by thing (v_compare); exit 1 if what a plan promises differs"},
    {"trend", "METRIC", "the last value against those before (v_trend); exit 1 if one went up"},
    {"export", "", "runs, and without a filter all else too, in --format, to --output or stdout"},
    {"import", "FILE...", "JSON Lines of an export: all of it or nothing; a run that is there stays once"},
    {"check", "", "integrity, references, digests made again; exit 1 if one is wrong"},
    {"upgrade", "", "bring an older file up to date; a copy of it is kept"},
    {"corpus add", "FILE...", "keep cases, byte for byte, named by their digest"},
    {"corpus list", "", "the cases (v_corpus)"},
    {"corpus show", "HEX", "the bytes of the case whose digest starts so"},
    {"corpus export", "DIR", "every case to DIR/DIGEST.case, as it came"},
    {NULL, NULL, NULL},
};

_Static_assert(sizeof words / sizeof words[0] == sizeof actions / sizeof actions[0] + 1, "a word for each action");

/* Index of the action; *n words of the operands name it. */
static int find(const struct ordo_args *args, int *n)
{
    char name[64];
    int i;

    *n = strcmp(args->operand[0], "corpus") == 0 && args->n_operand > 1 ? 2 : 1;
    (void)snprintf(name, sizeof name, "%s%s%.40s", *n == 2 ? "corpus" : "", *n == 2 ? " " : "",
                   args->operand[*n - 1]);
    for (i = 0; words[i].name; i++)
        if (strcmp(words[i].name, name) == 0)
            return i;
    return -1;
}

static enum ordo_status unknown(const char *name, struct ordo_err *err)
{
    const char *best = NULL;

    for (int i = 0; words[i].name; i++)
        ordo_near(name, words[i].name, &best);
    if (best)
        return ordo_fail(err, ORDO_USAGE, NULL, NULL, "unknown action '%s'; did you mean %s?", name, best);
    return ordo_fail(err, ORDO_USAGE, NULL, NULL, "unknown action '%s'; `ordo db --help` lists them", name);
}

static enum ordo_status check_form(const struct ordo_args *args, int at, int n_operand, struct ordo_err *err)
{
    const struct action *a = &actions[at];
    const struct ordo_option *o;
    char word[64];

    if (n_operand < a->min || (a->max >= 0 && n_operand > a->max))
        return ordo_fail(err, ORDO_USAGE, NULL, words[at].name, "takes %s",
                         *words[at].operands ? words[at].operands : "no operand");
    for (o = args->verb->option; o->name; o++) {
        (void)snprintf(word, sizeof word, " %s ", o->name);
        if (ordo_opt_given(args, o->name) && !strstr(" db json ", word) && !strstr(a->options, word))
            return ordo_fail(err, ORDO_USAGE, NULL, words[at].name, "does not take --%s", o->name);
    }
    return ORDO_OK;
}

static enum ordo_status fill_filter(const struct ordo_args *args, struct ordo_store_filter *f, struct ordo_err *err)
{
    static const char *const option[] = {"since", "until"};
    int64_t *const moment[] = {&f->since_us, &f->until_us};

    *f = (struct ordo_store_filter){
        .verdict = ordo_opt_string(args, "verdict"),
        .design = ordo_opt_string(args, "design"),
        .problem = ordo_opt_string(args, "problem"),
        .plan = ordo_opt_string(args, "plan"),
        .limit = ordo_opt_int(args, "limit"),
    };
    for (int i = 0; i < 2; i++) {
        const char *text = ordo_opt_string(args, option[i]);

        if (text && !ordo_moment_parse(text, moment[i]))
            return ordo_fail(err, ORDO_USAGE, NULL, option[i], "must be a date, 2026-01-31, or a moment in UTC, "
                             "2026-01-31T12:00:00Z, not '%s'", text);
    }
    return ORDO_OK;
}

/* An upgrade speaks on stderr, since it was not asked for. */
static void say_backup(const struct ordo_db_call *call)
{
    int version;
    const char *backup = ordo_store_backup(call->store, &version);

    if (backup)
        fprintf(stderr, "ordo db: upgraded from version %d; the file as it was is %s\n", version, backup);
}

static int no_columns(void *ctx, const char *table, int n, const char *const *name)
{
    (void)ctx, (void)table, (void)n, (void)name;
    return 0;
}

static int any_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    (void)n, (void)cell;
    *(bool *)ctx = true;
    return 0;
}

/* A database that a failed command has made, and that nobody else has put anything into meanwhile. */
static bool holds_nothing(struct ordo_store *store)
{
    const struct ordo_store_filter all = {.verdict = NULL};
    bool any = false;
    struct ordo_store_sink sink = {no_columns, any_row, &any};
    struct ordo_err err = {0};

    return ordo_store_ask(store, ORDO_STORE_RUN_IDS, &all, &sink, &err) == ORDO_OK &&
           ordo_store_ask(store, ORDO_STORE_CASE_BYTES, &all, &sink, &err) == ORDO_OK && !any;
}

static int run(struct ordo_args *args)
{
    const char *path = ordo_input_db(args) ? ordo_input_db(args) : "ordo.db";
    struct ordo_db_call call = {.args = args};
    struct ordo_err err = {0};
    bool fresh, bare;
    enum ordo_status status;
    int n, at = find(args, &n);

    if (at < 0) {
        (void)unknown(args->operand[0], &err);
        return ordo_report_error(args, ORDO_USAGE, &err);
    }
    call.operand = args->operand + n;
    call.n_operand = args->n_operand - n;
    status = check_form(args, at, call.n_operand, &err);
    if (status == ORDO_OK)
        status = fill_filter(args, &call.filter, &err);
    if (status == ORDO_OK && actions[at].run == ordo_db_upgrade && access(path, F_OK) != 0)
        status = ordo_fail(&err, ORDO_BAD_INPUT, path, "db", "is not there, so there is nothing to upgrade");
    fresh = access(path, F_OK) != 0;
    if (status == ORDO_OK)
        status = ordo_store_open(path, actions[at].mode, &call.store, &err);
    if (status == ORDO_OK) {
        say_backup(&call);
        status = actions[at].run(&call, &err);
    }
    bare = status != ORDO_OK && fresh && call.store && holds_nothing(call.store);
    ordo_store_close(call.store);
    if (bare)
        (void)unlink(path);
    return status == ORDO_OK ? call.code : ordo_report_error(args, status, &err);
}

static const struct ordo_option options[] = {
    {.name = "db", .kind = ORDO_OPT_STRING, .metavar = "FILE", .help = "the database (else $ORDO_DB, else ordo.db)"},
    {.name = "verdict", .kind = ORDO_OPT_STRING, .metavar = "WORD", .help = "only runs with this verdict"},
    {.name = "problem", .kind = ORDO_OPT_STRING, .metavar = "HEX", .help = "only the problem whose digest starts so"},
    {.name = "plan", .kind = ORDO_OPT_STRING, .metavar = "HEX", .help = "only the plan whose digest starts so"},
    {.name = "design", .kind = ORDO_OPT_STRING, .metavar = "NAME", .help = "only runs of this design"},
    {.name = "since", .kind = ORDO_OPT_STRING, .metavar = "TIME", .help = "only runs started then or later, in UTC"},
    {.name = "until", .kind = ORDO_OPT_STRING, .metavar = "TIME", .help = "only runs started before then, in UTC"},
    {.name = "limit", .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX,
     .help = "list: the newest N only"},
    {.name = "format", .kind = ORDO_OPT_CHOICE, .metavar = "jsonl|csv|junit", .preset = "jsonl",
     .help = "export: all without loss, or a line or testcase per run"},
    {.name = "output", .letter = 'o', .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "export: the file, written whole or not at all"},
    {.name = "expect", .kind = ORDO_OPT_STRING, .metavar = "VERDICT", .help = "corpus add: the right verdict"},
    {.name = "provenance", .kind = ORDO_OPT_STRING, .metavar = "TEXT", .help = "corpus add: where the case is from"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_db = {
    .name = "db",
    .summary = "ask and keep the results database",
    .operands = "ACTION [OPERAND...]",
    .min_operands = 1,
    .max_operands = -1,
    .option = options,
    .word = words,
    .detail = "Views, for sql and for any SQLite tool: v_run, v_output (all digests of outputs), v_flip, v_compare,\n"
              "v_metric, v_trend, v_moved (order or bits that differ from the run before), v_corpus.\n"
              "up and down: more than three interquartile ranges outside the quartiles and 1 % off the median of\n"
              "the runs before, of which there must be four; else undecided.\n",
    .run = run,
};
