/* npy_head.c - the header that our .npy files begin with; see npy.h. */
#include "corpus/npy.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Version 1.0, dict padded with blanks up to a newline. */
void ordo_npy_head(const char *descr, const uint64_t *dim, int n_dim, char head[ORDO_NPY_HEAD])
{
    int n = 10;

    memcpy(head, ORDO_NPY_MAGIC "\x01\x00\x76\x00", 10);
    n += snprintf(head + n, (size_t)(ORDO_NPY_HEAD - n), "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < n_dim && n < ORDO_NPY_HEAD; i++)
        n += snprintf(head + n, (size_t)(ORDO_NPY_HEAD - n), "%s%" PRIu64, i ? ", " : "", dim[i]);
    ORDO_BUG_ON(n > ORDO_NPY_HEAD - 8);
    n += snprintf(head + n, (size_t)(ORDO_NPY_HEAD - n), n_dim == 1 ? ",), }" : "), }");
    memset(head + n, ' ', (size_t)(ORDO_NPY_HEAD - n));
    head[ORDO_NPY_HEAD - 1] = '\n';
}
