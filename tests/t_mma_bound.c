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

/* x 2^-unit, which is an integer. */
static __int128 units(double x, int unit)
{
    return (__int128)ldexp(x, -unit);
}

/* |result - exact sum| <= bound for every finite element of a tile, exactly, and nothing lost where the bound is 0.
 * The largest error / bound; *n counts the elements. */
static double worst_of(const struct ordo_mma_model *model, const struct tile *t, const uint32_t *c, int unit, int *n)
{
    double worst = 0;

    for (int i = 0; i < t->m * t->n; i++) {
        __int128 exact = units(value_of(&ordo_format_fp32, c[i]), unit), error;

        if (!ordo_fp32_finite(t->c[i])) {
            assert_true(t->bound[i] == HUGE_VAL);
            continue;
        }
        for (int k = 0; k < t->k; k++)
            exact += units(value_of(&ordo_format_bf16, t->a[i / t->n * t->k + k]) *
                               value_of(&ordo_format_bf16, t->b[i % t->n * t->k + k]),
                           unit);
        error = units(value_of(&ordo_format_fp32, t->c[i]), unit) - exact;
        error = error < 0 ? -error : error;
        if (error > units(t->bound[i], unit))
            fail_msg("SM %d, element %d: off by %a, the bound is %a", model->sm, i, ldexp((double)error, unit),
                     t->bound[i]);
        if (error > 0 && ldexp((double)error, unit) / t->bound[i] > worst)
            worst = ldexp((double)error, unit) / t->bound[i];
        *n += 1;
    }
    return worst;
}

/* Families whose numbers are whole multiples of 2^unit, and sums of 256 of them below 2^(unit + 127); those left out
 * are not (raw, subnormal) or have no exact sum (special).  positive: cuts add up.  least: of the largest error /
 * bound, on SM 9.0: not a bound that holds because it is huge. */
static const struct {
    int family, unit;
    bool positive;
    double least;
} exact_families[] = {
    {ORDO_FAMILY_NARROW, -60, false, 0.3},  {ORDO_FAMILY_NARROW, -60, true, 0.4},
    {ORDO_FAMILY_CANCEL, -60, false, 0.3},  {ORDO_FAMILY_TINY_C, -180, false, 0.3},
    {ORDO_FAMILY_TINY, -180, false, 0.3},   {ORDO_FAMILY_ZEROS, -90, false, 0.3},
    {ORDO_FAMILY_OVERFLOW, 60, false, 0.3}, {ORDO_FAMILY_SOFTMAX, -90, false, 0.3},
};

/* Single groups and chains of 16, every architecture that has BF16, every isa. */
static void bound_holds(void **state)
{
    size_t n_rows;
    const struct ordo_mma_model *row = ordo_mma_models(&n_rows);
    uint32_t c[128];
    struct ordo_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof exact_families / sizeof exact_families[0]; i++)
        for (size_t r = 0; r < n_rows; r++) {
            int n = 0, family = exact_families[i].family, unit = exact_families[i].unit;
            double worst = 0;

            for (int at = 0; row[r].bf16 && at < 2 * ORDO_ISAS; at++) {
                int k = at % 2 ? 16 * ORDO_MMA_K : ORDO_MMA_K;
                enum ordo_isa isa = (enum ordo_isa)(at / 2);
                struct tile t = tile_new(8, 16, k);
                struct ordo_product p = tile_product(&t, &ordo_format_bf16, true);
                double here;

                if (!ordo_isa_has(isa)) {
                    tile_free(&t);
                    continue;
                }
                tile_fill(&t, family, 5);
                tile_start(&t, family, 5);
                for (int j = 0; exact_families[i].positive && j < t.m * t.k; j++)
                    t.a[j] &= 0x7fff, t.b[j] &= 0x7fff, t.b[t.n * t.k - 1 - j] &= 0x7fff;
                memcpy(c, t.c, sizeof c);
                assert_ok(ordo_mma(&row[r], isa, &p, &err), err);
                here = worst_of(&row[r], &t, c, unit, &n);
                worst = here > worst ? here : worst;
                tile_free(&t);
            }
            if (row[r].bf16)
                print_message("%-9s SM %-3d %3d elements, largest error / bound %.3f\n", family_name[family],
                              row[r].sm, n, worst);
            assert_true(!row[r].bf16 || n >= 30); /* the others overflow */
            assert_true(row[r].sm != 90 || worst >= exact_families[i].least);
        }
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
