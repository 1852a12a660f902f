/* t_relay_time.c - the relay's waits: against a second statement that asks every pair of CTAs, and by hand. */
#include "tests/wait_case.h"

#include "sim/census.h"
#include "sim/relay_time.h"

#include <stdlib.h>

enum { MOST_TILES = 16 };

/* Whether tile a of query q shares a row with tile b of query l. */
static bool share(const struct ordo_problem *p, int32_t q, int32_t a, int32_t l, int32_t b, int32_t tile)
{
    int32_t clamped = ordo_clamp_length(ordo_problem_length(p, q), p->topk);

    for (int32_t j = a * tile; j < (a + 1) * tile && j < clamped; j++)
        if (ordo_slot_live(ordo_problem_row(p, q)[j], p->n_kv, j, clamped) &&
            names(p, l, b * tile, (b + 1) * tile, ordo_problem_row(p, q)[j]))
            return true;
    return false;
}

/* By definition: a tile's additions wait for every tile of every lower rank that has one of its rows. */
static void naive(const struct ordo_problem *p, int32_t cluster, int64_t c, int64_t r, int64_t edge, int32_t tile,
                  int64_t *time, int64_t *stall)
{
    int64_t(*end)[MOST_TILES] = calloc((size_t)p->n_query, sizeof *end);

    assert_non_null(end);
    *time = *stall = 0;
    for (int32_t first = 0; first < p->n_query; first += 128) {
        int64_t wave = 0;

        for (int32_t q = first; q < p->n_query && q < first + 128; q++) {
            int32_t clamped = ordo_clamp_length(ordo_problem_length(p, q), p->topk);
            int64_t now = 0;

            for (int32_t a = 0; a * tile < clamped; a++) {
                int64_t ready = now + c, start = ready;

                for (int32_t l = q / cluster * cluster; l < q; l++)
                    for (int32_t b = 0; b * tile < p->topk; b++)
                        if (share(p, q, a, l, b, tile) && end[l][b] + edge > start)
                            start = end[l][b] + edge;
                *stall += start - ready;
                now = end[q][a] = start + r;
            }
            wave = now > wave ? now : wave;
        }
        *time += wave;
    }
    free(end);
}

static void against_naive(void **state)
{
    static const char *const preset[] = {"uniform", "window", "keep"};

    (void)state;
    for (int i = 0; i < 9; i++) {
        struct ordo_problem p = problem(preset[i % 3], 5, 150, 300, 24);
        int32_t cluster = ordo_cluster_size[i / 3];
        struct ordo_relay_model model = {{3, 2}, {1, 2}, {1, 1}, 4};
        struct ordo_relay_time t;
        struct ordo_err err = {0};
        int64_t time, stall;

        naive(&p, cluster, 3, 1, 2, 4, &time, &stall);
        assert_ok(ordo_relay_time(&p, cluster, &model, &t, &err), err);
        assert_int_equal(t.den, 2);
        assert_int_equal(t.time, time);
        assert_int_equal(t.stall, stall);
        ordo_problem_free(&p);
    }
}

/* All queries name the same rows in one tile: ranks follow each other. */
static void by_hand(void **state)
{
    struct ordo_problem p = problem("identical", 5, 256, 64, 16);
    struct ordo_relay_model model = {{3, 1}, {1, 1}, {0, 1}, 16};
    struct ordo_relay_time t;
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_relay_time(&p, 8, &model, &t, &err), err);
    assert_int_equal(t.time, 2 * (3 + 8));
    assert_int_equal(t.alone, 2 * 4);
    assert_int_equal(t.stall, 256 / 8 * (1 + 2 + 3 + 4 + 5 + 6 + 7));
    assert_int_equal(t.chain, 7);
    assert_int_equal(t.row_chain, 8);
    assert_int_equal(t.longest, 7);
    ordo_problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(against_naive), cmocka_unit_test(by_hand)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
