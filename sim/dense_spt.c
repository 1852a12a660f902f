/* dense_spt.c - FlashAttention's present causal order, "shortest processing time first": KV tiles from the last to
 * the first, query tiles ascending, dQ by KV tile descending.
 *
 * Under a causal mask KV tile i is in row i + k at step k, so the CTAs of a head are never in one row. */
#include "sim/dense_impl.h"

static int item(const struct ordo_dense *d, int64_t number, struct ordo_dense_tile tile[2])
{
    tile[0] = ordo_dense_place(d, number);
    tile[0].kv = d->launch.mask->n_kv - 1 - tile[0].kv;
    return 1;
}

const struct ordo_dense_schedule ordo_dense_spt = {
    .name = "spt",
    .about = "query tiles ascending, dQ by KV descending, launched from the last KV tile (FlashAttention now)",
    .heads_per_item = 1,
    .classes = 1,
    .items = ordo_dense_tile_items,
    .item = item,
    .query = ordo_dense_query_up,
    .rank = ordo_dense_rank_down,
};
