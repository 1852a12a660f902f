/* t_schedule.c - the shipped relay under every scheduler: clean, complete, repeatable, and different schedules
 * differ. */
#include "sim/schedule.h"

#include "sim/design.h"
#include "tests/naive.h"

struct launch {
    const struct ordo_plan *plan;
    const struct ordo_problem *problem;
    struct ordo_arena arena;
    enum ordo_scheduler scheduler;
    uint64_t seed, steps, trace, waits;
    int n;
};

static void count_wait(void *ctx, int32_t cluster, int32_t rank, uint32_t lower, uint32_t found)
{
    uint64_t *waits = ctx;

    assert_true(rank >= 0 && rank < cluster);
    assert_int_equal(lower >> rank, 0);
    assert_int_equal(found & ~lower, 0);
    *waits += found != 0;
}

static int run_launch(void *ctx, const struct ordo_worker *worker, int n)
{
    struct launch *l = ctx;
    const struct ordo_schedule_watch watch = {count_wait, &l->waits};
    struct ordo_schedule_outcome o;
    struct ordo_err err = {0};

    ordo_arena_reset(&l->arena);
    assert_ok(ordo_schedule_run(&l->arena, l->plan, l->problem, worker, n, l->scheduler, l->seed, &watch, &o, &err),
              err);
    if (o.end != ORDO_SCHEDULE_CLEAN)
        fail_msg("%s: rank %d, row %d: %s", ordo_scheduler_name[l->scheduler], o.rank, o.row,
                 ordo_schedule_end_text[o.end]);
    l->steps += o.steps;
    l->trace += o.trace;
    l->n++;
    return 0;
}

static struct launch run_all(const struct ordo_plan *plan, const struct ordo_problem *p, enum ordo_scheduler s,
                             uint64_t seed)
{
    struct launch l = {.plan = plan, .problem = p, .scheduler = s, .seed = seed};
    const struct ordo_visitor visitor = {run_launch, &l};

    for (int32_t plane = 0; plane < plan->planes; plane++)
        assert_int_equal(plan->design->walk(plan, plane, &visitor), 0);
    ordo_arena_free(&l.arena);
    return l;
}

static struct ordo_plan plan_of(const struct ordo_problem *p, int32_t cluster)
{
    struct ordo_request request = request_of(p);
    struct ordo_plan plan;
    struct ordo_err err = {0};

    request.cluster = cluster;
    request.wave = 2 * cluster;
    request.n_head = 128;
    assert_ok(ordo_plan_make(&request, &plan, &err), err);
    return plan;
}

static void every_scheduler(void **state)
{
    static const int32_t shape[][4] = {{8, 8, 32, 0}, {33, 5, 7, 3}, {9, 70, 80, 5},
                                       {1, 1, 1, 0},  {20, 4, 4, 0}, {16, 1, 3, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++)
        for (int32_t cluster = 4; cluster <= 16; cluster *= 2)
            for (int s = 0; s < ORDO_N_SCHEDULERS; s++) {
                struct ordo_problem p = random_problem(i + 1, shape[i][0], shape[i][1], shape[i][2], shape[i][3]);
                struct ordo_plan plan = plan_of(&p, cluster);
                struct launch a = run_all(&plan, &p, (enum ordo_scheduler)s, 1);
                struct launch b = run_all(&plan, &p, (enum ordo_scheduler)s, 1);

                assert_true(a.steps == b.steps && a.trace == b.trace && a.waits == b.waits && a.n == b.n);
                assert_true(a.n >= 1);
                ordo_problem_free(&p);
            }
}

/* Eight ranks, one row: the starving scheduler makes all but rank 0 wait, and walks take many ways. */
static void schedules_differ(void **state)
{
    struct ordo_problem p = random_problem(3, 8, 1, 1, 0);
    struct ordo_plan plan = plan_of(&p, 8);
    uint64_t trace[64];

    (void)state;
    assert_int_equal(run_all(&plan, &p, ORDO_SCHEDULER_STARVE, 1).waits, 2 * 7); /* two head blocks */
    assert_int_equal(run_all(&plan, &p, ORDO_SCHEDULER_WAITER, 1).waits, 2 * 7);
    for (int s = ORDO_SCHEDULER_WALK; s <= ORDO_SCHEDULER_POS; s++) {
        int n_different = 0;

        for (int i = 0; i < 64; i++) {
            bool fresh = true;

            trace[i] = run_all(&plan, &p, (enum ordo_scheduler)s, (uint64_t)i).trace;
            for (int k = 0; k < i; k++)
                fresh = fresh && trace[k] != trace[i];
            n_different += fresh;
        }
        assert_in_range(n_different, 4, 64);
    }
    ordo_problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(every_scheduler),
        cmocka_unit_test(schedules_differ),
    };

    return cmocka_run_group_tests_name("schedule", test, NULL, NULL);
}
