/* dense_alternating.c - alternating pair: heads in pairs; KV s of the even head as SPT does it, then KV n - 1 - s of
 * the odd head upside down.
 *
 * Under a causal mask with n SMs every CTA has n + 1 tasks and none ever waits: in the even head KV s is in row s
 * + k at step k, in the odd head the CTA is in row n - 1 - k at its k'th last step.  All waits of a chain go to
 * chains with larger s, which the grid starts first; the orders depend on the head's parity and on nothing else. */
#include "sim/dense_impl.h"

static int item(const struct ordo_dense *d, int64_t number, struct ordo_dense_tile tile[2])
{
    int64_t n = d->launch.mask->n_kv, from_end = number / n * n + (n - 1 - number % n);

    return ordo_dense_pair_item(d, from_end, tile);
}

static int32_t query(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step)
{
    return (head % 2 ? ordo_dense_query_down : ordo_dense_query_up)(d, head, kv, step);
}

static int32_t rank(const struct ordo_dense *d, int32_t head, int32_t q, int32_t kv)
{
    return (head % 2 ? ordo_dense_rank_up : ordo_dense_rank_down)(d, head, q, kv);
}

const struct ordo_dense_schedule ordo_dense_alternating = {
    .name = "alternating",
    .about = "KV s of an even head as SPT, then KV n-1-s of the odd head upside down",
    .heads_per_item = 2,
    .classes = 2,
    .items = ordo_dense_pair_items,
    .item = item,
    .query = query,
    .rank = rank,
};
