/* dense_descending.c - DASH's heuristic for causal masks: query tiles descending, dQ still by KV tile ascending.
 *
 * All CTAs begin in the rows that all of them see, and those with few rows end first.  Alone on the grid a CTA is one
 * KV tile; in pairs it takes KV s of an even head, then KV n - 1 - s of the next one, so that all have equal work. */
#include "sim/dense_impl.h"

const struct ordo_dense_schedule ordo_dense_descending = {
    .name = "descending",
    .about = "query tiles descending, dQ by KV ascending",
    .heads_per_item = 1,
    .classes = 1,
    .items = ordo_dense_tile_items,
    .item = ordo_dense_tile_item,
    .query = ordo_dense_query_down,
    .rank = ordo_dense_rank_up,
};

const struct ordo_dense_schedule ordo_dense_descending_pair = {
    .name = "descending-pair",
    .about = "descending, KV s of a head and then KV n-1-s of the next on one CTA (DASH)",
    .heads_per_item = 2,
    .classes = 1,
    .items = ordo_dense_pair_items,
    .item = ordo_dense_pair_item,
    .query = ordo_dense_query_down,
    .rank = ordo_dense_rank_up,
};
