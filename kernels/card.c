/* card.c - memory, launches, graphs and the clock of a card; see card.h. */
#include "kernels/card_impl.h"

#include "base/clock.h"

#include <time.h>

/* The busy kernel takes a part of the SMs only: what it slows down must still be able to start. */
enum { GRID = 1056, BUSY_GRID = 66, THREADS = 256 };

static enum ordo_status check(const struct ordo_card *c, CUresult result, const char *what, struct ordo_err *err)
{
    return ordo_driver_check(&c->call, result, what, err);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static CUdeviceptr at(const void *p)
{
    return (CUdeviceptr)(uintptr_t)p;
}

enum ordo_status ordo_card_alloc(struct ordo_card *c, uint64_t bytes, void **address, struct ordo_err *err)
{
    CUdeviceptr p = 0;
    enum ordo_status status = check(c, c->call.alloc(&p, bytes ? bytes : 16), "memory", err);

    *address = (void *)(uintptr_t)p;
    return status;
}

enum ordo_status ordo_card_free(struct ordo_card *c, void *address, struct ordo_err *err)
{
    return address ? check(c, c->call.free(at(address)), "memory", err) : ORDO_OK;
}

enum ordo_status ordo_card_fill(struct ordo_card *c, void *to, uint32_t word, uint64_t bytes, struct ordo_err *err)
{
    return bytes / 4 ? check(c, c->call.set_d32(at(to), word, bytes / 4, c->stream), "fill", err) : ORDO_OK;
}

enum ordo_status ordo_card_write(struct ordo_card *c, void *to, const void *from, uint64_t bytes,
                                 struct ordo_err *err)
{
    return bytes ? check(c, c->call.to_device(at(to), from, bytes, c->stream), "write", err) : ORDO_OK;
}

enum ordo_status ordo_card_copy_out(struct ordo_card *c, void *to, const void *from, uint64_t bytes,
                                    struct ordo_err *err)
{
    return bytes ? check(c, c->call.to_host(to, at(from), bytes, c->stream), "read", err) : ORDO_OK;
}

enum ordo_status ordo_card_wait(struct ordo_card *c, double seconds, bool *hung, struct ordo_err *err)
{
    const struct timespec nap = {0, 50000};
    double end = ordo_seconds() + seconds;
    CUresult result;
    enum ordo_status status = check(c, c->call.event_record(c->end, c->stream), "wait", err);

    *hung = false;
    if (status != ORDO_OK)
        return status;
    while ((result = c->call.event_query(c->end)) == CUDA_ERROR_NOT_READY) {
        if (ordo_seconds() > end) {
            *hung = true;
            return ORDO_OK;
        }
        (void)nanosleep(&nap, NULL);
    }
    return check(c, result, "wait", err);
}

/* --- kernels of the runner -------------------------------------------------------------------------------------- */

static enum ordo_status start(struct ordo_card *c, CUfunction function, uint32_t grid, CUstream stream,
                              void **argument, struct ordo_err *err)
{
    CUlaunchConfig config = {.gridDimX = grid,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = THREADS,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = stream};

    return check(c, c->call.launch(&config, function, argument, NULL), "runner's kernel", err);
}

enum ordo_status ordo_card_compare(struct ordo_card *c, const void *a, const void *b, uint64_t n, uint64_t *count,
                                   struct ordo_err *err)
{
    void *argument[] = {&a, &b, &n, &count};

    return start(c, c->compare, GRID, c->stream, argument, err);
}

enum ordo_status ordo_card_keep(struct ordo_card *c, void *to, const void *from, uint64_t bytes, struct ordo_err *err)
{
    uint64_t n = bytes / 4;
    void *argument[] = {&to, &from, &n};

    return start(c, c->keep, GRID, c->stream, argument, err);
}

enum ordo_status ordo_card_busy(struct ordo_card *c, uint32_t microseconds, struct ordo_err *err)
{
    void *scratch = (void *)(uintptr_t)c->scratch;
    uint64_t n = ORDO_CARD_SCRATCH / 4, nanoseconds = (uint64_t)microseconds * 1000;
    void *argument[] = {&scratch, &n, &nanoseconds};

    return start(c, c->busy, BUSY_GRID, c->second, argument, err);
}

/* --- graphs and the clock --------------------------------------------------------------------------------------- */

enum ordo_status ordo_card_graph_begin(struct ordo_card *c, struct ordo_err *err)
{
    return check(c, c->call.capture_begin(c->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "graph", err);
}

enum ordo_status ordo_card_graph_end(struct ordo_card *c, struct ordo_card_graph **graph, struct ordo_err *err)
{
    CUgraph draft = NULL;
    CUgraphExec exec = NULL;
    enum ordo_status status = check(c, c->call.capture_end(c->stream, &draft), "graph", err);

    if (status == ORDO_OK)
        status = check(c, c->call.graph_make(&exec, draft, 0), "graph", err);
    if (draft)
        (void)c->call.draft_free(draft);
    *graph = (struct ordo_card_graph *)(void *)exec;
    return status;
}

enum ordo_status ordo_card_graph_run(struct ordo_card *c, struct ordo_card_graph *graph, struct ordo_err *err)
{
    return check(c, c->call.graph_launch((CUgraphExec)(void *)graph, c->stream), "graph", err);
}

void ordo_card_graph_free(struct ordo_card *c, struct ordo_card_graph *graph)
{
    if (graph)
        (void)c->call.graph_free((CUgraphExec)(void *)graph);
}

enum ordo_status ordo_card_mark(struct ordo_card *c, int mark, struct ordo_err *err)
{
    ORDO_BUG_ON(mark < 0 || mark > 1);
    return check(c, c->call.event_record(c->mark[mark], c->stream), "clock", err);
}

enum ordo_status ordo_card_time(struct ordo_card *c, float *milliseconds, struct ordo_err *err)
{
    return check(c, c->call.event_time(milliseconds, c->mark[0], c->mark[1]), "clock", err);
}
