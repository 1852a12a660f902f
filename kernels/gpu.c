/* gpu.c - the driver's interface by dlopen: a table of the functions we call, checked once. */
#include "kernels/gpu.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* name in our table, type, symbol in libcuda.so.1 (the versions that cuda.h's macros choose) */
#define DRIVER_FUNCTIONS(F)                                                                                      \
    F(init, cuInit, "cuInit")                                                                                    \
    F(device_get, cuDeviceGet, "cuDeviceGet")                                                                    \
    F(device_name, cuDeviceGetName, "cuDeviceGetName")                                                           \
    F(device_attribute, cuDeviceGetAttribute, "cuDeviceGetAttribute")                                            \
    F(retain, cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                                              \
    F(release, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")                                        \
    F(set_current, cuCtxSetCurrent, "cuCtxSetCurrent")                                                           \
    F(module_load, cuModuleLoadData, "cuModuleLoadData")                                                         \
    F(module_function, cuModuleGetFunction, "cuModuleGetFunction")                                               \
    F(module_global, cuModuleGetGlobal, "cuModuleGetGlobal_v2")                                                  \
    F(function_set, cuFuncSetAttribute, "cuFuncSetAttribute")                                                    \
    F(alloc, cuMemAlloc, "cuMemAlloc_v2")                                                                        \
    F(free, cuMemFree, "cuMemFree_v2")                                                                           \
    F(set_d32, cuMemsetD32, "cuMemsetD32_v2")                                                                    \
    F(to_device, cuMemcpyHtoD, "cuMemcpyHtoD_v2")                                                                \
    F(to_host, cuMemcpyDtoH, "cuMemcpyDtoH_v2")                                                                  \
    F(launch, cuLaunchKernel, "cuLaunchKernel")                                                                  \
    F(error_text, cuGetErrorString, "cuGetErrorString")

struct driver {
#define MEMBER(name, function, symbol) __typeof__(function) *name;
    DRIVER_FUNCTIONS(MEMBER)
#undef MEMBER
};

struct ordo_gpu {
    void *library;
    struct driver call;
    CUdevice device;
    CUmodule module;
    int retained;
    struct {
        CUdeviceptr address;
        size_t bytes;
    } room[ORDO_GPU_ROOMS];
    struct ordo_gpu_name name;
};

static enum ordo_status check(const struct ordo_gpu *gpu, CUresult result, const char *what, struct ordo_err *err)
{
    const char *text = NULL;

    if (result == CUDA_SUCCESS)
        return ORDO_OK;
    gpu->call.error_text(result, &text);
    return ordo_fail(err, ORDO_ENVIRONMENT, "card", what, "the driver says: %s", text == NULL ? "?" : text);
}

/* --- opening ---------------------------------------------------------------------------------------------------- */

static enum ordo_status find_functions(struct ordo_gpu *gpu, struct ordo_err *err)
{
    gpu->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (gpu->library == NULL)
        return ordo_fail(err, ORDO_ENVIRONMENT, "libcuda.so.1", NULL, "there is no CUDA driver");
#define FIND(name, function, symbol)                                                                             \
    *(void **)&gpu->call.name = dlsym(gpu->library, symbol);                                                     \
    if (gpu->call.name == NULL)                                                                                  \
        return ordo_fail(err, ORDO_ENVIRONMENT, "libcuda.so.1", symbol, "the driver does not have it");
    DRIVER_FUNCTIONS(FIND)
#undef FIND
    return ORDO_OK;
}

/* The driver's version as NVML gives it, or "unknown". */
static void name_driver(struct ordo_gpu_name *name)
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
    dlclose(library);
}

static enum ordo_status name_card(struct ordo_gpu *gpu, struct ordo_err *err)
{
    struct ordo_gpu_name *name = &gpu->name;
    int major = 0, minor = 0;
    enum ordo_status status;

    if ((status = check(gpu, gpu->call.device_name(name->device, sizeof name->device, gpu->device), "name", err)) ||
        (status = check(gpu,
                        gpu->call.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu->device),
                        "capability", err)) ||
        (status = check(gpu,
                        gpu->call.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu->device),
                        "capability", err)))
        return status;
    name->sm = (uint32_t)(10 * major + minor);
    if (name->sm != 90)
        return ordo_fail(err, ORDO_ENVIRONMENT, name->device, NULL, "is sm_%u, and the kernels are for sm_90a",
                         (unsigned)name->sm);
    name_driver(name);
    return ORDO_OK;
}

/* The compiler's version stands in the cubin. */
static enum ordo_status name_toolkit(struct ordo_gpu *gpu, struct ordo_err *err)
{
    uint32_t version[3] = {0, 0, 0};
    CUdeviceptr address;
    size_t bytes;
    enum ordo_status status;

    if ((status = check(gpu, gpu->call.module_global(&address, &bytes, gpu->module, "toolkit"), "toolkit", err)) ||
        (status = check(gpu, gpu->call.to_host(version, address, sizeof version), "toolkit", err)))
        return status;
    snprintf(gpu->name.toolkit, sizeof gpu->name.toolkit, "%u.%u.%u", (unsigned)version[0], (unsigned)version[1],
             (unsigned)version[2]);
    return ORDO_OK;
}

static enum ordo_status open_card(struct ordo_gpu *gpu, const void *cubin, struct ordo_err *err)
{
    CUcontext context;
    enum ordo_status status;

    if ((status = find_functions(gpu, err)) ||
        (status = check(gpu, gpu->call.init(0), "start", err)) ||
        (status = check(gpu, gpu->call.device_get(&gpu->device, 0), "device 0", err)) ||
        (status = name_card(gpu, err)) ||
        (status = check(gpu, gpu->call.retain(&context, gpu->device), "context", err)))
        return status;
    gpu->retained = 1;
    if ((status = check(gpu, gpu->call.set_current(context), "context", err)) ||
        (status = check(gpu, gpu->call.module_load(&gpu->module, cubin), "cubin", err)))
        return status;
    return name_toolkit(gpu, err);
}

enum ordo_status ordo_gpu_open(struct ordo_gpu **gpu, const void *cubin, struct ordo_err *err)
{
    enum ordo_status status;

    *gpu = calloc(1, sizeof **gpu);
    if (*gpu == NULL)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, NULL, "no memory");
    status = open_card(*gpu, cubin, err);
    if (status != ORDO_OK) {
        ordo_gpu_close(*gpu);
        *gpu = NULL;
    }
    return status;
}

/* Releasing the context frees the module and the rooms. */
void ordo_gpu_close(struct ordo_gpu *gpu)
{
    if (gpu == NULL)
        return;
    if (gpu->retained)
        gpu->call.release(gpu->device);
    if (gpu->library != NULL)
        dlclose(gpu->library);
    free(gpu);
}

const struct ordo_gpu_name *ordo_gpu_name(const struct ordo_gpu *gpu)
{
    return &gpu->name;
}

/* --- memory and launches ---------------------------------------------------------------------------------------- */

enum ordo_status ordo_gpu_room(struct ordo_gpu *gpu, int room, size_t bytes, uint64_t *address, struct ordo_err *err)
{
    enum ordo_status status;

    ORDO_BUG_ON(room < 0 || room >= ORDO_GPU_ROOMS);
    if (gpu->room[room].bytes < bytes) {
        if (gpu->room[room].bytes > 0 &&
            (status = check(gpu, gpu->call.free(gpu->room[room].address), "memory", err)))
            return status;
        gpu->room[room].bytes = 0;
        if ((status = check(gpu, gpu->call.alloc(&gpu->room[room].address, bytes), "memory", err)))
            return status;
        gpu->room[room].bytes = bytes;
    }
    *address = gpu->room[room].address;
    return ORDO_OK;
}

enum ordo_status ordo_gpu_fill(struct ordo_gpu *gpu, uint64_t address, uint32_t word, size_t bytes,
                               struct ordo_err *err)
{
    return check(gpu, gpu->call.set_d32(address, word, bytes / 4), "memory", err);
}

enum ordo_status ordo_gpu_write(struct ordo_gpu *gpu, uint64_t address, const void *from, size_t bytes,
                                struct ordo_err *err)
{
    return check(gpu, gpu->call.to_device(address, from, bytes), "memory", err);
}

enum ordo_status ordo_gpu_read(struct ordo_gpu *gpu, void *to, uint64_t address, size_t bytes, struct ordo_err *err)
{
    return check(gpu, gpu->call.to_host(to, address, bytes), "memory", err);
}

enum ordo_status ordo_gpu_start(struct ordo_gpu *gpu, const struct ordo_gpu_launch *launch, void **arguments,
                                struct ordo_err *err)
{
    const uint32_t *grid = launch->grid;
    CUfunction function;
    CUresult result = gpu->call.module_function(&function, gpu->module, launch->kernel);
    enum ordo_status status;

    if (result == CUDA_ERROR_NOT_FOUND)
        return ordo_fail(err, ORDO_BAD_INPUT, launch->kernel, NULL, "there is no such kernel");
    if ((status = check(gpu, result, launch->kernel, err)))
        return status;
    if (launch->shared > 48 * 1024) {
        result = gpu->call.function_set(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                        (int)launch->shared);
        if ((status = check(gpu, result, launch->kernel, err)))
            return status;
    }
    result = gpu->call.launch(function, grid[0], grid[1], grid[2], launch->threads, 1, 1, launch->shared, NULL,
                              arguments, NULL);
    return check(gpu, result, launch->kernel, err);
}
