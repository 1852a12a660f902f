/* impl.h - what the files of store/ share. */
#ifndef ORDO_STORE_IMPL_H
#define ORDO_STORE_IMPL_H

#include "store/store.h"

#include <sqlite3.h>
#include <stdbool.h>

struct ordo_store {
    sqlite3 *db;
    char *path;
};

/* Turns a result code of SQLite into a status, its text and the system's reason into err. */
enum ordo_status ordo_store_fail(const struct ordo_store *store, int rc, const char *doing, struct ordo_err *err);

/* Runs SQL without results; `doing` says what for. */
enum ordo_status ordo_store_exec(struct ordo_store *store, const char *sql, const char *doing, struct ordo_err *err);

/* Makes the file ours if it is empty, brings it up to date, and refuses it if it is foreign or newer. */
enum ordo_status ordo_store_check(struct ordo_store *store, enum ordo_store_mode mode, struct ordo_err *err);

#endif
