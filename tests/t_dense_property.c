/* t_dense_property.c - what holds of every case: the depth-monotone lemma and the weight of reductions on 2,000
 * random ones each, and that no schedule is below a bound.
 *
 * Source of the lemma: DASH (arXiv 2601.21824). */
#include "tests/dense_case.h"

#include "base/rng.h"

#include <stdlib.h>

enum { CHAINS = 4, LONGEST = 6, MOST_EDGES = 6 };

struct chains {
    int length[CHAINS];
    int64_t weight[CHAINS][LONGEST];
    int n_edge;
    int from[MOST_EDGES][2], to[MOST_EDGES][2]; /* chain and vertex: vertex v stands after v weights */
};

/* Longest weighted way; -1 if there is a cycle. */
static int64_t longest_way(const struct chains *c)
{
    int64_t at[CHAINS][LONGEST + 1] = {{0}}, most = 0;
    bool moved = true;

    for (int round = 0; moved; round++) {
        if (round > CHAINS * (LONGEST + 1))
            return -1;
        moved = false;
        for (int i = 0; i < CHAINS; i++)
            for (int v = 1; v <= c->length[i]; v++)
                if (at[i][v - 1] + c->weight[i][v - 1] > at[i][v]) {
                    at[i][v] = at[i][v - 1] + c->weight[i][v - 1];
                    moved = true;
                }
        for (int e = 0; e < c->n_edge; e++) {
            int64_t u = at[c->from[e][0]][c->from[e][1]], *v = &at[c->to[e][0]][c->to[e][1]];

            if (u > *v) {
                *v = u;
                moved = true;
            }
        }
    }
    for (int i = 0; i < CHAINS; i++)
        most = at[i][c->length[i]] > most ? at[i][c->length[i]] : most;
    return most;
}

static int64_t depth(const struct chains *c, const int place[2])
{
    int64_t sum = 0;

    for (int v = 0; v < place[1]; v++)
        sum += c->weight[place[0]][v];
    return sum;
}

static struct chains random_chains(struct ordo_rng *rng, bool equal)
{
    struct chains c = {.n_edge = 1 + (int)ordo_rng_below(rng, MOST_EDGES)};

    for (int i = 0; i < CHAINS; i++) {
        c.length[i] = equal ? LONGEST : 1 + (int)ordo_rng_below(rng, LONGEST);
        for (int v = 0; v < c.length[i]; v++)
            c.weight[i][v] = equal && i ? c.weight[0][v] : 1 + (int64_t)ordo_rng_below(rng, 9);
    }
    for (int e = 0; e < c.n_edge; e++) {
        c.from[e][0] = (int)ordo_rng_below(rng, CHAINS);
        c.to[e][0] = (c.from[e][0] + 1 + (int)ordo_rng_below(rng, CHAINS - 1)) % CHAINS;
        c.from[e][1] = (int)ordo_rng_below(rng, (uint64_t)c.length[c.from[e][0]] + 1);
        c.to[e][1] = (int)ordo_rng_below(rng, (uint64_t)c.length[c.to[e][0]] + 1);
    }
    return c;
}

static bool monotone(const struct chains *c)
{
    for (int e = 0; e < c->n_edge; e++)
        if (depth(c, c->from[e]) > depth(c, c->to[e]))
            return false;
    return true;
}

/* Equal chains keep their length iff every edge is depth-monotone; with unequal ones a backward edge can be
 * harmless. */
static void depth_monotone(void **state)
{
    struct ordo_rng rng = {8};
    int cases = 0, both[2] = {0, 0}, harmless = 0;

    (void)state;
    while (cases < 2000) {
        struct chains c = random_chains(&rng, true);
        int64_t way = longest_way(&c), alone = depth(&c, (int[2]){0, LONGEST});

        if (way < 0)
            continue;
        if ((way == alone) != monotone(&c))
            fail_msg("case %d: a way of %d beside %d", cases, (int)way, (int)alone);
        both[way == alone]++;
        cases++;
    }
    assert_true(both[0] > 100 && both[1] > 100);
    for (int i = 0; i < 2000; i++) {
        struct chains c = random_chains(&rng, false);
        int64_t way = longest_way(&c), alone = 0;

        for (int k = 0; k < CHAINS; k++)
            if (depth(&c, (int[2]){k, c.length[k]}) > alone)
                alone = depth(&c, (int[2]){k, c.length[k]});
        harmless += way == alone && !monotone(&c);
    }
    assert_true(harmless > 0);
}

/* Without reductions all full-mask schedules tie; shift's advantage over the baseline grows with r / c. */
static void reduction_weight(void **state)
{
    struct ordo_rng rng = {18};

    (void)state;
    for (int i = 0; i < 2000; i++) {
        int32_t n = 2 + (int32_t)ordo_rng_below(&rng, 9), m = 1 + (int32_t)ordo_rng_below(&rng, 4);
        int64_t c = 1 + (int64_t)ordo_rng_below(&rng, 9), r = (int64_t)ordo_rng_below(&rng, 9), gain[2];

        for (int more = 0; more < 2; more++) {
            struct dense_case d = {.mask = ORDO_DENSE_MASK_FULL, .n_q = n, .n_kv = n, .heads = m, .c = {c, 1},
                                   .r = {r + more, 1}};
            int64_t shift, ascending;

            d.schedule = "shift";
            shift = dense_whole_time(d);
            d.schedule = "ascending";
            ascending = dense_whole_time(d);
            gain[more] = ascending * 1000000 / shift;
            assert_int_equal(ascending - shift, (n - 1) * (r + more));
            d.schedule = "descending";
            assert_int_equal(dense_whole_time(d), ascending);
        }
        assert_true(r > 0 ? gain[1] >= gain[0] : gain[0] == 1000000 && gain[1] > gain[0]);
    }
}

/* No schedule of any mask is below a bound. */
static void never_below_bounds(void **state)
{
    struct ordo_rng rng = {9};

    (void)state;
    for (int i = 0; i < 300; i++) {
        struct dense_case c = {.mask = (enum ordo_dense_mask_kind)ordo_rng_below(&rng, ORDO_N_DENSE_MASKS),
                               .n_kv = 3 + (int32_t)ordo_rng_below(&rng, 8),
                               .heads = 1 + (int32_t)ordo_rng_below(&rng, 5),
                               .sms = 3 + (int32_t)ordo_rng_below(&rng, 14), .slots = 60, .grid = -1,
                               .c = {1 + (int64_t)ordo_rng_below(&rng, 5), 2},
                               .r = {(int64_t)ordo_rng_below(&rng, 5), 3},
                               .overlap = ordo_rng_below(&rng, 2)};
        static const char *const any[] = {"ascending", "descending", "descending-pair", "spt", "alternating",
                                          "general"};

        c.n_q = c.n_kv * (1 + (int32_t)ordo_rng_below(&rng, 2));
        for (size_t k = 0; k < sizeof any / sizeof any[0]; k++) {
            struct dense_timed t;

            c.schedule = any[k];
            t = dense_time(c);
            assert_false(t.time.hangs);
            if (ordo_rational_compare(ordo_dense_makespan(&t.time), t.bounds.most) < 0)
                fail_msg("%s, mask %d, %d tiles: below the bound", any[k], (int)c.mask, (int)c.n_kv);
            dense_timed_free(&t);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(depth_monotone), cmocka_unit_test(reduction_weight),
                                       cmocka_unit_test(never_below_bounds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
