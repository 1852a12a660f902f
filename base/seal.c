/* seal.c - see seal.h. */
#include "base/seal.h"

#include <stdio.h>
#include <string.h>

void ordo_seal_line(const void *bytes, size_t n, char out[ORDO_SEAL_BYTES + 1])
{
    char hex[ORDO_DIGEST_HEX];
    struct ordo_hasher h;
    struct ordo_digest d;

    ordo_hasher_init(&h);
    ordo_hasher_bytes(&h, bytes, n);
    d = ordo_hasher_done(&h);
    (void)snprintf(out, ORDO_SEAL_BYTES + 1, "end %s\n", ordo_digest_hex(&d, hex));
}

enum ordo_seal ordo_seal_check(const void *bytes, size_t n, size_t *body)
{
    char line[ORDO_SEAL_BYTES + 1];
    const char *end;

    *body = 0;
    if (n <= ORDO_SEAL_BYTES)
        return ORDO_SEAL_NONE;
    *body = n - ORDO_SEAL_BYTES;
    end = (const char *)bytes + *body;
    if (memcmp(end, "end ", 4) != 0 || end[ORDO_SEAL_BYTES - 1] != '\n')
        return ORDO_SEAL_NONE;
    ordo_seal_line(bytes, *body, line);
    return memcmp(end, line, ORDO_SEAL_BYTES) == 0 ? ORDO_SEAL_WHOLE : ORDO_SEAL_BROKEN;
}
