/* t_fp.c - the formats: BF16 rounding against a slow definition, classes at their borders. */
#include "tests/test.h"

#include "base/rng.h"
#include "ref/fp.h"

#include <math.h>

/* The nearer of the two BF16 neighbours by exact arithmetic in double, which holds every fp32 and every midpoint. */
static uint16_t slow_round(uint32_t bits)
{
    uint16_t low = (uint16_t)(bits >> 16), high = (uint16_t)(low + 1);
    double x, a, b;

    if (isnan(ordo_fp32(bits)))
        return ORDO_BF16_NAN;
    if ((low & 0x7fff) == ORDO_BF16_INF)
        return low;
    x = fabs((double)ordo_fp32(bits));
    a = fabs((double)ordo_fp32(ordo_bf16_to_fp32_bits(low)));
    b = (high & 0x7fff) == ORDO_BF16_INF ? 0x1p128 : fabs((double)ordo_fp32(ordo_bf16_to_fp32_bits(high)));
    if (x - a != b - x)
        return x - a < b - x ? low : high;
    return low & 1 ? high : low;
}

static void bf16_hard_cases(void **state)
{
    static const uint32_t hard[][2] = {
        {0x00000000, 0x0000}, {0x80000000, 0x8000}, {0x00000001, 0x0000}, {0x00008000, 0x0000},
        {0x00008001, 0x0001}, {0x00018000, 0x0002}, {0x007fffff, 0x0080}, {0x3f808000, 0x3f80},
        {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81}, {0x7f7f7fff, 0x7f7f}, {0x7f7f8000, 0x7f80},
        {0xff7fffff, 0xff80}, {0x7f800000, 0x7f80}, {0xff800000, 0xff80}, {0x7f800001, 0x7fff},
        {0xff800001, 0x7fff}, {0x7fffffff, 0x7fff}, {0xffffffff, 0x7fff},
    };

    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++)
        assert_int_equal(ordo_bf16_round(hard[i][0]), hard[i][1]);
}

static void bf16_against_definition(void **state)
{
    struct ordo_rng rng = {1};

    (void)state;
    for (uint32_t top = 0; top < 0x10000; top++) /* every BF16 with the borders of its rounding */
        for (uint32_t low = 0; low < 4; low++) {
            static const uint32_t border[4] = {0x0001, 0x7fff, 0x8000, 0x8001};
            uint32_t bits = top << 16 | border[low];

            assert_int_equal(ordo_bf16_round(bits), slow_round(bits));
        }
    for (int i = 0; i < 200000; i++) {
        uint32_t bits = (uint32_t)ordo_rng_next(&rng);

        assert_int_equal(ordo_bf16_round(bits), slow_round(bits));
    }
}

static void bf16_round_trip(void **state)
{
    (void)state;
    for (uint32_t b = 0; b < 0x10000; b++)
        if (ordo_bf16_class((uint16_t)b) != ORDO_FP_NOT_A_NUMBER)
            assert_int_equal(ordo_bf16_round(ordo_bf16_to_fp32_bits((uint16_t)b)), b);
}

static void classes(void **state)
{
    static const struct {
        uint32_t bits;
        enum ordo_fp_class want;
    } border[] = {
        {0, ORDO_FP_ZERO},          {0x80000000, ORDO_FP_ZERO},     {1, ORDO_FP_SUBNORMAL},
        {0x807fffff, ORDO_FP_SUBNORMAL}, {0x00800000, ORDO_FP_NORMAL}, {0xff7fffff, ORDO_FP_NORMAL},
        {0x7f800000, ORDO_FP_INFINITE}, {0xff800000, ORDO_FP_INFINITE}, {0x7f800001, ORDO_FP_NOT_A_NUMBER},
        {0xffffffff, ORDO_FP_NOT_A_NUMBER},
    };

    (void)state;
    for (size_t i = 0; i < sizeof border / sizeof border[0]; i++) {
        assert_int_equal(ordo_fp32_class(border[i].bits), border[i].want);
        assert_int_equal(ordo_fp32_finite(border[i].bits), border[i].want < ORDO_FP_INFINITE);
    }
    assert_int_equal(ordo_bf16_class(0x0001), ORDO_FP_SUBNORMAL);
    assert_int_equal(ordo_bf16_class(0x0080), ORDO_FP_NORMAL);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(bf16_hard_cases),
        cmocka_unit_test(bf16_against_definition),
        cmocka_unit_test(bf16_round_trip),
        cmocka_unit_test(classes),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
