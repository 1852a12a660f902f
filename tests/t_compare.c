/* t_compare.c - the comparator: nothing unequal passes, above all no NaN; counts, coordinates and ulps are right. */
#include "tests/test.h"

#include "oracle/compare.h"
#include "ref/fp.h"

#include <math.h>
#include <string.h>

enum { PLANES = 3, ROWS = 4, COLUMNS = 5, N = PLANES * ROWS * COLUMNS };

static struct ordo_diff compare(const float *got, const float *want)
{
    struct ordo_array a = {got, {PLANES, ROWS, COLUMNS}}, b = {want, {PLANES, ROWS, COLUMNS}};

    return ordo_compare(&a, &b);
}

static void fill(float *x)
{
    for (int i = 0; i < N; i++)
        x[i] = (float)(i - 20) * 0.25f;
}

static void assert_at(const struct ordo_diff_at *d, int i)
{
    const int64_t want[3] = {i / (ROWS * COLUMNS), i / COLUMNS % ROWS, i % COLUMNS};

    assert_memory_equal(d->at, want, sizeof want);
}

static void equal_arrays(void **state)
{
    float a[N], b[N];
    struct ordo_diff d;

    (void)state;
    fill(a);
    a[7] = ordo_fp32(0x7fc01234); /* the same NaN on both sides is equal */
    memcpy(b, a, sizeof b);
    d = compare(a, b);
    assert_true(ordo_diff_clean(&d));
    assert_true(d.n == N && d.n_diff == 0 && d.n_class == 0);
}

/* The fault that comparators are known for: a NaN at any place, on either side, quiet or not, of either sign. */
static void every_nan_is_caught(void **state)
{
    static const uint32_t nan[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff};
    float a[N], b[N];

    (void)state;
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < sizeof nan / sizeof nan[0]; k++) {
            struct ordo_diff d, e;

            fill(a);
            fill(b);
            a[i] = ordo_fp32(nan[k]);
            d = compare(a, b);
            e = compare(b, a);
            assert_false(ordo_diff_clean(&d));
            assert_false(ordo_diff_clean(&e));
            assert_true(d.n_diff == 1 && d.n_class == 1 && e.n_diff == 1 && e.n_class == 1);
            assert_true(isinf(d.worst.ulp) && isinf(e.worst.ulp));
            assert_int_equal(d.first.got, nan[k]);
            assert_int_equal(e.first.want, nan[k]);
            assert_at(&d.first, i);
            assert_at(&e.worst, i);
        }
}

static void specials_are_classes(void **state)
{
    static const uint32_t bits[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000,
                                    0x7fc00000, 0x7fc00001, 0x3f800000};
    enum { KINDS = sizeof bits / sizeof bits[0] };
    static const int mask[KINDS] = {0, 0, 1, 2, 3, 3, 0};
    float a[N], b[N];

    (void)state;
    fill(a);
    fill(b);
    for (int i = 0; i < KINDS; i++)
        for (int k = 0; k < KINDS; k++) {
            struct ordo_diff d;

            a[9] = ordo_fp32(bits[i]);
            b[9] = ordo_fp32(bits[k]);
            d = compare(a, b);
            assert_int_equal(ordo_diff_clean(&d), i == k);
            assert_int_equal(d.n_diff, i != k);
            assert_int_equal(d.n_class, mask[i] != mask[k]);
        }
}

static void first_and_worst(void **state)
{
    float a[N], b[N];
    struct ordo_diff d;

    (void)state;
    fill(a);
    fill(b);
    a[21] = b[21] = 0;
    a[13] = -0.0f;
    b[13] = 0.0f;
    a[31] = ordo_fp32(ordo_fp32_bits(b[31]) + 5);
    a[44] = ordo_fp32(ordo_fp32_bits(b[44]) - 5);
    a[59] = ordo_fp32(ordo_fp32_bits(b[59]) + 1);
    d = compare(a, b);
    assert_true(d.n_diff == 4 && d.n_class == 0);
    assert_at(&d.first, 13);
    assert_true(!(d.first.ulp > 0) && d.first.got == ORDO_FP32_SIGN && d.first.want == 0);
    assert_at(&d.worst, 31); /* 44 is as bad, but later */
    assert_true(d.worst.ulp >= 5 && d.worst.ulp <= 5);
    a[59] = INFINITY;
    d = compare(a, b);
    assert_at(&d.worst, 59);
    assert_int_equal(d.n_class, 1);
}

static void shapes_come_first(void **state)
{
    float x[N];
    struct ordo_array a = {x, {PLANES, ROWS, COLUMNS}};

    (void)state;
    fill(x);
    for (int k = 0; k < 3; k++) {
        struct ordo_array b = {x, {PLANES, ROWS, COLUMNS}};
        struct ordo_diff d;

        b.extent[k]--;
        d = ordo_compare(&a, &b);
        assert_true(!d.same_shape && d.n == 0 && !ordo_diff_clean(&d));
    }
    for (int k = 0; k < 2; k++) { /* the same number of elements is not the same shape */
        struct ordo_array b = {x, {ROWS, PLANES, COLUMNS}};
        struct ordo_diff d = k ? ordo_compare(&b, &a) : ordo_compare(&a, &b);

        assert_false(ordo_diff_clean(&d));
    }
}

/* Goldberg's definition at its borders, at values that fp32 does not hold too. */
static void ulps(void **state)
{
    static const struct {
        double x, ulp;
    } border[] = {
        {0, 0x1p-149},          {0x1p-149, 0x1p-149}, {0x1.fffp-127, 0x1p-149},  {0x1p-126, 0x1p-149},
        {0x1p-125, 0x1p-148},   {1, 0x1p-23},         {-1, 0x1p-23},             {2, 0x1p-22},
        {0x1.fffffffp0, 0x1p-23}, {0x1p127, 0x1p104}, {0x1.fffffffp-1, 0x1p-24}, {3, 0x1p-22},
    };

    (void)state;
    for (size_t i = 0; i < sizeof border / sizeof border[0]; i++)
        assert_true(ordo_ulp(border[i].x) >= border[i].ulp && ordo_ulp(border[i].x) <= border[i].ulp);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(equal_arrays),         cmocka_unit_test(every_nan_is_caught),
        cmocka_unit_test(specials_are_classes), cmocka_unit_test(first_and_worst),
        cmocka_unit_test(shapes_come_first),    cmocka_unit_test(ulps),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
