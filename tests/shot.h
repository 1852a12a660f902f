/* shot.h - what the tests of the database share beyond store_helper.h: a run with one result, and a question as
 * text. */
#ifndef ORDO_TESTS_SHOT_H
#define ORDO_TESTS_SHOT_H

#include "tests/store_helper.h"

/* A run with results: the numbers that differ from test to test are set after fill_result. */
struct shot {
    struct ordo_store_problem problem;
    struct ordo_store_plan plan;
    struct ordo_store_build build;
    struct ordo_store_device device;
    struct ordo_store_input input;
    struct ordo_digest cubin;
    struct ordo_store_result result;
    struct ordo_store_sample sample;
    struct ordo_store_run run;
};

static inline void fill_shot(struct shot *s)
{
    *s = (struct shot){
        .problem = {digest(1), 8, 4, 32, 32, 0, 0, 0},
        .plan = {digest(2), "plan text\n", "cluster-relay", "sm90", 128, 8, 16, 1, 1, 100, 200},
        .build = {.digest = digest(3), .toolkit = "CUDA 13.0", .flags = "-O3"},
        .device = {"device A", "sm_90", "GPU-0", "580"},
        .input = {digest(4), "rough seed 0"},
        .cubin = digest(6),
    };
    s->build.cubin = &s->cubin;
    s->result = (struct ordo_store_result){&s->problem, &s->plan, &s->build, &s->device, &s->input, "dkv", digest(5),
                                           "pass", 0.25};
    s->sample = (struct ordo_store_sample){"ulp_max", 0, 3};
    s->run = (struct ordo_store_run){
        .started_us = 1, .finished_us = 1000001, .verb = "run", .argv = "ordo run", .version = "0", .verdict = "pass",
        .problem = &s->problem, .plan = &s->plan, .n_result = 1, .result = &s->result, .n_sample = 1,
        .sample = &s->sample,
    };
}

static inline int64_t store_shot(struct ordo_store *store, struct shot *s)
{
    struct ordo_err err = {0};
    int64_t id;

    assert_ok(ordo_store_add_run(store, &s->run, &id, &err), err);
    return id;
}

static inline void question(struct ordo_store *store, enum ordo_store_question q,
                            const struct ordo_store_filter *filter, struct text *t)
{
    struct ordo_store_sink sink = sink_of(t);
    struct ordo_err err = {0};

    assert_ok(ordo_store_ask(store, q, filter, &sink, &err), err);
}

#endif
