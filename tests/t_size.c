/* t_size.c - checked sizes, seeded numbers and error text at their edges. */
#include "base/rng.h"
#include "base/size.h"
#include "tests/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void sums_and_products(void **state)
{
    uint64_t x = 7;

    (void)state;
    assert_true(ordo_add(UINT64_MAX - 1, 1, &x) && x == UINT64_MAX);
    x = 7;
    assert_false(ordo_add(UINT64_MAX, 1, &x));
    assert_int_equal(x, 7); /* left alone */
    assert_true(ordo_mul(UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1, &x) && x == UINT64_C(0xffffffff00000000));
    x = 7;
    assert_false(ordo_mul(UINT64_C(1) << 32, UINT64_C(1) << 32, &x));
    assert_int_equal(x, 7);
    assert_true(ordo_mul(0, UINT64_MAX, &x) && x == 0);
}

static void rounding_up(void **state)
{
    uint64_t x = 7;

    (void)state;
    assert_true(ordo_round_up(0, 8, &x) && x == 0);
    assert_true(ordo_round_up(1, 8, &x) && x == 8);
    assert_true(ordo_round_up(8, 8, &x) && x == 8);
    assert_true(ordo_round_up(UINT64_MAX - 7, 8, &x) && x == UINT64_MAX - 7);
    x = 7;
    assert_false(ordo_round_up(UINT64_MAX - 6, 8, &x));
    assert_int_equal(x, 7);
    assert_int_equal(ordo_div_up(0, 8), 0);
    assert_int_equal(ordo_div_up(1, 8), 1);
    assert_int_equal(ordo_div_up(8, 8), 1);
    assert_true(ordo_div_up(UINT64_MAX, 2) == UINT64_C(1) << 63);
}

static void allocation(void **state)
{
    uint8_t *p;

    (void)state;
    assert_null(ordo_alloc(UINT64_C(1) << 61, 8));
    assert_null(ordo_alloc((UINT64_C(1) << 61) + 1, 8)); /* 8 bytes, if it were not checked */
    assert_null(ordo_alloc_zero((UINT64_C(1) << 61) + 1, 8));
    p = ordo_alloc(0, 8);
    assert_non_null(p);
    free(p);
    p = ordo_alloc_zero(0, 8);
    assert_non_null(p);
    free(p);
    /* Above and below where base/size.c takes another way. */
    for (uint64_t n = 1000; n < UINT64_C(1) << 25; n *= 33) {
        p = ordo_alloc(n, 1);
        assert_non_null(p);
        memset(p, 0xa5, n);
        free(p);
        p = ordo_alloc_zero(n, 1);
        assert_non_null(p);
        for (uint64_t i = 0; i < n; i += 97)
            assert_int_equal(p[i], 0);
        assert_int_equal(p[n - 1], 0);
        free(p);
    }
}

/* Steele, Lea and Flood's generator from state 1234567. */
static void splitmix(void **state)
{
    static const uint64_t golden[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                      UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                      UINT64_C(16408922859458223821)};
    struct ordo_rng rng = {1234567};

    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++)
        assert_true(ordo_rng_next(&rng) == golden[i]);
}

static void below(void **state)
{
    struct ordo_rng rng = {3};
    uint32_t seen[5] = {0};

    (void)state;
    for (int i = 0; i < 50000; i++)
        seen[ordo_rng_below(&rng, 5)]++;
    for (int i = 0; i < 5; i++)
        assert_in_range(seen[i], 9600, 10400);
    for (int i = 0; i < 1000; i++)
        assert_true(ordo_rng_below(&rng, (UINT64_C(1) << 63) + 1) <= UINT64_C(1) << 63);
    assert_int_equal(ordo_rng_below(&rng, 1), 0);
}

static void error_text(void **state)
{
    struct ordo_err err = {0};
    char longer[2000];

    (void)state;
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(ordo_fail(&err, ORDO_BAD_INPUT, "a.npy", "shape", "has %d of %d", 3, 4), ORDO_BAD_INPUT);
    assert_string_equal(err.file, "a.npy");
    assert_string_equal(err.field, "shape");
    assert_string_equal(err.reason, "has 3 of 4");
    assert_int_equal(ordo_fail(&err, ORDO_USAGE, NULL, NULL, "%s", longer), ORDO_USAGE);
    assert_string_equal(err.file, "");
    assert_string_equal(err.field, "");
    assert_int_equal(strlen(err.reason), sizeof err.reason - 1);
    assert_int_equal(ordo_fail(NULL, ORDO_USAGE, longer, longer, "no one listens"), ORDO_USAGE);
    assert_int_equal(ordo_fail_errno(&err, ORDO_ENVIRONMENT, ENOSPC, longer, longer, "cannot write"),
                     ORDO_ENVIRONMENT);
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
    assert_int_equal(strlen(err.field), sizeof err.field - 1);
    assert_non_null(strstr(err.reason, "cannot write: "));
    assert_non_null(strstr(err.reason, strerror(ENOSPC)));
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(sums_and_products), cmocka_unit_test(rounding_up), cmocka_unit_test(allocation),
        cmocka_unit_test(splitmix),          cmocka_unit_test(below),       cmocka_unit_test(error_text),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
