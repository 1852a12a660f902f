/* verify.c - see store.h: is the file sound, and does every digest still name what it was made of?
 *
 * The digests of index tensors, kernels, cubins and values cannot be made again: what they name is not in the
 * file. */
#include "store/impl.h"

#include "store/schema.h"

#include "base/progress.h"

#include <stdio.h>
#include <string.h>

struct verify {
    struct ordo_store *store;
    struct ordo_digest (*name_case)(const void *body, size_t size);
    const struct ordo_store_sink *sink;
    struct ordo_err *err;
    uint64_t found, looked;
};

static struct ordo_store_cell text_cell(const char *text)
{
    return (struct ordo_store_cell){.type = ORDO_STORE_TEXT, .text = text, .size = strlen(text)};
}

static void report(struct verify *v, const char *check, const char *what, const char *says)
{
    struct ordo_store_cell cell[] = {text_cell(check), text_cell(what), text_cell(says)};

    v->found++;
    (void)v->sink->row(v->sink->ctx, 3, cell);
}

/* --- what SQLite itself can say --------------------------------------------------------------------------------- */

static enum ordo_status sound(struct verify *v)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(v->store->db, "PRAGMA integrity_check", -1, &stmt, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") != 0)
            report(v, "integrity", "file", (const char *)sqlite3_column_text(stmt, 0));
    }
    (void)sqlite3_finalize(stmt);
    return ordo_store_judge(v->store, rc, v->err);
}

static enum ordo_status references(struct verify *v)
{
    char what[96];
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(v->store->db, "PRAGMA foreign_key_check", -1, &stmt, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(stmt);
        if (rc != SQLITE_ROW)
            continue;
        (void)snprintf(what, sizeof what, "%s row %lld", sqlite3_column_text(stmt, 0),
                       (long long)sqlite3_column_int64(stmt, 1));
        report(v, "reference", what, "names a row that is not there");
    }
    (void)sqlite3_finalize(stmt);
    return ordo_store_judge(v->store, rc, v->err);
}

/* --- views ------------------------------------------------------------------------------------------------------ */

/* The file's text of a view that has to be `want`. */
static int compare_view(struct verify *v, const char *name, const char *want)
{
    char what[96];
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(v->store->db, "SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?", -1,
                                &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, name, -1, SQLITE_TRANSIENT);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    (void)snprintf(what, sizeof what, "view %s", name);
    if (rc == SQLITE_DONE)
        report(v, "view", what, "is not there");
    else if (rc == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(stmt, 0), want) != 0)
        report(v, "view", what, "is not the one that this ordo makes, so its answers may be others");
    (void)sqlite3_finalize(stmt);
    return rc == SQLITE_ROW ? SQLITE_DONE : rc;
}

/* A fresh database in memory says what the views are; others that a user has added are the user's. */
static enum ordo_status views(struct verify *v)
{
    static const char list[] = "SELECT name, sql FROM sqlite_schema WHERE type = 'view' ORDER BY name";
    sqlite3 *fresh = NULL;
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_open(":memory:", &fresh), of_file = SQLITE_DONE;

    for (int i = 0; rc == SQLITE_OK && i < ordo_store_version(); i++)
        rc = sqlite3_exec(fresh, ordo_store_steps[i], NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(fresh, ordo_store_views, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(fresh, list, -1, &stmt, NULL);
    while (rc == SQLITE_OK && of_file == SQLITE_DONE && sqlite3_step(stmt) == SQLITE_ROW)
        of_file = compare_view(v, (const char *)sqlite3_column_text(stmt, 0),
                               (const char *)sqlite3_column_text(stmt, 1));
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(fresh);
    if (rc != SQLITE_OK)
        return ordo_fail(v->err, ORDO_ENVIRONMENT, NULL, "db", "no fresh database to compare with: %s",
                         sqlite3_errstr(rc));
    return ordo_store_judge(v->store, of_file, v->err);
}

/* --- digests ---------------------------------------------------------------------------------------------------- */

static void compare(struct verify *v, const char *what, const char *named, const struct ordo_digest *made)
{
    char hex[ORDO_DIGEST_HEX], says[160];

    v->looked++;
    (void)ordo_digest_hex(made, hex);
    if (strcmp(hex, named) == 0)
        return;
    (void)snprintf(says, sizeof says, "is named %s, but its content gives %s", named, hex);
    report(v, "digest", what, says);
}

static struct ordo_digest of_bytes(const struct verify *v, sqlite3_stmt *stmt)
{
    const void *bytes = sqlite3_column_blob(stmt, 1);

    (void)v;
    return ordo_store_digest_of(bytes ? bytes : "", (size_t)sqlite3_column_bytes(stmt, 1));
}

static struct ordo_digest of_device(const struct verify *v, sqlite3_stmt *stmt)
{
    const struct ordo_store_device d = {
        (const char *)sqlite3_column_text(stmt, 1), (const char *)sqlite3_column_text(stmt, 2),
        (const char *)sqlite3_column_text(stmt, 3), (const char *)sqlite3_column_text(stmt, 4)};

    (void)v;
    return ordo_store_device_digest(&d);
}

/* By the bytes if that is the name it has: older versions knew no other. */
static struct ordo_digest of_case(const struct verify *v, sqlite3_stmt *stmt)
{
    const void *bytes = sqlite3_column_blob(stmt, 1);
    struct ordo_digest d = of_bytes(v, stmt);
    char hex[ORDO_DIGEST_HEX];

    if (!v->name_case || strcmp(ordo_digest_hex(&d, hex), (const char *)sqlite3_column_text(stmt, 0)) == 0)
        return d;
    return v->name_case(bytes ? bytes : "", (size_t)sqlite3_column_bytes(stmt, 1));
}

static const struct {
    const char *table, *sql;
    struct ordo_digest (*make)(const struct verify *v, sqlite3_stmt *stmt);
} named[] = {
    {"plan", "SELECT digest, text FROM plan", of_bytes},
    {"device", "SELECT digest, name, arch, uuid, driver FROM device", of_device},
    {"corpus", "SELECT digest, body FROM corpus", of_case},
};

static enum ordo_status digests(struct verify *v, size_t i)
{
    sqlite3_stmt *stmt = NULL;
    char what[96];
    int rc = sqlite3_prepare_v2(v->store->db, named[i].sql, -1, &stmt, NULL);

    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW) {
            const char *digest = (const char *)sqlite3_column_text(stmt, 0);
            struct ordo_digest d = named[i].make(v, stmt);

            (void)snprintf(what, sizeof what, "%s %.12s", named[i].table, digest);
            compare(v, what, digest, &d);
        }
    }
    (void)sqlite3_finalize(stmt);
    return ordo_store_judge(v->store, rc, v->err);
}

static enum ordo_status runs(struct verify *v)
{
    sqlite3_stmt *stmt = NULL;
    enum ordo_status status = ORDO_OK;
    struct ordo_digest content;
    char what[32];
    int rc = sqlite3_prepare_v2(v->store->db, "SELECT id, content FROM run ORDER BY id", -1, &stmt, NULL);

    while (status == ORDO_OK && (rc == SQLITE_OK || rc == SQLITE_ROW)) {
        rc = sqlite3_step(stmt);
        if (rc != SQLITE_ROW)
            continue;
        (void)snprintf(what, sizeof what, "run %lld", (long long)sqlite3_column_int64(stmt, 0));
        status = ordo_store_content(v->store, sqlite3_column_int64(stmt, 0), &content, v->err);
        if (sqlite3_column_type(stmt, 1) == SQLITE_NULL)
            report(v, "digest", what, "was stored without the digest of its content");
        else if (status == ORDO_OK)
            compare(v, what, (const char *)sqlite3_column_text(stmt, 1), &content);
        ordo_progress("db check: run", (uint64_t)sqlite3_column_int64(stmt, 0), 0);
    }
    ordo_progress_end();
    (void)sqlite3_finalize(stmt);
    return status == ORDO_OK ? ordo_store_judge(v->store, rc, v->err) : status;
}

enum ordo_status ordo_store_verify(struct ordo_store *store,
                                   struct ordo_digest (*name_case)(const void *body, size_t size),
                                   const struct ordo_store_sink *sink, uint64_t *found,
                                   uint64_t *digests_made, struct ordo_err *err)
{
    static const char *const columns[] = {"check", "what", "says"};
    struct verify v = {.store = store, .name_case = name_case, .sink = sink, .err = err};
    enum ordo_status status;
    size_t i;

    (void)sink->columns(sink->ctx, "check", 3, columns);
    status = sound(&v);
    if (status == ORDO_OK)
        status = references(&v);
    if (status == ORDO_OK)
        status = views(&v);
    for (i = 0; status == ORDO_OK && i < sizeof named / sizeof named[0]; i++)
        status = digests(&v, i);
    if (status == ORDO_OK)
        status = runs(&v);
    *found = v.found;
    *digests_made = v.looked;
    return status;
}
