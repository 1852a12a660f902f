/* stream.h - the bytes of one array in order: a range of a file as it stands, or inflated, with its CRC-32.
 *
 * The size is known before the first byte, so nothing is allocated on the word of compressed data. */
#ifndef ORDO_CORPUS_STREAM_H
#define ORDO_CORPUS_STREAM_H

#include "corpus/bytes.h"

#include <stdbool.h>

struct ordo_inflate; /* zlib's state and an input buffer */

/* A fresh one is filled by its owner: from, next, n_stored, n_left; for a zip entry also has_crc and crc_want. */
struct ordo_stream {
    const struct ordo_bytes *from;
    uint64_t next;     /* offset of the next stored byte */
    uint64_t n_stored; /* stored bytes not yet read */
    uint64_t n_left;   /* bytes not yet given out */
    bool has_crc;
    uint32_t crc_want, crc;
    struct ordo_inflate *inflate; /* NULL: stored as it is */
};

static inline struct ordo_stream ordo_stream_range(const struct ordo_bytes *from, uint64_t offset, uint64_t size)
{
    return (struct ordo_stream){.from = from, .next = offset, .n_stored = size, .n_left = size};
}

/* Makes s inflate raw deflate data. */
enum ordo_status ordo_stream_inflate(const struct ordo_site *at, struct ordo_stream *s);

/* The next n bytes; n <= n_left, a bug of ours otherwise. */
enum ordo_status ordo_stream_read(const struct ordo_site *at, struct ordo_stream *s, void *out, size_t n);

/* After the last byte: nothing may be left over and the CRC must agree. */
enum ordo_status ordo_stream_end(const struct ordo_site *at, struct ordo_stream *s);

void ordo_stream_close(struct ordo_stream *s);

#endif
