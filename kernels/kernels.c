/* kernels.c - the device code in one context, and its launches; see ordo_kernels.h. */
#include "kernels/kernels_impl.h"

#include "kernels/dsa_launch.h"

#include <stdlib.h>
#include <string.h>

/* --- loading ---------------------------------------------------------------------------------------------------- */

CUfunction ordo_kernels_find(const struct ordo_kernels *k, const char *image, const char *name)
{
    CUfunction function = NULL;

    for (int i = 0; i < k->n_module; i++)
        if (strcmp(k->image[i], image) == 0 && k->call.module_function(&function, k->module[i], name) == CUDA_SUCCESS)
            return function;
    return NULL;
}

/* More than 48 KiB of shared memory and clusters beyond 8 are the caller's explicit wish. */
static enum ordo_status set_limits(const struct ordo_kernels *k, CUfunction function,
                                   const struct ordo_dsa_kernel *want, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    if (want->shared > 48 * 1024)
        status = ordo_driver_check(
            &k->call,
            k->call.function_set(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)want->shared),
            want->name, err);
    if (status == ORDO_OK && want->cluster > 8)
        status = ordo_driver_check(
            &k->call, k->call.function_set(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
            want->name, err);
    return status;
}

/* The context's card must be the one that the cubins are for. */
static enum ordo_status check_card(const struct ordo_kernels *k, struct ordo_err *err)
{
    CUcontext context = NULL;
    CUdevice device;
    int major = 0, minor = 0;
    enum ordo_status status;

    if (k->call.get_current(&context) != CUDA_SUCCESS || context == NULL)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "context", "this thread has no current CUDA context");
    if ((status = ordo_driver_check(&k->call, k->call.get_device(&device), "device", err)) ||
        (status = ordo_driver_check(
             &k->call, k->call.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
             "capability", err)) ||
        (status = ordo_driver_check(
             &k->call, k->call.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
             "capability", err)))
        return status;
    if (major != 9 || minor != 0)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "device", "is sm_%d%d, and the kernels are for sm_90a", major,
                         minor);
    return ORDO_OK;
}

static enum ordo_status load(struct ordo_kernels *k, const struct ordo_dsa_image *image, int n, struct ordo_err *err)
{
    enum ordo_status status = ordo_driver_find(&k->call, err);

    if (status == ORDO_OK)
        status = check_card(k, err);
    for (int i = 0; i < n && status == ORDO_OK; i++) {
        status = ordo_driver_check(&k->call, k->call.module_load(&k->module[i], image[i].begin), "cubin", err);
        k->image[i] = image[i].name;
        k->n_module += status == ORDO_OK;
    }
    for (int i = 0; i < ordo_dsa_kernels && status == ORDO_OK; i++) {
        k->function[i] = ordo_kernels_find(k, ordo_dsa_kernel[i].image, ordo_dsa_kernel[i].name);
        if (k->function[i])
            status = set_limits(k, k->function[i], &ordo_dsa_kernel[i], err);
    }
    return status;
}

enum ordo_status ordo_kernels_open(struct ordo_kernels **kernels, struct ordo_err *err)
{
    return ordo_kernels_open_images(kernels, ordo_dsa_image, ordo_dsa_images, err);
}

enum ordo_status ordo_kernels_open_images(struct ordo_kernels **kernels, const struct ordo_dsa_image *image, int n,
                                          struct ordo_err *err)
{
    enum ordo_status status;

    ORDO_BUG_ON(n > ORDO_MOST_IMAGES || ordo_dsa_kernels > ORDO_MOST_KERNELS);
    *kernels = calloc(1, sizeof **kernels);
    if (!*kernels)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "there is none for the kernels");
    status = load(*kernels, image, n, err);
    if (status != ORDO_OK) {
        ordo_kernels_close(*kernels);
        *kernels = NULL;
    }
    return status;
}

void ordo_kernels_close(struct ordo_kernels *k)
{
    if (!k)
        return;
    for (int i = 0; i < k->n_module; i++)
        (void)k->call.module_unload(k->module[i]);
    free(k);
}

/* --- executing -------------------------------------------------------------------------------------------------- */

struct execution {
    const struct ordo_kernels *kernels;
    CUstream stream;
};

static enum ordo_status launch(void *ctx, const struct ordo_dsa_launch *l, struct ordo_err *err)
{
    const struct execution *x = ctx;
    const struct ordo_dsa_kernel *kernel = &ordo_dsa_kernel[l->kernel];
    struct ordo_dsa_args args = l->args;
    void *argument[] = {&args};
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    CUlaunchConfig config = {
        .gridDimX = l->grid[0],
        .gridDimY = l->grid[1],
        .gridDimZ = 1,
        .blockDimX = kernel->threads,
        .blockDimY = 1,
        .blockDimZ = 1,
        .sharedMemBytes = kernel->shared,
        .hStream = x->stream,
        .attrs = &attribute,
        .numAttrs = kernel->cluster > 1,
    };

    attribute.value.clusterDim.x = kernel->cluster;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    if (!x->kernels->function[l->kernel])
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, kernel->name, "this build has no such kernel");
    return ordo_driver_check(&x->kernels->call,
                             x->kernels->call.launch(&config, x->kernels->function[l->kernel], argument, NULL),
                             kernel->name, err);
}

enum ordo_status ordo_kernels_execute(struct ordo_kernels *kernels, const struct ordo_plan *plan,
                                      const struct ordo_kernels_tensors *tensors, enum ordo_pass pass, void *stream,
                                      struct ordo_err *err)
{
    struct execution x = {kernels, stream};
    enum ordo_status status = ordo_kernels_check(plan, tensors, pass, err);

    return status == ORDO_OK ? ordo_dsa_launches(plan, tensors, pass, launch, &x, err) : status;
}
