/* digest.c - see digest.h.  The only file that knows libsodium. */
#include "base/digest.h"

#include "base/status.h"

#include <sodium.h>
#include <string.h>

_Static_assert(sizeof(crypto_generichash_state) <= sizeof((struct ordo_hasher *)0)->opaque, "hasher too small");

static crypto_generichash_state *state(struct ordo_hasher *h)
{
    return (crypto_generichash_state *)(void *)h->opaque;
}

void ordo_hasher_init(struct ordo_hasher *h)
{
    ORDO_BUG_ON(sodium_init() < 0); /* picks the vector code once; later calls return at once */
    h->n_word = 0;
    (void)crypto_generichash_init(state(h), NULL, 0, ORDO_DIGEST_BYTES);
}

void ordo_hasher_flush(struct ordo_hasher *h)
{
    (void)crypto_generichash_update(state(h), (const unsigned char *)h->word, h->n_word * sizeof h->word[0]);
    h->n_word = 0;
}

void ordo_hasher_bytes(struct ordo_hasher *h, const void *bytes, size_t n)
{
    ordo_hasher_flush(h);
    (void)crypto_generichash_update(state(h), bytes, n);
}

void ordo_hasher_text(struct ordo_hasher *h, const char *text)
{
    ordo_hasher_bytes(h, text, strlen(text));
}

void ordo_hasher_u64(struct ordo_hasher *h, uint64_t x)
{
    ordo_hasher_u32(h, (uint32_t)x);
    ordo_hasher_u32(h, (uint32_t)(x >> 32));
}

struct ordo_digest ordo_hasher_done(struct ordo_hasher *h)
{
    struct ordo_digest d;

    ordo_hasher_flush(h);
    (void)crypto_generichash_final(state(h), d.byte, sizeof d.byte);
    return d;
}

struct ordo_digest ordo_digest_texts(const char *const *text)
{
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    while (*text)
        ordo_hasher_text(&h, *text++);
    return ordo_hasher_done(&h);
}

bool ordo_digest_is(struct ordo_digest d, const char *hex)
{
    char own[ORDO_DIGEST_HEX];

    return hex && strcmp(ordo_digest_hex(&d, own), hex) == 0;
}

char *ordo_digest_hex(const struct ordo_digest *d, char out[ORDO_DIGEST_HEX])
{
    return sodium_bin2hex(out, ORDO_DIGEST_HEX, d->byte, sizeof d->byte);
}

const char *ordo_digest_library(void)
{
    return sodium_version_string();
}
