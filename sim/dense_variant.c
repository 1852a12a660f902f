/* dense_variant.c - see dense_variant.h.
 *
 * Sources: block-sparse masks under a rank that assumes dense visits, semaphores that an early exit leaves alone,
 * SM count and 16-bit tile numbers in the published code of DASH, its even number of KV tiles that only an
 * assertion asks for. */
#include "sim/dense_variant.h"

#include "sim/dense_impl.h"

#include <string.h>

/* --- rank = KV index, under a mask that skips tiles ------------------------------------------------------------- */

static int32_t rank_is_kv(const struct ordo_dense *d, int32_t head, int32_t query, int32_t kv)
{
    (void)d, (void)head, (void)query;
    return kv;
}

static const struct ordo_dense_schedule by_index = {
    .name = "rank-is-kv",
    .about = "dQ by KV index, as if every KV tile came by",
    .heads_per_item = 1,
    .classes = 1,
    .items = ordo_dense_tile_items,
    .item = ordo_dense_tile_item,
    .query = ordo_dense_query_up,
    .rank = rank_is_kv,
};

/* --- tile numbers in 16 bits ------------------------------------------------------------------------------------ */

/* The wave of a tile whose number has gone through a short. */
static struct ordo_dense_wave short_wave(const struct ordo_dense *d, int32_t head, int32_t kv)
{
    int32_t n = d->launch.mask->n_kv, sms = d->launch.sms, item = (int16_t)(head * n + kv), at = item % n;
    int32_t first = item / sms * sms, from = item - at;
    int32_t begin = first > from ? first : from, end = first + sms < from + n ? first + sms : from + n;

    return (struct ordo_dense_wave){begin - from, end - begin, item - begin};
}

static int32_t short_query(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step)
{
    return (short_wave(d, head, kv).at + step) % d->launch.mask->n_q;
}

static int32_t short_rank(const struct ordo_dense *d, int32_t head, int32_t q, int32_t kv)
{
    struct ordo_dense_wave w = short_wave(d, head, kv);
    int32_t last = q < w.active - 1 ? q : w.active - 1;

    return w.active ? w.before + (last - w.at + w.active) % w.active : 0;
}

static const struct ordo_dense_schedule in_short = {
    .name = "short-index",
    .about = "shift with the tile's number in 16 bits",
    .heads_per_item = 1,
    .classes = 1,
    .items = ordo_dense_tile_items,
    .item = ordo_dense_tile_item,
    .query = short_query,
    .rank = short_rank,
};

/* --- an early exit that keeps its turn -------------------------------------------------------------------------- */

/* The odd heads are shorter sequences: the CTA of their last KV tile finds nothing of its own and goes, without
 * giving up its turn in the rows that count it. */
static int64_t fewer_items(const struct ordo_dense *d)
{
    return ordo_dense_tile_items(d) - d->launch.heads / 2;
}

static int fewer_item(const struct ordo_dense *d, int64_t item, struct ordo_dense_tile tile[2])
{
    int64_t n = d->launch.mask->n_kv, pair = item / (2 * n - 1), in = item % (2 * n - 1);

    tile[0] = (struct ordo_dense_tile){(int32_t)(2 * pair + in / n), (int32_t)(n - 1 - in % n - in / n)};
    return 1;
}

static const struct ordo_dense_schedule early_exit = {
    .name = "early-exit",
    .about = "SPT in which a CTA beyond its sequence's end leaves and keeps its turn",
    .heads_per_item = 1,
    .classes = 2,
    .items = fewer_items,
    .item = fewer_item,
    .query = ordo_dense_query_up,
    .rank = ordo_dense_rank_down,
};

const struct ordo_dense_variant ordo_dense_variants[] = {
    {"rank-is-kv", "the rank is the KV index, but a window skips tiles", &by_index,
     {ORDO_DENSE_MASK_WINDOW, 8, 8, 3, 0, 0, 0}, 2, 8, 8, ORDO_DENSE_FAULT_RANK_RANGE},
    {"odd-tiles", "symmetric shift over an odd number of KV tiles", &ordo_dense_symmetric,
     {ORDO_DENSE_MASK_CAUSAL, 7, 7, 0, 0, 0, 0}, 2, 8, 8, ORDO_DENSE_FAULT_NO_ITEM},
    {"sm-count", "shift made for 132 SMs on a card with 114", &ordo_dense_shift,
     {ORDO_DENSE_MASK_FULL, 128, 128, 0, 0, 0, 0}, 32, 132, 114, ORDO_DENSE_FAULT_NONE},
    {"short-index", "shift with tile numbers in 16 bits, and more than 32767 tiles", &in_short,
     {ORDO_DENSE_MASK_FULL, 128, 128, 0, 0, 0, 0}, 300, 132, 132, ORDO_DENSE_FAULT_QUERY_RANGE},
    {"early-exit", "a CTA beyond its sequence's end leaves and keeps its turn", &early_exit,
     {ORDO_DENSE_MASK_CAUSAL, 8, 8, 0, 0, 0, 0}, 2, 8, 8, ORDO_DENSE_FAULT_NO_ITEM},
    {.name = NULL},
};

const struct ordo_dense_variant *ordo_dense_variant_find(const char *name)
{
    for (const struct ordo_dense_variant *v = ordo_dense_variants; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}
