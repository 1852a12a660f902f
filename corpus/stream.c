/* stream.c - see stream.h. */
#include "corpus/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

struct ordo_inflate {
    z_stream z;
    bool ended;
    uint8_t in[1 << 16];
};

#define PIECE ((size_t)1 << 30) /* zlib counts in 32 bits */

enum ordo_status ordo_stream_inflate(const struct ordo_site *at, struct ordo_stream *s)
{
    s->inflate = calloc(1, sizeof *s->inflate);
    if (!s->inflate)
        return ordo_site_no_memory(at, sizeof *s->inflate, "bytes");
    if (inflateInit2(&s->inflate->z, -MAX_WBITS) != Z_OK) {
        free(s->inflate);
        s->inflate = NULL;
        return ordo_site_no_memory(at, 1, "zlib state");
    }
    return ORDO_OK;
}

void ordo_stream_close(struct ordo_stream *s)
{
    if (s->inflate) {
        (void)inflateEnd(&s->inflate->z);
        free(s->inflate);
    }
    s->inflate = NULL;
}

static enum ordo_status refill(const struct ordo_site *at, struct ordo_stream *s)
{
    struct ordo_inflate *f = s->inflate;
    size_t n = s->n_stored < sizeof f->in ? (size_t)s->n_stored : sizeof f->in;
    enum ordo_status status = ordo_bytes_read(at, s->from, s->next, f->in, n);

    f->z.next_in = f->in;
    f->z.avail_in = (uInt)n;
    s->next += n;
    s->n_stored -= n;
    return status;
}

/* Inflates until out holds n bytes or the data end; *got says how many came. */
static enum ordo_status inflate_some(const struct ordo_site *at, struct ordo_stream *s, void *out, size_t n,
                                     size_t *got)
{
    struct ordo_inflate *f = s->inflate;
    enum ordo_status status = ORDO_OK;
    int rc = Z_OK;

    f->z.next_out = out;
    f->z.avail_out = (uInt)n;
    while (!status && rc == Z_OK && f->z.avail_out && !f->ended) {
        if (!f->z.avail_in && s->n_stored)
            status = refill(at, s);
        if (!status)
            rc = inflate(&f->z, Z_NO_FLUSH);
        f->ended = rc == Z_STREAM_END;
    }
    *got = n - f->z.avail_out;
    if (rc == Z_MEM_ERROR)
        return ordo_site_no_memory(at, 1, "zlib window");
    if (!status && rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "data", "the deflate stream is damaged (%s)",
                              f->z.msg ? f->z.msg : "no detail");
    return status;
}

static enum ordo_status read_piece(const struct ordo_site *at, struct ordo_stream *s, void *out, size_t n)
{
    enum ordo_status status;
    size_t got = n;

    if (s->inflate) {
        status = inflate_some(at, s, out, n, &got);
    } else {
        status = ordo_bytes_read(at, s->from, s->next, out, n);
        s->next += n;
        s->n_stored -= n;
    }
    if (!status && got < n)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "data",
                              "the deflate stream ends %" PRIu64 " bytes before the size that the directory says",
                              s->n_left - got);
    if (!status && s->has_crc)
        s->crc = (uint32_t)crc32(s->crc, out, (uInt)n);
    s->n_left -= got;
    return status;
}

enum ordo_status ordo_stream_read(const struct ordo_site *at, struct ordo_stream *s, void *out, size_t n)
{
    enum ordo_status status = ORDO_OK;

    ORDO_BUG_ON(n > s->n_left);
    for (size_t done = 0; !status && done < n;) {
        size_t piece = n - done < PIECE ? n - done : PIECE;

        status = read_piece(at, s, (uint8_t *)out + done, piece);
        done += piece;
    }
    return status;
}

enum ordo_status ordo_stream_end(const struct ordo_site *at, struct ordo_stream *s)
{
    enum ordo_status status = ORDO_OK;
    uint8_t more;
    size_t got = 0;

    ORDO_BUG_ON(s->n_left);
    if (s->inflate)
        status = inflate_some(at, s, &more, 1, &got);
    if (status)
        return status;
    if (got)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "data",
                              "the deflate stream holds more than the size that the directory says");
    if (s->inflate && (!s->inflate->ended || s->inflate->z.avail_in || s->n_stored))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "data",
                              "the deflate stream does not end where the directory says");
    if (s->has_crc && s->crc != s->crc_want)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "data",
                              "the CRC-32 is %08" PRIx32 ", the directory says %08" PRIx32, s->crc, s->crc_want);
    return ORDO_OK;
}
