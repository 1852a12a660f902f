/* order.h - an order is data: a stream of workers, never a materialised graph.
 *
 * A worker is one CTA: it adds its contribution (one leaf) to (plane, row) for each of its live slots, in the order
 * of the slots.  A group is all workers of one launch that share a plane, by ascending rank; groups stream in launch
 * order, plane by plane.  The key of an addition is (wave, head block, rank): an accumulator adds by ascending
 * key. */
#ifndef ORDO_SIM_ORDER_H
#define ORDO_SIM_ORDER_H

#include "corpus/problem.h"
#include "sim/plan.h"

struct ordo_worker {
    int32_t wave, head_block, plane, rank;
    int32_t query;
};

enum { ORDO_MAX_CLUSTER = 16 };

/* Receives one group; a non-zero result ends the walk and is returned by it. */
struct ordo_visitor {
    int (*group)(void *ctx, const struct ordo_worker *worker, int n);
    void *ctx;
};

/* Streams all groups of one plane in launch order (waves ascending, inside a wave head blocks ascending).  Surplus
 * lanes of the tail wave are no workers; a group without workers is skipped. */
typedef int ordo_walk_fn(const struct ordo_plan *plan, int32_t plane, const struct ordo_visitor *visitor);

/* The walk of every design whose lanes are consecutive queries: both published ones. */
ordo_walk_fn ordo_walk_waves;

/* The key of a worker's additions, from 1; strictly ascending in (wave, head block, rank). */
static inline uint32_t ordo_worker_key(const struct ordo_plan *plan, const struct ordo_worker *w)
{
    return ((uint32_t)w->wave * (uint32_t)plan->head_blocks + (uint32_t)w->head_block) * (uint32_t)plan->cluster +
           (uint32_t)w->rank + 1;
}

#endif
