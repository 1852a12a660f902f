/* ask.c - see store.h: the questions that the program has a word for, each a SELECT from its documented view. */
#include "store/impl.h"

#include <string.h>

/* Parameters are named after the fields of ordo_store_filter; one that is not given is NULL. */
#define GIVEN(parameter, condition) "(:" parameter " IS NULL OR " condition ")"
#define STARTS(column) GIVEN(column, "substr(" column ", 1, length(:" column ")) = lower(:" column ")")
#define RUNS                                                                                                         \
    " FROM v_run WHERE " GIVEN("verdict", "verdict = :verdict") " AND " STARTS("problem") " AND " STARTS("plan")     \
    " AND " GIVEN("design", "design = :design") " AND " GIVEN("since", "started_us >= :since")                       \
    " AND " GIVEN("until", "started_us < :until")

static const struct {
    const char *table, *sql;
} questions[ORDO_STORE_N_QUESTIONS] = {
    [ORDO_STORE_RUNS] = {"run", "SELECT *" RUNS " ORDER BY id DESC LIMIT :limit"},
    [ORDO_STORE_RUN_IDS] = {"run", "SELECT id" RUNS " ORDER BY id"},
    [ORDO_STORE_RUNS_UPWARDS] = {"run", "SELECT *" RUNS " ORDER BY id"},
    [ORDO_STORE_FLIPS] = {"flip", "SELECT * FROM v_flip WHERE " STARTS("problem") " AND " STARTS("plan")
                                  " ORDER BY first_run, output"},
    [ORDO_STORE_COMPARE] = {"compare", "SELECT what, item, value_a, value_b, verdict FROM v_compare "
                                       "WHERE a = :a AND b = :b"},
    [ORDO_STORE_TREND] = {"trend", "SELECT * FROM v_trend WHERE metric = :metric AND " STARTS("problem") " AND "
                                   STARTS("plan") " ORDER BY verdict = 'up' DESC, verdict = 'down' DESC, run DESC"},
    [ORDO_STORE_METRICS] = {"metric", "SELECT DISTINCT metric FROM v_metric ORDER BY metric"},
    [ORDO_STORE_DESIGNS] = {"design", "SELECT DISTINCT design FROM v_run WHERE design NOT NULL ORDER BY design"},
    [ORDO_STORE_VERDICTS] = {"verdict", "SELECT DISTINCT verdict FROM v_run ORDER BY verdict"},
    [ORDO_STORE_CASES] = {"corpus", "SELECT * FROM v_corpus ORDER BY added, digest"},
    [ORDO_STORE_CASE_BYTES] = {"case", "SELECT digest, name, expected, provenance, added_us, body FROM corpus "
                                       "ORDER BY id"},
    [ORDO_STORE_PROBLEMS] = {"problem", "SELECT digest, n_query, topk, n_kv, live, dead_queries, duplicates, "
                                        "duplicate_queries FROM problem ORDER BY id"},
    [ORDO_STORE_PLANS] = {"plan", "SELECT digest, design, target, wave, cluster, planes, head_blocks, waves, "
                                  "workspace_bytes, private_workspace_bytes, text FROM plan ORDER BY id"},
    [ORDO_STORE_BUILDS] = {"build", "SELECT digest, cubin_digest, toolkit, flags FROM build ORDER BY id"},
    [ORDO_STORE_DEVICES] = {"device", "SELECT digest, name, arch, uuid, driver FROM device ORDER BY id"},
    [ORDO_STORE_INPUTS] = {"input", "SELECT digest, text FROM input ORDER BY id"},
};

static int bind_text(sqlite3_stmt *stmt, const char *name, const char *text)
{
    int at = sqlite3_bind_parameter_index(stmt, name);

    return at && text ? sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC) : SQLITE_OK;
}

static int bind_int(sqlite3_stmt *stmt, const char *name, int64_t x, int64_t none)
{
    int at = sqlite3_bind_parameter_index(stmt, name);

    return at && x != none ? sqlite3_bind_int64(stmt, at, x) : SQLITE_OK;
}

static int bind_all(sqlite3_stmt *stmt, const struct ordo_store_filter *f)
{
    const struct {
        const char *name, *text;
    } text[] = {{":verdict", f->verdict}, {":problem", f->problem}, {":plan", f->plan}, {":design", f->design},
                {":metric", f->metric}};
    const struct {
        const char *name;
        int64_t x, none;
    } number[] = {{":since", f->since_us, 0}, {":until", f->until_us, 0}, {":a", f->a, 0}, {":b", f->b, 0},
                  {":limit", f->limit ? f->limit : -1, 0}};
    int rc = SQLITE_OK;

    for (size_t i = 0; rc == SQLITE_OK && i < sizeof text / sizeof text[0]; i++)
        rc = bind_text(stmt, text[i].name, text[i].text);
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof number / sizeof number[0]; i++)
        rc = bind_int(stmt, number[i].name, number[i].x, number[i].none);
    return rc;
}

enum ordo_status ordo_store_ask(struct ordo_store *store, enum ordo_store_question question,
                                const struct ordo_store_filter *filter, const struct ordo_store_sink *sink,
                                struct ordo_err *err)
{
    sqlite3_stmt *stmt = NULL;
    enum ordo_status status;
    int rc = sqlite3_prepare_v2(store->db, questions[question].sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = bind_all(stmt, filter);
    if (rc == SQLITE_OK)
        rc = ordo_store_stream(stmt, questions[question].table, sink);
    status = ordo_store_judge(store, rc, err);
    (void)sqlite3_finalize(stmt);
    return status;
}
