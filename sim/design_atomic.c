/* design_atomic.c - no order: all CTAs of a launch add into one plane by vector red, as they come.
 *
 * What everybody ships, and the baseline that determinism is measured against.  dQ and dSink have one writer an
 * element and one order; dKV has whatever order the card found, so there is nothing to prove and nobody may ask for
 * its bits.  The policy never chooses it.  The walk is one of the orders that may happen: by wave, head block, lane. */
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

static const struct ordo_launch launches[] = {
    {"clear", 1, "", "", "planes"},
    {"preprocess", 1, "out,dout,lse,attn_sink,topk_idxs,topk_length", "delta,folded_lse", ""},
    {"backward", 0, "q,kv,dout,topk_idxs,topk_length,delta,folded_lse,planes", "dq,planes", ""},
    {"dsink", 1, "lse,attn_sink,delta", "d_sink", ""},
    {"fold", 1, "planes", "planes", ""},
    {"convert", 1, "planes", "dkv", ""},
};

const struct ordo_design ordo_design_atomic = {
    .name = "atomic",
    .sync = ORDO_SYNC_ATOMIC,
    .n_launch = sizeof launches / sizeof launches[0],
    .launch = launches,
    .walk = walk,
};
