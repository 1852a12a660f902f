/* run_instance.h - small instances with their run, for the tests of runs as lists. */
#ifndef ORDO_TESTS_RUN_INSTANCE_H
#define ORDO_TESTS_RUN_INSTANCE_H

#include "sim/design.h"
#include "sim/run_op.h"
#include "tests/naive.h"

struct instance {
    struct ordo_problem p;
    struct ordo_plan plan;
    struct ordo_run_list list;
};

NAIVE int keep_op(void *ctx, const struct ordo_run_op *op)
{
    struct instance *in = ctx;

    in->list.op = realloc(in->list.op, (in->list.n + 1) * sizeof *op);
    assert_non_null(in->list.op);
    in->list.op[in->list.n++] = *op;
    return 0;
}

/* cluster 1: private shards. */
NAIVE struct instance instance(int32_t n_query, int32_t topk, int32_t n_kv, int32_t cluster, int32_t wave,
                                int32_t n_head)
{
    struct instance in = {.p = random_problem((uint64_t)cluster, n_query, topk, n_kv, 7)};
    struct ordo_request request = request_of(&in.p);
    struct ordo_err err = {0};

    request.design = cluster == 1 ? &ordo_design_private_shards : NULL;
    request.cluster = cluster == 1 ? 0 : cluster;
    request.wave = wave;
    request.n_head = n_head;
    assert_ok(ordo_plan_make(&request, &in.plan, &err), err);
    assert_int_equal(ordo_run_stream(&in.plan, &in.p, keep_op, &in), 0);
    return in;
}

NAIVE void instance_free(struct instance *in)
{
    free(in->list.op);
    ordo_problem_free(&in->p);
}

NAIVE bool same(const struct ordo_run_op *a, const struct ordo_run_op *b)
{
    return a->wave == b->wave && a->head_block == b->head_block && a->plane == b->plane && a->rank == b->rank &&
           a->kind == b->kind && a->row == b->row;
}

#endif
