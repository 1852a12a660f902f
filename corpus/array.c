/* array.c - see array.h. */
#include "corpus/array.h"

#include "base/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)131072) /* bytes narrowed at a time: fits in cache, 128 KiB reads are as fast as any */

const char *ordo_array_shape_text(const struct ordo_array *a, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "(");

    for (int i = 0; i < a->n_dim && used + 24 < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%" PRIu64, i ? ", " : "", a->dim[i]);
    (void)snprintf(out + used, size - used, a->n_dim == 1 ? ",)" : ")");
    return out;
}

/* False on overflow; a zero anywhere makes zero. */
static bool product(const uint64_t *dim, int n, uint64_t *out)
{
    uint64_t all = 1;

    for (int i = 0; i < n; i++)
        if (dim[i] == 0) {
            *out = 0;
            return true;
        }
    for (int i = 0; i < n; i++)
        if (!ordo_mul(all, dim[i], &all))
            return false;
    *out = all;
    return true;
}

/* The stream's next `count` values, in file order. */
static enum ordo_status read_narrowed(const struct ordo_site *at, struct ordo_dtype d, struct ordo_stream *s,
                                      uint64_t count, int32_t *out)
{
    enum ordo_status status = ORDO_OK;
    _Alignas(8) uint8_t chunk[CHUNK];

    if (ordo_dtype_native(d))
        return ordo_stream_read(at, s, out, count * sizeof *out);
    for (uint64_t done = 0; !status && done < count;) {
        size_t n = CHUNK / d.bytes;

        if (count - done < n)
            n = (size_t)(count - done);
        status = ordo_stream_read(at, s, chunk, n * d.bytes);
        if (!status)
            ordo_narrow(d, chunk, n, out + done);
        done += n;
    }
    return status;
}

/* Place of a query (C order over the n leading dimensions) in Fortran order over the same dimensions. */
static uint64_t fortran_place(const uint64_t *dim, int n, uint64_t query)
{
    uint64_t place = 0;

    for (int i = n - 1; i >= 0; i--) {
        place = place * dim[i] + query % dim[i];
        query /= dim[i];
    }
    return place;
}

/* from[column][place of query] to to[query][column], by tiles of queries so that both sides stay in cache.  Without
 * columns there is nothing to move, for however many queries a short file claims. */
static void transpose(const uint64_t *dim, int n_lead, uint64_t n_query, uint64_t topk, const int32_t *from,
                      int32_t *to)
{
    enum { TILE = 64 };
    uint64_t place[TILE];

    for (uint64_t first = 0; topk && first < n_query; first += TILE) {
        uint64_t n = n_query - first < TILE ? n_query - first : TILE;

        for (uint64_t i = 0; i < n; i++)
            place[i] = fortran_place(dim, n_lead, first + i);
        for (uint64_t j = 0; j < topk; j++)
            for (uint64_t i = 0; i < n; i++)
                to[(first + i) * topk + j] = from[j * n_query + place[i]];
    }
}

static enum ordo_status check_size(const struct ordo_site *at, const struct ordo_array *a, uint64_t count,
                                   const struct ordo_stream *s)
{
    char shape[128];
    uint64_t bytes;

    ordo_array_shape_text(a, shape, sizeof shape);
    if (!ordo_mul(count, a->dtype.bytes, &bytes))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "shape", "the size of %s overflows 64 bits", shape);
    if (bytes != s->n_left)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "data",
                              "shape %s of %d-byte integers needs %" PRIu64 " bytes, but there are %" PRIu64, shape,
                              (int)a->dtype.bytes, bytes, s->n_left);
    return ORDO_OK;
}

/* All of s in C order, n_lead dimensions counted as queries, what remains as columns. */
static enum ordo_status load(const struct ordo_site *at, const struct ordo_array *a, int n_lead, uint64_t n_query,
                             uint64_t topk, struct ordo_stream *s, int32_t **out)
{
    enum ordo_status status = check_size(at, a, n_query * topk, s);
    int32_t *slots = NULL, *turned = NULL;

    if (status)
        return status;
    slots = ordo_alloc(n_query * topk, sizeof(int32_t));
    if (a->fortran && slots)
        turned = ordo_alloc(n_query * topk, sizeof(int32_t));
    if (!slots || (a->fortran && !turned)) {
        status = ordo_site_no_memory(at, n_query * topk, "slots");
        goto out;
    }
    status = read_narrowed(at, a->dtype, s, n_query * topk, slots);
    if (!status)
        status = ordo_stream_end(at, s);
    if (status)
        goto out;
    if (turned)
        transpose(a->dim, n_lead, n_query, topk, slots, turned);
    *out = turned ? turned : slots;
    if (turned)
        turned = NULL;
    else
        slots = NULL;
out:
    free(slots);
    free(turned);
    return status;
}

static enum ordo_status check_extent(const struct ordo_site *at, const struct ordo_array *a, const char *what,
                                     bool fits, uint64_t extent)
{
    char shape[128];

    if (fits && extent <= ORDO_MAX_EXTENT)
        return ORDO_OK;
    ordo_array_shape_text(a, shape, sizeof shape);
    if (!fits)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "shape", "the number of %s of %s overflows 64 bits", what, shape);
    return ordo_site_fail(at, ORDO_BAD_INPUT, "shape", "%s has %" PRIu64 " %s; at most 2147483647 are possible",
                          shape, extent, what);
}

enum ordo_status ordo_array_to_topk(const struct ordo_site *at, const struct ordo_array *a, struct ordo_stream *s,
                                    struct ordo_problem *p)
{
    enum ordo_status status;
    char shape[128];
    uint64_t n_query = 0, topk;
    bool fits;

    if (a->n_dim < 2)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "shape",
                              "%s has %d dimension%s, but an index tensor is (queries, Top-K), with any batch "
                              "dimensions in front",
                              ordo_array_shape_text(a, shape, sizeof shape), a->n_dim, a->n_dim == 1 ? "" : "s");
    topk = a->dim[a->n_dim - 1];
    fits = product(a->dim, a->n_dim - 1, &n_query);
    status = check_extent(at, a, "queries", fits, n_query);
    if (!status)
        status = check_extent(at, a, "Top-K columns", true, topk);
    if (!status)
        status = load(at, a, a->n_dim - 1, n_query, topk, s, &p->idx);
    if (!status) {
        p->n_query = (int32_t)n_query;
        p->topk = (int32_t)topk;
    }
    return status;
}

enum ordo_status ordo_array_to_length(const struct ordo_site *at, const struct ordo_array *a, struct ordo_stream *s,
                                      struct ordo_problem *p)
{
    uint64_t count = 0;
    char shape[128];

    ordo_array_shape_text(a, shape, sizeof shape);
    if (!product(a->dim, a->n_dim, &count))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "shape", "the size of %s overflows 64 bits", shape);
    if (count != (uint64_t)p->n_query)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "length",
                              "shape %s holds %" PRIu64 " lengths, but the index tensor has %" PRId32 " queries",
                              shape, count, p->n_query);
    return load(at, a, a->n_dim, count, 1, s, &p->length);
}
