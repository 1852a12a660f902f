/* t_real_round.c - MPFR's traps (double rounding, exponent range, ternary value), and exact dot products. */
#include "oracle/real_impl.h"
#include "ref/fp.h"
#include "tests/test.h"

static void set_text(mpfr_t x, const char *text)
{
    mpfr_set_prec(x, 400);
    assert_int_equal(mpfr_set_str(x, text, 2, MPFR_RNDN), 0);
}

/* Just above half of BF16's last place, by less than fp32's: through fp32 it would be a tie and go down. */
static void no_double_rounding(void **state)
{
    struct ordo_real r;
    mpfr_t x;

    (void)state;
    mpfr_init(x);
    set_text(x, "1.000000010000000000000000000001"); /* 1 + 2^-8 + 2^-30 */
    assert_int_equal(ordo_real_bf16_bits(x), 0x3f81);
    assert_int_equal(ordo_bf16_round(ordo_real_fp32(x)), 0x3f80);
    set_text(x, "1.00000000001000000000000000000000000001"); /* fp16: 1 + 2^-11 + 2^-38 */
    assert_int_equal(ordo_real_fp16_bits(x), 0x3c01);
    assert_int_equal(ordo_round(&ordo_format_fp16, ordo_real_fp32(x)), 0x3c00);
    set_text(x, "1.00000001"); /* an exact tie goes to even, and a ball around it is not decided */
    assert_true(ordo_real_round(x, 0, &r));
    assert_int_equal(r.bf16, 0x3f80);
    assert_false(ordo_real_round(x, 0x1p-300, &r));
    mpfr_clear(x);
}

/* MPFR has no smallest number: what lies below fp32's normal range must lose digits, once. */
static void exponent_range(void **state)
{
    mpfr_t x;

    (void)state;
    mpfr_init(x);
    mpfr_set_prec(x, 400);
    mpfr_set_ui_2exp(x, 3, -150, MPFR_RNDN); /* 1.5 2^-149: a tie, to even: 2^-148 */
    assert_int_equal(ordo_real_fp32(x), 2);
    mpfr_set_ui_2exp(x, 1, -150, MPFR_RNDN); /* half the smallest: to even: 0 */
    assert_int_equal(ordo_real_fp32(x), 0);
    mpfr_nextabove(x);
    assert_int_equal(ordo_real_fp32(x), 1);
    mpfr_set_ui_2exp(x, 1, -134, MPFR_RNDN); /* BF16: the same */
    assert_int_equal(ordo_real_bf16_bits(x), 0);
    mpfr_nextabove(x);
    assert_int_equal(ordo_real_bf16_bits(x), 1);
    mpfr_set_ui_2exp(x, 1, -25, MPFR_RNDN);
    assert_int_equal(ordo_real_fp16_bits(x), 0);
    mpfr_nextabove(x);
    assert_int_equal(ordo_real_fp16_bits(x), 1);
    mpfr_set_ui_2exp(x, 0x1ff, 119, MPFR_RNDN); /* between BF16's largest and 2^128: a tie, to Inf */
    assert_int_equal(ordo_real_bf16_bits(x), ORDO_BF16_INF);
    mpfr_nextbelow(x);
    assert_int_equal(ordo_real_bf16_bits(x), 0x7f7f);
    mpfr_set_si_2exp(x, -1, 128, MPFR_RNDN);
    assert_int_equal(ordo_real_fp32(x), 0xff800000);
    assert_int_equal(ordo_real_fp16_bits(x), 0xfc00);
    assert_true(mpfr_get_emin() < -100000 && mpfr_get_emax() > 100000); /* put back */
    mpfr_clear(x);
}

/* A subnormal whose digits were already cut by the first rounding: 24 digits round 2^-149 (2.5 - tiny) up to 2.5,
 * and only the ternary value still knows that it is less. */
static void ternary_value(void **state)
{
    mpfr_t x;

    (void)state;
    mpfr_init(x);
    mpfr_set_prec(x, 400);
    mpfr_set_ui_2exp(x, 5, -150, MPFR_RNDN);
    assert_int_equal(ordo_real_fp32(x), 2);
    mpfr_nextabove(x);
    assert_int_equal(ordo_real_fp32(x), 3);
    mpfr_set_ui_2exp(x, 7, -150, MPFR_RNDN);
    assert_int_equal(ordo_real_fp32(x), 4);
    mpfr_nextbelow(x);
    assert_int_equal(ordo_real_fp32(x), 3);
    mpfr_clear(x);
}

/* Exponents over all of BF16, cancelling but for one bit. */
static void exact_dot(void **state)
{
    uint16_t a[3] = {0x7f7f, 0x7f7f, 0x0001}, b[3] = {0x7f7f, 0xff7f, 0x0001};
    mpfr_t x, t;

    (void)state;
    mpfr_inits2(ORDO_REAL_WIDE, x, t, (mpfr_ptr)NULL);
    assert_true(ordo_real_dot(x, t, a, b, 3));
    assert_int_equal(mpfr_cmp_ui_2exp(x, 1, -266), 0);
    assert_true(ordo_real_dot(x, t, a, b, 2));
    assert_true(mpfr_zero_p(x));
    b[2] = ORDO_BF16_NAN;
    assert_false(ordo_real_dot(x, t, a, b, 3));
    mpfr_clears(x, t, (mpfr_ptr)NULL);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(exact_dot),
        cmocka_unit_test(no_double_rounding),
        cmocka_unit_test(exponent_range),
        cmocka_unit_test(ternary_value),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
