/* wait_case.h - problems out of a preset, and which query names a row, for the tests of what a relay waits for. */
#ifndef ORDO_TESTS_WAIT_CASE_H
#define ORDO_TESTS_WAIT_CASE_H

#include "corpus/gen.h"
#include "protocol/live.h"
#include "tests/test.h"

#include <stdbool.h>

/* Free with ordo_problem_free. */
static struct ordo_problem problem(const char *preset, uint64_t seed, int32_t n_query, int32_t n_kv, int32_t topk)
{
    struct ordo_gen_params params = ordo_gen_defaults;
    struct ordo_problem p = {0};
    struct ordo_err err = {0};

    params.n_query = n_query;
    params.n_kv = n_kv;
    params.topk = topk;
    params.seed = seed;
    assert_ok(ordo_gen(ordo_preset_find(preset), &params, &p, &err), err);
    return p;
}

/* Whether query q names the row in slots from to end - 1. */
static bool names(const struct ordo_problem *p, int32_t q, int32_t from, int32_t end, int32_t row)
{
    int32_t clamped = ordo_clamp_length(ordo_problem_length(p, q), p->topk);

    for (int32_t j = from; j < end && j < clamped; j++)
        if (ordo_slot_live(ordo_problem_row(p, q)[j], p->n_kv, j, clamped) && ordo_problem_row(p, q)[j] == row)
            return true;
    return false;
}

#endif
