/* zip_entry.c - from a directory entry to the bytes of its data; see zip.h. */
#include "corpus/zip.h"

#include "base/size.h"

#include <inttypes.h>
#include <string.h>

#define LOCAL_SIZE 30 /* local file header, fixed part */

static enum ordo_status check_entry(const struct ordo_site *at, const struct ordo_zip_entry *e)
{
    if (e->flags & (1u | 1u << 6 | 1u << 13))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "flags", "is encrypted");
    if (e->method != 0 && e->method != 8)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "method",
                              "is compressed by method %" PRIu32 "; only stored (0) and deflate (8) are read",
                              e->method);
    if (e->method == 0 && e->packed != e->size)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "data", "is stored, yet its two sizes differ");
    /* Deflate cannot expand by more than 1032. */
    if (e->method == 8 && e->size / 1032 > e->packed)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "data",
                              "%" PRIu64 " deflated bytes cannot become %" PRIu64, e->packed, e->size);
    return ORDO_OK;
}

/* Sets *data to the offset of the entry's data, which lie before the directory. */
static enum ordo_status find_data(const struct ordo_site *at, const struct ordo_zip *zip,
                                  const struct ordo_zip_entry *e, uint64_t *data)
{
    uint8_t h[LOCAL_SIZE];
    enum ordo_status status;
    char name[256];
    uint64_t end;

    if (!ordo_add(e->local, LOCAL_SIZE + e->n_name, &end) || end > zip->offset || e->n_name > sizeof name)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "local header", "lies outside the archive");
    status = ordo_bytes_read(at, zip->from, e->local, h, sizeof h);
    if (!status)
        status = ordo_bytes_read(at, zip->from, e->local + LOCAL_SIZE, name, e->n_name);
    if (status)
        return status;
    if (!ordo_zip_signed(h, 3, 4) || ordo_le16(h + 26) != e->n_name || memcmp(name, e->name, e->n_name) != 0)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "local header", "is not the one that the directory describes");
    *data = end + ordo_le16(h + 28);
    if (!ordo_add(*data, e->packed, &end) || end > zip->offset)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "data", "reaches past the start of the central directory");
    return ORDO_OK;
}

enum ordo_status ordo_zip_stream(const struct ordo_site *at, const struct ordo_zip *zip,
                                 const struct ordo_zip_entry *e, struct ordo_stream *s)
{
    enum ordo_status status = check_entry(at, e);
    uint64_t data = 0;

    if (!status)
        status = find_data(at, zip, e, &data);
    *s = ordo_stream_range(zip->from, data, e->packed);
    s->n_left = e->size;
    s->has_crc = true;
    s->crc_want = e->crc;
    if (!status && e->method == 8)
        status = ordo_stream_inflate(at, s);
    return status;
}
