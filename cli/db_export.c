/* db_export.c - `ordo db export`; see db.h.
 *
 * JSON Lines, schema ordo.export/1: one object a line, {"table": NAME, "row": {COLUMN: VALUE}}; first problem, plan,
 * build, device and input, which later lines name by digest; then a line per run, with its parts as arrays of rows
 * beside "row"; then the corpus.  Ids are left out, so equal databases give equal bytes. */
#include "base/progress.h"
#include "base/replace.h"
#include "cli/db.h"
#include "cli/db_text.h"
#include "cli/out.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum format { JSONL, CSV, JUNIT };

struct export {
    struct ordo_db_call *call;
    struct ordo_err *err;
    FILE *out;
    enum ordo_status status;
    char table[32]; /* whose rows come now */
    int n;
    char name[64][48];
    json_t *line;   /* the run that is being collected */
    uint64_t n_run;
};

static void write_line(struct export *x, json_t *line)
{
    if (json_dumpf(line, x->out, JSON_COMPACT) != 0 && !ferror(x->out))
        ordo_need(NULL);
    putc('\n', x->out);
    json_decref(line);
}

static json_t *line_of(const char *table, json_t *row)
{
    json_t *line = ordo_json_new("ordo.export/1");

    ordo_json_text(line, "table", table);
    ordo_json_set(line, "row", row);
    return line;
}

static int columns(void *ctx, const char *table, int n, const char *const *name)
{
    struct export *x = ctx;

    ORDO_BUG_ON(n > 64);
    (void)snprintf(x->table, sizeof x->table, "%s", table);
    x->n = n;
    for (int i = 0; i < n; i++)
        (void)snprintf(x->name[i], sizeof x->name[i], "%s", name[i]);
    return 0;
}

static json_t *row_of(const struct export *x, const struct ordo_store_cell *cell)
{
    json_t *row = ordo_need(json_object());

    for (int i = 0; i < x->n; i++)
        if (strcmp(x->name[i], "id") != 0 && strcmp(x->name[i], "started") != 0)
            ordo_json_set(row, x->name[i], ordo_db_to_json(&cell[i]));
    return row;
}

/* --- tables of their own ---------------------------------------------------------------------------------------- */

static int single_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    struct export *x = ctx;

    (void)n;
    write_line(x, line_of(x->table, row_of(x, cell)));
    return ferror(x->out);
}

static enum ordo_status tables(struct export *x, const enum ordo_store_question *question, int n)
{
    struct ordo_store_sink sink = {columns, single_row, x};
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < n && status == ORDO_OK; i++)
        status = ordo_store_ask(x->call->store, question[i], &x->call->filter, &sink, x->err);
    return status;
}

/* --- runs ------------------------------------------------------------------------------------------------------- */

/* The row of the run itself comes first; of its problem and plan only the digest is kept. */
static int part_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    struct export *x = ctx;
    json_t *row = row_of(x, cell), *array;

    (void)n;
    if (strcmp(x->table, "run") == 0) {
        x->line = line_of("run", row);
    } else if (strcmp(x->table, "problem") == 0 || strcmp(x->table, "plan") == 0) {
        ordo_json_set(json_object_get(x->line, "row"), x->table, json_incref(json_object_get(row, "digest")));
        json_decref(row);
    } else {
        array = json_object_get(x->line, x->table);
        if (!array) {
            array = ordo_need(json_array());
            ordo_json_set(x->line, x->table, array);
        }
        ordo_need(json_array_append_new(array, row) == 0 ? array : NULL);
    }
    return 0;
}

static int run_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    struct export *x = ctx;
    struct ordo_store_sink sink = {columns, part_row, x};

    (void)n;
    x->line = NULL;
    x->status = ordo_store_show(x->call->store, cell[0].integer, &sink, x->err);
    if (x->status == ORDO_OK && x->line)
        write_line(x, x->line);
    else
        json_decref(x->line);
    ordo_progress("db export: run", ++x->n_run, 0);
    return x->status != ORDO_OK || ferror(x->out);
}

static int no_columns(void *ctx, const char *table, int n, const char *const *name)
{
    (void)ctx, (void)table, (void)n, (void)name;
    return 0;
}

/* With a filter: the runs that it lets through and what they may name, but not the corpus. */
static enum ordo_status jsonl(struct export *x)
{
    static const enum ordo_store_question before[] = {ORDO_STORE_PROBLEMS, ORDO_STORE_PLANS, ORDO_STORE_BUILDS,
                                                      ORDO_STORE_DEVICES, ORDO_STORE_INPUTS};
    static const enum ordo_store_question after[] = {ORDO_STORE_CASE_BYTES};
    const struct ordo_store_filter *f = &x->call->filter;
    bool filtered = f->verdict || f->design || f->problem || f->plan || f->since_us || f->until_us;
    struct ordo_store_sink sink = {no_columns, run_row, x};
    enum ordo_status status = tables(x, before, 5);

    if (status == ORDO_OK)
        status = ordo_store_ask(x->call->store, ORDO_STORE_RUN_IDS, f, &sink, x->err);
    ordo_progress_end();
    if (status == ORDO_OK)
        status = x->status;
    return status == ORDO_OK && !filtered ? tables(x, after, 1) : status;
}

static enum ordo_status csv(struct export *x)
{
    struct ordo_store_sink sink = ordo_db_csv_sink(x->out);

    return ordo_store_ask(x->call->store, ORDO_STORE_RUNS_UPWARDS, &x->call->filter, &sink, x->err);
}

static enum ordo_status junit(struct export *x)
{
    struct ordo_junit j = {.out = NULL};
    struct ordo_store_sink sink = ordo_db_junit_sink(&j);
    enum ordo_status status =
        ordo_store_ask(x->call->store, ORDO_STORE_RUNS_UPWARDS, &x->call->filter, &sink, x->err);

    j.out = x->out;
    if (status != ORDO_OK)
        return status;
    ordo_db_junit_begin(&j);
    status = ordo_store_ask(x->call->store, ORDO_STORE_RUNS_UPWARDS, &x->call->filter, &sink, x->err);
    ordo_db_junit_end(&j);
    return status;
}

static enum ordo_status write_all(struct export *x)
{
    switch ((enum format)ordo_opt_choice(x->call->args, "format")) {
    case CSV:
        return csv(x);
    case JUNIT:
        return junit(x);
    default:
        return jsonl(x);
    }
}

/* Into the fresh file of ordo_replace_file, which then vanishes again if the database cannot be read. */
static int fill(int fd, void *ctx)
{
    struct export *x = ctx;
    int copy = dup(fd), why = 0;

    x->out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!x->out)
        return errno;
    x->status = write_all(x);
    errno = 0;
    if (fflush(x->out) != 0 || ferror(x->out)) /* what was refused is tried again: its errno is long overwritten */
        why = errno ? errno : EIO;
    if (fclose(x->out) != 0 && !why)
        why = errno;
    return why ? why : x->status == ORDO_OK ? 0 : ECANCELED;
}

enum ordo_status ordo_db_export(struct ordo_db_call *call, struct ordo_err *err)
{
    const char *path = ordo_opt_string(call->args, "output");
    struct ordo_err inner = {0};
    struct export x = {.call = call, .err = &inner};
    enum ordo_status status;

    if (path) {
        status = ordo_replace_file(path, "--output", fill, &x, err);
    } else {
        x.out = stdout;
        status = x.status = write_all(&x);
    }
    if (x.status != ORDO_OK) { /* not the file's fault, but the database's */
        *err = inner;
        status = x.status;
    }
    return status;
}
