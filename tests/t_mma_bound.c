/* t_mma_bound.c - the running bound of the tensor core's step: never violated, not idle, rounded up. */
#include "tests/test.h"

#include "base/probes.h"
#include "tests/mma_model.h"
#include "tests/tile.h"

static const struct ordo_mma_model *sm90(void)
{
    const struct ordo_mma_model *model;
    struct ordo_err err = {0};

    assert_ok(ordo_mma_find(90, &model, &err), err);
    return model;
}

/* Units of 2^-100 hold everything that the families used here can have, without loss. */
static __int128 units(double x)
{
    return (__int128)ldexp(x, 100);
}

/* |result - exact sum| <= bound over chains, and a bound of 0 exactly where nothing was lost. */
static void bound_holds(void **state)
{
    static const int families[3] = {ORDO_FAMILY_NARROW, ORDO_FAMILY_CANCEL, ORDO_FAMILY_NARROW};
    struct tile t = tile_new(8, 16, 256);
    struct ordo_product p = tile_product(&t, &ordo_format_bf16, true);
    struct ordo_err err = {0};
    double worst = 0;

    (void)state;
    for (int f = 0; f < 3; f++) {
        tile_fill(&t, families[f], 5);
        tile_start(&t, families[f], 5);
        for (int i = 0; f == 2 && i < t.m * t.k; i++) /* all positive: cuts add up */
            t.a[i] &= 0x7fff, t.b[i % (t.n * t.k)] &= 0x7fff;
        for (int i = 0; i < t.m * t.n; i++)
            t.c[i] = 0;
        assert_ok(ordo_mma(sm90(), ordo_isa_best(), &p, &err), err);
        for (int i = 0; i < t.m * t.n; i++) {
            __int128 exact = 0, error;

            for (int k = 0; k < t.k; k++)
                exact += units(value_of(&ordo_format_bf16, t.a[i / t.n * t.k + k]) *
                               value_of(&ordo_format_bf16, t.b[i % t.n * t.k + k]));
            error = units(value_of(&ordo_format_fp32, t.c[i])) - exact;
            error = error < 0 ? -error : error;
            assert_true((double)error <= ldexp(t.bound[i], 100));
            assert_true((error == 0) || t.bound[i] > 0);
            if (t.bound[i] > 0 && ldexp((double)error, -100) / t.bound[i] > worst)
                worst = ldexp((double)error, -100) / t.bound[i];
        }
    }
    print_message("largest error / bound %.3f\n", worst);
    assert_true(worst > 0.05); /* not a bound that holds because it is huge */
    tile_free(&t);
}

/* Losses by hand: terms, the sum, neither, no finite result. */
static void bound_by_hand(void **state)
{
    static const struct {
        uint32_t a, b, c; /* a * 1 + b * 1 + c; a and b BF16 */
        double bound;
    } hand[] = {
        {0x3f80, 0x3f80, 0, 0},                                 /* 1 + 1 */
        {0x3f80, ORDO_B2(-24), 0, 0x1p-23},                     /* the sum loses 2^-24 */
        {0x3f80, ORDO_B2(-26), 0, 0x1p-25},                     /* a term does */
        {0x3f80, ORDO_B2(-26), 0x33000000u, 0x1p-25 + 0x1p-23}, /* a term 2^-26 and the sum 2^-25 */
        {ORDO_B2(127), 0, 0x7f7fffffu, HUGE_VAL},               /* overflow */
        {0x7f80, 0, 0, HUGE_VAL},
        {1, ORDO_BM2(-126), 0, 0}, /* 2^-133 - 2^-126: subnormal and exact */
    };

    (void)state;
    for (size_t i = 0; i < sizeof hand / sizeof hand[0]; i++) {
        uint16_t a[ORDO_MMA_K] = {(uint16_t)hand[i].a, (uint16_t)hand[i].b}, b[ORDO_MMA_K] = {0x3f80, 0x3f80};
        struct ordo_mma_operands x = {&ordo_format_bf16, a, b, 1, 1};
        struct ordo_mma_loss loss;
        uint32_t got = ordo_mma_step(sm90(), &x, hand[i].c, &loss);
        double bound = ordo_mma_bound(0, &loss, got);

        if (!(bound == hand[i].bound))
            fail_msg("by hand %zu: %a, not %a", i, bound, hand[i].bound);
    }
}

/* Upward: 1 plus a unit far below its last place is more than 1. */
static void bound_rounds_up(void **state)
{
    struct ordo_mma_loss loss = {.grid = -158, .n_cut = 1};
    double bound = ordo_mma_bound(1.0, &loss, 0);

    (void)state;
    assert_true(bound == 1.0 + 0x1p-52);
    loss.n_cut = 0;
    assert_true(ordo_mma_bound(1.0, &loss, 0) == 1.0);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(bound_holds),
        cmocka_unit_test(bound_by_hand),
        cmocka_unit_test(bound_rounds_up),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
