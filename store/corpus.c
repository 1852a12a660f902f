/* corpus.c - see store.h: cases, byte for byte, each once under its name. */
#include "store/impl.h"

#include <stdio.h>
#include <string.h>

/* What the corpus has under the name, or, named so by an older version, under the digest of the same bytes. */
struct held {
    bool there, same; /* same bytes */
    char hex[ORDO_DIGEST_HEX], expected[64];
};

static void copy_text(sqlite3_stmt *stmt, int column, char *out, size_t size)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);

    (void)snprintf(out, size, "%s", text ? text : "");
}

static enum ordo_status find(struct ordo_store *store, const struct ordo_store_case *c, const char *hex,
                             struct held *held, struct ordo_err *err)
{
    struct ordo_digest bytes = ordo_store_digest_of(c->body, c->size);
    char hex_of_bytes[ORDO_DIGEST_HEX];
    sqlite3_stmt *stmt = NULL;
    int rc = ordo_store_prepare(store, "SELECT digest, expected, body = ?3 FROM corpus WHERE digest IN (?1, ?2)",
                                &stmt);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 1, hex, -1, SQLITE_TRANSIENT);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_text(stmt, 2, ordo_digest_hex(&bytes, hex_of_bytes), -1, SQLITE_TRANSIENT);
    if (rc == SQLITE_OK)
        rc = c->size ? sqlite3_bind_blob64(stmt, 3, c->body, c->size, SQLITE_STATIC)
                     : sqlite3_bind_zeroblob(stmt, 3, 0);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    held->there = rc == SQLITE_ROW;
    if (held->there) {
        copy_text(stmt, 0, held->hex, sizeof held->hex);
        copy_text(stmt, 1, held->expected, sizeof held->expected);
        held->same = sqlite3_column_int(stmt, 2) != 0;
    }
    if (stmt) {
        (void)sqlite3_reset(stmt);
        (void)sqlite3_clear_bindings(stmt); /* the bytes are the caller's */
    }
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

enum ordo_status ordo_store_add_case(struct ordo_store *store, const struct ordo_store_case *c, char *hex,
                                     enum ordo_store_added *added, struct ordo_err *err)
{
    struct ordo_insert in = {.store = store, .err = err};
    struct ordo_digest digest = c->digest ? *c->digest : ordo_store_digest_of(c->body, c->size);
    struct held held;

    (void)ordo_digest_hex(&digest, hex);
    in.status = find(store, c, hex, &held, err);
    *added = in.status == ORDO_OK && held.there && !held.same ? ORDO_STORE_OTHERWISE : ORDO_STORE_THERE;
    if (in.status != ORDO_OK)
        return in.status;
    if (held.there) {
        memcpy(hex, held.hex, sizeof held.hex);
        if (c->expected && !*held.expected)
            return add_verdict(&in, hex, c->expected);
        if (c->expected && strcmp(c->expected, held.expected) != 0)
            return ordo_fail(err, ORDO_BAD_INPUT, c->name, "expected", "the corpus holds this case with the verdict "
                             "'%s', not '%s'", held.expected, c->expected);
        return ORDO_OK;
    }
    ordo_insert_start(&in, "INSERT INTO corpus (digest, name, expected, provenance, added_us, body) "
                           "VALUES (?, ?, ?, ?, ?, ?)");
    ordo_insert_digest(&in, &digest);
    ordo_insert_text(&in, c->name);
    ordo_insert_text(&in, c->expected);
    ordo_insert_text(&in, c->provenance);
    ordo_insert_int(&in, c->added_us);
    ordo_insert_blob(&in, c->body, c->size);
    (void)ordo_insert_finish(&in);
    if (in.status == ORDO_OK)
        *added = ORDO_STORE_ADDED;
    return in.status;
}
