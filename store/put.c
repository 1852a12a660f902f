/* put.c - see store.h: rows that come back by name, as an export wrote them.
 *
 * One insert a table; its parameters are the names that a row may have, and a reference is named by digest. */
#include "store/impl.h"

#include <stdio.h>
#include <string.h>

#define REF(table) "(SELECT id FROM " table " WHERE digest = :" table ")"

static const struct {
    const char *table;
    bool part; /* of a run */
    const char *sql;
} puts_[] = {
    {"problem", false, "INSERT INTO problem (digest, n_query, topk, n_kv, live, dead_queries, duplicates, "
                       "duplicate_queries) VALUES (:digest, :n_query, :topk, :n_kv, :live, :dead_queries, "
                       ":duplicates, :duplicate_queries) ON CONFLICT DO NOTHING"},
    {"plan", false, "INSERT INTO plan (digest, text, design, target, wave, cluster, planes, head_blocks, waves, "
                    "workspace_bytes, private_workspace_bytes) VALUES (:digest, :text, :design, :target, :wave, "
                    ":cluster, :planes, :head_blocks, :waves, :workspace_bytes, :private_workspace_bytes) "
                    "ON CONFLICT DO NOTHING"},
    {"build", false, "INSERT INTO build (digest, cubin_digest, toolkit, flags) VALUES (:digest, :cubin_digest, "
                     ":toolkit, :flags) ON CONFLICT DO NOTHING"},
    {"device", false, "INSERT INTO device (digest, name, arch, uuid, driver) VALUES (:digest, :name, :arch, :uuid, "
                      ":driver) ON CONFLICT DO NOTHING"},
    {"input", false, "INSERT INTO input (digest, text) VALUES (:digest, :text) ON CONFLICT DO NOTHING"},
    {"run", false, "INSERT INTO run (started_us, finished_us, verb, argv, version, input, problem, plan, verdict, "
                   "finding, content) VALUES (:started_us, :finished_us, :verb, :argv, :version, :input, "
                   REF("problem") ", " REF("plan") ", :verdict, :finding, :content) RETURNING id"},
    {"proof", true, "INSERT INTO proof (run, verdict, ordering, deadlock, race, assumption, engines, updates, "
                    "row_count, accumulators, order_digest) VALUES (:run, :verdict, :ordering, :deadlock, :race, "
                    ":assumption, :engines, :updates, :row_count, :accumulators, :order_digest)"},
    {"bits", true, "INSERT INTO bits (run, input_class, seed, width, bits_digest) VALUES (:run, :input_class, :seed, "
                   ":width, :bits_digest)"},
    {"oracle", true, "INSERT INTO oracle (run, input_class, rows, columns, terms, sampled, outside_bound, not_exact, "
                     "mpfr_disagreements, worst_ratio) VALUES (:run, :input_class, :rows, :columns, :terms, "
                     ":sampled, :outside_bound, :not_exact, :mpfr_disagreements, :worst_ratio)"},
    {"row_bits", true, "INSERT INTO row_bits (run, input_class, row, col, bits) VALUES (:run, :input_class, :row, "
                       ":col, :bits)"},
    {"result", true, "INSERT INTO result (run, seq, problem, plan, build, device, input, output, output_digest, "
                     "verdict, seconds) VALUES (:run, :seq, " REF("problem") ", " REF("plan") ", " REF("build") ", "
                     REF("device") ", " REF("input") ", :output, :output_digest, :verdict, :seconds)"},
    {"sample", true, "INSERT INTO sample (run, metric, rep, value) VALUES (:run, :metric, :rep, :value)"},
};

static int bind(sqlite3_stmt *stmt, int i, const struct ordo_store_cell *c)
{
    switch (c->type) {
    case ORDO_STORE_INT:
        return sqlite3_bind_int64(stmt, i, c->integer);
    case ORDO_STORE_REAL:
        return sqlite3_bind_double(stmt, i, c->real);
    case ORDO_STORE_TEXT:
        return sqlite3_bind_text(stmt, i, c->text, (int)c->size, SQLITE_TRANSIENT);
    case ORDO_STORE_BLOB:
        return sqlite3_bind_blob64(stmt, i, c->text, c->size, SQLITE_TRANSIENT);
    default:
        return sqlite3_bind_null(stmt, i);
    }
}

static enum ordo_status bind_row(struct ordo_store *store, sqlite3_stmt *stmt, const char *table, int n,
                                 const char *const *name, const struct ordo_store_cell *cell, struct ordo_err *err)
{
    char parameter[64];
    int i, at, rc;

    for (i = 0; i < n; i++) {
        (void)snprintf(parameter, sizeof parameter, ":%s", name[i]);
        at = sqlite3_bind_parameter_index(stmt, parameter);
        if (!at || strcmp(name[i], "run") == 0)
            return ordo_fail(err, ORDO_BAD_INPUT, store->path, table, "has no field '%s'", name[i]);
        rc = cell[i].size > INT32_MAX ? SQLITE_TOOBIG : bind(stmt, at, &cell[i]);
        if (rc != SQLITE_OK)
            return ordo_store_fail(store, rc, "cannot store the row", err);
    }
    return ORDO_OK;
}

enum ordo_status ordo_store_put(struct ordo_store *store, const char *table, int64_t run_id, int n,
                                const char *const *name, const struct ordo_store_cell *cell, int64_t *id,
                                struct ordo_err *err)
{
    sqlite3_stmt *stmt = NULL;
    enum ordo_status status;
    size_t i = 0;
    int rc;

    *id = 0;
    while (i < sizeof puts_ / sizeof puts_[0] && strcmp(puts_[i].table, table) != 0)
        i++;
    if (i == sizeof puts_ / sizeof puts_[0] || puts_[i].part != (run_id != 0))
        return ordo_fail(err, ORDO_BAD_INPUT, store->path, table, "is no table that can stand here");
    rc = ordo_store_prepare(store, puts_[i].sql, &stmt);
    if (rc != SQLITE_OK)
        return ordo_store_fail(store, rc, "cannot store the row", err);
    if (puts_[i].part)
        (void)sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, ":run"), run_id);
    status = bind_row(store, stmt, table, n, name, cell, err);
    if (status == ORDO_OK) {
        while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
            *id = sqlite3_column_int64(stmt, 0);
        /* What does not fit the tables is the file's fault, not ours. */
        if ((rc & 0xff) == SQLITE_CONSTRAINT || (rc & 0xff) == SQLITE_MISMATCH)
            status = ordo_fail(err, ORDO_BAD_INPUT, store->path, table, "%s", sqlite3_errmsg(store->db));
        else if (rc != SQLITE_DONE)
            status = ordo_store_fail(store, rc, "cannot store the row", err);
    }
    (void)sqlite3_reset(stmt);
    (void)sqlite3_clear_bindings(stmt);
    return status;
}

/* Whether another run says the same. */
static enum ordo_status is_known(struct ordo_store *store, int64_t run_id, const char *hex, bool *known,
                                 struct ordo_err *err)
{
    struct ordo_insert in = {.store = store, .err = err};

    ordo_insert_start(&in, "SELECT id FROM run WHERE content = ? AND id <> ? LIMIT 1");
    ordo_insert_text(&in, hex);
    ordo_insert_int(&in, run_id);
    *known = ordo_insert_finish(&in) != 0;
    return in.status;
}

enum ordo_status ordo_store_put_end(struct ordo_store *store, int64_t run_id, const char *content, bool *known,
                                    struct ordo_err *err)
{
    struct ordo_digest digest;
    char hex[ORDO_DIGEST_HEX];
    enum ordo_status status = ordo_store_seal(store, run_id, &digest, err);

    *known = false;
    if (status != ORDO_OK)
        return status;
    (void)ordo_digest_hex(&digest, hex);
    if (content && strcmp(content, hex) != 0)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "content", "the run says %.12s..., but its digest is %.12s...: "
                         "it was changed or damaged since its export", content, hex);
    status = is_known(store, run_id, hex, known, err);
    if (status == ORDO_OK && *known) {
        struct ordo_insert in = {.store = store, .err = err};

        ordo_insert_start(&in, "DELETE FROM run WHERE id = ?");
        ordo_insert_int(&in, run_id);
        (void)ordo_insert_finish(&in);
        status = in.status;
    }
    return status;
}
