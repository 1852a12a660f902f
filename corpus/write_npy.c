/* write_npy.c - the index tensor as .npy, all or nothing. */
#include "corpus/reader.h"

#include "base/replace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEADER 128 /* magic, version, length and dict; a multiple of 64, as NumPy aligns the data */

/* Version 1.0, dict padded with blanks up to a newline. */
static void fill_header(const struct ordo_problem *p, char header[HEADER])
{
    int n;

    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    n = snprintf(header + 10, HEADER - 10,
                 "{'descr': '<i4', 'fortran_order': False, 'shape': (%" PRId32 ", %" PRId32 "), }", p->n_query,
                 p->topk);
    memset(header + 10 + n, ' ', (size_t)(HEADER - 10 - n));
    header[HEADER - 1] = '\n';
}

static int write_ids(int fd, const int32_t *idx, uint64_t count)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    int why = 0;

    for (uint64_t i = 0; !why && i < count; i++) {
        uint32_t swapped = __builtin_bswap32((uint32_t)idx[i]);

        why = ordo_write_all(fd, &swapped, sizeof swapped);
    }
    return why;
#else
    return ordo_write_all(fd, idx, count * sizeof *idx);
#endif
}

static int fill(int fd, void *ctx)
{
    const struct ordo_problem *p = ctx;
    char header[HEADER];
    int why;

    fill_header(p, header);
    why = ordo_write_all(fd, header, sizeof header);
    return why ? why : write_ids(fd, p->idx, (uint64_t)p->n_query * (uint64_t)p->topk);
}

enum ordo_status ordo_write_npy(const char *path, const struct ordo_problem *p, struct ordo_err *err)
{
    struct ordo_problem copy = *p;

    return ordo_replace_file(path, "file", fill, &copy, err);
}
