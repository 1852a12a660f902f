/* corpus.c - see store.h: cases, byte for byte, named by their digest. */
#include "store/impl.h"

#include <stdio.h>
#include <string.h>

static enum ordo_status find(struct ordo_store *store, const char *hex, char *expected, size_t size, bool *there,
                             struct ordo_err *err)
{
    sqlite3_stmt *stmt = NULL;
    const char *text;
    int rc = ordo_store_prepare(store, "SELECT expected FROM corpus WHERE digest = ?", &stmt);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, hex, -1, SQLITE_TRANSIENT);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    *there = rc == SQLITE_ROW;
    if (*there) {
        text = (const char *)sqlite3_column_text(stmt, 0);
        (void)snprintf(expected, size, "%s", text ? text : "");
    }
    if (stmt)
        (void)sqlite3_reset(stmt);
    return ordo_store_judge(store, rc, err);
}

/* A case that came without a verdict. */
static enum ordo_status add_verdict(struct ordo_insert *in, const char *hex, const char *expected)
{
    ordo_insert_start(in, "UPDATE corpus SET expected = ? WHERE digest = ?");
    ordo_insert_text(in, expected);
    ordo_insert_text(in, hex);
    (void)ordo_insert_finish(in);
    return in->status;
}

enum ordo_status ordo_store_add_case(struct ordo_store *store, const struct ordo_store_case *c, char *hex, bool *added,
                                     struct ordo_err *err)
{
    struct ordo_insert in = {.store = store, .err = err};
    struct ordo_digest digest = ordo_store_digest_of(c->body, c->size);
    char expected[64];
    bool there;

    *added = false;
    (void)ordo_digest_hex(&digest, hex);
    in.status = find(store, hex, expected, sizeof expected, &there, err);
    if (in.status == ORDO_OK && there && c->expected && !*expected)
        return add_verdict(&in, hex, c->expected);
    if (in.status == ORDO_OK && there && c->expected && strcmp(c->expected, expected) != 0)
        return ordo_fail(err, ORDO_BAD_INPUT, c->name, "expected", "the corpus holds this case with the verdict '%s', "
                         "not '%s'", expected, c->expected);
    if (in.status != ORDO_OK || there)
        return in.status;
    ordo_insert_start(&in, "INSERT INTO corpus (digest, name, expected, provenance, added_us, body) "
                           "VALUES (?, ?, ?, ?, ?, ?)");
    ordo_insert_digest(&in, &digest);
    ordo_insert_text(&in, c->name);
    ordo_insert_text(&in, c->expected);
    ordo_insert_text(&in, c->provenance);
    ordo_insert_int(&in, c->added_us);
    ordo_insert_blob(&in, c->body, c->size);
    (void)ordo_insert_finish(&in);
    *added = in.status == ORDO_OK;
    return in.status;
}
