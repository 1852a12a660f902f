/* case_read.c - a case from text; see case.h.
 *
 * A header line is `name value`; the names stand in one table with what reads them. */
#include "corpus/case.h"

#include "base/size.h"
#include "corpus/case_fill.h"
#include "corpus/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 32 };

struct parser {
    const char *path;
    struct ordo_case *c;
    struct ordo_err *err;
    const char *next, *end; /* what is left of the text */
    uint64_t line;
    uint32_t seen; /* names, one bit each */
    bool rows;     /* the line `rows` was the last */
    int32_t n_length;
};

static enum ordo_status bad(const struct parser *p, const char *why)
{
    char field[32];

    (void)snprintf(field, sizeof field, "line %" PRIu64, p->line);
    return ordo_fail(p->err, ORDO_BAD_INPUT, p->path, field, "%s", why);
}

/* --- values ----------------------------------------------------------------------------------------------------- */

static bool take_u64(const char **at, const char *end, uint64_t *out)
{
    const char *start = *at;
    uint64_t x = 0;

    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
        if (!ordo_mul(x, 10, &x) || !ordo_add(x, (uint64_t)(**at - '0'), &x))
            return false;
    *out = x;
    return *at > start;
}

static bool take_int(const char **at, const char *end, int32_t *out)
{
    bool negative = *at < end && **at == '-';
    uint64_t x;

    *at += negative;
    if (!take_u64(at, end, &x) || x > (uint64_t)INT32_MAX + negative)
        return false;
    *out = negative ? (int32_t)-(int64_t)x : (int32_t)x;
    return true;
}

/* One value up to the end of the line. */
static bool whole_u64(const char *v, const char *end, uint64_t *out)
{
    return take_u64(&v, end, out) && v == end;
}

static enum ordo_status extent(struct parser *p, const char *v, const char *end, int32_t *out)
{
    if (!take_int(&v, end, out) || v != end || *out < 0)
        return bad(p, "wants a number from 0 to 2147483647");
    return ORDO_OK;
}

static enum ordo_status text(struct parser *p, const char *v, const char *end, char *out, size_t size)
{
    size_t n = (size_t)(end - v);

    if (n == 0 || n >= size)
        return bad(p, n ? "has too long a text" : "has no text");
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)v[i] < ' ' || v[i] == 127)
            return bad(p, "has a control character");
    memcpy(out, v, n);
    out[n] = '\0';
    return ORDO_OK;
}

static enum ordo_status values(struct parser *p, const char *v, const char *end)
{
    bool rough = end - v > 6 && memcmp(v, "rough ", 6) == 0, exact = end - v > 6 && memcmp(v, "exact ", 6) == 0;

    if ((!rough && !exact) || !whole_u64(v + 6, end, &p->c->value_seed))
        return bad(p, "wants exact or rough, and a seed");
    p->c->rough = rough;
    return ORDO_OK;
}

static enum ordo_status lengths(struct parser *p, const char *v, const char *end)
{
    struct ordo_problem *q = &p->c->problem;
    int32_t room = (int32_t)((end - v) / 2 + 1); /* a number and a blank each; the file is below 2^24 bytes */

    q->length = ordo_alloc((uint64_t)room, sizeof *q->length);
    if (!q->length)
        return ordo_fail(p->err, ORDO_ENVIRONMENT, p->path, "length", "no memory for %d lengths", (int)room);
    while (v < end)
        if (!take_int(&v, end, &q->length[p->n_length++]) || (v < end && (*v != ' ' || ++v == end)))
            return bad(p, "wants one 32-bit integer a query, one blank between two");
    return p->n_length <= ORDO_CASE_SLOTS ? ORDO_OK : bad(p, "has more lengths than a case may have");
}

/* --- header lines ----------------------------------------------------------------------------------------------- */

/* X(name): its bit in `seen`. */
#define NAMES(X)                                                                                                     \
    X(report) X(link) X(note) X(expect) X(design) X(cluster) X(wave) X(heads) X(values) X(schedule) X(kv) X(queries) \
    X(topk) X(length) X(virtual) X(rows) X(dqk) X(dv) X(fill) X(outputs) ORDO_CASE_NUMBERS(X)
enum {
#define ORDO_X(name) NAME_##name,
    NAMES(ORDO_X)
#undef ORDO_X
        N_NAMES
};
static const char *const name_text[] = {
#define ORDO_X(name) #name,
    NAMES(ORDO_X)
#undef ORDO_X
};
_Static_assert((int)N_NAMES <= (int)MAX_NAMES, "one bit a name");

static uint64_t *number_of(struct ordo_case *c, int name)
{
    switch (name) {
#define ORDO_X(field)                                                                                                \
    case NAME_##field:                                                                                               \
        return &c->field;
        ORDO_CASE_NUMBERS(ORDO_X)
#undef ORDO_X
    default:
        return NULL;
    }
}

static enum ordo_status read_value(struct parser *p, int name, const char *v, const char *end)
{
    struct ordo_case *c = p->c;
    uint64_t *number = number_of(c, name);
    const char *why;

    if (number)
        return whole_u64(v, end, number) ? ORDO_OK : bad(p, "wants a number below 2^64");
    switch (name) {
    case NAME_report:
        return text(p, v, end, c->report, sizeof c->report);
    case NAME_link:
        return text(p, v, end, c->link, sizeof c->link);
    case NAME_note:
        return text(p, v, end, c->note, sizeof c->note);
    case NAME_expect:
        return text(p, v, end, c->expect, sizeof c->expect);
    case NAME_outputs:
        return text(p, v, end, c->outputs, sizeof c->outputs);
    case NAME_dqk:
        return extent(p, v, end, &c->d_qk);
    case NAME_dv:
        return extent(p, v, end, &c->d_v);
    case NAME_fill:
        return (why = ordo_case_read_fill(c, v, end)) ? bad(p, why) : ORDO_OK;
    case NAME_design:
        return text(p, v, end, c->design, sizeof c->design);
    case NAME_cluster:
        return extent(p, v, end, &c->cluster);
    case NAME_wave:
        return extent(p, v, end, &c->wave);
    case NAME_heads:
        return extent(p, v, end, &c->heads);
    case NAME_values:
        return values(p, v, end);
    case NAME_schedule:
        return whole_u64(v, end, &c->schedule_seed) ? ORDO_OK : bad(p, "wants a seed");
    case NAME_kv:
        return extent(p, v, end, &c->problem.n_kv);
    case NAME_queries:
        return extent(p, v, end, &c->problem.n_query);
    case NAME_topk:
        return extent(p, v, end, &c->problem.topk);
    case NAME_length:
        return lengths(p, v, end);
    default:
        if (v != end)
            return bad(p, "has a value where none belongs");
        c->is_virtual = c->is_virtual || name == NAME_virtual;
        p->rows = name == NAME_rows;
        return ORDO_OK;
    }
}

static enum ordo_status read_line(struct parser *p, const char *line, const char *end)
{
    const char *blank = memchr(line, ' ', (size_t)(end - line));
    size_t n = (size_t)((blank ? blank : end) - line);

    if (line == end || *line == '#')
        return ORDO_OK;
    for (int i = 0; i < N_NAMES; i++) {
        if (strlen(name_text[i]) != n || memcmp(name_text[i], line, n) != 0)
            continue;
        if (p->seen >> i & 1)
            return bad(p, "gives a name a second time");
        p->seen |= UINT32_C(1) << i;
        return read_value(p, i, blank ? blank + 1 : end, end);
    }
    return bad(p, "begins with no name that a case knows");
}

static bool next_line(struct parser *p, const char **line, const char **end)
{
    if (p->next == p->end)
        return false;
    *line = p->next;
    *end = memchr(p->next, '\n', (size_t)(p->end - p->next));
    *end = *end ? *end : p->end;
    p->next = *end + (*end < p->end);
    p->line++;
    return true;
}

/* --- rows, and the whole ---------------------------------------------------------------------------------------- */

static bool saw(const struct parser *p, int name)
{
    return p->seen >> name & 1;
}

/* The rest of the text by the reader of text tensors, whose line numbers begin anew. */
static enum ordo_status read_rows(struct parser *p)
{
    struct ordo_err own = {0};
    struct ordo_site at = {p->path, NULL, &own};
    int32_t n_kv = p->c->problem.n_kv;
    enum ordo_status status;
    uint64_t line;

    if (saw(p, NAME_queries) || saw(p, NAME_topk) || p->c->is_virtual)
        return bad(p, "opens rows, which stand instead of queries, topk and virtual");
    status = ordo_text_parse(&at, (const uint8_t *)p->next, (size_t)(p->end - p->next), &p->c->problem);
    p->c->problem.n_kv = n_kv;
    if (status == ORDO_OK && (int64_t)p->c->problem.n_query * p->c->problem.topk > ORDO_CASE_SLOTS)
        return bad(p, "opens more rows than a case may have: 524,288 slots");
    if (status == ORDO_OK && p->c->problem.length && p->c->problem.n_query != p->n_length)
        return ordo_fail(p->err, ORDO_BAD_INPUT, p->path, "length", "has %d values, but there are %d rows",
                         (int)p->n_length, (int)p->c->problem.n_query);
    if (status == ORDO_OK)
        return ORDO_OK;
    if (sscanf(own.field, "line %" SCNu64, &line) == 1)
        (void)snprintf(own.field, sizeof own.field, "line %" PRIu64, line + p->line);
    return ordo_fail(p->err, status, p->path, own.field, "%s", own.reason);
}

/* Without rows: extents, and an empty tensor unless virtual. */
static enum ordo_status read_extents(struct parser *p)
{
    struct ordo_problem *q = &p->c->problem;

    if (!saw(p, NAME_queries) || !saw(p, NAME_topk))
        return ordo_fail(p->err, ORDO_BAD_INPUT, p->path, "rows", "there are none, nor queries and topk");
    if (q->length && (p->c->is_virtual || p->n_length != q->n_query))
        return ordo_fail(p->err, ORDO_BAD_INPUT, p->path, "length", "needs as many queries, and not virtual");
    if (!p->c->is_virtual && q->n_query && q->topk)
        return ordo_fail(p->err, ORDO_BAD_INPUT, p->path, "rows",
                         "there are none, but %d queries of %d slots are promised", (int)q->n_query, (int)q->topk);
    q->idx = ordo_alloc(0, sizeof *q->idx);
    return q->idx ? ORDO_OK : ordo_fail(p->err, ORDO_ENVIRONMENT, p->path, "rows", "no memory");
}

static enum ordo_status read_all(struct parser *p)
{
    const char *line, *end;
    enum ordo_status status = ORDO_OK;

    if (!next_line(p, &line, &end) || (size_t)(end - line) != strlen(ORDO_CASE_MAGIC) ||
        memcmp(line, ORDO_CASE_MAGIC, strlen(ORDO_CASE_MAGIC)) != 0) {
        p->line = 1;
        return bad(p, "is not " ORDO_CASE_MAGIC);
    }
    while (status == ORDO_OK && !p->rows && next_line(p, &line, &end))
        status = read_line(p, line, end);
    if (status != ORDO_OK)
        return status;
    if (!saw(p, NAME_kv))
        return ordo_fail(p->err, ORDO_BAD_INPUT, p->path, "kv", "is missing");
    if (p->c->heads < 1)
        return ordo_fail(p->err, ORDO_BAD_INPUT, p->path, "heads", "there must be one at least");
    if (p->c->outputs[0] && p->c->is_virtual)
        return ordo_fail(p->err, ORDO_BAD_INPUT, p->path, "outputs",
                         "are claimed, but of virtual extents nothing runs");
    if (p->rows)
        return read_rows(p);
    return read_extents(p);
}

enum ordo_status ordo_case_parse(const char *path, const char *bytes, size_t n, struct ordo_case *c,
                                 struct ordo_err *err)
{
    struct parser p = {.path = path, .c = c, .err = err, .next = bytes, .end = bytes + n};
    enum ordo_status status;

    ordo_case_init(c);
    status = n <= ORDO_CASE_BYTES ? read_all(&p)
                            : ordo_fail(err, ORDO_BAD_INPUT, path, "file", "is too large for a case: above 16 MiB");
    if (status != ORDO_OK)
        ordo_case_free(c);
    return status;
}
