/* size.c - see size.h. */
#include "base/size.h"

#include <stdlib.h>

void *ordo_alloc(uint64_t count, size_t size)
{
    uint64_t bytes;

    if (!ordo_mul(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    return malloc(bytes ? bytes : 1);
}

void *ordo_alloc_zero(uint64_t count, size_t size)
{
    uint64_t bytes;

    if (!ordo_mul(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    return calloc(bytes ? bytes : 1, 1);
}
