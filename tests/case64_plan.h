/* case64_plan.h - the plan by which the twin runs a random case: designs and targets go by the case's number. */
#ifndef ORDO_TESTS_CASE64_PLAN_H
#define ORDO_TESTS_CASE64_PLAN_H

#include "sim/design.h"
#include "tests/case64.h"

static struct ordo_plan plan_of(const struct case64 *c, uint64_t number)
{
    const struct ordo_request request = {
        .n_query = c->in.n_query, .n_kv = c->in.n_kv, .topk = c->in.topk, .n_head = c->in.n_head,
        .d_qk = c->in.d_qk, .d_v = c->in.d_v, .target = number % 2 ? ORDO_TARGET_SM90 : ORDO_TARGET_SM100,
        .design = ordo_design_find(number % 3 ? "cluster-relay" : "private-shards"),
    };
    struct ordo_plan plan;
    struct ordo_err err = {0};

    assert_ok(ordo_plan_make(&request, &plan, &err), err);
    return plan;
}

#endif
