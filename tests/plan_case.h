/* plan_case.h - requests with what the tests of the plan hold still, and their plans. */
#ifndef ORDO_TESTS_PLAN_CASE_H
#define ORDO_TESTS_PLAN_CASE_H

#include "sim/plan.h"
#include "tests/test.h"

static struct ordo_request ask(int32_t n_query, int32_t n_kv, int32_t n_head, int32_t d_qk, enum ordo_target target)
{
    return (struct ordo_request){
        .n_query = n_query, .n_kv = n_kv, .topk = 2048, .n_head = n_head, .d_qk = d_qk, .d_v = 512, .target = target};
}

static struct ordo_plan plan_of(const struct ordo_request *request)
{
    struct ordo_plan plan;
    struct ordo_err err = {0};

    assert_ok(ordo_plan_make(request, &plan, &err), err);
    return plan;
}

#endif
