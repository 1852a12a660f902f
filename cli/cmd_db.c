/* cmd_db.c - `ordo db`: questions to the results database.  Reads only, and never makes a database. */
#include "cli/db_sink.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/verb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "ordo.db/1"

/* The number of a run, or 0 if text is none. */
static int64_t id_of(const char *text)
{
    char *end;
    int64_t id;

    errno = 0;
    id = strtoll(text, &end, 10);
    return errno || *end || *text < '0' || *text > '9' ? 0 : id;
}

/* `list`, `show ID` or `sql TEXT`; into sink. */
static enum ordo_status answer(const struct ordo_args *args, struct ordo_store *store,
                               const struct ordo_store_sink *sink, struct ordo_err *err)
{
    struct ordo_store_filter filter = {
        .verdict = ordo_opt_string(args, "verdict"),
        .problem = ordo_opt_string(args, "problem"),
        .limit = ordo_opt_int(args, "limit"),
    };

    if (strcmp(args->operand[0], "list") == 0)
        return ordo_store_ask(store, ORDO_STORE_RUNS, &filter, sink, err);
    if (strcmp(args->operand[0], "sql") == 0)
        return ordo_store_sql(store, args->operand[1], sink, err);
    return ordo_store_show(store, id_of(args->operand[1]), sink, err);
}

static enum ordo_status answer_json(const struct ordo_args *args, struct ordo_store *store, struct ordo_err *err)
{
    bool show = strcmp(args->operand[0], "show") == 0;
    struct ordo_json_sink s = {.schema = SCHEMA, .whole = show ? ordo_json_new(SCHEMA) : NULL};
    struct ordo_store_sink sink = ordo_json_sink(&s);
    enum ordo_status status = answer(args, store, &sink, err);

    if (s.whole && status == ORDO_OK)
        ordo_out_json(s.whole);
    else
        json_decref(s.whole);
    ordo_json_sink_free(&s);
    return status;
}

static enum ordo_status answer_text(const struct ordo_args *args, struct ordo_store *store, struct ordo_err *err)
{
    static const char *const columns = " id started verb verdict design target wave cluster n_query topk n_kv proof "
                                       "problem order_digest worst_ratio input ";
    struct ordo_text_sink s = {
        .show = strcmp(args->operand[0], "show") == 0,
        .pick = strcmp(args->operand[0], "list") == 0 ? columns : NULL,
    };
    struct ordo_store_sink sink = ordo_text_sink(&s);
    enum ordo_status status = answer(args, store, &sink, err);

    ordo_text_sink_done(&s);
    return status;
}

static enum ordo_status check_form(const struct ordo_args *args, struct ordo_err *err)
{
    static const char *const only_list[] = {"verdict", "problem", "limit"};
    const char *action = args->operand[0];
    bool list = strcmp(action, "list") == 0;
    size_t i;

    if (!list && strcmp(action, "show") != 0 && strcmp(action, "sql") != 0)
        return ordo_fail(err, ORDO_USAGE, NULL, NULL, "must be list, show or sql, not '%s'", action);
    if (args->n_operand != (list ? 1 : 2))
        return ordo_fail(err, ORDO_USAGE, NULL, action, "takes %s", list ? "no operand" : "one operand");
    for (i = 0; i < 3; i++)
        if (!list && ordo_opt_given(args, only_list[i]))
            return ordo_fail(err, ORDO_USAGE, NULL, action, "does not take --%s, which is for list", only_list[i]);
    if (strcmp(action, "show") == 0 && id_of(args->operand[1]) < 1)
        return ordo_fail(err, ORDO_USAGE, NULL, "ID", "must be the number of a run, as `ordo db list` prints it, "
                         "not '%s'", args->operand[1]);
    return ORDO_OK;
}

static int run(struct ordo_args *args)
{
    const char *path = ordo_input_db(args);
    struct ordo_store *store = NULL;
    struct ordo_err err = {0};
    enum ordo_status status = check_form(args, &err);

    if (status == ORDO_OK)
        status = ordo_store_open(path ? path : "ordo.db", ORDO_STORE_READ, &store, &err);
    if (status == ORDO_OK)
        status = args->json ? answer_json(args, store, &err) : answer_text(args, store, &err);
    ordo_store_close(store);
    return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, &err);
}

static const struct ordo_option options[] = {
    {.name = "db", .kind = ORDO_OPT_STRING, .metavar = "FILE", .help = "the database (else $ORDO_DB, else ordo.db)"},
    {.name = "verdict", .kind = ORDO_OPT_STRING, .metavar = "WORD", .help = "list: only runs with this verdict"},
    {.name = "problem", .kind = ORDO_OPT_STRING, .metavar = "HEX",
     .help = "list: only runs on the problem whose digest starts so"},
    {.name = "limit", .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX,
     .help = "list: the newest N only"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_db = {
    .name = "db",
    .summary = "ask the results database",
    .operands = "list | show ID | sql SELECT",
    .min_operands = 1,
    .max_operands = 2,
    .option = options,
    .detail = "  list       one line per run, the newest first\n"
              "  show ID    all that is known of a run\n"
              "  sql TEXT   one statement that only reads; views: v_run (a line per run), v_moved (bits or order\n"
              "             that differ from the run before)\n",
    .run = run,
};
