/* t_truth.c - exact sums and MPFR agree on every bit, on data made to be hard; MPFR's own hard cases. */
#include "tests/test.h"

#include "base/rng.h"
#include "oracle/exact.h"
#include "oracle/truth_mpfr.h"
#include "ref/fp.h"

#include <stdlib.h>

enum { MAX_TERMS = 600 };

static void agree(struct ordo_truth *t, const float *term, size_t n)
{
    struct ordo_truth_bits truth;
    struct ordo_err err = {0};
    struct ordo_exact x;
    uint32_t fp32;
    uint16_t bf16;

    ordo_exact_init(&x);
    ordo_exact_add(&x, term, n, 1);
    ordo_exact_round(&x, &fp32, &bf16);
    assert_ok(ordo_truth_sum(t, term, n, 1, &truth, &err), err);
    if (truth.fp32 != fp32 || truth.bf16 != bf16)
        fail_msg("%zu terms: MPFR %08x %04x, exact %08x %04x", n, truth.fp32, truth.bf16, fp32, bf16);
}

static float spread(struct ordo_rng *rng, uint32_t low, uint32_t binades)
{
    uint64_t x = ordo_rng_next(rng);

    return ordo_fp32(((uint32_t)x & (ORDO_FP32_SIGN | ORDO_FP32_FRACTION))
                     | (low + (uint32_t)(x >> 40) % binades) << 23);
}

/* Rows in one range of exponents; of each kind some that cancel but for their last bits. */
static void random_rows(struct ordo_truth *t, uint32_t low, uint32_t binades, int rows)
{
    static float term[MAX_TERMS];
    struct ordo_rng rng = {low * 1000 + binades};

    for (int r = 0; r < rows; r++) {
        size_t n = (size_t)ordo_rng_below(&rng, r % 2 ? 12 : MAX_TERMS);

        for (size_t i = 0; i < n; i++)
            term[i] = r % 4 >= 2 && i >= n / 2 ? -term[n - 1 - i] : spread(&rng, low, binades);
        if (n && r % 8 == 7)
            term[n - 1] = ordo_fp32(ordo_fp32_bits(term[n - 1]) ^ 1);
        agree(t, term, n);
    }
}

static void ranges(void **state)
{
    (void)state;
    random_rows(*state, 121, 12, 2000);
    random_rows(*state, 97, 60, 2000);
    random_rows(*state, 0, 255, 3000);
    random_rows(*state, 0, 3, 2000);   /* subnormals and their neighbours */
    random_rows(*state, 250, 5, 2000); /* around the overflow */
}

/* Every tie of both formats, and one unit of the last place to either side, in every binade. */
static void ties(void **state)
{
    for (uint32_t e = 0; e < 255; e++)
        for (uint32_t odd = 0; odd < 2; odd++)
            for (int side = -1; side <= 1; side++) {
                uint32_t half_bf16 = e << 23 | odd << 16 | 0x8000;
                float fp32_tie[3] = {ordo_fp32(e << 23 | odd), e > 24 ? ordo_fp32((e - 24) << 23) : 0,
                                     (float)side * 0x1p-149f};
                float bf16_tie[2] = {ordo_fp32(half_bf16), (float)side * 0x1p-149f};
                float negative[2] = {-bf16_tie[0], -bf16_tie[1]};

                agree(*state, fp32_tie, 3);
                agree(*state, bf16_tie, 2);
                agree(*state, negative, 2);
            }
}

static void small_sums(void **state)
{
    static const float zero[3] = {-0.0f, -0.0f, 0.0f};
    struct ordo_truth_bits truth;
    struct ordo_err err = {0};

    for (size_t n = 0; n <= 3; n++) {
        agree(*state, zero, n);
        assert_ok(ordo_truth_sum(*state, zero, n, 1, &truth, &err), err);
        assert_true(truth.fp32 == 0 && truth.bf16 == 0);
    }
}

/* BF16 is rounded from the exact sum; by way of fp32 it would be the even neighbour. */
static void no_double_rounding(void **state)
{
    static const float term[3] = {1, 0x1p-8f, 0x1p-40f};
    struct ordo_truth_bits truth;
    struct ordo_err err = {0};

    assert_ok(ordo_truth_sum(*state, term, 3, 1, &truth, &err), err);
    assert_int_equal(truth.bf16, 0x3f81);
    assert_int_equal(ordo_bf16_round(truth.fp32), 0x3f80);
}

static void specials(void **state)
{
    static const uint32_t bits[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000};

    for (unsigned subset = 0; subset < 16; subset++) {
        float term[4];
        size_t n = 0;

        for (unsigned i = 0; i < 4; i++)
            if (subset >> i & 1)
                term[n++] = ordo_fp32(bits[i]);
        agree(*state, term, n);
    }
}

static int setup(void **state)
{
    *state = ordo_truth_new();
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    ordo_truth_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(ranges), cmocka_unit_test(ties), cmocka_unit_test(small_sums),
        cmocka_unit_test(no_double_rounding), cmocka_unit_test(specials),
    };

    return cmocka_run_group_tests(test, setup, teardown);
}
