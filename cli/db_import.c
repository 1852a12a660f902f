/* db_import.c - `ordo db import`: what db_export.c wrote, in one transaction; see db.h. */
#include "base/progress.h"
#include "cli/db.h"
#include "cli/db_text.h"
#include "cli/out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64 };

struct import {
    struct ordo_db_call *call;
    struct ordo_err *err;
    uint64_t runs, known, cases, cases_known;
};

/* --- a row ------------------------------------------------------------------------------------------------------ */

struct row {
    int n;
    const char *name[MOST_COLUMNS];
    struct ordo_store_cell cell[MOST_COLUMNS];
    char *owned[MOST_COLUMNS];
};

static enum ordo_status read_row(json_t *object, struct row *r, struct ordo_err *err)
{
    const char *key;
    json_t *value;

    r->n = 0;
    json_object_foreach(object, key, value) {
        if (r->n == MOST_COLUMNS)
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, "row", "has more than %d fields", MOST_COLUMNS);
        r->name[r->n] = key;
        if (!ordo_db_from_json(value, key, &r->cell[r->n], &r->owned[r->n]))
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, key, "has a value that no export writes");
        r->n++;
    }
    return ORDO_OK;
}

static void free_row(struct row *r)
{
    for (int i = 0; i < r->n; i++)
        free(r->owned[i]);
}

static enum ordo_status put(struct import *m, const char *table, int64_t run, json_t *object, int64_t *id)
{
    struct row r;
    enum ordo_status status;

    if (!json_is_object(object))
        return ordo_fail(m->err, ORDO_BAD_INPUT, NULL, table, "is not an object");
    status = read_row(object, &r, m->err);
    if (status == ORDO_OK)
        status = ordo_store_put(m->call->store, table, run, r.n, r.name, r.cell, id, m->err);
    free_row(&r);
    return status;
}

/* --- a line ----------------------------------------------------------------------------------------------------- */

/* The parts of a run stand beside its row, arrays under the names of their tables. */
static enum ordo_status put_run(struct import *m, json_t *line)
{
    json_t *row = json_object_get(line, "row"), *array;
    int64_t run, ignored;
    const char *key;
    bool known;
    enum ordo_status status = put(m, "run", 0, row, &run);

    json_object_foreach(line, key, array) {
        if (strcmp(key, "schema") == 0 || strcmp(key, "table") == 0 || strcmp(key, "row") == 0)
            continue;
        if (status == ORDO_OK && !json_is_array(array))
            status = ordo_fail(m->err, ORDO_BAD_INPUT, NULL, key, "is not an array of rows");
        for (size_t i = 0; status == ORDO_OK && i < json_array_size(array); i++)
            status = put(m, key, run, json_array_get(array, i), &ignored);
    }
    if (status == ORDO_OK)
        status = ordo_store_put_end(m->call->store, run, json_string_value(json_object_get(row, "content")), &known,
                                    m->err);
    if (status == ORDO_OK)
        m->runs++, m->known += known;
    return status;
}

static const struct ordo_store_cell *find(const struct row *r, const char *name)
{
    for (int i = 0; i < r->n; i++)
        if (strcmp(r->name[i], name) == 0)
            return &r->cell[i];
    return NULL;
}

/* Under the name that the line says, which has to be one that the bytes may have: theirs, or the case's. */
static enum ordo_status add_case(struct import *m, const char *says, struct ordo_store_case *c)
{
    struct ordo_digest name = ordo_db_name_case(c->body, c->size);
    char hex[ORDO_DIGEST_HEX];
    enum ordo_store_added added;
    enum ordo_status status;

    if (strcmp(ordo_digest_hex(&name, hex), says) == 0)
        c->digest = &name;
    status = ordo_store_add_case(m->call->store, c, hex, &added, m->err);
    if (status == ORDO_OK && !c->digest && strcmp(hex, says) != 0)
        status = ordo_fail(m->err, ORDO_BAD_INPUT, NULL, "digest",
                           "the case says %.12s..., but its bytes give %.12s...", says, hex);
    m->cases++, m->cases_known += status == ORDO_OK && added != ORDO_STORE_ADDED;
    c->digest = NULL;
    return status;
}

static enum ordo_status put_case(struct import *m, json_t *object)
{
    struct row r;
    enum ordo_status status = read_row(object, &r, m->err);

    if (status == ORDO_OK) {
        const struct ordo_store_cell *digest = find(&r, "digest"), *name = find(&r, "name"), *body = find(&r, "body");
        const struct ordo_store_cell *expected = find(&r, "expected"), *from = find(&r, "provenance");
        const struct ordo_store_cell *when = find(&r, "added_us");

        if (!digest || !digest->text || !name || !name->text || !body || !body->text) {
            status = ordo_fail(m->err, ORDO_BAD_INPUT, NULL, "corpus", "a case has a digest, a name and a body");
        } else {
            struct ordo_store_case c = {.name = name->text, .expected = expected ? expected->text : NULL,
                                        .provenance = from ? from->text : NULL, .added_us = when ? when->integer : 0,
                                        .body = body->text, .size = body->size};

            status = add_case(m, digest->text, &c);
        }
    }
    free_row(&r);
    return status;
}

static enum ordo_status put_line(struct import *m, json_t *line)
{
    const char *schema = json_string_value(json_object_get(line, "schema"));
    const char *table = json_string_value(json_object_get(line, "table"));
    int64_t ignored;

    if (!schema || strcmp(schema, "ordo.export/1") != 0 || !table)
        return ordo_fail(m->err, ORDO_BAD_INPUT, NULL, "schema",
                         "is not ordo.export/1, so this is no export of ours");
    if (strcmp(table, "run") == 0)
        return put_run(m, line);
    if (strcmp(table, "case") == 0)
        return put_case(m, json_object_get(line, "row"));
    return put(m, table, 0, json_object_get(line, "row"), &ignored);
}

/* --- files ------------------------------------------------------------------------------------------------------ */

/* Puts the place before what went wrong. */
static enum ordo_status at_line(enum ordo_status status, const char *path, uint64_t n, struct ordo_err *err)
{
    struct ordo_err inner = *err;

    if (status == ORDO_OK || status == ORDO_ENVIRONMENT)
        return status;
    return ordo_fail(err, status, path, inner.field, "line %" PRIu64 ": %.380s", n, inner.reason);
}

static enum ordo_status read_file(struct import *m, const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    uint64_t n = 0;
    json_error_t why;
    enum ordo_status status = ORDO_OK;

    if (!f)
        return ordo_fail_errno(m->err, errno == ENOENT ? ORDO_BAD_INPUT : ORDO_ENVIRONMENT, errno, path, "import",
                               "cannot be opened");
    while (status == ORDO_OK && (length = getline(&text, &room, f)) >= 0) {
        json_t *line = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);

        n++;
        status = line ? put_line(m, line)
                      : ordo_fail(m->err, ORDO_BAD_INPUT, NULL, "JSON", "%s", why.text);
        status = at_line(status, path, n, m->err);
        json_decref(line);
        ordo_progress("db import: line", n, 0);
    }
    ordo_progress_end();
    if (status == ORDO_OK && ferror(f))
        status = ordo_fail(m->err, ORDO_ENVIRONMENT, path, "import", "cannot be read");
    free(text);
    (void)fclose(f);
    return status;
}

static void say(const struct import *m)
{
    json_t *o;

    if (!m->call->args->json) {
        printf("%" PRIu64 " runs, %" PRIu64 " of them there already; %" PRIu64 " cases, %" PRIu64
               " of them there already\n", m->runs, m->known, m->cases, m->cases_known);
        return;
    }
    o = ordo_json_new("ordo.db/1");
    ordo_json_u64(o, "runs", m->runs);
    ordo_json_u64(o, "runs_known", m->known);
    ordo_json_u64(o, "cases", m->cases);
    ordo_json_u64(o, "cases_known", m->cases_known);
    ordo_out_json(o);
}

enum ordo_status ordo_db_import(struct ordo_db_call *call, struct ordo_err *err)
{
    struct import m = {.call = call, .err = err};
    enum ordo_status status = ordo_store_begin(call->store, err);

    if (status != ORDO_OK)
        return status;
    for (int i = 0; i < call->n_operand && status == ORDO_OK; i++)
        status = read_file(&m, call->operand[i]);
    status = ordo_store_end(call->store, status, err);
    if (status == ORDO_OK)
        say(&m);
    return status;
}
