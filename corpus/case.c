/* case.c - a case in memory, to text, to a file and back; see case.h. */
#include "corpus/case.h"

#include "base/replace.h"
#include "base/size.h"
#include "corpus/bytes.h"
#include "corpus/case_fill.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ordo_case_init(struct ordo_case *c)
{
    *c = (struct ordo_case){.heads = 64};
#define ORDO_X(name) c->name = UINT64_MAX;
    ORDO_CASE_NUMBERS(ORDO_X)
#undef ORDO_X
}

void ordo_case_free(struct ordo_case *c)
{
    ordo_problem_free(&c->problem);
    ordo_case_init(c);
}

enum ordo_status ordo_case_copy(const struct ordo_case *from, struct ordo_case *to, struct ordo_err *err)
{
    const struct ordo_problem *p = &from->problem;
    uint64_t n = from->is_virtual ? 0 : (uint64_t)p->n_query * (uint64_t)p->topk;

    *to = *from;
    to->problem.idx = ordo_alloc_zero(n + (uint64_t)p->topk * !from->is_virtual, sizeof *p->idx);
    to->problem.length = p->length ? ordo_alloc_zero((uint64_t)p->n_query + 1, sizeof *p->length) : NULL;
    if (!to->problem.idx || (p->length && !to->problem.length)) {
        ordo_case_free(to);
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "case", "no memory for a copy");
    }
    if (n)
        memcpy(to->problem.idx, p->idx, n * sizeof *p->idx);
    if (p->length)
        memcpy(to->problem.length, p->length, (size_t)p->n_query * sizeof *p->length);
    return ORDO_OK;
}

/* --- to text ---------------------------------------------------------------------------------------------------- */

static void print_about(const struct ordo_case *c, FILE *out)
{
    const char *const text[][2] = {
        {"report", c->report}, {"link", c->link}, {"note", c->note}, {"expect", c->expect},
        {"outputs", c->outputs}};

    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        if (text[i][1][0])
            fprintf(out, "%s %s\n", text[i][0], text[i][1]);
#define ORDO_X(name)                                                                                                 \
    if (c->name != UINT64_MAX)                                                                                       \
        fprintf(out, #name " %" PRIu64 "\n", c->name);
    ORDO_CASE_NUMBERS(ORDO_X)
#undef ORDO_X
}

static void print_plan(const struct ordo_case *c, FILE *out)
{
    if (c->design[0])
        fprintf(out, "design %s\n", c->design);
    if (c->cluster)
        fprintf(out, "cluster %" PRId32 "\n", c->cluster);
    if (c->wave)
        fprintf(out, "wave %" PRId32 "\n", c->wave);
    fprintf(out, "heads %" PRId32 "\n", c->heads);
    if (c->d_qk)
        fprintf(out, "dqk %" PRId32 "\n", c->d_qk);
    if (c->d_v)
        fprintf(out, "dv %" PRId32 "\n", c->d_v);
    ordo_case_print_fill(c, out);
    fprintf(out, "values %s %" PRIu64 "\nschedule %" PRIu64 "\n", c->rough ? "rough" : "exact", c->value_seed,
            c->schedule_seed);
}

static void print_problem(const struct ordo_case *c, FILE *out)
{
    const struct ordo_problem *p = &c->problem;
    bool rows = !c->is_virtual && p->n_query && p->topk;

    fprintf(out, "kv %" PRId32 "\n", p->n_kv);
    if (c->is_virtual)
        fputs("virtual\n", out);
    if (!rows)
        fprintf(out, "queries %" PRId32 "\ntopk %" PRId32 "\n", p->n_query, p->topk);
    if (p->length && p->n_query) {
        fputs("length", out);
        for (int32_t q = 0; q < p->n_query; q++)
            fprintf(out, " %" PRId32, p->length[q]);
        putc('\n', out);
    }
    if (rows)
        fputs("rows\n", out);
    for (int64_t i = 0; rows && i < (int64_t)p->n_query * p->topk; i++)
        fprintf(out, "%" PRId32 "%c", p->idx[i], (i + 1) % p->topk ? ' ' : '\n');
}

char *ordo_case_print(const struct ordo_case *c, bool bare)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    if (!out)
        return NULL;
    fputs(ORDO_CASE_MAGIC "\n", out);
    if (!bare)
        print_about(c, out);
    print_plan(c, out);
    print_problem(c, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static enum ordo_status no_memory(struct ordo_err *err)
{
    return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "case", "no memory for its text");
}

enum ordo_status ordo_case_digest(const struct ordo_case *c, struct ordo_digest *digest, struct ordo_err *err)
{
    char *text = ordo_case_print(c, true);
    struct ordo_hasher h;

    if (!text)
        return no_memory(err);
    ordo_hasher_init(&h);
    ordo_hasher_text(&h, text);
    *digest = ordo_hasher_done(&h);
    free(text);
    return ORDO_OK;
}

static int fill(int fd, void *ctx)
{
    const char *text = ctx;

    return ordo_write_all(fd, text, strlen(text));
}

enum ordo_status ordo_case_write(const char *path, const struct ordo_case *c, struct ordo_err *err)
{
    char *text = ordo_case_print(c, false);
    enum ordo_status status = text ? ordo_replace_file(path, "case", fill, text, err) : no_memory(err);

    free(text);
    return status;
}

enum ordo_status ordo_case_read(const char *path, struct ordo_case *c, struct ordo_err *err)
{
    struct ordo_site at = {path, NULL, err};
    struct ordo_bytes b;
    char *bytes = NULL;
    enum ordo_status status = ordo_bytes_open(&at, &b);

    ordo_case_init(c);
    if (status != ORDO_OK)
        return status;
    if (b.size > ORDO_CASE_BYTES)
        status = ordo_fail(err, ORDO_BAD_INPUT, path, "file", "is too large for a case: above 16 MiB");
    else if (!(bytes = ordo_alloc(b.size, 1)))
        status = ordo_fail(err, ORDO_ENVIRONMENT, path, "file", "no memory for its text");
    else
        status = ordo_bytes_read(&at, &b, 0, bytes, (size_t)b.size);
    if (status == ORDO_OK)
        status = ordo_case_parse(path, bytes, (size_t)b.size, c, err);
    free(bytes);
    ordo_bytes_close(&b);
    return status;
}
