/* t_tier.c - what each tier counts and keeps: classes, bits, intervals, the truth; and what a budget chooses. */
#include "oracle/tier.h"
#include "oracle/units.h"
#include "ref/fp.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

static struct ordo_err err;

static void formats(void **state)
{
    const uint16_t half[] = {0x3c00, 0x0001, 0xfc00}, brain[] = {0x3f80, 0x0001, 0xff80};
    const float wide[] = {1.5f, -0.0f};
    struct ordo_actual a = {ORDO_NEAR_FP16, false, 3, half};

    (void)state;
    assert_true(ordo_actual_value(&a, 0) == 1 && ordo_actual_value(&a, 1) == 0x1p-24);
    assert_true(isinf(ordo_actual_value(&a, 2)));
    a = (struct ordo_actual){ORDO_NEAR_BF16, false, 3, brain};
    assert_true(ordo_actual_value(&a, 1) == 0x1p-133 && ordo_actual_bits(&a, 1) == 1);
    a = (struct ordo_actual){ORDO_NEAR_BF16, true, 2, wide};
    assert_int_equal(ordo_actual_bits(&a, 0), 0x3fc0);
    assert_int_equal(ordo_actual_bits(&a, 1), 0x8000);
    a = (struct ordo_actual){ORDO_NEAR_FP32, false, 2, wide};
    assert_int_equal(ordo_actual_bits(&a, 0), 0x3fc00000);
}

/* At the exact value: 2^-7 at 1, 2^-8 just below; and the smallest number's gap at 0. */
static void goldberg(void **state)
{
    (void)state;
    assert_true(ordo_format_ulp(ORDO_NEAR_BF16, 1) == 0x1p-7);
    assert_true(ordo_format_ulp(ORDO_NEAR_BF16, nextafter(1, 0)) == 0x1p-8);
    assert_true(ordo_format_ulp(ORDO_NEAR_FP32, -3) == 0x1p-22);
    assert_true(ordo_format_ulp(ORDO_NEAR_FP16, 0x1p-14) == 0x1p-24);
    assert_true(ordo_format_ulp(ORDO_NEAR_FP32, 0) == 0x1p-149);
    assert_true(ordo_format_ulp(ORDO_NEAR_BF16, 0x1p-140) == 0x1p-133);
    assert_true(isnan(ordo_format_ulp(ORDO_NEAR_BF16, HUGE_VAL)));
}

static void bits(void **state)
{
    const uint16_t got[] = {0x3f80, 0x8000, 0x7fc0, 0x3f82, 0x7f80, 0x3f81};
    const uint16_t want[] = {0x3f80, 0, 0x7fff, 0x3f80, 1, 0x3f80};
    const struct ordo_actual a = {ORDO_NEAR_BF16, false, 6, got}, b = {ORDO_NEAR_BF16, false, 6, want};
    struct ordo_tier t;

    (void)state;
    ordo_tier_bits(&a, &b, &t);
    assert_int_equal(t.n, 6);
    assert_int_equal(t.n_bad, 5); /* a zero's sign and a NaN's payload count */
    assert_int_equal(t.n_class, 1);
    assert_int_equal(t.first.element, 1);
    assert_int_equal(t.first.got_bits, 0x8000);
    assert_int_equal(t.worst.element, 4);
    assert_true(isinf(t.worst.ulp));
    ordo_tier_bits(&a, &a, &t);
    assert_int_equal(t.n, 6);
    assert_int_equal(t.n_bad, 0);
}

static void intervals(void **state)
{
    double x[] = {1, 1, 0, 2, 5}, e[] = {0x1p-20, 0x1p-6, 0, HUGE_VAL, 0x1p-20}, top[] = {1, 4, 0, 2, 5}, n[] = {1};
    int64_t unit[] = {0};
    const struct ordo_near_set s = {1, 5, unit, x, e, top, n};
    uint16_t got[] = {0x3f80, 0x3f83, 0, 0x7fff, 0x40a0};
    const struct ordo_actual a = {ORDO_NEAR_BF16, false, 5, got};
    struct ordo_tier t;

    (void)state;
    ordo_tier_interval(&a, &s, &t);
    assert_int_equal(t.n, 5);
    assert_int_equal(t.n_bad, 1); /* 1 + 3 2^-7 is past 1 + 2^-6 */
    assert_int_equal(t.n_open, 1);
    assert_int_equal(t.first.element, 1);
    assert_true(t.worst.element == 1 && t.worst.condition == 4 && t.worst.ulp == 3);
    got[1] = 0x3f82;
    got[2] = 0x8000; /* no claim about a zero's sign */
    got[4] = 0x7fff;
    ordo_tier_interval(&a, &s, &t);
    assert_int_equal(t.n_bad, 1); /* NaN */
    assert_int_equal(t.n_class, 1);
    assert_int_equal(t.first.element, 4);
}

static void truth(void **state)
{
    double x[] = {1, 1}, e[] = {1, 1}, top[] = {1, 1}, n[] = {1};
    int64_t unit[] = {3};
    const struct ordo_near_set s = {1, 2, unit, x, e, top, n};
    const struct ordo_real one = {
        .value = 1, .terms = 8, .fp32 = 0x3f800000, .bf16 = 0x3f80, .state = ORDO_REAL_ROUNDED};
    struct ordo_real value[] = {one, one};
    struct ordo_real_set real = {1, 2, unit, value};
    uint16_t got[8] = {[6] = 0x3f80, [7] = 0x3f81};
    const struct ordo_actual a = {ORDO_NEAR_BF16, false, 8, got};
    struct ordo_tier t;

    (void)state;
    ordo_tier_real(&a, &real, &s, &t);
    assert_int_equal(t.n, 2);
    assert_int_equal(t.n_bad, 0);
    assert_int_equal(t.n_nearest, 1);
    assert_true(t.worst.element == 7 && t.worst.relative == 0x1p-10 && t.worst.ulp == 1 && t.worst.condition == 8);
    value[1].state = ORDO_REAL_NONE;
    ordo_tier_real(&a, &real, &s, &t);
    assert_int_equal(t.n, 1);
}

/* Where nothing adds, any number but 0 is wrong, NaN too. */
static void dead(void **state)
{
    const int64_t unit[] = {1, 3};
    float got[8] = {5, 5, 0, -0.0f, 5, 5, 0x1p-149f, NAN};
    const struct ordo_actual a = {ORDO_NEAR_FP32, false, 8, got};
    struct ordo_tier t = {.n = 10};

    (void)state;
    ordo_tier_dead(&a, 2, 1, unit, &t);
    assert_true(t.n == 12 && t.n_bad == 0 && !t.has_worst);
    ordo_tier_dead(&a, 2, 2, unit, &t);
    assert_true(t.n == 16 && t.n_bad == 2 && t.n_class == 1 && t.first.element == 6 && t.has_worst);
}

/* Whole where the budget pays; else evenly spaced, within it, the same each time. */
static void budget(void **state)
{
    enum { Q = 50, T = 8, KV = 64 };
    int32_t idx[Q * T];
    struct ordo_problem p = {Q, T, KV, idx, NULL};
    const struct ordo_attend a = {.problem = &p, .n_head = 2, .d_qk = 16, .d_v = 8};
    struct ordo_units u[ORDO_REAL_OUTPUTS];

    (void)state;
    for (int i = 0; i < Q * T; i++)
        idx[i] = i % 37;
    assert_ok(ordo_units_choose(&a, &ordo_unit_cost_real, 1e9, 1e9, u, &err), err);
    assert_true(u[ORDO_REAL_DQ].n == 100 && u[ORDO_REAL_DKV].n == 64 && u[ORDO_REAL_DSINK].n == 2);
    assert_int_equal(u[ORDO_REAL_DKV].n_dead, 0); /* they are among the 64 */
    ordo_units_free(u);
    assert_ok(ordo_units_choose(&a, &ordo_unit_cost_real, 6e4, 1e9, u, &err), err);
    assert_true(u[ORDO_REAL_DQ].n > 5 && u[ORDO_REAL_DQ].n < 100 && u[ORDO_REAL_DKV].n < 64);
    assert_int_equal(u[ORDO_REAL_DSINK].n, 0); /* one needs every query */
    assert_true(u[ORDO_REAL_DQ].n_dead == 0 && u[ORDO_REAL_DKV].n_dead == 64 - 37);
    for (int64_t i = 0; i < 64 - 37; i++)
        assert_int_equal(u[ORDO_REAL_DKV].unit[u[ORDO_REAL_DKV].n + i], 37 + i);
    for (int o = 0; o < ORDO_REAL_OUTPUTS; o++)
        for (int64_t i = 1; i < u[o].n; i++)
            assert_true(u[o].unit[i] > u[o].unit[i - 1] && u[o].unit[i] < u[o].all);
    ordo_units_free(u);
    assert_ok(ordo_units_choose(&a, &ordo_unit_cost_near, 1e12, 160, u, &err), err);
    assert_true(u[ORDO_REAL_DQ].n <= 10 && u[ORDO_REAL_DQ].n > 0); /* of 16 columns each */
    assert_true(u[ORDO_REAL_DKV].n > 0 && u[ORDO_REAL_DSINK].n == 2);
    ordo_units_free(u);
    assert_ok(ordo_units_choose(&a, &ordo_unit_cost_near, 500e3, 1024, u, &err), err);
    assert_true(u[ORDO_REAL_DQ].n == 50); /* what all costs once is paid for: rows are shared */
    assert_true(u[ORDO_REAL_DKV].n == 37);
    ordo_units_free(u);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(formats),   cmocka_unit_test(goldberg), cmocka_unit_test(bits),
        cmocka_unit_test(intervals), cmocka_unit_test(truth),    cmocka_unit_test(dead),     cmocka_unit_test(budget),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
