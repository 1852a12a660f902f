/* content.c - what a run says, as one digest: it is stored with the run, so that a later reader can tell that nothing
 * moved, and that two files hold the same run.
 *
 * The text that is hashed: for each table of ordo_store_parts, for each row, its name and a line feed; then for each
 * column that is not NULL, but not id, started (it is started_us once more) or content: "NAME TYPE SIZE:" with the
 * type as i, r, t or b, the value (integers and reals as 16 hex digits of their 64 bits), and a line feed.  Columns
 * that a later version adds are NULL in old rows, so old digests stay. */
#include "store/impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool left_out(const char *name)
{
    return strcmp(name, "id") == 0 || strcmp(name, "started") == 0 || strcmp(name, "content") == 0;
}

static void hash_cell(struct ordo_hasher *h, const char *name, const struct ordo_store_cell *c)
{
    static const char letter[] = "?irtb";
    char text[64], value[24];
    uint64_t bits = (uint64_t)c->integer;
    size_t size = c->size;
    int n;

    if (c->type == ORDO_STORE_NULL || left_out(name))
        return;
    if (c->type == ORDO_STORE_REAL)
        memcpy(&bits, &c->real, sizeof bits);
    if (c->type == ORDO_STORE_INT || c->type == ORDO_STORE_REAL)
        size = (size_t)snprintf(value, sizeof value, "%016" PRIx64, bits);
    n = snprintf(text, sizeof text, "%s %c %zu:", name, letter[c->type], size);
    ORDO_BUG_ON(n >= (int)sizeof text);
    ordo_hasher_bytes(h, text, (size_t)n);
    ordo_hasher_bytes(h, c->type == ORDO_STORE_INT || c->type == ORDO_STORE_REAL ? value : c->text, size);
    ordo_hasher_bytes(h, "\n", 1);
}

static int hash_part(struct ordo_store *store, const struct ordo_store_part *part, int64_t run_id,
                     struct ordo_hasher *h)
{
    sqlite3_stmt *stmt = NULL;
    int rc = ordo_store_prepare(store, part->sql, &stmt), n, i;

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(stmt, 1, run_id);
    if (rc != SQLITE_OK)
        return rc;
    n = sqlite3_column_count(stmt);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        ordo_hasher_text(h, part->table);
        ordo_hasher_text(h, "\n");
        for (i = 0; i < n; i++) {
            struct ordo_store_cell c = ordo_store_cell_of(stmt, i);

            hash_cell(h, sqlite3_column_name(stmt, i), &c);
        }
    }
    (void)sqlite3_reset(stmt);
    return rc;
}

enum ordo_status ordo_store_content(struct ordo_store *store, int64_t run_id, struct ordo_digest *digest,
                                    struct ordo_err *err)
{
    const struct ordo_store_part *part;
    struct ordo_hasher h;
    int rc;

    ordo_hasher_init(&h);
    for (part = ordo_store_parts; part->table; part++) {
        rc = hash_part(store, part, run_id, &h);
        if (rc != SQLITE_DONE)
            return ordo_store_fail(store, rc, "cannot read the database", err);
    }
    *digest = ordo_hasher_done(&h);
    return ORDO_OK;
}

enum ordo_status ordo_store_seal(struct ordo_store *store, int64_t run_id, struct ordo_digest *digest,
                                 struct ordo_err *err)
{
    struct ordo_insert in = {.store = store, .err = err};

    in.status = ordo_store_content(store, run_id, digest, err);
    ordo_insert_start(&in, "UPDATE run SET content = ? WHERE id = ?");
    ordo_insert_digest(&in, digest);
    ordo_insert_int(&in, run_id);
    (void)ordo_insert_finish(&in);
    return in.status;
}

struct ordo_digest ordo_store_digest_of(const void *bytes, size_t n)
{
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    ordo_hasher_bytes(&h, bytes, n);
    return ordo_hasher_done(&h);
}

struct ordo_digest ordo_store_device_digest(const struct ordo_store_device *d)
{
    const char *const line[] = {d->name, d->arch, d->uuid, d->driver};
    struct ordo_hasher h;
    size_t i;

    ordo_hasher_init(&h);
    for (i = 0; i < sizeof line / sizeof line[0]; i++) {
        ordo_hasher_text(&h, line[i] ? line[i] : "");
        ordo_hasher_text(&h, "\n");
    }
    return ordo_hasher_done(&h);
}
