/* doctor_gpu.c - see doctor_gpu.h.  The few functions of the driver's C interface that are called, by name and by
 * numbers that its ABI fixes. */
#include "cli/doctor_gpu.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAJOR = 75, MINOR = 76 }; /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_* */

/* All return 0 for success. */
struct driver {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*count)(int *n);
    int (*device)(int *device, int ordinal);
    int (*name)(char *name, int size, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*memory)(size_t *bytes, int device);
};

/* A function pointer from a void pointer, which C itself does not convert. */
static bool load(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool load_all(void *library, struct driver *d)
{
    return load(library, "cuInit", &d->init) && load(library, "cuDriverGetVersion", &d->version) &&
           load(library, "cuDeviceGetCount", &d->count) && load(library, "cuDeviceGet", &d->device) &&
           load(library, "cuDeviceGetName", &d->name) && load(library, "cuDeviceGetAttribute", &d->attribute) &&
           load(library, "cuDeviceTotalMem_v2", &d->memory);
}

static void describe(const struct driver *d, int ordinal, char *out, size_t size)
{
    int device, major = 0, minor = 0;
    size_t bytes = 0;
    char name[80] = "";

    if (d->device(&device, ordinal) != 0 || d->name(name, sizeof name, device) != 0) {
        (void)snprintf(out, size, "does not answer");
        return;
    }
    (void)d->attribute(&major, MAJOR, device);
    (void)d->attribute(&minor, MINOR, device);
    (void)d->memory(&bytes, device);
    (void)snprintf(out, size, "%s, sm_%d%d, %zu GiB", name, major, minor, bytes >> 30);
}

void ordo_gpus_ask(struct ordo_gpus *out)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    struct driver d;
    int version = 0, why;

    *out = (struct ordo_gpus){.n = 0};
    if (!library) {
        (void)snprintf(out->driver, sizeof out->driver, "none (there is no libcuda.so.1)");
        return;
    }
    if (!load_all(library, &d)) {
        (void)snprintf(out->driver, sizeof out->driver, "libcuda.so.1 lacks functions that are needed");
    } else if ((why = d.init(0)) != 0) {
        (void)snprintf(out->driver, sizeof out->driver, "libcuda.so.1 is there, but finds no device (error %d)", why);
    } else {
        (void)d.version(&version);
        (void)snprintf(out->driver, sizeof out->driver, "for CUDA %d.%d", version / 1000, version % 1000 / 10);
        if (d.count(&out->n) != 0)
            out->n = 0;
        out->n = out->n < ORDO_MOST_GPUS ? out->n : ORDO_MOST_GPUS;
        for (int i = 0; i < out->n; i++)
            describe(&d, i, out->gpu[i], sizeof out->gpu[i]);
    }
    (void)dlclose(library);
}
