/* check.c - is this file ours, and of which version?  An empty one becomes ours; an older one is
 * copied aside, then upgraded. */
#include "store/impl.h"

#include "store/schema.h"

#include <stdio.h>

/* One integer answer. */
static enum ordo_status ask(struct ordo_store *store, const char *sql, int64_t *out, struct ordo_err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);

    *out = 0;
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) {
        *out = sqlite3_column_int64(stmt, 0);
        rc = SQLITE_OK;
    }
    (void)sqlite3_finalize(stmt);
    return rc == SQLITE_OK ? ORDO_OK : ordo_store_fail(store, rc, "cannot read the database", err);
}

/* *version: user_version of a file of ours, 0 of an empty one. */
static enum ordo_status identify(struct ordo_store *store, int64_t *version, struct ordo_err *err)
{
    int64_t application, tables;
    enum ordo_status status = ask(store, "PRAGMA application_id", &application, err);

    if (status == ORDO_OK)
        status = ask(store, "PRAGMA user_version", version, err);
    if (status == ORDO_OK)
        status = ask(store, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (status != ORDO_OK)
        return status;
    if (application == 0 && *version == 0 && tables == 0)
        return ORDO_OK;
    if (application != ORDO_STORE_APPLICATION_ID)
        return ordo_fail(err, ORDO_BAD_INPUT, store->path, "application_id",
                         "is %lld, so this is a database of another program, left alone", (long long)application);
    if (*version > ordo_store_version())
        return ordo_fail(err, ORDO_BAD_INPUT, store->path, "user_version",
                         "is %lld, but this ordo knows versions up to %d: use a newer ordo", (long long)*version,
                         ordo_store_version());
    if (*version < 1)
        return ordo_fail(err, ORDO_BAD_INPUT, store->path, "user_version", "is %lld, which no ordo has written",
                         (long long)*version);
    return ORDO_OK;
}

/* Runs of before got no digest of their content. */
static enum ordo_status seal_all(struct ordo_store *store, struct ordo_err *err)
{
    static const char next[] = "SELECT min(id) FROM run WHERE content IS NULL AND id > ?";
    struct ordo_insert in = {.store = store, .err = err};
    struct ordo_digest content;
    int64_t id = 0;

    for (;;) {
        ordo_insert_start(&in, next);
        ordo_insert_int(&in, id);
        id = ordo_insert_finish(&in);
        if (in.status != ORDO_OK || id == 0)
            return in.status;
        in.status = ordo_store_seal(store, id, &content, err);
    }
}

/* Inside a transaction: another process may have been quicker, so the version is asked again. */
static enum ordo_status upgrade(struct ordo_store *store, struct ordo_err *err)
{
    char stamp[96];
    int64_t version;
    enum ordo_status status = identify(store, &version, err);
    bool old = version > 0 && version < ordo_store_version();

    if (status == ORDO_OK && version == ordo_store_version())
        return ORDO_OK;
    if (status == ORDO_OK && old)
        status = ordo_store_back_up(store, (int)version, err);
    if (status == ORDO_OK && old)
        store->upgraded_from = (int)version;
    for (; status == ORDO_OK && ordo_store_steps[version]; version++)
        status = ordo_store_exec(store, ordo_store_steps[version], "making the tables", err);
    if (status == ORDO_OK)
        status = ordo_store_exec(store, ordo_store_views, "making the views", err);
    if (status == ORDO_OK && old)
        status = seal_all(store, err);
    if (status != ORDO_OK)
        return status;
    (void)snprintf(stamp, sizeof stamp, "PRAGMA application_id = %ld; PRAGMA user_version = %d",
                   (long)ORDO_STORE_APPLICATION_ID, ordo_store_version());
    return ordo_store_exec(store, stamp, "making the tables", err);
}

enum ordo_status ordo_store_check(struct ordo_store *store, enum ordo_store_mode mode, struct ordo_err *err)
{
    int64_t version;
    enum ordo_status status = identify(store, &version, err);

    if (status != ORDO_OK || version == ordo_store_version())
        return status;
    if (mode == ORDO_STORE_READ && version == 0)
        return ordo_fail(err, ORDO_BAD_INPUT, store->path, "db", "is an empty database, without any run");
    if (mode == ORDO_STORE_READ)
        return ordo_fail(err, ORDO_BAD_INPUT, store->path, "user_version", "is %lld, of an older ordo: "
                         "`ordo db upgrade` brings it to %d and keeps a copy", (long long)version,
                         ordo_store_version());
    status = ordo_store_enter(store, "making the tables", err);
    return status == ORDO_OK ? ordo_store_leave(store, upgrade(store, err), "making the tables", err) : status;
}
