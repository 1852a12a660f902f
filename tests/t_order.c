/* t_order.c - the walk of the published designs: which workers, in which order, under which keys. */
#include "sim/design.h"
#include "sim/fold.h"
#include "sim/order.h"
#include "tests/naive.h"

struct seen {
    const struct ordo_plan *plan;
    int32_t plane, wave, head_block; /* of the group before */
    uint32_t key;                    /* of the worker before, in this plane */
    int *query;                      /* [query * head_blocks + head block]: how often */
    uint64_t n_worker;
    int stop_after;
};

static int visit(void *ctx, const struct ordo_worker *worker, int n)
{
    struct seen *s = ctx;
    const struct ordo_plan *p = s->plan;

    assert_in_range(n, 1, p->cluster);
    assert_true(worker[0].wave > s->wave || (worker[0].wave == s->wave && worker[0].head_block > s->head_block));
    s->wave = worker[0].wave;
    s->head_block = worker[0].head_block;
    for (int i = 0; i < n; i++) {
        const struct ordo_worker *w = &worker[i];
        int32_t lane = w->query % p->wave;

        assert_int_equal(w->plane, s->plane);
        assert_int_equal(w->wave, s->wave);
        assert_int_equal(w->head_block, s->head_block);
        assert_int_equal(w->rank, i); /* ascending; only the end of a tail wave may lack ranks */
        assert_int_equal(w->query / p->wave, w->wave);
        assert_int_equal(lane / p->cluster, w->plane);
        assert_int_equal(lane % p->cluster, w->rank);
        assert_true(ordo_worker_key(p, w) > s->key);
        s->key = ordo_worker_key(p, w);
        s->query[w->query * p->head_blocks + w->head_block]++;
        s->n_worker++;
    }
    return s->stop_after && --s->stop_after == 0 ? 42 : 0;
}

static struct ordo_plan plan_for(int32_t n_query, int32_t n_head, int32_t cluster, int32_t wave)
{
    struct ordo_request r = {.n_query = n_query, .n_kv = 64, .topk = 4, .n_head = n_head, .d_qk = 16, .d_v = 16,
                             .cluster = cluster, .wave = wave};
    struct ordo_plan plan;
    struct ordo_err err = {0};

    assert_ok(ordo_plan_make(&r, &plan, &err), err);
    return plan;
}

static void walk_plane(struct seen *s, int32_t plane)
{
    const struct ordo_visitor visitor = {visit, s};

    s->plane = plane;
    s->wave = s->head_block = -1;
    s->key = 0;
    assert_int_equal(s->plan->design->walk(s->plan, plane, &visitor), 0);
}

static void every_worker_once_in_order(void **state)
{
    static const int32_t shape[][2] = {{0, 0},   {0, 8},   {4, 128}, {8, 128}, {16, 128},
                                       {4, 120}, {8, 120}, {16, 112}, {4, 8},  {16, 16}};
    static const int32_t n_query[] = {0, 1, 3, 15, 16, 17, 120, 127, 128, 129, 257, 500};

    (void)state;
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++)
        for (size_t k = 0; k < sizeof n_query / sizeof n_query[0]; k++)
            for (int32_t heads = 16; heads <= 160; heads += 72) {
                struct ordo_plan plan = plan_for(n_query[k], heads, shape[i][0], shape[i][1]);
                size_t n = (size_t)n_query[k] * (size_t)plan.head_blocks;
                struct seen s = {.plan = &plan, .query = calloc(n + 1, sizeof *s.query)};

                for (int32_t plane = 0; plane < plan.planes; plane++)
                    walk_plane(&s, plane);
                assert_int_equal(s.n_worker, n);
                for (size_t q = 0; q < n; q++)
                    assert_int_equal(s.query[q], 1);
                free(s.query);
            }
}

static void a_result_ends_the_walk(void **state)
{
    struct ordo_plan plan = plan_for(500, 128, 4, 128);
    struct seen s = {.plan = &plan, .query = calloc(1000, sizeof *s.query), .stop_after = 3};
    const struct ordo_visitor visitor = {visit, &s};

    (void)state;
    s.wave = s.head_block = -1;
    assert_int_equal(plan.design->walk(&plan, 0, &visitor), 42);
    assert_int_equal(s.n_worker, 12);
    free(s.query);
}

static void designs_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(ordo_design_find("private-shards"), &ordo_design_private_shards);
    assert_ptr_equal(ordo_design_find("cluster-relay"), &ordo_design_cluster_relay);
    assert_ptr_equal(ordo_design_find("atomic"), &ordo_design_atomic);
    assert_null(ordo_design_find("auto"));
    assert_null(ordo_design_find(""));
    assert_int_equal(ordo_design_private_shards.sync, ORDO_SYNC_NONE);
    assert_int_equal(ordo_design_cluster_relay.sync, ORDO_SYNC_RELAY);
}

/* Every plane is in one group of at most eight, groups ascend with planes. */
static void fold_groups(void **state)
{
    static const uint32_t planes[] = {1, 7, 8, 9, 15, 16, 30, 32, 64, 128};
    static const uint32_t groups[] = {1, 1, 1, 2, 2, 2, 4, 4, 8, 16};

    (void)state;
    for (int i = 0; i < 10; i++) {
        uint32_t at = 0;

        assert_int_equal(ordo_fold_groups(planes[i]), groups[i]);
        for (uint32_t g = 0; g < groups[i]; g++) {
            uint32_t end = ordo_fold_group_end(g, planes[i]);

            assert_int_equal(end, (g + 1) * 8 < planes[i] ? (g + 1) * 8 : planes[i]);
            for (; at < end; at++)
                assert_int_equal(ordo_fold_group(at), g);
        }
        assert_int_equal(at, planes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(every_worker_once_in_order),
        cmocka_unit_test(a_result_ends_the_walk),
        cmocka_unit_test(designs_by_name),
        cmocka_unit_test(fold_groups),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
