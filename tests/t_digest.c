/* t_digest.c - the one digest is BLAKE2b-256, however its input is cut. */
#include "base/digest.h"
#include "tests/test.h"

#include <string.h>

static void assert_hex(struct ordo_hasher *h, const char *want)
{
    struct ordo_digest d = ordo_hasher_done(h);
    char hex[ORDO_DIGEST_HEX];

    assert_ptr_equal(ordo_digest_hex(&d, hex), hex);
    assert_string_equal(hex, want);
}

/* Values of Python's hashlib.blake2b(digest_size=32). */
static void known_answers(void **state)
{
    static struct ordo_hasher h;
    static char a[1000];

    (void)state;
    ordo_hasher_init(&h);
    assert_hex(&h, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
    ordo_hasher_init(&h);
    ordo_hasher_text(&h, "abc");
    assert_hex(&h, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
    memset(a, 'a', sizeof a);
    ordo_hasher_init(&h);
    for (int i = 0; i < 1000; i++)
        ordo_hasher_bytes(&h, a, sizeof a);
    assert_hex(&h, "0741850f36cba4259628355d1073e24ddb9ca0e1bfac36fd39ae5dc2101e23a4");
}

/* 3000 words go through the buffer of 1024 and leave a rest. */
static void words(void **state)
{
    static struct ordo_hasher h;

    (void)state;
    ordo_hasher_init(&h);
    for (uint32_t i = 0; i < 3000; i++)
        ordo_hasher_u32(&h, i * UINT32_C(2654435761));
    assert_hex(&h, "4a3f0fb70683ca3eb47045dd0a6df1736c3f42798f7bdb00d7816a5e1335eafa");
}

/* Words that wait in the buffer go before the bytes that follow them. */
static void mixed(void **state)
{
    static struct ordo_hasher h;

    (void)state;
    ordo_hasher_init(&h);
    ordo_hasher_bytes(&h, "x", 1);
    ordo_hasher_u32(&h, 0x01020304);
    ordo_hasher_u64(&h, UINT64_C(0x1122334455667788));
    ordo_hasher_text(&h, "yz");
    assert_hex(&h, "f02244d9460dfb1ddcd409ad6fbd4b75395ba0f9b58969f7e7daf75fb3fc78ea");
}

static void texts_and_hex(void **state)
{
    static const char *const parts[] = {"a", "", "bc", NULL};
    static const char abc[] = "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319";

    (void)state;
    assert_true(ordo_digest_is(ordo_digest_texts(parts), abc));
    assert_false(ordo_digest_is(ordo_digest_texts(parts + 1), abc));
    assert_false(ordo_digest_is(ordo_digest_texts(parts), abc + 1));
    assert_false(ordo_digest_is(ordo_digest_texts(parts), NULL));
}

static void cuts_do_not_matter(void **state)
{
    static struct ordo_hasher h;
    static uint8_t byte[256 * 17];

    (void)state;
    for (size_t i = 0; i < sizeof byte; i++)
        byte[i] = (uint8_t)i;
    for (size_t part = 1; part < 700; part += 37) {
        ordo_hasher_init(&h);
        for (size_t i = 0; i < sizeof byte; i += part)
            ordo_hasher_bytes(&h, byte + i, sizeof byte - i < part ? sizeof byte - i : part);
        assert_hex(&h, "9a9f52962854347621700649f4d1b21d8f046055d569fa5d3302f9c3c6f75dae");
    }
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(words),
        cmocka_unit_test(mixed),
        cmocka_unit_test(texts_and_hex), cmocka_unit_test(cuts_do_not_matter),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
