/* t_brief.c - the 128-bit path says what the exact sum says, wherever it speaks; and it speaks where it should. */
#include "oracle/brief.h"

#include "base/rng.h"
#include "oracle/exact.h"
#include "ref/fp.h"
#include "tests/test.h"

#include <string.h>

static void compare(const float *term, size_t n, size_t stride, uint32_t tree)
{
    struct ordo_exact x;
    struct ordo_brief b;
    uint32_t fp32;
    uint16_t bf16;
    double error;

    if (!ordo_brief(term, n, stride, tree, &b))
        return;
    ordo_exact_init(&x);
    ordo_exact_add(&x, term, n, stride);
    ordo_exact_round(&x, &fp32, &bf16);
    error = ordo_exact_error(&x, tree);
    assert_int_equal(b.fp32, fp32);
    assert_int_equal(b.bf16, bf16);
    assert_memory_equal(&b.error, &error, sizeof error);
}

/* Exponents `spread` binades wide from `low` on; half of the sums cancel up to a few bits. */
static void random_sums(void **state)
{
    static const int range[][2] = {{120, 12}, {0, 3}, {0, 90}, {1, 94}, {159, 94}, {230, 24}, {100, 1}, {107, 41}};
    struct ordo_rng rng = {7};
    float term[3 * ORDO_BRIEF_TERMS];

    (void)state;
    for (int i = 0; i < 200000; i++) {
        const int *r = range[i % 8];
        size_t n = 1 + (size_t)ordo_rng_below(&rng, i % 16 ? 6 : ORDO_BRIEF_TERMS), stride = 1 + (size_t)(i % 3);
        float sum = 0;

        for (size_t k = 0; k < n; k++) {
            uint64_t x = ordo_rng_next(&rng);
            uint32_t bits = (uint32_t)x << 31 | (uint32_t)(r[0] + (int)((x >> 8) % (uint64_t)r[1])) << 23 |
                            (uint32_t)(x >> 40 & ORDO_FP32_FRACTION);

            bits = x >> 32 & 7 ? bits : bits & ORDO_FP32_SIGN;
            term[k * stride] = ordo_fp32(bits);
            if (k && x >> 16 & 1)
                term[k * stride] = ordo_fp32(ordo_fp32_bits(term[(k - 1) * stride]) ^ ORDO_FP32_SIGN ^ (x >> 20 & 1));
            sum += term[k * stride];
        }
        compare(term, n, stride, ordo_fp32_bits(sum));
        compare(term, n, stride, ordo_fp32_bits(sum) + (uint32_t)(i % 5) - 2);
        compare(term, n, stride, (uint32_t)ordo_rng_next(&rng));
    }
}

/* Ties, the carry into a binade, overflow, the smallest numbers, nothing. */
static void hard_sums(void **state)
{
    static const float known[][4] = {
        {0x1p24f, 1, 0, 0},        {0x1p24f, 3, 0, 0},
        {0x1.fffffep23f, 0.5f, 0, 0}, {0x1.fffffep127f, 0x1p103f, 0, 0},
        {0x1p-149f, 0, 0, 0},      {0x1p-149f, -0x1p-149f, 0, 0}, {0x1p-126f, -0x1p-149f, 0, 0}, {-0.0f, -0.0f, 0, 0},
        {0x1.fep0f, 0x1p-8f, 0, 0}, {0x1.01p0f, 0, 0, 0},
        {0x1.03p0f, 0x1p-60f, 0, 0}, {0x1.01p0f, -0x1p-60f, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (size_t n = 0; n <= 4; n++) {
            struct ordo_brief b;
            float sum = 0;

            for (size_t k = 0; k < n; k++)
                sum += known[i][k];
            if (ordo_fp32_finite(ordo_fp32_bits(sum)))
                assert_true(ordo_brief(known[i], n, 1, ordo_fp32_bits(sum), &b));
            compare(known[i], n, 1, ordo_fp32_bits(sum));
            compare(known[i], n, 1, 0);
            compare(known[i], n, 1, ORDO_FP32_SIGN);
        }
}

static void is_silent(void **state)
{
    static const struct {
        float term[2];
        uint32_t tree;
    } known[] = {
        {{0x1p100f, 0x1p0f}, 0x71800000},          /* too far apart */
        {{0x1p0f, ORDO_BRIEF_TERMS}, ORDO_FP32_INF},
        {{0x1p0f, 1}, ORDO_FP32_NAN},
        {{0x1p0f, 1}, 1},                          /* a tree far below its terms */
        {{1, 1}, 0x7f000000},                      /* and far above */
    };
    const float inf[] = {ordo_fp32(ORDO_FP32_INF), 1}, nan[] = {1, ordo_fp32(ORDO_FP32_NAN)};
    float many[ORDO_BRIEF_TERMS + 1] = {0};
    struct ordo_brief b;

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_false(ordo_brief(known[i].term, 2, 1, known[i].tree, &b));
    assert_false(ordo_brief(inf, 2, 1, 0, &b));
    assert_false(ordo_brief(nan, 2, 1, 0, &b));
    assert_false(ordo_brief(many, ORDO_BRIEF_TERMS + 1, 1, 0, &b));
    assert_true(ordo_brief(many, ORDO_BRIEF_TERMS, 1, 0, &b));
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(random_sums),
        cmocka_unit_test(hard_sums),
        cmocka_unit_test(is_silent),
    };

    return cmocka_run_group_tests_name("brief", test, NULL, NULL);
}
