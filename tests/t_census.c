/* t_census.c - what `ordo inspect` counts, against a table of flags.  tests/expected_cases.py compares it with the
 * numbers that came with the corpus. */
#include "sim/census.h"
#include "tests/naive.h"

enum { MAX_KV = 4096 };

/* One query's live rows as flags. */
static void flags_of(const struct ordo_problem *p, int32_t query, uint8_t *flag)
{
    memset(flag, 0, MAX_KV);
    for (int32_t j = 0; j < p->topk; j++)
        if (naive_live(p, query, j))
            flag[p->idx[(int64_t)query * p->topk + j]] = 1;
}

static void assert_fan_in(const struct ordo_problem *p, const struct ordo_fan_in *got)
{
    uint64_t fan_in[17] = {0}, updates = 0, plane_rows = 0;
    int32_t most = 0;

    for (int32_t first = 0; first < p->n_query; first += got->cluster) {
        static uint8_t flag[MAX_KV], writers[MAX_KV];

        memset(writers, 0, sizeof writers);
        for (int32_t q = first; q < p->n_query && q < first + got->cluster; q++) {
            flags_of(p, q, flag);
            for (int32_t k = 0; k < p->n_kv; k++)
                writers[k] = (uint8_t)(writers[k] + flag[k]);
        }
        for (int32_t k = 0; k < p->n_kv; k++) {
            fan_in[writers[k]]++;
            updates += writers[k];
            plane_rows += writers[k] > 0;
            most = writers[k] > most ? writers[k] : most;
        }
    }
    for (int i = 0; i < got->cluster; i++)
        assert_int_equal(got->fan_in[i], fan_in[i + 1]);
    assert_int_equal(got->planes, 128 / got->cluster);
    assert_int_equal(got->updates, updates);
    assert_int_equal(got->plane_rows, plane_rows);
    assert_int_equal(got->waits, updates - plane_rows);
    assert_int_equal(got->max_fan_in, most);
}

static void assert_neighbours(const struct ordo_problem *p, const struct ordo_census *got)
{
    static uint8_t before[MAX_KV], now[MAX_KV];
    uint64_t rows = 0, kept = 0, shifted = 0;

    for (int32_t q = 0; q < p->n_query; q++) {
        flags_of(p, q, now);
        for (int32_t k = 0; q && k < p->n_kv; k++) {
            rows += now[k];
            kept += now[k] && before[k];
            shifted += now[k] && k && before[k - 1];
        }
        memcpy(before, now, sizeof now);
    }
    assert_int_equal(got->neighbour_rows, rows);
    assert_int_equal(got->kept, kept);
    assert_int_equal(got->shifted, shifted);
}

static void assert_slots(const struct ordo_problem *p, const struct ordo_census *got)
{
    static uint8_t flag[MAX_KV];
    static uint32_t writers[MAX_KV];
    uint64_t live = 0, distinct = 0, rows = 0;
    int32_t dead_queries = 0;
    uint32_t most = 0;

    memset(writers, 0, sizeof writers);
    for (int32_t q = 0; q < p->n_query; q++) {
        uint64_t before = live;

        for (int32_t j = 0; j < p->topk; j++)
            live += (uint64_t)naive_live(p, q, j);
        dead_queries += live == before;
        flags_of(p, q, flag);
        for (int32_t k = 0; k < p->n_kv; k++)
            writers[k] += flag[k];
    }
    for (int32_t k = 0; k < p->n_kv; k++) {
        distinct += writers[k];
        rows += writers[k] > 0;
        most = writers[k] > most ? writers[k] : most;
    }
    assert_int_equal(got->scan.live, live);
    assert_int_equal(got->dead, (uint64_t)p->n_query * (uint64_t)p->topk - live);
    assert_int_equal(got->scan.n_duplicate, live - distinct);
    assert_int_equal(got->scan.dead_queries, dead_queries);
    assert_int_equal(got->rows_touched, rows);
    assert_int_equal(got->max_writers, most);
}

static void check(const struct ordo_problem *p)
{
    struct ordo_census census;
    struct ordo_err err = {0};

    assert_ok(ordo_census_make(p, &census, &err), err);
    assert_slots(p, &census);
    assert_neighbours(p, &census);
    for (int i = 0; i < ORDO_N_CLUSTER_SIZES; i++) {
        assert_int_equal(census.by_cluster[i].cluster, 4 << i);
        assert_fan_in(p, &census.by_cluster[i]);
    }
    ordo_census_free(&census);
}

static void corpus(void **state)
{
    static const struct {
        const char *name;
        int32_t kv;
    } file[] = {{"holes.npy", 256},    {"duplicates.npy", 64}, {"wide_topk.npy", 12},
                {"window_i64.npy", 296}, {"keep40.npy", 4096},   {"indexer_short.npy", 160}};

    (void)state;
    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
        struct ordo_problem p = corpus_problem(file[i].name, file[i].kv);

        check(&p);
        ordo_problem_free(&p);
    }
}

static void random_tensors(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        int32_t n_query = 1 + (int32_t)(seed * 7 % 50), topk = 1 + (int32_t)(seed % 9);
        struct ordo_problem p = random_problem(seed, n_query, topk, topk + (int32_t)(seed * 13 % 60), 4);

        for (int32_t i = 0; seed % 4 == 0 && i + 1 < n_query * topk; i += 3)
            p.idx[i + 1] = p.idx[i]; /* duplicates, and neighbours that keep */
        check(&p);
        ordo_problem_free(&p);
    }
}

static void empty(void **state)
{
    static const int32_t extent[][3] = {{0, 8, 8}, {8, 0, 8}, {8, 8, 0}, {0, 0, 0}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct ordo_problem p = {extent[i][0], extent[i][1], extent[i][2], calloc(64, sizeof *p.idx), NULL};

        check(&p);
        ordo_problem_free(&p);
    }
}

/* Rows far apart: the same counts whether tables are dense or compact; a row shifted into the next granule counts. */
static void any_width(void **state)
{
    static const int32_t kv[] = {64, 1 << 24, (1 << 24) + 1, INT32_MAX};

    (void)state;
    for (int i = 0; i < 4; i++) {
        int32_t top = kv[i] - 1, idx[] = {7, top - 1, 0, 8, top, 20, 9, top, 1, 8, top, 1};
        struct ordo_problem p = {4, 3, kv[i], idx, NULL};
        struct ordo_census c;
        struct ordo_err err = {0};

        assert_ok(ordo_census_make(&p, &c, &err), err);
        assert_int_equal(c.rows_touched, 8);
        assert_int_equal(c.max_writers, 3);
        assert_int_equal(c.neighbour_rows, 9);
        assert_int_equal(c.kept, 3);    /* top, top, 1 */
        assert_int_equal(c.shifted, 3); /* 8 and top; 9 */
        assert_int_equal(c.by_cluster[0].updates, 12);
        assert_int_equal(c.by_cluster[0].plane_rows, 8);
        assert_int_equal(c.by_cluster[0].fan_in[2], 1);
        ordo_census_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(corpus),
        cmocka_unit_test(random_tensors),
        cmocka_unit_test(empty),
        cmocka_unit_test(any_width),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
