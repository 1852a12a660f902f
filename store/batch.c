/* batch.c - see store.h: what belongs together is stored together. */
#include "store/impl.h"

enum ordo_status ordo_store_enter(struct ordo_store *store, const char *doing, struct ordo_err *err)
{
    return ordo_store_exec(store, store->batch ? "SAVEPOINT part" : "BEGIN IMMEDIATE", doing, err);
}

enum ordo_status ordo_store_leave(struct ordo_store *store, enum ordo_status status, const char *doing,
                                  struct ordo_err *err)
{
    if (status == ORDO_OK)
        status = ordo_store_exec(store, store->batch ? "RELEASE part" : "COMMIT", doing, err);
    if (status != ORDO_OK && !sqlite3_get_autocommit(store->db)) /* SQLite rolls back by itself after some errors */
        (void)sqlite3_exec(store->db, store->batch ? "ROLLBACK TO part; RELEASE part" : "ROLLBACK", NULL, NULL, NULL);
    return status;
}

enum ordo_status ordo_store_begin(struct ordo_store *store, struct ordo_err *err)
{
    enum ordo_status status;

    ORDO_BUG_ON(store->batch);
    status = ordo_store_enter(store, "cannot begin to store", err);
    store->batch = status == ORDO_OK;
    return status;
}

enum ordo_status ordo_store_end(struct ordo_store *store, enum ordo_status status, struct ordo_err *err)
{
    ORDO_BUG_ON(!store->batch);
    store->batch = false;
    return ordo_store_leave(store, status, "cannot store", err);
}
