/* design_relay.c - cluster relay: C lanes share a plane and hand each row over by rank.
 *
 * A setup kernel sets one mask bit per (wave, head block, row, rank); rank r adds once all lower ranks' bits of the
 * row are clear, then clears its own.  Waits go to lower ranks of the same cluster only, which starts whole.
 * Source: cudnn-frontend #1770 as restated in the project's facts. */
#include "sim/design.h"

static const struct ordo_launch launches[] = {
    {"clear", 1, "", "", "planes,masks"},
    {"mask_build", 1, "topk_idxs,topk_length", "masks", ""},
    {"preprocess", 1, "out,dout,lse,attn_sink,topk_idxs,topk_length", "delta,folded_lse", ""},
    {"backward", 0, "q,kv,dout,topk_idxs,topk_length,delta,folded_lse,masks,planes", "dq,planes", "masks"},
    {"dsink", 1, "lse,attn_sink,delta", "d_sink", ""},
    {"fold", 1, "planes", "planes", ""},
    {"convert", 1, "planes", "dkv", ""},
};

const struct ordo_design ordo_design_cluster_relay = {
    .name = "cluster-relay",
    .sync = ORDO_SYNC_RELAY,
    .n_launch = sizeof launches / sizeof launches[0],
    .launch = launches,
    .walk = ordo_walk_waves,
};
