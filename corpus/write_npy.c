/* write_npy.c - the index tensor as .npy, all or nothing. */
#include "corpus/reader.h"

#include "base/replace.h"
#include "corpus/npy.h"

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
    uint64_t dim[2] = {(uint64_t)p->n_query, (uint64_t)p->topk};
    char head[ORDO_NPY_HEAD];
    int why;

    ordo_npy_head("<i4", dim, 2, head);
    why = ordo_write_all(fd, head, sizeof head);
    return why ? why : write_ids(fd, p->idx, (uint64_t)p->n_query * (uint64_t)p->topk);
}

enum ordo_status ordo_write_npy(const char *path, const struct ordo_problem *p, struct ordo_err *err)
{
    struct ordo_problem copy = *p;

    return ordo_replace_file(path, "file", fill, &copy, err);
}
