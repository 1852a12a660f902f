/* run_stream.c - the plan's run as operations; see run_op.h. */
#include "sim/run_op.h"

#include "protocol/index.h"
#include "sim/design.h"


struct stream {
    const struct ordo_plan *plan;
    const struct ordo_problem *problem;
    int (*fn)(void *ctx, const struct ordo_run_op *op);
    void *ctx;
};

/* One kind of operation for the live slots of columns [from, to). */
static int emit(const struct stream *s, const struct ordo_worker *w, enum ordo_run_kind kind, int32_t from,
                int32_t to)
{
    const int32_t *idx = ordo_problem_row(s->problem, w->query);
    int32_t clamped = ordo_clamp_length(ordo_problem_length(s->problem, w->query), s->problem->topk);
    int stop = 0;

    for (int32_t j = from; j < to && !stop; j++)
        if (ordo_slot_live(idx[j], s->problem->n_kv, j, clamped)) {
            struct ordo_run_op op = {w->wave, w->head_block, w->plane, w->rank, kind, idx[j]};

            stop = s->fn(s->ctx, &op);
        }
    return stop;
}

static int emit_group(void *ctx, const struct ordo_worker *worker, int n)
{
    const struct stream *s = ctx;
    bool relay = s->plan->design->sync == ORDO_SYNC_RELAY;
    int32_t topk = s->problem->topk;
    int stop = 0;

    for (int i = 0; relay && i < n && !stop; i++)
        stop = emit(s, &worker[i], ORDO_RUN_SET, 0, topk);
    for (int i = 0; i < n; i++)
        for (int32_t from = 0; from < topk && !stop; from += ORDO_TILE) {
            int32_t to = topk - from < ORDO_TILE ? topk : from + ORDO_TILE;

            stop = (relay && emit(s, &worker[i], ORDO_RUN_WAIT, from, to)) ||
                   emit(s, &worker[i], ORDO_RUN_ADD, from, to) ||
                   (relay && emit(s, &worker[i], ORDO_RUN_CLEAR, from, to));
        }
    return stop;
}

int ordo_run_stream(const struct ordo_plan *plan, const struct ordo_problem *problem,
                    int (*fn)(void *ctx, const struct ordo_run_op *op), void *ctx)
{
    struct stream s = {plan, problem, fn, ctx};
    const struct ordo_visitor visitor = {emit_group, &s};
    int stop = 0;

    for (int32_t plane = 0; problem->topk && plane < plan->planes && !stop; plane++)
        stop = plan->design->walk(plan, plane, &visitor);
    return stop;
}
