/* gantt.c - see gantt.h: the tasks of a run, and their trace file. */
#include "cli/gantt.h"

#include "base/replace.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static void keep(void *ctx, const struct ordo_dense_event *e)
{
    struct ordo_gantt *g = ctx;

    ORDO_BUG_ON(g->n >= g->most);
    g->event[g->n++] = *e;
}

struct ordo_dense_watch ordo_gantt_watch(struct ordo_gantt *g)
{
    return (struct ordo_dense_watch){keep, g};
}

/* --- the trace -------------------------------------------------------------------------------------------------- */

static int64_t stamp(const struct ordo_gantt *g, int64_t tick)
{
    return (int64_t)(((__int128)tick * 1000 + g->time->den / 2) / g->time->den);
}

/* One complete event of a SM; nothing for an empty span. */
static void span(FILE *out, const struct ordo_gantt *g, const struct ordo_dense_event *e, const char *what,
                 int64_t from, int64_t to)
{
    int32_t thread = e->slot + (g->overlap && from >= e->ready ? g->time->slots : 0);

    if (to <= from)
        return;
    fprintf(out, ",\n{\"name\":\"%s h%" PRId32 " k%" PRId32 " q%" PRId32 "\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":0,"
                 "\"tid\":%" PRId32 ",\"ts\":%" PRId64 ",\"dur\":%" PRId64 ",\"args\":{\"cta\":%" PRId64
                 ",\"head\":%" PRId32 ",\"kv\":%" PRId32 ",\"query\":%" PRId32 ",\"rank\":%" PRId32 "}}",
            what, e->tile.head, e->tile.kv, e->query, what, thread, stamp(g, from),
            stamp(g, to) - stamp(g, from), e->cta, e->tile.head, e->tile.kv, e->query, e->rank);
}

static void write_trace(FILE *out, const struct ordo_gantt *g)
{
    fprintf(out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,"
                 "\"tid\":0,\"args\":{\"name\":\"%s\"}}", g->dense->schedule->name);
    for (int32_t t = 0; t < (g->overlap ? 2 : 1) * g->time->slots; t++)
        fprintf(out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":%" PRId32
                     ",\"args\":{\"name\":\"SM %" PRId32 "%s\"}}", t, t % g->time->slots,
                t < g->time->slots ? "" : ", reductions");
    for (int64_t i = 0; i < g->n; i++) {
        const struct ordo_dense_event *e = &g->event[i];

        span(out, g, e, "products", e->begin, e->ready);
        span(out, g, e, "wait", e->ready, e->reduce);
        span(out, g, e, "reduce", e->reduce, e->end);
    }
    fputs("\n]}\n", out);
}

static int fill(int fd, void *ctx)
{
    int copy = dup(fd), code = 0;
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

    if (!out) {
        code = errno;
        if (copy >= 0)
            (void)close(copy);
        return code;
    }
    errno = 0;
    write_trace(out, ctx);
    if (ferror(out))
        code = errno ? errno : EIO;
    if (fclose(out) != 0 && !code)
        code = errno ? errno : EIO;
    return code;
}

enum ordo_status ordo_gantt_trace(const char *path, const struct ordo_gantt *g, struct ordo_err *err)
{
    struct ordo_gantt copy = *g;

    return ordo_replace_file(path, "--trace", fill, &copy, err);
}
