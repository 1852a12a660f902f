/* t_fp.c - the formats: BF16 rounding against a slow definition, classes at their borders. */
#include "tests/test.h"

#include "base/rng.h"
#include "ref/fp.h"
#include "ref/fpu.h"

#include <fenv.h>
#include <math.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

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
        {0x00000000, 0x0000}, {0x80000000, 0x8000}, {0x00000001, 0x0000}, {0x00008000, 0x0000}, {0x00008001, 0x0001},
        {0x00018000, 0x0002}, {0x007fffff, 0x0080}, {0x3f808000, 0x3f80}, {0x3f818000, 0x3f82}, {0x3f808001, 0x3f81},
        {0x7f7f7fff, 0x7f7f}, {0x7f7f8000, 0x7f80}, {0xff7fffff, 0xff80}, {0x7f800000, 0x7f80}, {0xff800000, 0xff80},
        {0x7f800001, 0x7fff}, {0xff800001, 0x7fff}, {0x7fffffff, 0x7fff}, {0xffffffff, 0x7fff},
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
        {0, ORDO_FP_ZERO},
        {0x80000000, ORDO_FP_ZERO},
        {1, ORDO_FP_SUBNORMAL},
        {0x807fffff, ORDO_FP_SUBNORMAL},
        {0x00800000, ORDO_FP_NORMAL},
        {0xff7fffff, ORDO_FP_NORMAL},
        {0x7f800000, ORDO_FP_INFINITE},
        {0xff800000, ORDO_FP_INFINITE},
        {0x7f800001, ORDO_FP_NOT_A_NUMBER},
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

/* --- formats as data -------------------------------------------------------------------------------------------- */

/* The value of any finite encoding, exactly. */
static double value_of(const struct ordo_format *f, uint32_t bits)
{
    struct ordo_parts x = ordo_parts(f, bits);

    return ldexp(x.minus ? -(double)x.significand : (double)x.significand, x.e - f->fraction);
}

static void format_parts(void **state)
{
    struct ordo_rng rng = {2};

    (void)state;
    for (int i = 0; i < 100000; i++) { /* what the FPU reads in the same bits */
        uint32_t bits = (uint32_t)ordo_rng_next(&rng) & ~(i % 2 ? 0u : UINT32_C(0x7f800000));

        if (ordo_fp32_finite(bits))
            assert_true(value_of(&ordo_format_fp32, bits) == (double)ordo_fp32(bits));
    }
    assert_true(value_of(&ordo_format_fp16, 0x3c00) == 1.0);
    assert_true(value_of(&ordo_format_fp16, 0xfbff) == -65504.0);
    assert_true(value_of(&ordo_format_fp16, 0x0001) == 0x1p-24);
    assert_true(value_of(&ordo_format_bf16, 0x0001) == 0x1p-133);
    assert_int_equal(ordo_ulp_exponent(&ordo_format_fp32, 0x3f800000), -23);
    assert_int_equal(ordo_ulp_exponent(&ordo_format_fp32, 0x3f7fffff), -24);
    assert_int_equal(ordo_ulp_exponent(&ordo_format_fp32, 0), -149);
    assert_int_equal(ordo_ulp_exponent(&ordo_format_bf16, 0x4000), -6);
    assert_int_equal(ordo_ulp_exponent(&ordo_format_fp16, 0x03ff), -24);
}

/* Widening keeps the value, and rounding undoes it. */
static void widen_and_round(void **state)
{
    static const struct ordo_format *const format[2] = {&ordo_format_bf16, &ordo_format_fp16};

    (void)state;
    for (int f = 0; f < 2; f++)
        for (uint32_t b = 0; b < 0x10000; b++) {
            uint32_t wide = ordo_widen(format[f], b);

            if (ordo_class(format[f], b) == ORDO_FP_NOT_A_NUMBER) {
                assert_int_equal(wide, ORDO_FP32_NAN);
                continue;
            }
            if (ordo_class(format[f], b) != ORDO_FP_INFINITE)
                assert_true(value_of(format[f], b) == (double)ordo_fp32(wide));
            assert_int_equal(ordo_round(format[f], wide), b);
        }
}

/* FP16: the nearer neighbour, by exact distances in double. */
static uint32_t slow_fp16(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, best = 0;
    double x = fabs((double)ordo_fp32(bits)), gap = HUGE_VAL;
    int e;

    if (isnan(x))
        return ORDO_FP16_NAN;
    (void)frexp(x, &e);
    if (x >= 65520)
        return sign | ORDO_FP16_INF;
    for (uint32_t b = e < -13 ? 0 : (uint32_t)(e + 13) << 10, end = b + 0x802; b < end && b <= ORDO_FP16_INF; b++) {
        double d = fabs((b == ORDO_FP16_INF ? 65536.0 : value_of(&ordo_format_fp16, b)) - x);

        if (d < gap || (d == gap && b % 2 == 0)) {
            gap = d;
            best = b;
        }
    }
    return sign | best;
}

static void fp16_against_definition(void **state)
{
    static const uint32_t hard[][2] = {
        {0x477fe000, 0x7bff}, {0x477fefff, 0x7bff}, {0x477ff000, 0x7c00}, {0x33000000, 0x0000}, {0x33000001, 0x0001},
        {0x33c00000, 0x0002}, {0x387fc000, 0x03ff}, {0x387fe000, 0x0400}, {0x3f801000, 0x3c00}, {0x3f803000, 0x3c02},
        {0x80000001, 0x8000}, {0xff800000, 0xfc00}, {0xffc00001, 0x7fff}, {0x7f7fffff, 0x7c00},
    };
    struct ordo_rng rng = {4};

    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++) {
        assert_int_equal(ordo_round(&ordo_format_fp16, hard[i][0]), hard[i][1]);
        assert_int_equal(ordo_fp16_round(hard[i][0]), hard[i][1]);
        assert_int_equal(slow_fp16(hard[i][0]), hard[i][1]);
    }
    for (int i = 0; i < 4000; i++) { /* exponents around the format's range, ties in one of two */
        uint32_t bits = (uint32_t)ordo_rng_next(&rng) & UINT32_C(0x807fffff);

        bits |= (uint32_t)(98 + ordo_rng_below(&rng, 47)) << 23;
        if (i % 2)
            bits = (bits & ~UINT32_C(0x1fff)) | 0x1000;
        assert_int_equal(ordo_round(&ordo_format_fp16, bits), slow_fp16(bits));
    }
}

/* The general rounding and those of one format, which are written differently. */
static void two_roundings(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 1009) {
        assert_int_equal(ordo_round(&ordo_format_bf16, (uint32_t)bits), ordo_bf16_round((uint32_t)bits));
        assert_int_equal(ordo_round(&ordo_format_fp16, (uint32_t)bits), ordo_fp16_round((uint32_t)bits));
    }
}

/* Each mode that a process may inherit, and none after it. */
static void wrong_modes_are_refused(void **state)
{
    static const int mode[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_fpu_check(&err), err);
    for (int i = 0; i < 3; i++) {
        enum ordo_status got;

        assert_int_equal(fesetround(mode[i]), 0);
        got = ordo_fpu_check(&err);
        assert_int_equal(fesetround(FE_TONEAREST), 0);
        assert_int_equal(got, ORDO_ENVIRONMENT);
        assert_string_equal(err.field, "floating point");
    }
#ifdef __SSE2__
    for (unsigned i = 0; i < 2; i++) { /* flush to zero, denormals are zero */
        static const char *const says[2] = {"subnormal results become zero", "subnormal operands count as zero"};
        unsigned before = _mm_getcsr();
        enum ordo_status got;

        _mm_setcsr(before | (i == 0 ? 0x8000u : 0x0040u));
        got = ordo_fpu_check(&err);
        _mm_setcsr(before);
        assert_int_equal(got, ORDO_ENVIRONMENT);
        assert_ptr_equal(strstr(err.reason, says[i]), err.reason);
    }
#endif
    assert_ok(ordo_fpu_check(&err), err);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(bf16_hard_cases),
        cmocka_unit_test(bf16_against_definition),
        cmocka_unit_test(bf16_round_trip),
        cmocka_unit_test(classes),
        cmocka_unit_test(format_parts),
        cmocka_unit_test(widen_and_round),
        cmocka_unit_test(fp16_against_definition),
        cmocka_unit_test(two_roundings),
        cmocka_unit_test(wrong_modes_are_refused),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
