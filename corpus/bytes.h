/* bytes.h - a file or a buffer that can be read at any place.
 *
 * Readers see nothing else, so that the same code reads a file of 100 GB (only the parts it needs) and a fuzzer's
 * buffer.  Little-endian loads for the formats stand here too. */
#ifndef ORDO_CORPUS_BYTES_H
#define ORDO_CORPUS_BYTES_H

#include "corpus/site.h"

/* mem is the caller's, or NULL and fd is ours. */
struct ordo_bytes {
    const uint8_t *mem;
    int fd;
    uint64_t size;
};

static inline struct ordo_bytes ordo_bytes_memory(const uint8_t *mem, size_t size)
{
    return (struct ordo_bytes){.mem = mem, .fd = -1, .size = size};
}

/* Opens at->file, which must be a regular file; never waits (a FIFO is refused). */
enum ordo_status ordo_bytes_open(const struct ordo_site *at, struct ordo_bytes *b);
void ordo_bytes_close(struct ordo_bytes *b);

/* Bytes [offset, offset + n), which must lie inside: a bug of ours otherwise. */
enum ordo_status ordo_bytes_read(const struct ordo_site *at, const struct ordo_bytes *b, uint64_t offset, void *out,
                                 size_t n);

/* The whole of at->file, which must be a regular file.  The caller frees *bytes, also after a failure. */
enum ordo_status ordo_bytes_of_file(const struct ordo_site *at, uint8_t **bytes, size_t *n);

static inline uint32_t ordo_le16(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t ordo_le32(const uint8_t *p)
{
    return ordo_le16(p) | ordo_le16(p + 2) << 16;
}

static inline uint64_t ordo_le64(const uint8_t *p)
{
    return ordo_le32(p) | (uint64_t)ordo_le32(p + 4) << 32;
}

#endif
