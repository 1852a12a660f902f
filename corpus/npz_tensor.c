/* npz_tensor.c - see npz_tensor.h. */
#include "corpus/npz_tensor.h"

#include "base/size.h"
#include "corpus/npy.h"
#include "corpus/zip.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the caller wants. */
struct want {
    const char *const *descr; /* one of n_descr */
    int n_descr;
    int which;                /* of them it is, once found */
    struct ordo_array array;  /* n_dim and dim */
    uint64_t n_byte;          /* of elements that are one byte, until the type is known */
};

static bool is_type(const char *wanted, const char *descr)
{
    const char *raw = strcmp(wanted, "<u2") == 0 ? "V2" : wanted + 1;

    return strcmp(descr, wanted) == 0 ||
           ((descr[0] == '<' || descr[0] == '|') && raw[0] == 'V' && strcmp(descr + 1, raw) == 0);
}

static enum ordo_status check_type(const struct ordo_site *at, struct want *want, const struct ordo_array *a)
{
    char shown[32], list[64] = "";
    size_t n = 0;

    for (want->which = 0; want->which < want->n_descr; want->which++)
        if (is_type(want->descr[want->which], a->descr)) {
            uint64_t width = (uint64_t)(want->descr[want->which][2] - '0');

            if (ordo_mul(want->n_byte, width, &want->n_byte))
                return ORDO_OK;
            return ordo_site_fail(at, ORDO_BAD_INPUT, "shape", "its size in bytes overflows 64 bits");
        }
    for (int i = 0; i < want->n_descr; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s'%s'", i ? " or " : "", want->descr[i]);
    return ordo_site_fail(at, ORDO_BAD_INPUT, "descr", "is '%s', but %s is wanted",
                          ordo_printable(shown, sizeof shown, a->descr, strlen(a->descr)), list);
}

static enum ordo_status check_shape(const struct ordo_site *at, const struct want *want, const struct ordo_array *a,
                                    const struct ordo_stream *s)
{
    char has[96], wanted[96];

    ordo_array_shape_text(a, has, sizeof has);
    ordo_array_shape_text(&want->array, wanted, sizeof wanted);
    if (a->n_dim != want->array.n_dim || memcmp(a->dim, want->array.dim, (size_t)a->n_dim * sizeof a->dim[0]) != 0)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "shape", "is %s, but %s is wanted", has, wanted);
    if (a->fortran)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "fortran_order",
                              "is True; save it with numpy.ascontiguousarray");
    if (s->n_left != want->n_byte)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "data", "shape %s of '%s' needs %" PRIu64 " bytes, but there are %"
                              PRIu64, has, want->descr[want->which], want->n_byte, s->n_left);
    return ORDO_OK;
}

/* On a big-endian machine. */
static void from_little(uint8_t *byte, uint64_t n, size_t width)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (uint64_t i = 0; i < n; i += width)
        for (size_t j = 0; j < width / 2; j++) {
            uint8_t kept = byte[i + j];

            byte[i + j] = byte[i + width - 1 - j];
            byte[i + width - 1 - j] = kept;
        }
#else
    (void)byte, (void)n, (void)width;
#endif
}

static enum ordo_status load(const struct ordo_site *at, struct ordo_stream *s, struct want *want, void **data)
{
    struct ordo_array a;
    enum ordo_status status = ordo_npy_any_header(at, s, &a);
    void *bytes;

    if (!status)
        status = check_type(at, want, &a);
    if (!status)
        status = check_shape(at, want, &a, s);
    if (status)
        return status;
    bytes = ordo_alloc(want->n_byte, 1);
    if (!bytes)
        return ordo_site_no_memory(at, want->n_byte, "bytes");
    status = ordo_stream_read(at, s, bytes, want->n_byte);
    if (!status)
        status = ordo_stream_end(at, s);
    if (status) {
        free(bytes);
        return status;
    }
    from_little(bytes, want->n_byte, (size_t)(want->descr[want->which][2] - '0'));
    *data = bytes;
    return ORDO_OK;
}

static enum ordo_status find_and_load(const struct ordo_site *lone, const struct ordo_bytes *b, const char *name,
                                      struct want *want, void **data)
{
    struct ordo_site at = {lone->file, name, lone->err};
    const struct ordo_zip_entry *e;
    struct ordo_zip zip;
    struct ordo_stream s;
    enum ordo_status status = ordo_zip_open(lone, b, &zip);

    if (status)
        return status;
    e = ordo_npz_find(&zip, name);
    if (e) {
        status = ordo_zip_stream(&at, &zip, e, &s);
        if (!status)
            status = load(&at, &s, want, data);
        ordo_stream_close(&s);
    }
    ordo_zip_close(&zip);
    return status;
}

enum ordo_status ordo_npz_tensor(const char *path, const char *name, const char *descr, int n_dim,
                                 const uint64_t *dim, void **data, struct ordo_err *err)
{
    int which;

    return ordo_npz_tensor_of(path, name, &descr, 1, &which, n_dim, dim, data, err);
}

enum ordo_status ordo_npz_tensor_of(const char *path, const char *name, const char *const *descr, int n_descr,
                                    int *which, int n_dim, const uint64_t *dim, void **data, struct ordo_err *err)
{
    struct ordo_site at = {path, NULL, err};
    struct want want = {.descr = descr, .n_descr = n_descr, .array.n_dim = n_dim, .n_byte = 1};
    struct ordo_bytes b;
    enum ordo_status status;

    *data = NULL;
    ORDO_BUG_ON(n_dim < 0 || n_dim > 4);
    for (int i = 0; i < n_dim; i++) {
        want.array.dim[i] = dim[i];
        if (!ordo_mul(want.n_byte, dim[i], &want.n_byte))
            return ordo_fail(err, ORDO_BAD_INPUT, path, name, "its size in bytes overflows 64 bits");
    }
    status = ordo_bytes_open(&at, &b);
    if (status)
        return status;
    status = find_and_load(&at, &b, name, &want, data);
    *which = want.which;
    ordo_bytes_close(&b);
    return status;
}
