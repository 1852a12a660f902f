/* t_exact.c - exact sums: hard cases by hand, all three ways into the accumulator, order, specials, the error.
 *
 * t_truth.c holds the same sums against MPFR. */
#include "tests/test.h"

#include "base/rng.h"
#include "oracle/exact.h"
#include "ref/fp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rounded {
    uint32_t fp32;
    uint16_t bf16;
};

static struct rounded sum_of(const float *term, size_t n)
{
    struct ordo_exact x;
    struct rounded r;

    ordo_exact_init(&x);
    ordo_exact_add(&x, term, n, 1);
    ordo_exact_round(&x, &r.fp32, &r.bf16);
    return r;
}

#define CASE(want_fp32, want_bf16, ...)                                                              \
    {                                                                                                \
        {__VA_ARGS__}, sizeof((float[]){__VA_ARGS__}) / sizeof(float), want_fp32, want_bf16          \
    }

static const struct {
    float term[4];
    size_t n;
    uint32_t fp32;
    uint16_t bf16;
} hard[] = {
    CASE(0x3f800000, 0x3f80, 1),
    CASE(0x00000000, 0x0000, -0.0f, -0.0f),                       /* as a sum from +0.0 */
    CASE(0x00000000, 0x0000, 1, -1),
    CASE(0x3f800000, 0x3f80, 1, 0x1p-24f),                        /* tie, to even */
    CASE(0x3f800002, 0x3f80, 0x1.000002p0f, 0x1p-24f),            /* tie, to even upwards */
    CASE(0x3f800001, 0x3f80, 1, 0x1p-24f, 0x1p-149f),             /* just above the tie */
    CASE(0x3f800000, 0x3f80, 1, 0x1p-24f, -0x1p-149f),            /* just below it */
    CASE(0x3f800000, 0x3f80, 0x1p127f, 1, -0x1p127f),              /* 128 bits apart */
    CASE(0x00000001, 0x0000, 0x1p-149f),
    CASE(0x80000001, 0x8000, -0x1p-149f),
    CASE(0x00800000, 0x0080, 0x1.fffffcp-127f, 0x1p-149f),        /* subnormals carry into the normals */
    CASE(0x00008000, 0x0000, 0x1p-134f),                          /* BF16's tie between 0 and its least */
    CASE(0x00008001, 0x0001, 0x1p-134f, 0x1p-149f),
    CASE(0x3f808000, 0x3f81, 1, 0x1p-8f, 0x1p-40f),               /* through fp32 this would be 0x3f80 */
    CASE(0x7f7fffff, 0x7f80, 0x1.fffffep127f),                    /* BF16 overflows, fp32 does not */
    CASE(0x7f7fffff, 0x7f80, 0x1.fffffep127f, 0x1.fffffep102f),   /* below the midpoint above the largest */
    CASE(0x7f800000, 0x7f80, 0x1.fffffep127f, 0x1p103f),          /* on it */
    CASE(0xff800000, 0xff80, -0x1.fffffep127f, -0x1.fffffep127f),
    CASE(0x7f7fffff, 0x7f80, 0x1.fffffep127f, 0x1.fffffep127f, -0x1.fffffep127f),
    CASE(0x7f7f8000, 0x7f7f, 0x1.fep127f, 0x1.fffffep118f),       /* below BF16's last midpoint; not by way of fp32 */
};

static void hard_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof hard[0]; i++) {
        struct rounded r = sum_of(hard[i].term, hard[i].n);

        if (r.fp32 != hard[i].fp32 || r.bf16 != hard[i].bf16)
            fail_msg("case %zu: %08x %04x, not %08x %04x", i, r.fp32, r.bf16, hard[i].fp32, hard[i].bf16);
    }
}

static void fill(struct ordo_rng *rng, float *term, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)ordo_rng_next(rng);

        term[i] = ordo_fp32(ordo_fp32_finite(bits) ? bits : bits & ~UINT32_C(0x00800000));
    }
}

/* In one call, in pieces of any size, one by one, or with gaps between: one state. */
static void pieces_do_not_matter(void **state)
{
    enum { N = 200000 };
    float *term = malloc(N * sizeof *term), *spread = calloc(N, 3 * sizeof *term);
    struct ordo_rng rng = {5};
    struct ordo_exact whole, part, single, strided;

    (void)state;
    assert_non_null(term);
    assert_non_null(spread);
    fill(&rng, term, N);
    ordo_exact_init(&whole);
    ordo_exact_init(&part);
    ordo_exact_init(&single);
    ordo_exact_init(&strided);
    ordo_exact_add(&whole, term, N, 1);
    for (size_t i = 0, n; i < N; i += n) {
        n = (size_t)ordo_rng_below(&rng, 1000);
        n = n < N - i ? n : N - i;
        ordo_exact_add(&part, term + i, n, 1);
    }
    for (size_t i = 0; i < N; i++) {
        ordo_exact_add(&single, term + i, 1, 1);
        spread[3 * i] = term[i];
    }
    ordo_exact_add(&strided, spread, N, 3);
    assert_memory_equal(&whole, &part, sizeof whole);
    assert_memory_equal(&whole, &single, sizeof whole);
    assert_memory_equal(&whole, &strided, sizeof whole);
    free(term);
    free(spread);
}

/* A row and its mirror image cancel, whatever was in it, on both sides of every block size. */
static void all_cancels(void **state)
{
    static const size_t size[] = {1, 2, 79, 80, 81, 159, 160, 161, 300, 32768, 32769, 70000};
    float *term = malloc((2 * 70000 + 1) * sizeof *term);
    struct ordo_rng rng = {6};

    (void)state;
    assert_non_null(term);
    for (size_t k = 0; k < sizeof size / sizeof size[0]; k++) {
        size_t n = size[k];
        struct rounded r;

        fill(&rng, term, n);
        for (size_t i = 0; i < n; i++)
            term[2 * n - 1 - i] = -term[i];
        r = sum_of(term, 2 * n);
        assert_int_equal(r.fp32, 0);
        term[2 * n] = 0x1p-149f; /* and the smallest number shows */
        assert_int_equal(sum_of(term, 2 * n + 1).fp32, 1);
    }
    free(term);
}

/* The largest chunks and buckets that a block can make: all terms of one sign at the top of one exponent. */
static void no_part_overflows(void **state)
{
    enum { N = 1 << 19 };
    float *term = malloc(N * sizeof *term);

    (void)state;
    assert_non_null(term);
    for (int e = 1; e < 255; e++) {
        static const size_t count[] = {160, 600, N};

        for (size_t k = 0; k < (e % 32 ? 2 : 3); k++) {
            uint32_t bits = (uint32_t)e << 23 | ORDO_FP32_FRACTION;
            double want = (double)ordo_fp32(bits) * (double)count[k];

            for (size_t i = 0; i < count[k]; i++)
                term[i] = ordo_fp32(bits ^ ORDO_FP32_SIGN);
            assert_int_equal(sum_of(term, count[k]).fp32, ordo_fp32_bits((float)-want));
        }
    }
    free(term);
}

static struct ordo_exact exact_of(const float *term, size_t n)
{
    struct ordo_exact x;

    ordo_exact_init(&x);
    ordo_exact_add(&x, term, n, 1);
    return x;
}

/* Specials are counted in short and long blocks, and give what IEEE addition gives in any order. */
static void specials(void **state)
{
    static const float inf = INFINITY;
    static float term[1000];

    (void)state;
    for (size_t n = 3; n <= 1000; n += 997) {
        struct ordo_exact x;

        memset(term, 0, sizeof term);
        term[n - 1] = inf;
        x = exact_of(term, n);
        assert_true(ordo_exact_special(&x) && x.n_plus_inf == 1 && !x.n_minus_inf && !x.n_nan);
        assert_int_equal(sum_of(term, n).fp32, 0x7f800000);
        assert_int_equal(sum_of(term, n).bf16, 0x7f80);
        assert_true(isnan(ordo_exact_error(&x, 0x7f800000)));
        term[0] = -inf;
        x = exact_of(term, n);
        assert_true(x.n_plus_inf == 1 && x.n_minus_inf == 1);
        assert_int_equal(sum_of(term, n).fp32, 0x7fffffff);
        term[n - 1] = 0;
        assert_int_equal(sum_of(term, n).fp32, 0xff800000);
        assert_int_equal(sum_of(term, n).bf16, 0xff80);
        term[1] = ordo_fp32(0xffc00001);
        x = exact_of(term, n);
        assert_true(x.n_nan == 1 && x.n == n);
        assert_int_equal(sum_of(term, n).fp32, 0x7fffffff);
        assert_int_equal(sum_of(term, n).bf16, 0x7fff);
    }
}

static void error_is_not_below(void **state)
{
    const float three[3] = {1, 0x1p-24f, 0x1p-60f};
    const float wide[3] = {1, 0x1p-24f, 0x1p-149f};
    struct ordo_exact x = exact_of(three, 3), y = exact_of(wide, 3);

    (void)state;
    assert_true(ordo_exact_error(&x, 0x3f800000) == 0x1p-24 + 0x1p-60);    /* 37 bits: exact */
    assert_true(ordo_exact_error(&x, 0x3f800001) == 0x1p-24 - 0x1p-60);
    assert_true(ordo_exact_error(&y, 0x3f800000) == nextafter(0x1p-24, 1)); /* 126 bits: up */
    assert_true(ordo_exact_error(&y, 0x3f800001) == 0x1p-24);              /* up from below */
    assert_true(ordo_exact_error(&x, 0xbf800000) >= 2 + 0x1p-24);
    assert_true(isnan(ordo_exact_error(&x, 0x7fc00000)));
    assert_true(isnan(ordo_exact_error(&x, 0xff800000)));
    x = exact_of(three, 1);
    assert_true(ordo_exact_error(&x, 0x3f800000) == 0);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(hard_cases), cmocka_unit_test(pieces_do_not_matter), cmocka_unit_test(all_cancels),
        cmocka_unit_test(no_part_overflows), cmocka_unit_test(specials), cmocka_unit_test(error_is_not_below),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
