/* t_contribution.c - the seeded inputs: pinned bits, what the keys depend on, and what the two classes promise. */
#include "tests/test.h"

#include "ref/contribution.h"
#include "ref/fp.h"

#include <string.h>

enum { WIDE = 64 };

struct golden {
    struct ordo_inputs in;
    uint32_t leaf;
    int32_t row;
    uint32_t bits[8];
};

/* Computed from the text of the header and of splitmix64 by another program in another language. */
static const struct golden golden[] = {
    {{ORDO_EXACT, 1, 8}, 0, 0,
     {0xbc000000, 0x3c000000, 0x00000000, 0x3dc00000, 0x3f000000, 0x3ec00000, 0xc0000000, 0x00000000}},
    {{ORDO_EXACT, 0x123456789abcdef0, 8}, 4294967295, 2147483647,
     {0x3c800000, 0x3d800000, 0x3d800000, 0xbd800000, 0x00000000, 0xbec00000, 0xbf000000, 0x40000000}},
    {{ORDO_ROUGH, 1, 8}, 0, 0,
     {0x3e77616f, 0x3e269d62, 0x41bb7280, 0x40decaf3, 0x41e9f4f9, 0x4050cdd8, 0xbf2d17ea, 0x3dc6750d}},
    {{ORDO_ROUGH, 1, 8}, 0, 1,
     {0xbf2aa791, 0xc03d96ec, 0x3e44ff78, 0x3ff7cb4d, 0xbde22b9b, 0x40221db3, 0x42c604ba, 0xc1c1bbe3}},
    {{ORDO_ROUGH, 1, 8}, 1, 0,
     {0xc1059635, 0x3e80eb7f, 0x378de44f, 0x3ce5bab3, 0xc065d003, 0xc110a4fc, 0xc01c3dae, 0xc2383d0b}},
    {{ORDO_ROUGH, 2, 8}, 0, 0,
     {0xc19a4916, 0x3e163352, 0xc041b3c9, 0xc60d8a8a, 0xbfc2235c, 0x3d3463a0, 0x3e49919c, 0xc34b4a44}},
    {{ORDO_ROUGH, 0x123456789abcdef0, 8}, 4294967295, 2147483647,
     {0x3d1bb9a4, 0x4233f267, 0x40b4ef7d, 0xbf664b80, 0x3cd38dda, 0x3f622677, 0x41576c93, 0xc13dbfb2}},
};

static void pinned_bits(void **state)
{
    float out[8];

    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        ordo_contribution(&golden[i].in, golden[i].leaf, golden[i].row, out);
        for (int c = 0; c < 8; c++)
            assert_int_equal(ordo_fp32_bits(out[c]), golden[i].bits[c]);
    }
}

/* A column does not depend on how many are asked for, or in which pieces: one key, one value. */
static void column_stands_alone(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct ordo_inputs wide = {(enum ordo_input_class)kind, 9, WIDE}, narrow = wide;
        float all[WIDE], one, few[5];

        ordo_contribution(&wide, 77, 3, all);
        for (int32_t c = 0; c < WIDE; c++) {
            ordo_contribution_span(&wide, 77, 3, c, 1, &one);
            assert_memory_equal(&one, &all[c], sizeof one);
        }
        narrow.width = 5;
        ordo_contribution(&narrow, 77, 3, few);
        assert_memory_equal(few, all, sizeof few);
    }
}

/* Leaf and row do not trade places, and each part of the key matters. */
static void key_parts_matter(void **state)
{
    struct ordo_inputs in = {ORDO_ROUGH, 5, 8}, other = {ORDO_ROUGH, 6, 8};
    float base[8], x[8];

    (void)state;
    ordo_contribution(&in, 10, 20, base);
    ordo_contribution(&in, 20, 10, x);
    assert_memory_not_equal(base, x, sizeof x);
    ordo_contribution(&in, 11, 20, x);
    assert_memory_not_equal(base, x, sizeof x);
    ordo_contribution(&in, 10, 21, x);
    assert_memory_not_equal(base, x, sizeof x);
    ordo_contribution(&other, 10, 20, x);
    assert_memory_not_equal(base, x, sizeof x);
    ordo_contribution(&in, 10, 20, x);
    assert_memory_equal(base, x, sizeof x);
}

/* Every exact value is an integer of at most 8 in units of its column, and all nine integers occur. */
static void exact_class(void **state)
{
    struct ordo_inputs in = {ORDO_EXACT, 3, WIDE};
    unsigned seen = 0;

    (void)state;
    for (uint32_t leaf = 0; leaf < 200; leaf++) {
        float out[WIDE];

        ordo_contribution(&in, leaf, 1, out);
        for (int c = 0; c < WIDE; c++) {
            float unit = ordo_fp32((uint32_t)(127 + c % 17 - 8) << 23), whole = out[c] / unit;
            int32_t i = (int32_t)whole;

            assert_true((float)i == whole && i >= -8 && i <= 8);
            assert_int_not_equal(ordo_fp32_bits(out[c]), ORDO_FP32_SIGN);
            seen |= 1u << (i + 8);
        }
    }
    assert_int_equal(seen, 0x15ff5); /* -8 -6 -4..4 6 8: what [-4,4] times 1 or 2 can be */
    assert_true(ordo_exact_holds(ORDO_EXACT_MAX_TERMS));
    assert_false(ordo_exact_holds(ORDO_EXACT_MAX_TERMS + 1));
}

struct census {
    uint32_t n, minus_zero, subnormal, outside, narrow, negative, exponent[256];
};

static void count(struct census *s, uint32_t bits)
{
    uint32_t e = bits >> 23 & 0xff;

    s->n++;
    s->minus_zero += bits == ORDO_FP32_SIGN;
    s->subnormal += ordo_fp32_class(bits) == ORDO_FP_SUBNORMAL;
    s->outside += e && (e < 107 || e > 147);
    s->narrow += e >= 121 && e <= 132;
    s->negative += bits >> 31;
    s->exponent[e]++;
    assert_int_not_equal(bits, 0);
}

static void assert_share(uint32_t part, uint32_t whole, double want)
{
    double share = (double)part / (double)whole;

    assert_true(share > 0.93 * want && share < 1.07 * want);
}

static void rough_class(void **state)
{
    struct ordo_inputs in = {ORDO_ROUGH, 11, WIDE};
    struct census s = {0};

    (void)state;
    for (uint32_t leaf = 0; leaf < 4096; leaf++) {
        float out[WIDE];

        ordo_contribution(&in, leaf, 5, out);
        for (int c = 0; c < WIDE; c++)
            count(&s, ordo_fp32_bits(out[c]));
    }
    assert_int_equal(s.outside, 0);
    assert_share(s.minus_zero, s.n, 1.0 / 64);
    assert_share(s.subnormal, s.n, 1.0 / 64);
    assert_share(s.narrow, s.n, 54.0 / 64 + 8.0 / 64 * 12 / 41);
    assert_share(s.negative - s.minus_zero, s.n - s.minus_zero, 0.5);
    for (int e = 107; e <= 147; e++)
        assert_true(s.exponent[e] > 0);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(pinned_bits), cmocka_unit_test(column_stands_alone), cmocka_unit_test(key_parts_matter),
        cmocka_unit_test(exact_class), cmocka_unit_test(rough_class),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
