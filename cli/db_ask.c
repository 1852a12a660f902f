/* db_ask.c - `ordo db`: questions, answered as a table or as JSON lines; see db.h. */
#include "cli/db.h"
#include "cli/db_sink.h"
#include "cli/out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "ordo.db/1"

int64_t ordo_db_id(const char *text)
{
    char *end;
    int64_t id;

    errno = 0;
    id = strtoll(text, &end, 10);
    return errno || *end || *text < '0' || *text > '9' ? 0 : id;
}

/* Passes rows on and counts them, and those whose last cell is a word. */
struct counted {
    struct ordo_store_sink to;
    int64_t rows, hits;
    int column; /* looked at; -1: none */
    const char *look, *hit; /* the column's name; the words that count, " a b " */
};

static int count_columns(void *ctx, const char *table, int n, const char *const *name)
{
    struct counted *c = ctx;

    c->column = -1;
    for (int i = 0; c->look && i < n; i++)
        if (strcmp(name[i], c->look) == 0)
            c->column = i;
    return c->to.columns(c->to.ctx, table, n, name);
}

static int count_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    struct counted *c = ctx;
    char word[64];

    c->rows++;
    if (c->column >= 0 && cell[c->column].type == ORDO_STORE_TEXT) {
        (void)snprintf(word, sizeof word, " %s ", cell[c->column].text);
        c->hits += strstr(c->hit, word) != NULL;
    }
    return c->to.row(c->to.ctx, n, cell);
}

/* One answer: what asks it, and how it looks. */
struct answer {
    enum ordo_status (*ask)(struct ordo_db_call *call, const struct ordo_store_sink *sink, struct ordo_err *err);
    const char *pick; /* text: the columns to print; NULL: all */
    bool whole;       /* one object of several tables */
};

static enum ordo_status give(struct ordo_db_call *call, const struct answer *a, struct counted *count,
                             struct ordo_err *err)
{
    bool json = call->args->json;
    struct ordo_json_sink j = {.schema = SCHEMA, .whole = json && a->whole ? ordo_json_new(SCHEMA) : NULL};
    struct ordo_text_sink t = {.show = a->whole, .pick = a->pick};
    struct ordo_store_sink sink = {count_columns, count_row, count};
    enum ordo_status status;

    count->to = json ? ordo_json_sink(&j) : ordo_text_sink(&t);
    status = a->ask(call, &sink, err);
    if (json && j.whole && status == ORDO_OK)
        ordo_out_json(j.whole);
    else
        json_decref(j.whole);
    ordo_json_sink_free(&j);
    if (!json && t.pick && count->rows == 0)
        ordo_table_free(&t.table); /* a heading of nothing says less than the sentence that follows */
    ordo_text_sink_done(&t);
    return status;
}

#define ASK(name, question)                                                                                          \
    static enum ordo_status name(struct ordo_db_call *call, const struct ordo_store_sink *sink,                      \
                                 struct ordo_err *err)                                                               \
    {                                                                                                                \
        return ordo_store_ask(call->store, question, &call->filter, sink, err);                                      \
    }
ASK(ask_runs, ORDO_STORE_RUNS)
ASK(ask_flips, ORDO_STORE_FLIPS)
ASK(ask_compare, ORDO_STORE_COMPARE)
ASK(ask_trend, ORDO_STORE_TREND)
ASK(ask_metrics, ORDO_STORE_METRICS)
ASK(ask_cases, ORDO_STORE_CASES)

static enum ordo_status ask_show(struct ordo_db_call *call, const struct ordo_store_sink *sink, struct ordo_err *err)
{
    return ordo_store_show(call->store, ordo_db_id(call->operand[0]), sink, err);
}

static enum ordo_status ask_sql(struct ordo_db_call *call, const struct ordo_store_sink *sink, struct ordo_err *err)
{
    return ordo_store_sql(call->store, call->operand[0], sink, err);
}

enum ordo_status ordo_db_list(struct ordo_db_call *call, struct ordo_err *err)
{
    static const struct answer a = {ask_runs, " id started verb verdict design target wave cluster n_query topk n_kv "
                                              "proof problem order_digest worst_ratio input ", false};
    struct counted count = {.look = NULL};
    enum ordo_status status = give(call, &a, &count, err);

    return status == ORDO_OK && !call->args->json && count.rows == 0 ? ordo_db_say_none(call, err) : status;
}

enum ordo_status ordo_db_show(struct ordo_db_call *call, struct ordo_err *err)
{
    static const struct answer a = {ask_show, NULL, true};
    struct counted count = {.look = NULL};

    if (ordo_db_id(call->operand[0]) < 1)
        return ordo_fail(err, ORDO_USAGE, NULL, "ID", "must be the number of a run, as `ordo db list` prints it, "
                         "not '%s'", call->operand[0]);
    return give(call, &a, &count, err);
}

enum ordo_status ordo_db_sql(struct ordo_db_call *call, struct ordo_err *err)
{
    static const struct answer a = {ask_sql, NULL, false};
    struct counted count = {.look = NULL};

    return give(call, &a, &count, err);
}

enum ordo_status ordo_db_flips(struct ordo_db_call *call, struct ordo_err *err)
{
    static const struct answer a = {ask_flips, " problem plan build device input output results digests first_run "
                                               "last_run digest other_digest ", false};
    struct counted count = {.look = NULL};
    enum ordo_status status = give(call, &a, &count, err);

    if (status != ORDO_OK)
        return status;
    call->code = count.rows ? ORDO_FINDING : ORDO_OK;
    if (!call->args->json && count.rows)
        printf("%" PRId64 " outputs are not reproducible; `ordo db show RUN` has each run's command\n", count.rows);
    else if (!call->args->json)
        puts("no flip: what has the same problem, plan, build, device and input has the same output");
    return ORDO_OK;
}

enum ordo_status ordo_db_compare(struct ordo_db_call *call, struct ordo_err *err)
{
    static const struct answer a = {ask_compare, " what item value_a value_b verdict ", false};
    struct counted count = {.look = "verdict", .hit = " differs "};
    int64_t id[2];
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < 2 && status == ORDO_OK; i++) {
        id[i] = ordo_db_id(call->operand[i]);
        if (id[i] < 1)
            return ordo_fail(err, ORDO_USAGE, NULL, i ? "B" : "A", "must be the number of a run, not '%s'",
                             call->operand[i]);
        status = ordo_store_exists(call->store, id[i], err);
    }
    if (status != ORDO_OK)
        return status;
    call->filter.a = id[0], call->filter.b = id[1];
    status = give(call, &a, &count, err);
    call->code = count.hits ? ORDO_FINDING : ORDO_OK;
    if (status == ORDO_OK && !call->args->json && count.hits)
        printf("%" PRId64 " promised to be the same differ\n", count.hits);
    return status;
}

/* Says which metrics there are when there is none of that name. */
static enum ordo_status no_metric(struct ordo_db_call *call, struct ordo_err *err)
{
    static const struct answer a = {ask_metrics, NULL, false};
    struct counted count = {.look = NULL};
    bool filtered = call->filter.problem || call->filter.plan;

    if (filtered && !call->args->json)
        puts("no run");
    if (filtered)
        return ORDO_OK;
    if (!call->args->json && give(call, &a, &count, err) != ORDO_OK)
        return ORDO_ENVIRONMENT;
    return ordo_fail(err, ORDO_USAGE, NULL, "METRIC", "no run has a metric '%s'", call->operand[0]);
}

enum ordo_status ordo_db_trend(struct ordo_db_call *call, struct ordo_err *err)
{
    static const struct answer a = {ask_trend,
                                    " verdict runs_before q1 median q3 last run started device problem plan ", false};
    struct counted count = {.look = "verdict", .hit = " up "};
    enum ordo_status status;

    call->filter.metric = call->operand[0];
    status = give(call, &a, &count, err);
    call->code = count.hits ? ORDO_FINDING : ORDO_OK;
    return status == ORDO_OK && count.rows == 0 ? no_metric(call, err) : status;
}

static enum ordo_status ask_check(struct ordo_db_call *call, const struct ordo_store_sink *sink, struct ordo_err *err)
{
    return ordo_store_verify(call->store, ordo_db_name_case, sink, &call->found, &call->made, err);
}

enum ordo_status ordo_db_check(struct ordo_db_call *call, struct ordo_err *err)
{
    static const struct answer a = {ask_check, " check what says ", false};
    struct counted count = {.look = NULL};
    enum ordo_status status = give(call, &a, &count, err);

    call->code = call->found ? ORDO_FINDING : ORDO_OK;
    if (status == ORDO_OK && call->args->json) {
        json_t *o = ordo_json_new(SCHEMA);

        ordo_json_u64(o, "wrong", call->found);
        ordo_json_u64(o, "digests", call->made);
        ordo_out_json(o);
    } else if (status == ORDO_OK) {
        printf("%" PRIu64 " wrong; %" PRIu64 " digests made again (plans, devices, cases, contents of runs); index "
               "tensors,\nkernels and values are not in the file, so theirs cannot be\n", call->found, call->made);
    }
    return status;
}

enum ordo_status ordo_db_upgrade(struct ordo_db_call *call, struct ordo_err *err)
{
    int version;
    const char *backup = ordo_store_backup(call->store, &version);
    json_t *o;

    (void)err;
    if (call->args->json) {
        o = ordo_json_new(SCHEMA);
        ordo_json_int(o, "upgraded_from", version);
        ordo_json_text(o, "backup", backup);
        ordo_out_json(o);
    } else if (!backup) {
        puts("up to date");
    }
    return ORDO_OK;
}

enum ordo_status ordo_db_corpus_list(struct ordo_db_call *call, struct ordo_err *err)
{
    static const struct answer a = {ask_cases, " digest name expected bytes added provenance ", false};
    struct counted count = {.look = NULL};

    return give(call, &a, &count, err);
}
