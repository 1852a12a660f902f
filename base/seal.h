/* seal.h - a file that ends with a digest of itself: a last line `end HEX`, HEX being the BLAKE2b-256 of all bytes
 * before that line. */
#ifndef ORDO_BASE_SEAL_H
#define ORDO_BASE_SEAL_H

#include "base/digest.h"

#include <stdint.h>

enum { ORDO_SEAL_BYTES = 4 + 2 * ORDO_DIGEST_BYTES + 1 };

enum ordo_seal {
    ORDO_SEAL_WHOLE,
    ORDO_SEAL_BROKEN, /* the bytes are not those that were sealed */
    ORDO_SEAL_NONE    /* no such line ends them: cut, or another kind of file */
};

/* The line that seals n bytes. */
void ordo_seal_line(const void *bytes, size_t n, char out[ORDO_SEAL_BYTES + 1]);

/* *body: how many bytes stand before the line. */
enum ordo_seal ordo_seal_check(const void *bytes, size_t n, size_t *body);

#endif
