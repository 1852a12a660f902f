/* card.c - see card.h. */
#include "kernels/card.h"

#include "base/clock.h"
#include "kernels/kernels_impl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct ordo_card {
    struct ordo_driver call;
    CUdevice device;
    bool retained;
    struct ordo_kernels *kernels;
    CUstream stream, second;
    CUevent mark[2], end;
    CUfunction compare, keep, busy;
    CUdeviceptr scratch;
    struct ordo_dsa_image image[ORDO_MOST_IMAGES];
    char *read[ORDO_MOST_IMAGES]; /* cubins from files, owned */
    struct ordo_card_name name;
};

/* The busy kernel takes a part of the SMs only: what it slows down must still be able to start. */
enum { SCRATCH = 64 << 20, GRID = 1056, BUSY_GRID = 66, THREADS = 256 };

static enum ordo_status check(const struct ordo_card *c, CUresult result, const char *what, struct ordo_err *err)
{
    return ordo_driver_check(&c->call, result, what, err);
}

/* --- names ------------------------------------------------------------------------------------------------------ */

/* The driver's version as NVML gives it, or "unknown". */
static void name_driver(struct ordo_card_name *name)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(void) = NULL, (*version)(char *, unsigned) = NULL;

    strcpy(name->driver, "unknown");
    if (library == NULL)
        return;
    *(void **)&init = dlsym(library, "nvmlInit_v2");
    *(void **)&version = dlsym(library, "nvmlSystemGetDriverVersion");
    if (init != NULL && version != NULL && (init() != 0 || version(name->driver, sizeof name->driver) != 0))
        strcpy(name->driver, "unknown");
    (void)dlclose(library);
}

static enum ordo_status attribute(const struct ordo_card *c, CUdevice_attribute which, int *value, struct ordo_err *err)
{
    return check(c, c->call.device_attribute(value, which, c->device), "attribute", err);
}

/* The compiler's version stands in the first cubin. */
static enum ordo_status name_toolkit(struct ordo_card *c, struct ordo_err *err)
{
    uint32_t version[3] = {0, 0, 0};
    CUdeviceptr address;
    size_t bytes;
    enum ordo_status status;

    if ((status = check(c, c->call.module_global(&address, &bytes, c->kernels->module[0], "toolkit"), "toolkit", err)) ||
        (status = check(c, c->call.to_host(version, address, sizeof version, c->stream), "toolkit", err)) ||
        (status = check(c, c->call.stream_wait(c->stream), "toolkit", err)))
        return status;
    (void)snprintf(c->name.toolkit, sizeof c->name.toolkit, "%u.%u.%u", (unsigned)version[0], (unsigned)version[1],
                   (unsigned)version[2]);
    return ORDO_OK;
}

static enum ordo_status name_all(struct ordo_card *c, struct ordo_err *err)
{
    struct ordo_hasher hasher;
    int major = 0, minor = 0;
    enum ordo_status status;

    if ((status = check(c, c->call.device_name(c->name.device, sizeof c->name.device, c->device), "name", err)) ||
        (status = attribute(c, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major, err)) ||
        (status = attribute(c, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor, err)) ||
        (status = attribute(c, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &c->name.processors, err)))
        return status;
    c->name.sm = 10 * major + minor;
    name_driver(&c->name);
    ordo_hasher_init(&hasher);
    for (int i = 0; i < ordo_dsa_images; i++)
        ordo_hasher_bytes(&hasher, c->image[i].begin, (size_t)(c->image[i].end - c->image[i].begin));
    c->name.cubin = ordo_hasher_done(&hasher);
    return ORDO_OK;
}

/* --- cubins ----------------------------------------------------------------------------------------------------- */

/* The whole file in c->read[i]; a file that is not there leaves the image that is built in. */
static enum ordo_status read_image(struct ordo_card *c, int i, const char *folder, struct ordo_err *err)
{
    char path[512];
    FILE *file;
    long n = -1;
    enum ordo_status status = ORDO_OK;

    (void)snprintf(path, sizeof path, "%s/%s.cubin", folder, c->image[i].name);
    file = fopen(path, "rb");
    if (!file)
        return ORDO_OK;
    if (fseek(file, 0, SEEK_END) == 0 && (n = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0)
        c->read[i] = malloc((size_t)n);
    if (!c->read[i] || fread(c->read[i], 1, (size_t)n, file) != (size_t)n)
        status = ordo_fail(err, ORDO_BAD_INPUT, path, NULL, "cannot be read");
    c->image[i].begin = c->read[i];
    c->image[i].end = c->read[i] ? c->read[i] + n : NULL;
    (void)fclose(file);
    return status;
}

static enum ordo_status find_images(struct ordo_card *c, const char *folder, struct ordo_err *err)
{
    bool any = false;
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < ordo_dsa_images && status == ORDO_OK; i++) {
        c->image[i] = ordo_dsa_image[i];
        if (folder)
            status = read_image(c, i, folder, err);
        any |= c->read[i] != NULL;
    }
    if (status == ORDO_OK && folder && !any)
        return ordo_fail(err, ORDO_BAD_INPUT, folder, NULL, "has no cubin of the kernels, as dsa_small.cubin");
    return status;
}

/* --- opening ---------------------------------------------------------------------------------------------------- */

static enum ordo_status find_kernels(struct ordo_card *c, struct ordo_err *err)
{
    c->compare = ordo_kernels_find(c->kernels, "ordo_dsa_compare");
    c->keep = ordo_kernels_find(c->kernels, "ordo_dsa_keep");
    c->busy = ordo_kernels_find(c->kernels, "ordo_dsa_busy");
    if (!c->compare || !c->keep || !c->busy)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "cubin", "lacks a kernel of the runner");
    return ORDO_OK;
}

static enum ordo_status open_card(struct ordo_card *c, struct ordo_err *err)
{
    CUcontext context;
    enum ordo_status status;

    if ((status = ordo_driver_find(&c->call, err)) || (status = check(c, c->call.init(0), "start", err)) ||
        (status = check(c, c->call.device_get(&c->device, 0), "device 0", err)) || (status = name_all(c, err)) ||
        (status = check(c, c->call.retain(&context, c->device), "context", err)))
        return status;
    c->retained = true;
    if ((status = check(c, c->call.set_current(context), "context", err)) ||
        (status = ordo_kernels_open_images(&c->kernels, c->image, ordo_dsa_images, err)) ||
        (status = check(c, c->call.stream_make(&c->stream, CU_STREAM_NON_BLOCKING), "stream", err)) ||
        (status = check(c, c->call.stream_make(&c->second, CU_STREAM_NON_BLOCKING), "stream", err)) ||
        (status = check(c, c->call.event_make(&c->mark[0], CU_EVENT_DEFAULT), "event", err)) ||
        (status = check(c, c->call.event_make(&c->mark[1], CU_EVENT_DEFAULT), "event", err)) ||
        (status = check(c, c->call.event_make(&c->end, CU_EVENT_DISABLE_TIMING), "event", err)) ||
        (status = check(c, c->call.alloc(&c->scratch, SCRATCH), "memory", err)) || (status = find_kernels(c, err)))
        return status;
    return name_toolkit(c, err);
}

enum ordo_status ordo_card_open(struct ordo_card **card, const char *cubins, struct ordo_err *err)
{
    enum ordo_status status;

    *card = calloc(1, sizeof **card);
    if (!*card)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "there is none for the card");
    status = find_images(*card, cubins, err);
    if (status == ORDO_OK)
        status = open_card(*card, err);
    if (status != ORDO_OK) {
        ordo_card_close(*card);
        *card = NULL;
    }
    return status;
}

/* Releasing the context frees modules, memory, streams and events. */
void ordo_card_close(struct ordo_card *c)
{
    if (!c)
        return;
    ordo_kernels_close(c->kernels);
    if (c->retained)
        (void)c->call.release(c->device);
    for (int i = 0; i < ORDO_MOST_IMAGES; i++)
        free(c->read[i]);
    free(c);
}

const struct ordo_card_name *ordo_card_name(const struct ordo_card *c)
{
    return &c->name;
}

struct ordo_kernels *ordo_card_kernels(struct ordo_card *c)
{
    return c->kernels;
}

void *ordo_card_stream(struct ordo_card *c)
{
    return c->stream;
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

enum ordo_status ordo_card_write(struct ordo_card *c, void *to, const void *from, uint64_t bytes, struct ordo_err *err)
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
    CUlaunchConfig config = {.gridDimX = grid, .gridDimY = 1, .gridDimZ = 1, .blockDimX = THREADS, .blockDimY = 1,
                             .blockDimZ = 1, .hStream = stream};

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
    uint64_t n = SCRATCH / 4, nanoseconds = (uint64_t)microseconds * 1000;
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
