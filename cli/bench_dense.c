/* bench_dense.c - `ordo bench sim`: how fast dense schedules are timed, and how near the bound any block mask
 * comes. */
#include "base/clock.h"
#include "cli/bench.h"
#include "cli/out.h"
#include "sim/dense_time.h"

#include <inttypes.h>
#include <stdio.h>

enum { SMS = 132, SIDE = 128, MASKS = 8 };

struct cost {
    const char *what;
    int64_t tasks, rows;
    double make, time; /* processor seconds, of the tables and of the run */
    double gap;        /* of the makespan above the bound */
};

static const struct ordo_dense_model model = {.c = {3, 1}, .r = {1, 1}, .edge = {0, 1}, .start = {0, 1},
                                              .jitter = {0, 1}, .slots = SMS};

static enum ordo_status time_it(const struct ordo_dense_schedule *schedule, const struct ordo_dense_mask_spec *spec,
                                int32_t heads, struct cost *cost, struct ordo_err *err)
{
    struct ordo_dense_mask mask;
    struct ordo_dense_launch launch = {.mask = &mask, .heads = heads, .sms = SMS};
    struct ordo_dense d = {.schedule = NULL};
    struct ordo_dense_time t = {.den = 1};
    struct ordo_dense_bounds b;
    double start = 0, made = 0;
    enum ordo_status status = ordo_dense_mask_make(spec, &mask, err);

    start = ordo_cpu_seconds();
    if (status == ORDO_OK)
        status = ordo_dense_make(schedule, &launch, true, &d, err);
    made = ordo_cpu_seconds();
    if (status == ORDO_OK)
        status = ordo_dense_time(&d, &model, NULL, &t, err);
    *cost = (struct cost){schedule->name, t.tasks, t.rows_held, made - start, ordo_cpu_seconds() - made, 0};
    if (status == ORDO_OK)
        status = ordo_dense_bounds(&launch, &model, &b, err);
    if (status == ORDO_OK)
        cost->gap = ordo_rational_real(ordo_dense_makespan(&t)) / ordo_rational_real(b.most) - 1;
    ordo_dense_time_free(&t);
    ordo_dense_free(&d);
    ordo_dense_mask_free(&mask);
    return status;
}

static void say(const struct ordo_args *args, const struct cost *c, const char *mask)
{
    json_t *o;

    if (!args->json) {
        printf("%-15s %-7s %9" PRId64 " tasks  made in %.3f s, timed in %.3f s of one core (%.0f M/s), %" PRId64
               " rows held, %.2f %% above the bound\n",
               c->what, mask, c->tasks, c->make, c->time, (double)c->tasks / c->time / 1e6, c->rows, 100 * c->gap);
        return;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "sim");
    ordo_json_text(o, "schedule", c->what);
    ordo_json_text(o, "mask", mask);
    ordo_json_int(o, "tasks", c->tasks);
    ordo_json_real(o, "make_seconds", c->make);
    ordo_json_real(o, "time_seconds", c->time);
    ordo_json_int(o, "rows_held", c->rows);
    ordo_json_real(o, "gap", c->gap);
    ordo_out_json(o);
}

enum ordo_status ordo_bench_sim(const struct ordo_args *args, struct ordo_err *err)
{
    static const struct {
        const struct ordo_dense_schedule *schedule;
        enum ordo_dense_mask_kind mask;
        int32_t heads;
    } run[] = {{&ordo_dense_ascending, ORDO_DENSE_MASK_FULL, 640},    {&ordo_dense_shift, ORDO_DENSE_MASK_FULL, 640},
               {&ordo_dense_spt, ORDO_DENSE_MASK_CAUSAL, 1280},
               {&ordo_dense_symmetric, ORDO_DENSE_MASK_CAUSAL, 1280},
               {&ordo_dense_alternating, ORDO_DENSE_MASK_CAUSAL, 1280}};
    struct ordo_dense_mask_spec spec = {.n_q = SIDE, .n_kv = SIDE, .density = 50};
    struct cost cost;
    enum ordo_status status = ORDO_OK;

    for (size_t i = 0; i < sizeof run / sizeof run[0] && status == ORDO_OK; i++) {
        spec.kind = run[i].mask;
        status = time_it(run[i].schedule, &spec, run[i].heads, &cost, err);
        if (status == ORDO_OK)
            say(args, &cost, ordo_dense_mask_name[spec.kind]);
    }
    for (uint64_t seed = 0; seed < MASKS && status == ORDO_OK; seed++) {
        spec.kind = ORDO_DENSE_MASK_BLOCKS;
        spec.seed = ordo_opt_u64(args, "seed") + seed;
        status = time_it(&ordo_dense_general, &spec, 1, &cost, err);
        if (status == ORDO_OK)
            say(args, &cost, "blocks");
    }
    return status;
}
