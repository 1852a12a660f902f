/* digest.h - BLAKE2b-256 (RFC 7693, no key), the one digest of the project, by libsodium.
 *
 * What is hashed is always a stream of little-endian integers or text whose layout the caller documents. */
#ifndef ORDO_BASE_DIGEST_H
#define ORDO_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDO_DIGEST_BYTES 32
#define ORDO_DIGEST_HEX (2 * ORDO_DIGEST_BYTES + 1)

struct ordo_digest {
    uint8_t byte[ORDO_DIGEST_BYTES];
};

/* An open hash.  Plain storage of the caller; needs no release. */
struct ordo_hasher {
    _Alignas(64) uint8_t opaque[384]; /* a crypto_generichash_state */
    size_t n_word;                    /* words waiting in `word` */
    uint32_t word[1024];
};

void ordo_hasher_init(struct ordo_hasher *h);
void ordo_hasher_bytes(struct ordo_hasher *h, const void *bytes, size_t n);
void ordo_hasher_text(struct ordo_hasher *h, const char *text);
void ordo_hasher_flush(struct ordo_hasher *h);
/* Adds one uint32 in little-endian order. */
static inline void ordo_hasher_u32(struct ordo_hasher *h, uint32_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap32(x);
#endif
    h->word[h->n_word++] = x;
    if (h->n_word == sizeof h->word / sizeof h->word[0])
        ordo_hasher_flush(h);
}
void ordo_hasher_u64(struct ordo_hasher *h, uint64_t x);
struct ordo_digest ordo_hasher_done(struct ordo_hasher *h);

/* Of texts, one behind the other; NULL ends the list. */
struct ordo_digest ordo_digest_texts(const char *const *text);

/* Whether hex (NULL: no) is its hex. */
bool ordo_digest_is(struct ordo_digest d, const char *hex);

/* Lower-case hex with a terminating zero; returns out. */
char *ordo_digest_hex(const struct ordo_digest *d, char out[ORDO_DIGEST_HEX]);

/* Version of libsodium. */
const char *ordo_digest_library(void);

#endif
