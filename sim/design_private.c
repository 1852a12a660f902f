/* design_private.c - private shards: bounded waves, every lane of a wave owns an FP32 plane.
 *
 * Lane i of a wave writes plane i and nobody else does in that launch, so there is no wait at all; launches are
 * ordered by the stream.  Costs planes * KV rows of memory.  Source: cudnn-frontend #810. */
#include "sim/design.h"

const struct ordo_launch ordo_plane_launches[ORDO_PLANE_LAUNCHES] = {
    {"clear", 1, "", "", "planes"},
    {"preprocess", 1, "out,dout,lse,attn_sink,topk_idxs,topk_length", "delta,folded_lse", ""},
    {"backward", 0, "q,kv,dout,topk_idxs,topk_length,delta,folded_lse,planes", "dq,planes", ""},
    {"dsink", 1, "lse,attn_sink,delta", "d_sink", ""},
    {"fold", 1, "planes", "planes", ""},
    {"convert", 1, "planes", "dkv", ""},
};

const struct ordo_design ordo_design_private_shards = {
    .name = "private-shards",
    .sync = ORDO_SYNC_NONE,
    .n_launch = ORDO_PLANE_LAUNCHES,
    .launch = ordo_plane_launches,
    .walk = ordo_walk_waves,
};
