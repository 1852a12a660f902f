/* t_rational.c - fractions: text, order and arithmetic, and what leaves 64 bits. */
#include "tests/test.h"

#include "base/rational.h"

static void texts(void **state)
{
    static const struct {
        const char *text;
        int64_t num, den;
    } good[] = {{"3", 3, 1}, {"0", 0, 1}, {"3/2", 3, 2}, {"6/4", 3, 2}, {"1.5", 3, 2}, {"0.25", 1, 4},
                {"0.000000001", 1, 1000000000},
                {"9223372036854775807", INT64_MAX, 1}};
    static const char *const bad[] = {"", "-1", "3/", "/2", "3/0", "1.", ".5", "1e3", " 1", "1 ",
                                      "9223372036854775808",
                                      "0.0000000001", "nan", "1/2/3"};
    struct ordo_rational x;
    char text[ORDO_RATIONAL_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(ordo_rational_parse(good[i].text, &x));
        assert_true(x.num == good[i].num && x.den == good[i].den);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (ordo_rational_parse(bad[i], &x))
            fail_msg("'%s' passes for %s", bad[i], ordo_rational_text(x, text));
    assert_string_equal(ordo_rational_text(ordo_rational_of(6, 4), text), "3/2");
    assert_string_equal(ordo_rational_text(ordo_rational_of(-8, 4), text), "-2");
}

static void arithmetic(void **state)
{
    struct ordo_rational x, half = {1, 2}, third = {1, 3}, big = {INT64_MAX, 1}, two = {2, 1};
    int64_t den = 4;

    (void)state;
    assert_true(ordo_rational_add(half, third, &x) && x.num == 5 && x.den == 6);
    assert_true(ordo_rational_mul(half, third, &x) && x.num == 1 && x.den == 6);
    assert_true(ordo_rational_div(half, third, &x) && x.num == 3 && x.den == 2);
    assert_int_equal(ordo_rational_compare(half, third), 1);
    assert_int_equal(ordo_rational_compare(third, half), -1);
    assert_int_equal(ordo_rational_compare(half, half), 0);
    assert_int_equal(ordo_rational_compare(ordo_rational_of(INT64_MAX, INT64_MAX - 1), (struct ordo_rational){1, 1}),
                     1);
    assert_false(ordo_rational_mul(big, two, &x));
    assert_false(ordo_rational_add(big, two, &x));
    assert_true(ordo_rational_common(ordo_rational_of(1, 6), &den) && den == 12);
    assert_false(ordo_rational_common(ordo_rational_of(1, INT64_MAX), &den));
    assert_int_equal(den, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(arithmetic)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
