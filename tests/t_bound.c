/* t_bound.c - the bound: heights against counting; honest sums stay inside, hostile data reach it, faults leave. */
#include "tests/test.h"

#include "base/rng.h"
#include "oracle/bound.h"
#include "oracle/exact.h"
#include "ref/fp.h"
#include "ref/ordered.h"
#include "sim/fold.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_PLANES = 40, MAX_ADD = 400 };

/* One level as it runs: adding operand i to a sum that is still empty rounds nothing, any other addition may round
 * all that the sum holds.  from[i] and to[i]: the sum that leaf i lies in below and above. */
static void count_level(uint32_t n_add, const uint32_t *from, const uint32_t *to, bool *filled, uint32_t *height)
{
    bool done[MAX_PLANES] = {false};

    for (uint32_t i = 0; i < n_add; i++) {
        if (done[from[i]])
            continue;
        done[from[i]] = true;
        for (uint32_t k = 0; k < n_add; k++)
            if (filled[to[i]] && to[k] == to[i] && (done[from[k]] || from[k] == from[i]))
                height[k]++;
        filled[to[i]] = true;
    }
}

static void heights_by_counting(const struct ordo_row *row, uint32_t *height)
{
    static uint32_t plane[MAX_ADD], group[MAX_ADD], total[MAX_ADD];
    bool in_plane[MAX_PLANES] = {false}, in_group[MAX_PLANES] = {false}, in_total[1] = {false};

    for (uint32_t i = 0; i < row->n_add; i++) {
        plane[i] = row->add[i].plane;
        group[i] = ordo_fold_group(plane[i]);
        total[i] = height[i] = 0;
    }
    for (uint32_t i = 0; i < row->n_add; i++) { /* leaves into planes, one at a time */
        for (uint32_t k = 0; k <= i; k++)
            height[k] += in_plane[plane[i]] && plane[k] == plane[i];
        in_plane[plane[i]] = true;
    }
    count_level(row->n_add, plane, group, in_group, height);
    count_level(row->n_add, group, total, in_total, height);
}

static int by_plane(const void *a, const void *b)
{
    const struct ordo_add *x = a, *y = b;

    return (x->plane > y->plane) - (x->plane < y->plane);
}

static struct ordo_row random_row(struct ordo_rng *rng, uint32_t planes, struct ordo_add *add)
{
    uint32_t n = (uint32_t)ordo_rng_below(rng, ordo_rng_below(rng, 3) ? 10 : MAX_ADD);

    for (uint32_t i = 0; i < n; i++) {
        add[i].leaf = (uint32_t)ordo_rng_next(rng);
        add[i].plane = (uint32_t)ordo_rng_below(rng, planes);
    }
    qsort(add, n, sizeof *add, by_plane);
    return (struct ordo_row){1, n, add};
}

static void heights(void **state)
{
    static struct ordo_add add[MAX_ADD];
    static uint32_t got[MAX_ADD], want[MAX_ADD];
    const struct ordo_add hand[6] = {{0, 0}, {1, 0}, {2, 0}, {3, 2}, {4, 2}, {5, 9}};
    const uint32_t hand_height[6] = {2 + 1 + 1, 2 + 1 + 1, 1 + 1 + 1, 1 + 1 + 1, 1 + 1 + 1, 0 + 0 + 1};
    struct ordo_rng rng = {8};

    (void)state;
    ordo_bound_heights(&(struct ordo_row){0, 6, hand}, 16, got);
    assert_memory_equal(got, hand_height, sizeof hand_height);
    for (int trial = 0; trial < 300; trial++) {
        struct ordo_row row = random_row(&rng, MAX_PLANES, add);

        ordo_bound_heights(&row, MAX_PLANES, got);
        heights_by_counting(&row, want);
        assert_memory_equal(got, want, row.n_add * sizeof *got);
    }
}

static double error_of(const float *term, size_t n, size_t stride, float tree)
{
    struct ordo_exact sum;

    ordo_exact_init(&sum);
    ordo_exact_add(&sum, term, n, stride);
    return ordo_exact_error(&sum, ordo_fp32_bits(tree));
}

/* Honest sums stay inside; moved by little more than twice the bound they do not. */
static void never_violated_by_the_tree(void **state)
{
    static struct ordo_add add[MAX_ADD];
    static uint32_t height[MAX_ADD];
    static float term[MAX_ADD * 8];
    struct ordo_rng rng = {9};
    int inexact = 0;

    (void)state;
    for (int trial = 0; trial < 1500; trial++) {
        struct ordo_inputs in = {ORDO_ROUGH, ordo_rng_next(&rng), 8};
        struct ordo_row row = random_row(&rng, MAX_PLANES, add);
        float tree[8];

        ordo_ref_terms(&in, &row, term);
        ordo_ref_sum(&row, MAX_PLANES, term, 8, tree);
        ordo_bound_heights(&row, MAX_PLANES, height);
        for (int c = 0; c < 8; c++) {
            double bound = ordo_bound(height, term + c, row.n_add, 8);
            double error = error_of(term + c, row.n_add, 8, tree[c]);
            float off = nextafterf((float)((double)tree[c] + 2.1 * bound), INFINITY);

            inexact += error > 0;
            assert_true(ordo_bound_holds(error, bound));
            assert_false(ordo_bound_holds(error_of(term + c, row.n_add, 8, off), bound));
        }
    }
    assert_true(inexact > 4000);
}

/* Ties that all round down to 1 lose every term after the first: the error comes within 1/1000 of the bound, so a
 * height that is one too small would show. */
static void reached_by_hostile_data(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 100; n++) {
        struct ordo_add add[100];
        uint32_t height[100];
        float term[100], tree;
        struct ordo_row row = {0, n, add};
        double error, bound;

        for (uint32_t i = 0; i < n; i++) {
            add[i] = (struct ordo_add){i, 0};
            term[i] = i ? 0x1p-24f : 1;
        }
        ordo_ref_sum(&row, 1, term, 1, &tree);
        ordo_bound_heights(&row, 1, height);
        error = error_of(term, n, 1, tree);
        bound = ordo_bound(height, term, n, 1);
        assert_true(error == (n - 1) * 0x1p-24);
        assert_true(ordo_bound_holds(error, bound));
        assert_true(error > 0.999 * bound);
        for (uint32_t i = 0; i < n; i++)
            height[i] -= height[i] > 0;
        assert_false(ordo_bound_holds(error, ordo_bound(height, term, n, 1)));
    }
}

static void not_a_number_does_not_pass(void **state)
{
    const float term[3] = {1, NAN, 2}, fine[3] = {1, 2, 3};
    const uint32_t height[3] = {2, 2, 1}, endless[3] = {2, 1u << 24, 1};
    double bound = ordo_bound(height, fine, 3, 1);

    (void)state;
    assert_true(bound > 0 && isfinite(bound));
    assert_false(ordo_bound_holds((double)NAN, bound));
    assert_false(ordo_bound_holds(0, ordo_bound(height, term, 3, 1)));
    assert_false(ordo_bound_holds((double)NAN, ordo_bound(height, term, 3, 1)));
    assert_false(ordo_bound_holds((double)INFINITY, bound));
    assert_true(isinf(ordo_bound(endless, fine, 3, 1)));
    assert_true(ordo_bound(height, fine, 0, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(heights),
        cmocka_unit_test(never_violated_by_the_tree),
        cmocka_unit_test(reached_by_hostile_data),
        cmocka_unit_test(not_a_number_does_not_pass),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
