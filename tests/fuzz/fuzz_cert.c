/* fuzz_cert.c - any bytes as a certificate of a small tensor.  So that not all end at a digest: the first @ becomes
 * that of this build's protocol, and the bytes are sealed, unless they begin with '!', which is left out. */
#include "tests/fuzz/harness.h"

#include "base/seal.h"
#include "cert/cert.h"

#include <stdlib.h>
#include <string.h>

/* The file that data stands for; *n: its bytes. */
static uint8_t *file_of(const uint8_t *data, size_t size, size_t *n)
{
    static char protocol[ORDO_DIGEST_HEX];
    bool sealed = !size || data[0] != '!';
    uint8_t *file = malloc(size + ORDO_DIGEST_HEX + ORDO_SEAL_BYTES + 1);
    const uint8_t *at = size ? memchr(data, '@', size) : NULL;
    size_t before = at ? (size_t)(at - data) : size;
    char seal[ORDO_SEAL_BYTES + 1];

    ORDO_BUG_ON(!file);
    if (!*protocol) {
        struct ordo_digest d = ordo_digest_texts(ordo_cert_protocol_text);

        (void)ordo_digest_hex(&d, protocol);
    }
    if (before)
        memcpy(file, data, before);
    *n = before;
    if (at) {
        memcpy(file + *n, protocol, sizeof protocol - 1);
        memcpy(file + *n + sizeof protocol - 1, at + 1, size - before - 1);
        *n += sizeof protocol - 1 + size - before - 1;
    }
    if (!sealed) {
        memmove(file, file + 1, --*n);
        return file;
    }
    ordo_seal_line(file, *n, seal);
    memcpy(file + *n, seal, ORDO_SEAL_BYTES);
    *n += ORDO_SEAL_BYTES;
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int32_t idx[] = {0, 1, 1, 2, -1, 1};
    static const struct ordo_problem problem = {3, 2, 4, idx, NULL};
    struct ordo_cert_verdict v = {.why = ORDO_CERT_NONE};
    struct ordo_sealed c;
    struct ordo_err err = {0};
    size_t n;
    uint8_t *file = file_of(data, size, &n);
    enum ordo_status status = ordo_sealed_parse("fuzz", ORDO_CERT_SCHEMA, file, n, &c, &err);

    if (status == ORDO_OK)
        status = ordo_cert_verify(&c, &problem, &v, &err);
    ORDO_BUG_ON(status != ORDO_OK && (status != ORDO_BAD_INPUT || !err.reason[0] || !err.field[0]));
    ORDO_BUG_ON(v.why < 0 || v.why >= ORDO_N_CERT_REFUSALS);
    ordo_sealed_free(&c);
    return 0;
}
