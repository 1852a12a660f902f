/* dense_ascending.c - FlashAttention-3's first deterministic order: query tiles ascending, dQ by KV tile ascending.
 *
 * All CTAs of a head begin in the same rows, so they queue: a ramp of one reduction a CTA, and under a causal mask a
 * bubble in every head.  Waits go to smaller KV tiles, which the grid starts first. */
#include "sim/dense_impl.h"

const struct ordo_dense_schedule ordo_dense_ascending = {
    .name = "ascending",
    .about = "query tiles ascending, dQ by KV ascending (FlashAttention-3 before SPT)",
    .heads_per_item = 1,
    .classes = 1,
    .items = ordo_dense_tile_items,
    .item = ordo_dense_tile_item,
    .query = ordo_dense_query_up,
    .rank = ordo_dense_rank_up,
};
