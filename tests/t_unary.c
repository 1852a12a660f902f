/* t_unary.c - exp2 in its three kinds, log2, the conversion to BF16: check values, edges, errors, digests.
 *
 * All inputs are done by `make check-long`; here every 9,973rd, and all that is special. */
#include "tests/test.h"

#include "base/ex2_sm90.h"
#include "base/exp2.h"
#include "base/fnv.h"
#include "base/log2.h"
#include "oracle/census.h"
#include "ref/fp.h"
#include "ref/unary.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 65536 };

static uint32_t one(enum ordo_unary op, uint32_t x)
{
    uint32_t out;

    ordo_unary(op, x, 1, 1, &out);
    return out;
}

/* The H200's 2^23 results for [1, 2). */
static void ex2_check_value(void **state)
{
    uint64_t h = ORDO_FNV_START;

    (void)state;
    for (uint32_t j = 0; j < 1u << 23; j++)
        h = ordo_fnv_word(h, ordo_ex2_sm90(UINT32_C(0x3f800000) + j));
    assert_true(h == UINT64_C(0xc4d16eed541febed));
}

static void edges(void **state)
{
    static const struct {
        uint32_t x, want[4]; /* ex2 of SM 9.0, degree 5, degree 6, log2 */
    } edge[] = {
        {0x00000000, {0x3f800000, 0x3f800000, 0x3f800000, 0xff800000}}, /* 0 */
        {0x80000000, {0x3f800000, 0x3f800000, 0x3f800000, 0xff800000}},
        {0x00000001, {0x3f800000, 0x3f800000, 0x3f800000, 0xc3150000}}, /* 2^-149 */
        {0x807fffff, {0x3f800000, 0x3f800000, 0x3f800000, 0x7fffffff}},
        {0x3f800000, {0x40000000, 0x40000000, 0x40000000, 0x00000000}}, /* 1; log2 is +0 */
        {0xbf800000, {0x3f000000, 0x3f000000, 0x3f000000, 0x7fffffff}},
        {0x42fe0000, {0x7f000000, 0x7f000000, 0x7f000000, 0x40dfa34e}}, /* 127 */
        {0x43000000, {0x7f800000, 0x7f800000, 0x7f800000, 0x40e00000}}, /* 128 */
        {0xc2fc0000, {0x00800000, 0x00800000, 0x00800000, 0x7fffffff}}, /* -126 */
        {0xc2fc0001, {0x00000000, 0x00000000, 0x00000000, 0x7fffffff}}, /* no subnormal results */
        {0xff7fffff, {0x00000000, 0x00000000, 0x00000000, 0x7fffffff}},
        {0x7f7fffff, {0x7f800000, 0x7f800000, 0x7f800000, 0x43000000}},
        {0x7f800000, {0x7f800000, 0x7f800000, 0x7f800000, 0x7f800000}}, /* Inf */
        {0xff800000, {0x00000000, 0x00000000, 0x00000000, 0x7fffffff}},
        {0x7f800001, {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff}},
        {0xffffffff, {0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff}},
    };
    static const uint32_t ex2[][2] = {{0x3f800001, 0x40000001},
                                      {0x3f800002, 0x40000002},
                                      {0x3fffffff, 0x407fffff},
                                      {0x33ffffff, 0x3f800000},
                                      {0xb3ffffff, 0x3f800000}};

    (void)state;
    for (size_t i = 0; i < sizeof edge / sizeof edge[0]; i++)
        for (int op = ORDO_EX2_SM90; op <= ORDO_LOG2; op++)
            if (one((enum ordo_unary)op, edge[i].x) != edge[i].want[op])
                fail_msg("%s of %08x: %08x, not %08x", ordo_unary_name[op], edge[i].x,
                         one((enum ordo_unary)op, edge[i].x), edge[i].want[op]);
    for (size_t i = 0; i < sizeof ex2 / sizeof ex2[0]; i++) /* measured */
        assert_int_equal(ordo_ex2_sm90(ex2[i][0]), ex2[i][1]);
}

/* Powers of two both ways, subnormal ones too. */
static void powers(void **state)
{
    (void)state;
    for (int e = -149; e < 128; e++)
        assert_true(ordo_log2(ldexpf(1, e)) == (float)e);
    for (int e = -126; e < 128; e++)
        for (int op = ORDO_EX2_SM90; op <= ORDO_EXP2_6; op++)
            assert_int_equal(one((enum ordo_unary)op, ordo_fp32_bits((float)e)), ordo_fp32_bits(ldexpf(1, e)));
}

/* Errors over a sample: counts can only be compared over all inputs, the largest error never exceeds what those show.
 */
static void errors(void **state)
{
    static const struct {
        double most;          /* |error| in ulp, over all inputs */
        uint64_t not_nearest; /* of the sample */
    } limit[4] = {{2.0551, 18800}, {1.97, 11280}, {0.80, 880}, {0.9016, 191}};
    double *truth = malloc(BLOCK * sizeof *truth);
    uint32_t *got = malloc(BLOCK * sizeof *got);
    const uint32_t step = 9973;

    (void)state;
    for (int op = ORDO_EX2_SM90; op <= ORDO_LOG2; op++) {
        enum ordo_truth f = op == ORDO_LOG2 ? ORDO_TRUE_LOG2 : ORDO_TRUE_EXP2;
        struct ordo_census count = {0};

        for (uint64_t i = 0; i < (UINT64_C(1) << 32) / step; i += BLOCK) {
            ordo_census_truth(f, (uint32_t)(i * step), step, BLOCK, truth);
            ordo_unary((enum ordo_unary)op, (uint32_t)(i * step), step, BLOCK, got);
            ordo_census_add(f, (uint32_t)(i * step), step, BLOCK, truth, got, &count);
        }
        print_message("%-14s %d inputs, %+.4f .. %+.4f ulp, %d not nearest\n", ordo_unary_name[op], (int)count.n,
                      count.low, count.high, (int)count.not_nearest);
        assert_true(count.n > 200000);
        assert_true(-count.low <= limit[op].most && count.high <= limit[op].most);
        assert_int_equal(count.not_nearest, limit[op].not_nearest);
        assert_true(op != ORDO_LOG2 || count.above_ulp == 0);
    }
    free(truth);
    free(got);
}

/* The census's fast truth against MPFR alone, and that it counts: a result one ulp off is seen. */
static void census_counts(void **state)
{
    const uint32_t first = 0x3f000000, step = 7919;
    double truth[512];
    uint32_t right[512], wrong[512];

    (void)state;
    for (int f = 0; f < 2; f++) {
        struct ordo_census good = {0}, bad = {0}, far = {0};

        for (uint32_t i = 0; i < 512; i++) {
            right[i] = ordo_census_nearest((enum ordo_truth)f, first + i * step);
            wrong[i] = right[i] + (i % 4 == 0);
        }
        ordo_census_truth((enum ordo_truth)f, first, step, 512, truth);
        ordo_census_add((enum ordo_truth)f, first, step, 512, truth, right, &good);
        ordo_census_add((enum ordo_truth)f, first, step, 512, truth, wrong, &bad);
        assert_int_equal(good.n, 512);
        assert_int_equal(good.not_nearest, 0);
        assert_true(good.high <= 0.5 && good.low >= -0.5);
        assert_int_equal(bad.not_nearest, 128);
        for (uint32_t i = 0; i < 512; i++)
            wrong[i] = right[i] + (i % 4 == 0 ? 2 : 0);
        ordo_census_add((enum ordo_truth)f, first, step, 512, truth, wrong, &far);
        assert_int_equal(far.above_ulp, 128);
    }
}

/* Monotone on [1, 2), as the unit is. */
static void ex2_monotone(void **state)
{
    uint32_t last = 0;

    (void)state;
    for (uint32_t j = 0; j < 1u << 23; j += 3) {
        uint32_t now = ordo_ex2_sm90(UINT32_C(0x3f800000) + j);

        assert_true(now >= last);
        last = now;
    }
}

/* With and without FMA instructions: the same bits, for every op. */
static void plain_and_vector(void **state)
{
    uint32_t plain[1024], vector[1024];

    (void)state;
    for (int op = 0; op < ORDO_UNARIES; op++)
        for (uint32_t i = 0; i < 64; i++) {
            ordo_unary_plain((enum ordo_unary)op, i << 26, 65521, 1024, plain);
            ordo_unary((enum ordo_unary)op, i << 26, 65521, 1024, vector);
            assert_memory_equal(plain, vector, sizeof plain);
            ordo_unary((enum ordo_unary)op, i << 26, 65521, 21, vector); /* no whole number of strips */
            assert_memory_equal(plain, vector, 21 * sizeof *vector);
        }
}

/* Digests come from blocks in any number, and say which op. */
static void digests(void **state)
{
    uint64_t five[6] = {[5] = 7}, single, other;
    uint32_t word[16];
    uint64_t h = ORDO_FNV_START;

    (void)state;
    assert_true(ordo_fnv_block(h, UINT64_C(0x0123456789abcdef)) ==
                ordo_fnv_word(ordo_fnv_word(h, 0x89abcdef), 0x01234567));
    ordo_unary_digests(ORDO_LOG2, 0x3f7e, 5, five);
    assert_int_equal(five[5], 7);
    for (uint32_t i = 0; i < 5; i++) {
        ordo_unary_digests(ORDO_LOG2, 0x3f7e + i, 1, &single);
        assert_true(single == five[i]);
    }
    for (uint32_t i = 0; i < BLOCK; i += 16) {
        ordo_unary(ORDO_LOG2, 0x3f7e0000 + i, 1, 16, word);
        for (int j = 0; j < 16; j++)
            h = ordo_fnv_word(h, word[j]);
    }
    assert_true(h == five[0]);
    ordo_unary_digests(ORDO_EXP2_5, 0x3f7e, 1, &other);
    assert_true(other != five[0]);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(ex2_check_value),  cmocka_unit_test(edges),         cmocka_unit_test(powers),
        cmocka_unit_test(errors),           cmocka_unit_test(census_counts), cmocka_unit_test(ex2_monotone),
        cmocka_unit_test(plain_and_vector), cmocka_unit_test(digests),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
