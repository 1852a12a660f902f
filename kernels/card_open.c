/* card_open.c - a card found, named, and its kernels loaded; see card.h. */
#include "kernels/card_impl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static enum ordo_status attribute(const struct ordo_card *c, CUdevice_attribute which, int *value,
                                  struct ordo_err *err)
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

    if ((status =
             check(c, c->call.module_global(&address, &bytes, c->kernels->module[0], "toolkit"), "toolkit", err)) ||
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
    c->compare = ordo_kernels_find(c->kernels, "dsa_small", "ordo_dsa_compare");
    c->keep = ordo_kernels_find(c->kernels, "dsa_small", "ordo_dsa_keep");
    c->busy = ordo_kernels_find(c->kernels, "dsa_small", "ordo_dsa_busy");
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
        (status = check(c, c->call.alloc(&c->scratch, ORDO_CARD_SCRATCH), "memory", err)) ||
        (status = find_kernels(c, err)))
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
