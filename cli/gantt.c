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

/* One complete event of a SM; nothing for an empty span. */
static void span(FILE *out, const struct ordo_gantt *g, const struct ordo_dense_event *e, const char *what,
                 int64_t from, int64_t to)
{
    if (to <= from)
        return;
    fprintf(out, ",\n{\"name\":\"%s h%" PRId32 " k%" PRId32 " q%" PRId32 "\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":0,"
                 "\"tid\":%" PRId32 ",\"ts\":%.6f,\"dur\":%.6f,\"args\":{\"cta\":%" PRId64 ",\"head\":%" PRId32
                 ",\"kv\":%" PRId32 ",\"query\":%" PRId32 ",\"rank\":%" PRId32 "}}",
            what, e->tile.head, e->tile.kv, e->query, what, e->slot, (double)from / (double)g->time->den,
            (double)(to - from) / (double)g->time->den, e->cta, e->tile.head, e->tile.kv, e->query, e->rank);
}

static void write_trace(FILE *out, const struct ordo_gantt *g)
{
    fprintf(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,"
                 "\"tid\":0,\"args\":{\"name\":\"%s\"}}", g->dense->schedule->name);
    for (int32_t s = 0; s < g->time->slots; s++)
        fprintf(out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":%" PRId32
                     ",\"args\":{\"name\":\"SM %" PRId32 "\"}}", s, s);
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
