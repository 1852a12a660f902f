/* npz_write.c - see npz_write.h.  Records and their fields: APPNOTE.TXT 6.3.9 of the zip format, 4.3 and 4.5.3. */
#include "corpus/npz_write.h"

#include "base/replace.h"
#include "base/size.h"
#include "corpus/npy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MAX_NAME = 64, RECORD = 256, CHUNK = 1 << 16, DATE = 1 << 5 | 1 }; /* 1980-01-01 */

/* What is known of an entry before its bytes are written. */
struct entry {
    const struct ordo_npz_array *array;
    char head[ORDO_NPY_HEAD];
    uint64_t n_byte, size, offset; /* of the data; of the .npy; of the local header */
    uint32_t crc;
};

struct writer {
    struct entry *entry;
    size_t n;
    uint64_t zip64_from;
    int fd;
    uint64_t at; /* bytes written */
};

/* A record being built. */
struct record {
    uint8_t byte[RECORD];
    size_t n;
};

static void put(struct record *r, const void *bytes, size_t n)
{
    ORDO_BUG_ON(n > sizeof r->byte - r->n);
    memcpy(r->byte + r->n, bytes, n);
    r->n += n;
}

static void put_le(struct record *r, uint64_t x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(r, &(uint8_t){(uint8_t)(x >> 8 * i)}, 1);
}

static int emit(struct writer *w, const void *bytes, uint64_t n)
{
    w->at += n;
    return ordo_write_all(w->fd, bytes, n);
}

/* --- data ------------------------------------------------------------------------------------------------------- */

/* The next at most CHUNK bytes of an array from offset on, little-endian; returns how many. */
static size_t take(const struct entry *e, uint64_t offset, uint8_t chunk[CHUNK])
{
    size_t n = e->n_byte - offset < CHUNK ? (size_t)(e->n_byte - offset) : CHUNK;

    memcpy(chunk, (const uint8_t *)e->array->data + offset, n);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t width = (size_t)(e->array->descr[2] - '0'), i = 0; i < n; i += width)
        for (size_t j = 0; j < width / 2; j++) {
            uint8_t kept = chunk[i + j];

            chunk[i + j] = chunk[i + width - 1 - j];
            chunk[i + width - 1 - j] = kept;
        }
#endif
    return n;
}

static uint32_t crc_of(const struct entry *e)
{
    uLong crc = crc32(0, (const Bytef *)e->head, sizeof e->head);
    uint8_t chunk[CHUNK];

    for (uint64_t offset = 0; offset < e->n_byte; offset += CHUNK)
        crc = crc32(crc, chunk, (uInt)take(e, offset, chunk));
    return (uint32_t)crc;
}

static int emit_data(struct writer *w, const struct entry *e)
{
    int why = emit(w, e->head, sizeof e->head);
    uint8_t chunk[CHUNK];

    for (uint64_t offset = 0; !why && offset < e->n_byte; offset += CHUNK)
        why = emit(w, chunk, take(e, offset, chunk));
    return why;
}

/* --- records ---------------------------------------------------------------------------------------------------- */

/* x, or all ones where the zip64 extra has it. */
static void put_u32(struct record *r, const struct writer *w, uint64_t x)
{
    put_le(r, x >= w->zip64_from ? UINT32_MAX : x, 4);
}

/* From the version to the length of the name, which local header and directory share. */
static void put_common(struct record *r, const struct writer *w, const struct entry *e)
{
    put_le(r, e->size >= w->zip64_from || e->offset >= w->zip64_from ? 45 : 20, 2);
    put_le(r, 0, 2); /* flags */
    put_le(r, 0, 2); /* stored */
    put_le(r, 0, 2); /* midnight */
    put_le(r, DATE, 2);
    put_le(r, e->crc, 4);
    put_u32(r, w, e->size);
    put_u32(r, w, e->size);
    put_le(r, strlen(e->array->name) + 4, 2);
}

/* Bytes of the zip64 extra's fields. */
static size_t extra_size(bool sizes, bool offset)
{
    return (size_t)(sizes ? 16 : 0) + (size_t)(offset ? 8 : 0);
}

/* The name, and the extra with those of the two sizes and the offset that do not fit. */
static void put_name(struct record *r, const struct entry *e, bool sizes, bool offset)
{
    put(r, e->array->name, strlen(e->array->name));
    put(r, ".npy", 4);
    if (sizes || offset) {
        put_le(r, 1, 2);
        put_le(r, extra_size(sizes, offset), 2);
    }
    for (int i = 0; sizes && i < 2; i++)
        put_le(r, e->size, 8);
    if (offset)
        put_le(r, e->offset, 8);
}

static int emit_local(struct writer *w, struct entry *e)
{
    struct record r = {.n = 0};
    bool wide = e->size >= w->zip64_from;
    int why;

    e->offset = w->at;
    e->crc = crc_of(e);
    put(&r, "PK\3\4", 4);
    put_common(&r, w, e);
    put_le(&r, wide ? 20 : 0, 2);
    put_name(&r, e, wide, false);
    why = emit(w, r.byte, r.n);
    return why ? why : emit_data(w, e);
}

static int emit_central(struct writer *w, const struct entry *e)
{
    struct record r = {.n = 0};
    bool wide = e->size >= w->zip64_from, far = e->offset >= w->zip64_from;

    put(&r, "PK\1\2", 4);
    put_le(&r, 45, 2); /* made by: no system's attributes */
    put_common(&r, w, e);
    put_le(&r, wide || far ? 4 + extra_size(wide, far) : 0, 2);
    put_le(&r, 0, 2 + 2 + 2); /* comment, disk, inner attributes */
    put_le(&r, 0, 4);         /* outer attributes */
    put_u32(&r, w, e->offset);
    put_name(&r, e, wide, far);
    return emit(w, r.byte, r.n);
}

static int emit_end(struct writer *w, uint64_t directory)
{
    uint64_t here = w->at, size = here - directory;
    bool wide = directory >= w->zip64_from || size >= w->zip64_from || w->n >= UINT16_MAX;
    struct record r = {.n = 0};

    if (wide) {
        put(&r, "PK\6\6", 4);
        put_le(&r, 44, 8); /* bytes that follow */
        put_le(&r, 45 | 45 << 16, 4);
        put_le(&r, 0, 8); /* disks */
        put_le(&r, w->n, 8);
        put_le(&r, w->n, 8);
        put_le(&r, size, 8);
        put_le(&r, directory, 8);
        put(&r, "PK\6\7", 4);
        put_le(&r, 0, 4);
        put_le(&r, here, 8);
        put_le(&r, 1, 4); /* disks in all */
    }
    put(&r, "PK\5\6", 4);
    put_le(&r, 0, 4);
    for (int i = 0; i < 2; i++)
        put_le(&r, w->n >= UINT16_MAX ? UINT16_MAX : w->n, 2);
    put_u32(&r, w, size);
    put_u32(&r, w, directory);
    put_le(&r, 0, 2);
    return emit(w, r.byte, r.n);
}

static int fill(int fd, void *ctx)
{
    struct writer *w = ctx;
    uint64_t directory;
    int why = 0;

    w->fd = fd;
    for (size_t i = 0; !why && i < w->n; i++)
        why = emit_local(w, &w->entry[i]);
    directory = w->at;
    for (size_t i = 0; !why && i < w->n; i++)
        why = emit_central(w, &w->entry[i]);
    return why ? why : emit_end(w, directory);
}

/* --- all of it -------------------------------------------------------------------------------------------------- */

static bool prepare(const struct ordo_npz_array *array, struct entry *e)
{
    int width = array->descr[2] - '0';
    uint64_t n = (uint64_t)width;

    ORDO_BUG_ON(array->descr[0] != '<' || (width != 2 && width != 4 && width != 8) || array->descr[3]);
    ORDO_BUG_ON(array->n_dim < 0 || array->n_dim > 4 || strlen(array->name) > MAX_NAME);
    for (int i = 0; i < array->n_dim; i++)
        if (!ordo_mul(n, array->dim[i], &n))
            return false;
    *e = (struct entry){.array = array, .n_byte = n};
    ordo_npy_head(array->descr, array->dim, array->n_dim, e->head);
    return ordo_add(n, sizeof e->head, &e->size);
}

enum ordo_status ordo_npz_write_wide(const char *path, const struct ordo_npz_array *array, size_t n,
                                     uint64_t zip64_from, struct ordo_err *err)
{
    struct writer w = {.entry = ordo_alloc(n, sizeof *w.entry), .n = n, .zip64_from = zip64_from};
    enum ordo_status status = ORDO_OK;

    if (!w.entry)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, ENOMEM, path, "file", "cannot be written");
    for (size_t i = 0; !status && i < n; i++)
        if (!prepare(&array[i], &w.entry[i]))
            status = ordo_fail(err, ORDO_BAD_INPUT, path, array[i].name, "its size in bytes overflows 64 bits");
    if (!status)
        status = ordo_replace_file(path, "file", fill, &w, err);
    free(w.entry);
    return status;
}

enum ordo_status ordo_npz_write(const char *path, const struct ordo_npz_array *array, size_t n, struct ordo_err *err)
{
    return ordo_npz_write_wide(path, array, n, UINT32_MAX, err);
}
