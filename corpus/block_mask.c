/* block_mask.c - see block_mask.h. */
#include "corpus/block_mask.h"

#include "corpus/npy.h"

#include <string.h>

/* Booleans are bytes of 0 and 1. */
static enum ordo_status take_type(const struct ordo_site *at, struct ordo_array *a)
{
    const char *why = NULL;

    if (strcmp(a->descr, "|b1") == 0 || strcmp(a->descr, "?") == 0)
        a->dtype = (struct ordo_dtype){.bytes = 1};
    else
        why = ordo_dtype_npy(a->descr, strlen(a->descr), &a->dtype);
    return why ? ordo_site_fail(at, ORDO_BAD_INPUT, "descr", "'%s' is neither boolean nor integers", a->descr)
               : ORDO_OK;
}

static enum ordo_status read_from(const struct ordo_site *at, struct ordo_stream *s, struct ordo_problem *p)
{
    struct ordo_array a = {.any_type = true};
    enum ordo_status status = ordo_npy_any_header(at, s, &a);

    if (status == ORDO_OK)
        status = take_type(at, &a);
    if (status == ORDO_OK && a.n_dim != 2)
        status = ordo_site_fail(at, ORDO_BAD_INPUT, "shape",
                                "a mask has 2 dimensions, query tiles and KV tiles, not %d",
                                a.n_dim);
    return status == ORDO_OK ? ordo_array_to_topk(at, &a, s, p) : status;
}

enum ordo_status ordo_read_block_mask(const char *path, struct ordo_block_mask *mask, struct ordo_err *err)
{
    struct ordo_site at = {path, NULL, err};
    struct ordo_problem p = {0};
    struct ordo_bytes b;
    struct ordo_stream s;
    enum ordo_status status = ordo_bytes_open(&at, &b);

    *mask = (struct ordo_block_mask){0, 0, NULL};
    if (status)
        return status;
    s = ordo_stream_range(&b, 0, b.size);
    status = b.size ? read_from(&at, &s, &p) : ordo_site_fail(&at, ORDO_BAD_INPUT, "file", "is empty");
    ordo_bytes_close(&b);
    if (status == ORDO_OK)
        *mask = (struct ordo_block_mask){p.n_query, p.topk, p.idx};
    else
        ordo_problem_free(&p);
    return status;
}
