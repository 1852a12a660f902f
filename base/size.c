/* size.c - see size.h.
 *
 * Tables of more than a few huge pages are aligned to them and offered to the kernel for them: access is scattered
 * over rows, and with small pages the TLB, not the memory, sets the speed.  A refusal costs nothing but that
 * speed. */
#include "base/size.h"

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE (UINT64_C(1) << 21)

static void *alloc_large(uint64_t bytes)
{
    void *p = NULL;

    if (!ordo_round_up(bytes, HUGE_PAGE, &bytes) || posix_memalign(&p, HUGE_PAGE, bytes) != 0)
        return NULL;
    (void)madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

void *ordo_alloc(uint64_t count, size_t size)
{
    uint64_t bytes;

    if (!ordo_mul(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    return bytes >= 4 * HUGE_PAGE ? alloc_large(bytes) : malloc(bytes ? bytes : 1);
}

/* Large or not, zeroed pages come from calloc: the kernel's are zero already and are not touched twice. */
void *ordo_alloc_zero(uint64_t count, size_t size)
{
    uint64_t bytes;

    if (!ordo_mul(count, size, &bytes) || bytes > PTRDIFF_MAX)
        return NULL;
    return calloc(bytes ? bytes : 1, 1);
}
