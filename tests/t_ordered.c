/* t_ordered.c - the ordered sum: trees by hand, against a literal walk of all planes, and what order can change. */
#include "tests/test.h"

#include "base/rng.h"
#include "ref/fp.h"
#include "ref/ordered.h"
#include "sim/fold.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PLANES = 160, MAX_ADD = 600, MAX_WIDTH = 19 };

/* ORDER as it stands in ordered.h, every plane visited, one column. */
static float literal_sum(const struct ordo_row *row, uint32_t planes, const float *term, int32_t width, int32_t c)
{
    float plane[MAX_PLANES] = {0}, total = 0;

    for (uint32_t i = 0; i < row->n_add; i++)
        plane[row->add[i].plane] += term[i * (uint32_t)width + (uint32_t)c];
    for (uint32_t g = 0; g < ordo_fold_groups(planes); g++) {
        float group = 0;

        for (uint32_t p = g * ORDO_FOLD_GROUP; p < ordo_fold_group_end(g, planes); p++)
            group += plane[p];
        total += group;
    }
    return total;
}

static int by_plane(const void *a, const void *b)
{
    const struct ordo_add *x = a, *y = b;

    return (x->plane > y->plane) - (x->plane < y->plane);
}

static struct ordo_row random_row(struct ordo_rng *rng, uint32_t planes, struct ordo_add *add)
{
    uint32_t n = (uint32_t)ordo_rng_below(rng, ordo_rng_below(rng, 2) ? 12 : MAX_ADD);

    for (uint32_t i = 0; i < n; i++) {
        add[i].leaf = (uint32_t)ordo_rng_next(rng);
        add[i].plane = (uint32_t)ordo_rng_below(rng, planes);
    }
    qsort(add, n, sizeof *add, by_plane);
    return (struct ordo_row){(int32_t)ordo_rng_below(rng, 1000), n, add};
}

/* ordo_ref_row, ordo_ref_sum and the literal walk agree on every bit, for every width and short last groups. */
static void equals_the_literal_order(void **state)
{
    static struct ordo_add add[MAX_ADD];
    static float term[MAX_ADD * MAX_WIDTH];
    struct ordo_rng rng = {42};

    (void)state;
    for (int trial = 0; trial < 600; trial++) {
        uint32_t planes = 1 + (uint32_t)ordo_rng_below(&rng, MAX_PLANES);
        struct ordo_inputs in = {(enum ordo_input_class)(trial & 1), ordo_rng_next(&rng),
                                 1 + (int32_t)ordo_rng_below(&rng, MAX_WIDTH)};
        struct ordo_row row = random_row(&rng, planes, add);
        float fast[MAX_WIDTH], sum[MAX_WIDTH], slow[MAX_WIDTH];

        ordo_ref_terms(&in, &row, term);
        ordo_ref_row(&in, &row, planes, fast);
        ordo_ref_sum(&row, planes, term, in.width, sum);
        for (int32_t c = 0; c < in.width; c++)
            slow[c] = literal_sum(&row, planes, term, in.width, c);
        assert_memory_equal(fast, slow, (size_t)in.width * sizeof *slow);
        assert_memory_equal(sum, slow, (size_t)in.width * sizeof *slow);
    }
}

static uint32_t sum_of(const struct ordo_add *add, const float *term, uint32_t n, uint32_t planes)
{
    struct ordo_row row = {0, n, add};
    float out;

    ordo_ref_sum(&row, planes, term, 1, &out);
    return ordo_fp32_bits(out);
}

/* 2^24 absorbs a one that is added to it, not a two: the tree shows in the result. */
static void trees_by_hand(void **state)
{
    const struct ordo_add same[3] = {{0, 0}, {1, 0}, {2, 0}};
    const struct ordo_add split[3] = {{0, 0}, {1, 1}, {2, 1}};
    const struct ordo_add groups[3] = {{0, 7}, {1, 8}, {2, 9}};
    const struct ordo_add late[3] = {{0, 0}, {1, 1}, {2, 8}};
    const float big_first[3] = {0x1p24f, 1, 1}, big_last[3] = {1, 1, 0x1p24f};
    const uint32_t absorbed = 0x4b800000, two_more = 0x4b800001;

    (void)state;
    assert_int_equal(sum_of(same, big_first, 3, 16), absorbed);   /* (big + 1) + 1 */
    assert_int_equal(sum_of(same, big_last, 3, 16), two_more);    /* (1 + 1) + big */
    assert_int_equal(sum_of(split, big_first, 3, 16), two_more);  /* big + (1 + 1), planes */
    assert_int_equal(sum_of(groups, big_first, 3, 16), two_more); /* big + ((1) + (1)), groups */
    assert_int_equal(sum_of(late, big_first, 3, 16), absorbed);   /* (big + 1) + 1, last level */
    assert_int_equal(sum_of(same, big_first, 0, 16), 0);
}

static void no_sum_is_minus_zero(void **state)
{
    const struct ordo_add add[3] = {{0, 0}, {1, 3}, {2, 12}};
    const float minus[3] = {-0.0f, -0.0f, -0.0f}, cancel[3] = {-1, 1, -0.0f};
    const float tiny[2] = {-0x1p-149f, 0x1p-149f};

    (void)state;
    for (uint32_t n = 0; n <= 3; n++)
        assert_int_equal(sum_of(add, minus, n, 16), 0);
    assert_int_equal(sum_of(add, cancel, 3, 16), 0);
    assert_int_equal(sum_of(add, tiny, 1, 16), 0x80000001); /* kept, not flushed */
    assert_int_equal(sum_of(add, tiny, 2, 16), 0);
}

/* In how many of `rows` rows of n writers of one plane some column changes when the writers are reversed. */
static uint32_t changed_by_reversal(enum ordo_input_class kind, uint32_t n, uint32_t rows)
{
    struct ordo_inputs in = {kind, 17, 8};
    uint32_t changed = 0;

    for (uint32_t r = 0; r < rows; r++) {
        struct ordo_add up[8], down[8];
        float a[8], b[8];

        for (uint32_t i = 0; i < n; i++) {
            up[i] = (struct ordo_add){100 * r + i, 2};
            down[n - 1 - i] = up[i];
        }
        ordo_ref_row(&in, &(struct ordo_row){(int32_t)r, n, up}, 4, a);
        ordo_ref_row(&in, &(struct ordo_row){(int32_t)r, n, down}, 4, b);
        changed += memcmp(a, b, sizeof a) != 0;
    }
    return changed;
}

static void what_reversal_changes(void **state)
{
    (void)state;
    assert_int_equal(changed_by_reversal(ORDO_ROUGH, 1, 200), 0);
    assert_int_equal(changed_by_reversal(ORDO_ROUGH, 2, 200), 0); /* addition commutes */
    assert_true(changed_by_reversal(ORDO_ROUGH, 3, 200) > 100);
    assert_true(changed_by_reversal(ORDO_ROUGH, 8, 200) > 180);
    assert_int_equal(changed_by_reversal(ORDO_EXACT, 3, 200), 0);
    assert_int_equal(changed_by_reversal(ORDO_EXACT, 8, 200), 0);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(equals_the_literal_order), cmocka_unit_test(trees_by_hand),
        cmocka_unit_test(no_sum_is_minus_zero),     cmocka_unit_test(what_reversal_changes),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
