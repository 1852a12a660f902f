/* driver.c - see driver.h. */
#include "kernels/driver.h"

#include <dlfcn.h>
#include <stddef.h>

enum ordo_status ordo_driver_find(struct ordo_driver *d, struct ordo_err *err)
{
    d->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (d->library == NULL)
        return ordo_fail(err, ORDO_ENVIRONMENT, "libcuda.so.1", NULL, "there is no CUDA driver");
#define FIND(name, function, symbol)                                                                             \
    *(void **)&d->name = dlsym(d->library, symbol);                                                              \
    if (d->name == NULL)                                                                                         \
        return ordo_fail(err, ORDO_ENVIRONMENT, "libcuda.so.1", symbol, "the driver does not have it");
    ORDO_DRIVER_FUNCTIONS(FIND)
#undef FIND
    return ORDO_OK;
}

enum ordo_status ordo_driver_check(const struct ordo_driver *d, CUresult result, const char *what,
                                   struct ordo_err *err)
{
    const char *text = NULL;

    if (result == CUDA_SUCCESS)
        return ORDO_OK;
    (void)d->error_text(result, &text);
    return ordo_fail(err, ORDO_ENVIRONMENT, "card", what, "the driver says: %s", text == NULL ? "?" : text);
}
