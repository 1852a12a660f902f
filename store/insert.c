/* insert.c - statements that are prepared once, and filled from left to right; see impl.h. */
#include "store/impl.h"

int ordo_store_prepare(struct ordo_store *store, const char *sql, sqlite3_stmt **stmt)
{
    int i, rc;

    for (i = 0; i < store->n_statement; i++)
        if (store->statement[i].sql == sql) {
            *stmt = store->statement[i].stmt;
            return SQLITE_OK;
        }
    ORDO_BUG_ON(i == ORDO_STORE_STATEMENTS);
    rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);
    if (rc == SQLITE_OK) {
        store->statement[i].sql = sql;
        store->statement[i].stmt = *stmt;
        store->n_statement++;
    }
    return rc;
}

static void check(struct ordo_insert *in, int rc)
{
    if (rc != SQLITE_OK && in->status == ORDO_OK)
        in->status = ordo_store_fail(in->store, rc, "cannot store the run", in->err);
}

void ordo_insert_start(struct ordo_insert *in, const char *sql)
{
    in->column = 0;
    if (in->status == ORDO_OK)
        check(in, ordo_store_prepare(in->store, sql, &in->stmt));
}

void ordo_insert_int(struct ordo_insert *in, int64_t x)
{
    in->column++;
    if (in->status == ORDO_OK)
        check(in, sqlite3_bind_int64(in->stmt, in->column, x));
}

void ordo_insert_null(struct ordo_insert *in)
{
    in->column++; /* finish left all parameters NULL */
}

void ordo_insert_count(struct ordo_insert *in, const char *name, uint64_t x)
{
    if (x > INT64_MAX && in->status == ORDO_OK)
        in->status = ordo_fail(in->err, ORDO_BAD_INPUT, in->store->path, name,
                               "is %llu, above 2^63-1, and cannot be stored", (unsigned long long)x);
    ordo_insert_int(in, (int64_t)x);
}

void ordo_insert_text(struct ordo_insert *in, const char *text)
{
    in->column++;
    if (in->status == ORDO_OK && text)
        check(in, sqlite3_bind_text(in->stmt, in->column, text, -1, SQLITE_TRANSIENT));
}

void ordo_insert_blob(struct ordo_insert *in, const void *bytes, size_t n)
{
    in->column++;
    if (in->status == ORDO_OK)
        check(in, n ? sqlite3_bind_blob64(in->stmt, in->column, bytes, n, SQLITE_TRANSIENT)
                    : sqlite3_bind_zeroblob(in->stmt, in->column, 0));
}

void ordo_insert_digest(struct ordo_insert *in, const struct ordo_digest *d)
{
    char hex[ORDO_DIGEST_HEX];

    ordo_insert_text(in, d ? ordo_digest_hex(d, hex) : NULL);
}

void ordo_insert_real(struct ordo_insert *in, double x)
{
    in->column++;
    if (in->status == ORDO_OK)
        check(in, sqlite3_bind_double(in->stmt, in->column, x));
}

int64_t ordo_insert_finish(struct ordo_insert *in)
{
    int64_t id = 0;
    int rc;

    if (in->status == ORDO_OK) {
        ORDO_BUG_ON(in->column != sqlite3_bind_parameter_count(in->stmt));
        while ((rc = sqlite3_step(in->stmt)) == SQLITE_ROW)
            id = sqlite3_column_int64(in->stmt, 0);
        check(in, rc == SQLITE_DONE ? SQLITE_OK : rc);
    }
    if (in->stmt) {
        (void)sqlite3_reset(in->stmt);
        (void)sqlite3_clear_bindings(in->stmt);
    }
    in->stmt = NULL;
    return id;
}
