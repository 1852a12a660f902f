/* dense_case.h - a dense schedule made and timed in one call, for the tests. */
#ifndef ORDO_TESTS_DENSE_CASE_H
#define ORDO_TESTS_DENSE_CASE_H

#include "sim/dense_time.h"
#include "tests/test.h"

#include <stdlib.h>

struct dense_case {
    const char *schedule;
    enum ordo_dense_mask_kind mask;
    int32_t n_q, n_kv, heads;
    int32_t sms;         /* of the formulas; 0: n_kv */
    int32_t slots, grid; /* 0: sms; grid -1: a CTA an item */
    int32_t section;
    struct ordo_rational c, r, edge, jitter;
    bool overlap;
};

struct dense_timed {
    struct ordo_dense_mask *mask; /* what dense points to */
    struct ordo_dense dense;
    struct ordo_dense_time time;
    struct ordo_dense_bounds bounds;
};

static inline void dense_timed_free(struct dense_timed *t)
{
    ordo_dense_time_free(&t->time);
    ordo_dense_free(&t->dense);
    ordo_dense_mask_free(t->mask);
    free(t->mask);
}

static inline struct dense_timed dense_time(struct dense_case c)
{
    struct ordo_dense_mask_spec spec = {c.mask, c.n_q, c.n_kv, 3, 3, 50, 1};
    int32_t sms = c.sms ? c.sms : c.n_kv;
    struct ordo_dense_launch launch = {.heads = c.heads, .sms = sms, .section = c.section};
    struct ordo_dense_model model = {.c = c.c, .r = c.r, .edge = {c.edge.num, c.edge.den ? c.edge.den : 1},
                                     .start = {0, 1}, .jitter = {c.jitter.num, c.jitter.den ? c.jitter.den : 1},
                                     .slots = c.slots ? c.slots : sms, .overlap = c.overlap};
    struct dense_timed t;
    struct ordo_err err = {0};

    model.grid = c.grid < 0 ? 0 : c.grid ? c.grid : model.slots;
    t.mask = malloc(sizeof *t.mask);
    assert_non_null(t.mask);
    assert_ok(ordo_dense_mask_make(&spec, t.mask, &err), err);
    launch.mask = t.mask;
    launch.c = (int32_t)c.c.num;
    launch.r = (int32_t)c.r.num;
    assert_non_null(ordo_dense_find(c.schedule));
    assert_ok(ordo_dense_make(ordo_dense_find(c.schedule), &launch, true, &t.dense, &err), err);
    assert_ok(ordo_dense_time(&t.dense, &model, NULL, &t.time, &err), err);
    assert_ok(ordo_dense_bounds(&launch, &model, &t.bounds, &err), err);
    return t;
}

/* The makespan where it is whole; the schedule may not hang. */
static inline int64_t dense_whole_time(struct dense_case c)
{
    struct dense_timed t = dense_time(c);
    int64_t n = t.time.makespan;

    assert_int_equal(t.time.den, 1);
    assert_false(t.time.hangs);
    dense_timed_free(&t);
    return n;
}

#endif
