/* zip.h - the parts of the zip format that .npz files use: central directory, zip64, stored and deflate.
 *
 * Only the central directory says what is in the archive.  Local headers are looked at for one thing, where the
 * data start, and must name the same entry: NumPy writes zip64 extras into every one of them, other writers put
 * no sizes there at all, so readers that walk local headers break. */
#ifndef ORDO_CORPUS_ZIP_H
#define ORDO_CORPUS_ZIP_H

#include "corpus/stream.h"

/* "PK" and two more bytes open every record. */
static inline bool ordo_zip_signed(const uint8_t *p, uint8_t a, uint8_t b)
{
    return p[0] == 'P' && p[1] == 'K' && p[2] == a && p[3] == b;
}

struct ordo_zip_entry {
    const char *name; /* not terminated */
    size_t n_name;
    uint64_t packed, size, local; /* stored bytes, bytes, offset of the local header */
    uint32_t crc, flags, method;
};

/* Names are unique and have no ".." component. */
struct ordo_zip {
    const struct ordo_bytes *from;
    uint64_t offset, size; /* of the central directory */
    uint8_t *directory;
    struct ordo_zip_entry *entry;
    uint64_t n_entry;
};

enum ordo_status ordo_zip_open(const struct ordo_site *at, const struct ordo_bytes *b, struct ordo_zip *zip);
void ordo_zip_close(struct ordo_zip *zip);

/* The array "KEY.npy" of a .npz, or KEY itself as NumPy allows; NULL if there is neither. */
const struct ordo_zip_entry *ordo_npz_find(const struct ordo_zip *zip, const char *key);

/* Opens an entry's data; at->key names it.  The caller closes *s, also after a failure. */
enum ordo_status ordo_zip_stream(const struct ordo_site *at, const struct ordo_zip *zip,
                                 const struct ordo_zip_entry *e, struct ordo_stream *s);

#endif
