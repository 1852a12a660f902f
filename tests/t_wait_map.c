/* t_wait_map.c - the boxes of the picture hold what the census counts, each update in its place. */
#include "tests/wait_case.h"

#include "sim/census.h"
#include "sim/wait_map.h"

/* By definition, for one box. */
static struct ordo_wait_cell naive(const struct ordo_problem *p, const struct ordo_wait_map *m, int32_t x, int32_t y)
{
    struct ordo_wait_cell c = {0, 0};

    for (int32_t q = x * m->queries; q < (x + 1) * m->queries && q < p->n_query; q++)
        for (int32_t row = y * m->rows; row < (y + 1) * m->rows && row < p->n_kv; row++) {
            bool waits = false;

            if (!names(p, q, 0, p->topk, row))
                continue;
            c.updates++;
            for (int32_t lower = q / m->cluster * m->cluster; lower < q; lower++)
                waits |= names(p, lower, 0, p->topk, row);
            c.waits += (uint64_t)waits;
        }
    return c;
}

static void every_box(const struct ordo_problem *p, int32_t cluster, int32_t most_x, int32_t most_y)
{
    struct ordo_wait_map m;
    struct ordo_err err = {0};

    assert_ok(ordo_wait_map_make(p, cluster, most_x, most_y, &m, &err), err);
    assert_true(m.n_x <= most_x && m.n_y <= most_y);
    assert_true(m.queries == 1 || m.queries % cluster == 0);
    assert_true(m.n_x * m.queries >= p->n_query && m.n_y * m.rows >= p->n_kv);
    for (int32_t y = 0; y < m.n_y; y++)
        for (int32_t x = 0; x < m.n_x; x++) {
            struct ordo_wait_cell want = naive(p, &m, x, y), got = m.cell[y * m.n_x + x];

            if (want.updates != got.updates || want.waits != got.waits)
                fail_msg("box %d, %d: %d of %d wait, not %d of %d", (int)x, (int)y, (int)got.waits, (int)got.updates,
                         (int)want.waits, (int)want.updates);
        }
    ordo_wait_map_free(&m);
}

static void boxes(void **state)
{
    struct ordo_problem p = problem("keep", 3, 137, 300, 16);

    (void)state;
    every_box(&p, 8, 9, 7);
    every_box(&p, 4, 200, 400);
    every_box(&p, 16, 1, 1);
    p.idx[3] = p.idx[2]; /* a repeated id counts once */
    p.idx[40] = -1;
    every_box(&p, 8, 9, 7);
    ordo_problem_free(&p);
}

static void sums(void **state)
{
    struct ordo_problem p = problem("uniform", 3, 512, 1000, 64);
    struct ordo_census census;
    struct ordo_wait_map m;
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_census_make(&p, &census, &err), err);
    for (int i = 0; i < ORDO_N_CLUSTER_SIZES; i++) {
        struct ordo_wait_cell all, by_x = {0, 0}, by_y = {0, 0};

        assert_ok(ordo_wait_map_make(&p, ordo_cluster_size[i], 96, 48, &m, &err), err);
        all = ordo_wait_map_all(&m);
        for (int32_t x = 0; x < m.n_x; x++)
            by_x.waits += ordo_wait_map_x(&m, x).waits;
        for (int32_t y = 0; y < m.n_y; y++)
            by_y.updates += ordo_wait_map_y(&m, y).updates;
        assert_int_equal(all.updates, census.by_cluster[i].updates);
        assert_int_equal(all.waits, census.by_cluster[i].waits);
        assert_int_equal(by_x.waits, all.waits);
        assert_int_equal(by_y.updates, all.updates);
        ordo_wait_map_free(&m);
    }
    ordo_census_free(&census);
    ordo_problem_free(&p);
}

static void nothing(void **state)
{
    struct ordo_problem p = {.n_query = 0, .topk = 0, .n_kv = 0};
    struct ordo_wait_map m;
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_wait_map_make(&p, 8, 96, 48, &m, &err), err);
    assert_int_equal(m.n_x * m.n_y, 0);
    assert_int_equal(ordo_wait_map_all(&m).updates, 0);
    ordo_wait_map_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes), cmocka_unit_test(sums), cmocka_unit_test(nothing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
