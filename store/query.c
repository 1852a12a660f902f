/* query.c - see store.h: reading, as streams of rows. */
#include "store/impl.h"

#include <stdlib.h>
#include <string.h>

struct ordo_store_cell ordo_store_cell_of(sqlite3_stmt *stmt, int i)
{
    struct ordo_store_cell c = {0};

    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_INTEGER:
        c.type = ORDO_STORE_INT;
        c.integer = sqlite3_column_int64(stmt, i);
        break;
    case SQLITE_FLOAT:
        c.type = ORDO_STORE_REAL;
        c.real = sqlite3_column_double(stmt, i);
        break;
    case SQLITE_TEXT:
        c.type = ORDO_STORE_TEXT;
        c.text = (const char *)sqlite3_column_text(stmt, i);
        c.size = (size_t)sqlite3_column_bytes(stmt, i);
        break;
    case SQLITE_BLOB:
        c.type = ORDO_STORE_BLOB;
        c.text = sqlite3_column_blob(stmt, i);
        c.size = (size_t)sqlite3_column_bytes(stmt, i);
        break;
    default:
        c.type = ORDO_STORE_NULL;
    }
    return c;
}

int ordo_store_stream(sqlite3_stmt *stmt, const char *table, const struct ordo_store_sink *sink)
{
    int n = sqlite3_column_count(stmt), i, rc;
    const char **name = calloc((size_t)n + 1, sizeof *name);
    struct ordo_store_cell *cell = calloc((size_t)n + 1, sizeof *cell);

    if (!name || !cell) {
        rc = SQLITE_NOMEM;
        goto out;
    }
    for (i = 0; i < n; i++)
        name[i] = sqlite3_column_name(stmt, i);
    if (sink->columns(sink->ctx, table, n, name) != 0) {
        rc = SQLITE_ROW;
        goto out;
    }
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        for (i = 0; i < n; i++)
            cell[i] = ordo_store_cell_of(stmt, i);
        if (sink->row(sink->ctx, n, cell) != 0)
            break;
    }
out:
    free(name);
    free(cell);
    return rc;
}

enum ordo_status ordo_store_judge(const struct ordo_store *store, int rc, struct ordo_err *err)
{
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? ORDO_OK
                                                 : ordo_store_fail(store, rc, "cannot read the database", err);
}

/* --- one run ---------------------------------------------------------------------------------------------------- */

const struct ordo_store_part ordo_store_parts[] = {
    {"run", "SELECT id, strftime('%Y-%m-%dT%H:%M:%fZ', started_us / 1e6, 'unixepoch') AS started, started_us, "
            "finished_us, verb, argv, version, input, verdict, finding, content FROM run WHERE id = ?1"},
    {"problem", "SELECT digest, n_query, topk, n_kv, live, dead_queries, duplicates, duplicate_queries FROM problem "
                "WHERE id = (SELECT problem FROM run WHERE id = ?1)"},
    {"plan", "SELECT digest, design, target, wave, cluster, planes, head_blocks, waves, workspace_bytes, "
             "private_workspace_bytes, text FROM plan WHERE id = (SELECT plan FROM run WHERE id = ?1)"},
    {"proof", "SELECT verdict, ordering, deadlock, race, assumption, engines, updates, row_count, accumulators, "
              "order_digest FROM proof WHERE run = ?1"},
    {"bits", "SELECT input_class, seed, width, bits_digest FROM bits WHERE run = ?1 ORDER BY input_class"},
    {"oracle", "SELECT input_class, rows, columns, terms, sampled, outside_bound, not_exact, mpfr_disagreements, "
               "worst_ratio FROM oracle WHERE run = ?1 ORDER BY input_class"},
    {"row_bits", "SELECT input_class, row, col, bits FROM row_bits WHERE run = ?1 ORDER BY input_class, row, col"},
    {"result", "SELECT x.seq, q.digest AS problem, l.digest AS plan, b.digest AS build, d.digest AS device, "
               "i.digest AS input, x.output, x.output_digest, x.verdict, x.seconds FROM result x "
               "LEFT JOIN problem q ON q.id = x.problem LEFT JOIN plan l ON l.id = x.plan "
               "LEFT JOIN build b ON b.id = x.build LEFT JOIN device d ON d.id = x.device "
               "LEFT JOIN input i ON i.id = x.input WHERE x.run = ?1 ORDER BY x.seq"},
    {"sample", "SELECT metric, rep, value FROM sample WHERE run = ?1 ORDER BY metric, rep"},
    {NULL, NULL},
};

static int show_part(struct ordo_store *store, const struct ordo_store_part *part, int64_t run_id,
                     const struct ordo_store_sink *sink)
{
    sqlite3_stmt *stmt = NULL;
    int rc = ordo_store_prepare(store, part->sql, &stmt);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(stmt, 1, run_id);
    if (rc == SQLITE_OK)
        rc = ordo_store_stream(stmt, part->table, sink);
    if (stmt)
        (void)sqlite3_reset(stmt);
    return rc;
}

enum ordo_status ordo_store_exists(struct ordo_store *store, int64_t run_id, struct ordo_err *err)
{
    sqlite3_stmt *stmt = NULL;
    enum ordo_status status;
    int rc = sqlite3_prepare_v2(store->db, "SELECT 1 FROM run WHERE id = ?", -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(stmt, 1, run_id);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    status = ordo_store_judge(store, rc, err);
    (void)sqlite3_finalize(stmt);
    if (status == ORDO_OK && rc == SQLITE_DONE)
        return ordo_fail(err, ORDO_BAD_INPUT, store->path, "run", "there is no run %lld", (long long)run_id);
    return status;
}

enum ordo_status ordo_store_show(struct ordo_store *store, int64_t run_id, const struct ordo_store_sink *sink,
                                 struct ordo_err *err)
{
    enum ordo_status status = ordo_store_exists(store, run_id, err);
    const struct ordo_store_part *part;
    int rc;

    if (status != ORDO_OK)
        return status;
    for (part = ordo_store_parts; part->table; part++) {
        rc = show_part(store, part, run_id, sink);
        if (rc != SQLITE_DONE)
            return ordo_store_judge(store, rc, err);
    }
    return ORDO_OK;
}

/* --- the user's own questions ----------------------------------------------------------------------------------- */

/* sqlite3_stmt_readonly calls ATTACH and some pragmas read-only; this list does not. */
static int allow(void *ctx, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)ctx, (void)c, (void)d;
    if (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE)
        return SQLITE_OK;
    if (action == SQLITE_FUNCTION)
        return strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    if (action == SQLITE_UPDATE) /* how table functions (json_each) declare themselves; SQLite lets nobody do it */
        return strcmp(a, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    if (action == SQLITE_PRAGMA)
        return strncmp(a, "table_", 6) == 0 || strcmp(a, "integrity_check") == 0 ? SQLITE_OK : SQLITE_DENY;
    return SQLITE_DENY;
}

/* Whether only blanks, semicolons and comments are left. */
static bool ends(sqlite3 *db, const char *tail)
{
    sqlite3_stmt *stmt = NULL;
    bool nothing = true;

    while (nothing && *tail) {
        nothing = sqlite3_prepare_v2(db, tail, -1, &stmt, &tail) == SQLITE_OK && !stmt;
        (void)sqlite3_finalize(stmt);
    }
    return nothing;
}

static enum ordo_status refuse(struct ordo_store *store, int rc, struct ordo_err *err)
{
    int primary = rc & 0xff;

    if (primary == SQLITE_AUTH || primary == SQLITE_READONLY)
        return ordo_fail(err, ORDO_USAGE, store->path, "sql", "only a SELECT is allowed here: the statement does "
                         "more than read");
    if (primary == SQLITE_ERROR || primary == SQLITE_RANGE || primary == SQLITE_MISMATCH || primary == SQLITE_TOOBIG)
        return ordo_fail(err, ORDO_USAGE, store->path, "sql", "%s", sqlite3_errmsg(store->db));
    return ordo_store_fail(store, rc, "cannot read the database", err);
}

enum ordo_status ordo_store_sql(struct ordo_store *store, const char *sql, const struct ordo_store_sink *sink,
                                struct ordo_err *err)
{
    sqlite3_stmt *stmt = NULL;
    enum ordo_status status = ORDO_OK;
    const char *tail = "";
    int rc;

    (void)sqlite3_set_authorizer(store->db, allow, NULL);
    rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, &tail);
    if (rc == SQLITE_OK && !stmt)
        status = ordo_fail(err, ORDO_USAGE, store->path, "sql", "there is no statement");
    else if (rc == SQLITE_OK && !sqlite3_stmt_readonly(stmt))
        status = refuse(store, SQLITE_READONLY, err);
    else if (rc == SQLITE_OK && !ends(store->db, tail))
        status = ordo_fail(err, ORDO_USAGE, store->path, "sql", "one statement at a time, please");
    else if (rc == SQLITE_OK)
        rc = ordo_store_stream(stmt, "sql", sink);
    if (status == ORDO_OK && rc != SQLITE_OK && rc != SQLITE_DONE && rc != SQLITE_ROW)
        status = refuse(store, rc, err);
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_set_authorizer(store->db, NULL, NULL);
    return status;
}
