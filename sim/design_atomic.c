/* design_atomic.c - no order: all CTAs of a launch add into one plane by vector red, as they come.
 *
 * What everybody ships, and the baseline that determinism is measured against.  dQ and dSink have one writer an
 * element and one order; dKV has whatever order the card found, so there is nothing to prove and nobody may ask for
 * its bits.  The policy never chooses it.  The walk is one of the orders that may happen: by wave, head block,
 * lane. */
#include "protocol/index.h"
#include "sim/design.h"

static int walk(const struct ordo_plan *plan, int32_t plane, const struct ordo_visitor *visitor)
{
    int stop = 0;

    for (int32_t wave = 0; wave < plan->waves; wave++)
        for (int32_t block = 0; block < plan->head_blocks; block++)
            for (int32_t lane = 0; lane < plan->wave && stop == 0; lane++) {
                int64_t query = ordo_lane_query(wave, plan->wave, lane, 1, 0, plan->request.n_query);
                struct ordo_worker worker = {wave, block, plane, 0, (int32_t)query};

                if (query >= 0)
                    stop = visitor->group(visitor->ctx, &worker, 1);
            }
    return stop;
}

const struct ordo_design ordo_design_atomic = {
    .name = "atomic",
    .sync = ORDO_SYNC_ATOMIC,
    .n_launch = ORDO_PLANE_LAUNCHES,
    .launch = ordo_plane_launches,
    .walk = walk,
};
