/* dense_impl.h - what the dense schedules share: the grid's order of tiles, and how waves cut a head. */
#ifndef ORDO_SIM_DENSE_IMPL_H
#define ORDO_SIM_DENSE_IMPL_H

#include "sim/dense.h"

/* Item number to (head, nth tile of the head) with one tile an item: heads after each other, or, in sections, the nth
 * tile slow and the head fast. */
static inline struct ordo_dense_tile ordo_dense_place(const struct ordo_dense *d, int64_t item)
{
    int64_t n = d->launch.mask->n_kv, section = d->section;
    int64_t first = item / (section * n) * section, in = item % (section * n);
    int64_t heads = d->launch.heads - first < section ? d->launch.heads - first : section;

    return (struct ordo_dense_tile){(int32_t)(first + in % heads), (int32_t)(in / heads)};
}

/* Items of one tile each. */
int64_t ordo_dense_tile_items(const struct ordo_dense *d);
/* One tile an item, KV ascending. */
int ordo_dense_tile_item(const struct ordo_dense *d, int64_t item, struct ordo_dense_tile tile[2]);
/* Two heads an item, KV s of head 2p and then KV n - 1 - s of head 2p + 1; the last of an odd number of heads
 * alone. */
int64_t ordo_dense_pair_items(const struct ordo_dense *d);
int ordo_dense_pair_item(const struct ordo_dense *d, int64_t item, struct ordo_dense_tile tile[2]);
/* Query tiles ascending, and descending; dQ by KV ascending, and descending. */
int32_t ordo_dense_query_up(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step);
int32_t ordo_dense_query_down(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step);
int32_t ordo_dense_rank_up(const struct ordo_dense *d, int32_t head, int32_t query, int32_t kv);
int32_t ordo_dense_rank_down(const struct ordo_dense *d, int32_t head, int32_t query, int32_t kv);

/* The wave of `sms` items that holds an item of a head with per_head items: items of this head in earlier waves,
 * items of it in this wave, and this item's place among the latter. */
struct ordo_dense_wave {
    int32_t before, active, at;
};

static inline struct ordo_dense_wave ordo_dense_wave_of(int64_t sms, int64_t per_head, int64_t head, int64_t nth)
{
    int64_t item = head * per_head + nth, first = item / sms * sms, from = head * per_head, to = from + per_head;
    int64_t begin = first > from ? first : from, end = first + sms < to ? first + sms : to;

    return (struct ordo_dense_wave){(int32_t)(begin - from), (int32_t)(end - begin), (int32_t)(item - begin)};
}

#endif
