/* order.c - see order.h. */
#include "sim/order.h"

#include "protocol/index.h"

static int group_of(const struct ordo_plan *plan, int32_t wave, int32_t head_block, int32_t plane,
                    struct ordo_worker worker[ORDO_MAX_CLUSTER])
{
    int n = 0;

    for (int32_t rank = 0; rank < plan->cluster; rank++) {
        int64_t q = ordo_lane_query(wave, plan->wave, plane, plan->cluster, rank, plan->request.n_query);

        if (q >= 0)
            worker[n++] = (struct ordo_worker){wave, head_block, plane, rank, (int32_t)q};
    }
    return n;
}

int ordo_walk_waves(const struct ordo_plan *plan, int32_t plane, const struct ordo_visitor *visitor)
{
    struct ordo_worker worker[ORDO_MAX_CLUSTER];
    int stop = 0;

    for (int32_t wave = 0; wave < plan->waves; wave++)
        for (int32_t head_block = 0; head_block < plan->head_blocks; head_block++) {
            int n = group_of(plan, wave, head_block, plane, worker);

            if (n > 0 && (stop = visitor->group(visitor->ctx, worker, n)) != 0)
                return stop;
        }
    return stop;
}
