/* db_corpus.c - `ordo db corpus`: cases into the database and back, byte for byte; see db.h.
 *
 * A case is read for its name only; what is no case is kept too. */
#include "base/progress.h"
#include "base/replace.h"
#include "cli/db.h"
#include "cli/out.h"
#include "corpus/case.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 64 << 20, NAME = 16 }; /* digits of a digest in a file's name */

/* --- in --------------------------------------------------------------------------------------------------------- */

struct ordo_digest ordo_db_name_case(const void *body, size_t size)
{
    struct ordo_digest digest;
    struct ordo_hasher h;
    struct ordo_err err = {0};
    struct ordo_case c;

    if (size <= ORDO_CASE_BYTES && ordo_case_parse("case", body, size, &c, &err) == ORDO_OK) {
        enum ordo_status status = ordo_case_digest(&c, &digest, &err);

        ordo_case_free(&c);
        ordo_need(status == ORDO_OK ? &digest : NULL);
        return digest;
    }
    ordo_hasher_init(&h);
    ordo_hasher_bytes(&h, body, size);
    return ordo_hasher_done(&h);
}

static enum ordo_status slurp(const char *path, char **body, size_t *size, struct ordo_err *err)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    enum ordo_status status = ORDO_OK;

    *body = NULL;
    if (!f)
        return ordo_fail_errno(err, errno == ENOENT ? ORDO_BAD_INPUT : ORDO_ENVIRONMENT, errno, path, "case",
                               "cannot be opened");
    if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode))
        status = ordo_fail(err, ORDO_BAD_INPUT, path, "case", "is not a regular file");
    else if (st.st_size > LARGEST)
        status = ordo_fail(err, ORDO_BAD_INPUT, path, "case", "has more than %d MiB; large tensors stay outside",
                           LARGEST >> 20);
    if (status == ORDO_OK) {
        *body = ordo_need(malloc((size_t)st.st_size + 1));
        *size = fread(*body, 1, (size_t)st.st_size, f);
        if (ferror(f) || *size != (size_t)st.st_size)
            status = ordo_fail(err, ORDO_ENVIRONMENT, path, "case", "cannot be read");
    }
    (void)fclose(f);
    return status;
}

static void say_added(const struct ordo_args *args, const char *path, const char *hex, enum ordo_store_added added)
{
    static const char *const how[] = {
        [ORDO_STORE_THERE] = "there already",
        [ORDO_STORE_ADDED] = "added",
        [ORDO_STORE_OTHERWISE] = "there already, with other words about it, which stay",
    };
    json_t *o;

    if (!args->json) {
        printf("%.*s  %s  %s\n", NAME, hex, how[added], path);
        return;
    }
    o = ordo_json_new("ordo.db/1");
    ordo_json_text(o, "file", path);
    ordo_json_text(o, "digest", hex);
    ordo_json_bool(o, "added", added == ORDO_STORE_ADDED);
    ordo_json_bool(o, "same_bytes", added != ORDO_STORE_OTHERWISE);
    ordo_out_json(o);
}

static enum ordo_status add_one(struct ordo_db_call *call, const char *path, char *hex, enum ordo_store_added *added,
                                struct ordo_err *err)
{
    struct ordo_digest digest;
    const char *slash = strrchr(path, '/');
    struct ordo_store_case c = {
        .name = slash ? slash + 1 : path,
        .expected = ordo_opt_string(call->args, "expect"),
        .provenance = ordo_opt_string(call->args, "provenance"),
        .added_us = ordo_store_now_us(),
    };
    char *body;
    enum ordo_status status = slurp(path, &body, &c.size, err);

    c.body = body;
    c.digest = &digest;
    if (status == ORDO_OK) {
        digest = ordo_db_name_case(body, c.size);
        status = ordo_store_add_case(call->store, &c, hex, added, err);
    }
    free(body);
    return status;
}

/* What is said of each, kept until all of them are stored. */
struct said {
    char hex[ORDO_DIGEST_HEX];
    enum ordo_store_added added;
};

enum ordo_status ordo_db_corpus_add(struct ordo_db_call *call, struct ordo_err *err)
{
    struct said *said = ordo_need(calloc((size_t)call->n_operand, sizeof *said));
    enum ordo_status status = ordo_store_begin(call->store, err);

    if (status == ORDO_OK) {
        for (int i = 0; i < call->n_operand && status == ORDO_OK; i++) {
            status = add_one(call, call->operand[i], said[i].hex, &said[i].added, err);
            ordo_progress("corpus add: case", (uint64_t)i, (uint64_t)call->n_operand);
        }
        ordo_progress_end();
        status = ordo_store_end(call->store, status, err);
    }
    for (int i = 0; i < call->n_operand && status == ORDO_OK; i++)
        say_added(call->args, call->operand[i], said[i].hex, said[i].added);
    free(said);
    return status;
}

/* --- out -------------------------------------------------------------------------------------------------------- */

/* Rows of digest, name, expected, provenance, added_us, body. */
enum { DIGEST, BODY = 5 };

struct out {
    const char *want; /* show: how the digest starts */
    const char *dir;  /* export */
    struct ordo_err *err;
    enum ordo_status status;
    uint64_t n;
    char *body; /* show: the first that fits */
    size_t size;
};

static int columns(void *ctx, const char *table, int n, const char *const *name)
{
    (void)ctx, (void)table, (void)n, (void)name;
    return 0;
}

static int keep_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    struct out *o = ctx;

    (void)n;
    if (strncmp(cell[DIGEST].text, o->want, strlen(o->want)) != 0)
        return 0;
    if (o->n++ == 0) {
        o->size = cell[BODY].size;
        o->body = ordo_need(malloc(o->size + 1));
        if (o->size)
            memcpy(o->body, cell[BODY].text, o->size);
    }
    return 0;
}

enum ordo_status ordo_db_corpus_show(struct ordo_db_call *call, struct ordo_err *err)
{
    struct out o = {.want = call->operand[0]};
    struct ordo_store_sink sink = {columns, keep_row, &o};
    enum ordo_status status = ordo_store_ask(call->store, ORDO_STORE_CASE_BYTES, &call->filter, &sink, err);

    if (status == ORDO_OK && o.n != 1)
        status = ordo_fail(err, ORDO_BAD_INPUT, NULL, "HEX", "%" PRIu64 " cases have a digest that starts with '%s'",
                           o.n, o.want);
    if (status == ORDO_OK)
        (void)fwrite(o.body, 1, o.size, stdout);
    free(o.body);
    return status;
}

static int fill(int fd, void *ctx)
{
    const struct ordo_store_cell *body = ctx;

    return ordo_write_all(fd, body->size ? body->text : "", body->size);
}

static int export_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    struct out *o = ctx;
    struct ordo_store_cell body = cell[BODY];
    char path[4096];

    (void)n;
    if (snprintf(path, sizeof path, "%s/%.*s.case", o->dir, NAME, cell[DIGEST].text) >= (int)sizeof path)
        o->status = ordo_fail(o->err, ORDO_USAGE, NULL, "DIR", "is too long a name");
    else
        o->status = ordo_replace_file(path, "case", fill, &body, o->err);
    ordo_progress("corpus export: case", ++o->n, 0);
    return o->status != ORDO_OK;
}

enum ordo_status ordo_db_corpus_export(struct ordo_db_call *call, struct ordo_err *err)
{
    struct out o = {.dir = call->operand[0], .err = err};
    struct ordo_store_sink sink = {columns, export_row, &o};
    enum ordo_status status;

    if (mkdir(o.dir, 0777) != 0 && errno != EEXIST)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, o.dir, "DIR", "cannot be made");
    status = ordo_store_ask(call->store, ORDO_STORE_CASE_BYTES, &call->filter, &sink, err);
    ordo_progress_end();
    if (status == ORDO_OK)
        status = o.status;
    if (status == ORDO_OK && call->args->json) {
        json_t *line = ordo_json_new("ordo.db/1");

        ordo_json_u64(line, "cases", o.n);
        ordo_json_text(line, "folder", o.dir);
        ordo_out_json(line);
    } else if (status == ORDO_OK) {
        printf("%" PRIu64 " cases in %s\n", o.n, o.dir);
    }
    return status;
}
