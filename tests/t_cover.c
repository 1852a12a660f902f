/* t_cover.c - the counters of a campaign: how many targets there are, that each is reached once, and the
 * estimates. */
#include "fuzz/cover.h"

#include "base/rng.h"
#include "tests/test.h"

static struct ordo_cover c;

static int make(void **state)
{
    struct ordo_err err = {0};

    (void)state;
    return ordo_cover_init(&c, &err) != ORDO_OK;
}

static int drop(void **state)
{
    (void)state;
    ordo_cover_free(&c);
    return 0;
}

/* All masks, all waits that can be: every target is reached, and no more than there are. */
static void everything(void **state)
{
    (void)state;
    for (int i = 0; i < ORDO_COVER_CLUSTERS; i++) {
        const int32_t cluster = 4 << i;
        const uint32_t n = (uint32_t)ordo_cover_targets(ORDO_COVER_MASKS, cluster);

        assert_int_equal(n, 1u << cluster);
        assert_int_equal(ordo_cover_targets(ORDO_COVER_NEIGHBOURS, cluster), 1u << 32 / cluster);
        assert_int_equal(ordo_cover_targets(ORDO_COVER_PAIRS, cluster), cluster * (cluster - 1));
        for (int twice = 0; twice < 2; twice++) {
            for (uint32_t v = 0; v < n; v++)
                ordo_cover_masks(&c, cluster, &v, 1);
            for (uint32_t together = 0; together < 1u << 32 / cluster; together++) {
                uint32_t word = 0;

                for (int32_t row = 0; row < 32 / cluster; row++)
                    word |= (together >> row & 1) << row * cluster;
                ordo_cover_masks(&c, cluster, &word, 1);
            }
            for (int32_t rank = 0; rank < cluster; rank++)
                for (uint32_t lower = 0; lower < 1u << rank; lower++)
                    for (uint32_t found = lower;; found = (found - 1) & lower) {
                        ordo_cover_wait(&c, cluster, rank, lower, found);
                        if (!found || cluster > 8)
                            break;
                    }
        }
        assert_int_equal(c.reached[ORDO_COVER_MASKS][i], n);
        assert_int_equal(c.reached[ORDO_COVER_NEIGHBOURS][i], 1u << 32 / cluster);
        if (cluster <= 8) {
            assert_int_equal(c.reached[ORDO_COVER_PAIRS][i], cluster * (cluster - 1));
            assert_int_equal(c.reached[ORDO_COVER_CHAINS][i], ordo_cover_targets(ORDO_COVER_CHAINS, cluster));
        }
    }
}

static void one_wait(void **state)
{
    uint64_t before;

    (void)state;
    ordo_cover_wait(&c, 8, 3, 5, 4); /* ranks 0 and 2 use the row; 2 was still at it */
    assert_int_equal(c.reached[ORDO_COVER_PAIRS][1], 2);
    assert_int_equal(c.reached[ORDO_COVER_CHAINS][1], 1);
    before = c.novel;
    ordo_cover_wait(&c, 8, 3, 5, 4);
    assert_int_equal(c.novel, before);
    ordo_cover_wait(&c, 8, 3, 5, 1); /* other halves of both pairs; the chain is as long */
    assert_int_equal(c.reached[ORDO_COVER_PAIRS][1], 4);
    assert_int_equal(c.reached[ORDO_COVER_CHAINS][1], 1);
    ordo_cover_wait(&c, 8, 0, 0, 0);
    assert_int_equal(c.novel, before + 2);
}

/* Ten classes of equal chance: after many draws none is seen once; of many classes nearly all are. */
static void good_turing(void **state)
{
    (void)state;
    assert_true(ordo_cover_unseen(&c.trace) >= 1);
    for (uint64_t i = 0; i < 1000; i++)
        ordo_cover_class(&c, &c.trace, ordo_mix(i % 10 + 1));
    assert_int_equal(c.trace.n_class, 10);
    assert_int_equal(c.trace.n_once, 0);
    assert_int_equal(c.trace.n_draw, 1000);
    ordo_cover_class(&c, &c.trace, 0);
    ordo_cover_class(&c, &c.trace, 77);
    assert_int_equal(c.trace.n_class, 12);
    assert_int_equal(c.trace.n_once, 2);
    assert_true(ordo_cover_unseen(&c.trace) > 0.0019 && ordo_cover_unseen(&c.trace) < 0.002);
    ordo_cover_class(&c, &c.trace, 0);
    assert_int_equal(c.trace.n_once, 1);
    assert_int_equal(c.novel, 0); /* traces are no news */
    ordo_cover_class(&c, &c.shape, 5);
    assert_int_equal(c.novel, 1);
}

static void full(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= ORDO_COVER_SLOTS; i++)
        ordo_cover_class(&c, &c.trace, ordo_mix(i));
    assert_true(c.trace.full);
    assert_int_equal(c.trace.n_class, ORDO_COVER_SLOTS / 4 * 3);
    assert_int_equal(c.trace.n_draw, ORDO_COVER_SLOTS);
}

static void rule_of_three(void **state)
{
    (void)state;
    assert_true(ordo_cover_rule_of_three(0) >= 1);
    assert_true(ordo_cover_rule_of_three(300) > 0.00999 && ordo_cover_rule_of_three(300) < 0.01001);
}

/* Sure to be met in one run of one step; 1 - (1 - 1/16)(1 - 1/18) = 0.11458... in two. */
static void pct(void **state)
{
    (void)state;
    ordo_cover_pct(&c, 4, 2);
    assert_true(c.pct.missed > 0.93749 && c.pct.missed < 0.93751);
    ordo_cover_pct(&c, 2, 3);
    assert_true(c.pct.missed > 0.88541 && c.pct.missed < 0.88543);
    assert_int_equal(c.pct.n_run, 2);
    assert_int_equal(c.pct.most_threads, 4);
    assert_int_equal(c.pct.most_steps, 3);
    ordo_cover_pct(&c, 1, 1);
    assert_true(c.pct.missed <= 0);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test_setup_teardown(everything, make, drop),
        cmocka_unit_test_setup_teardown(one_wait, make, drop),
        cmocka_unit_test_setup_teardown(good_turing, make, drop),
        cmocka_unit_test_setup_teardown(full, make, drop),
        cmocka_unit_test_setup_teardown(pct, make, drop),
        cmocka_unit_test(rule_of_three),
    };

    return cmocka_run_group_tests_name("cover", test, NULL, NULL);
}
