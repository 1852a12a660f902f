/* gen_preset.c - the patterns; see gen.h.  A row's ids are different; what cannot be filled is -1. */
#include "corpus/gen_impl.h"

#include <string.h>

/* --- drawing ---------------------------------------------------------------------------------------------------- */

/* The first n of row become a uniform choice of them in random order. */
static void shuffle(struct ordo_rng *rng, int32_t *row, int32_t n_row, int32_t n)
{
    for (int32_t j = 0; j < n; j++) {
        int32_t other = j + (int32_t)ordo_draw_below(rng, (uint32_t)(n_row - j)), id = row[other];

        row[other] = row[j];
        row[j] = id;
    }
}

/* row[at..end) becomes uniform among the ids of [from, to) that are not taken, -1 where there are no more.  Sparse
 * rows throw until an id is fresh; dense ones choose from the list of what is left. */
static void draw_between(struct ordo_draw *d, int32_t *row, int32_t at, int32_t end, int32_t from, int32_t to)
{
    int32_t n_pool = 0, n;

    if (end <= (to - from) / 2) {
        for (; at < end; at++)
            do
                row[at] = from + (int32_t)ordo_draw_below(&d->rng, (uint32_t)(to - from));
            while (!ordo_draw_take(d, row[at]));
        return;
    }
    for (int32_t id = from; id < to; id++)
        if (!ordo_draw_is_taken(d, id))
            d->pool[n_pool++] = id;
    n = end - at < n_pool ? end - at : n_pool;
    shuffle(&d->rng, d->pool, n_pool, n);
    memcpy(row + at, d->pool, (size_t)n * sizeof *row);
    for (int32_t j = at; j < at + n; j++)
        (void)ordo_draw_take(d, row[j]);
    for (at += n; at < end; at++)
        row[at] = -1;
}

static void draw_rest(struct ordo_draw *d, int32_t *row, int32_t first)
{
    draw_between(d, row, first, d->n_live, 0, d->par.n_kv);
    ordo_draw_release(d, row);
}

/* n ids from `from` on, around the end, those that are free; returns how many slots are filled then. */
static int32_t draw_run(struct ordo_draw *d, int32_t *row, int32_t at, int32_t from, int32_t n)
{
    for (int32_t i = 0; i < n && at < d->n_live; i++) {
        int32_t id = (int32_t)(((int64_t)from + i) % d->par.n_kv);

        if (ordo_draw_take(d, id))
            row[at++] = id;
    }
    return at;
}

/* --- presets ---------------------------------------------------------------------------------------------------- */

static void fill_uniform(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    (void)query;
    (void)before;
    draw_rest(d, row, 0);
}

static void fill_window(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    int32_t id = query % d->par.n_kv;

    (void)before;
    for (int32_t j = 0; j < d->n_live; j++) {
        row[j] = id;
        id = id + 1 < d->par.n_kv ? id + 1 : 0;
    }
}

static void fill_sinks(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    int32_t at = draw_run(d, row, 0, 0, d->par.sinks < d->par.n_kv ? d->par.sinks : d->par.n_kv);

    (void)before;
    at = draw_run(d, row, at, query % d->par.n_kv, d->n_live / 2);
    draw_rest(d, row, at);
}

static void fill_keep(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    int32_t n_keep = (int32_t)((int64_t)d->n_live * d->par.keep_percent / 100);

    (void)query;
    if (before)
        memcpy(row, before, (size_t)d->n_live * sizeof *row);
    else
        n_keep = 0;
    shuffle(&d->rng, row, d->n_live, n_keep);
    for (int32_t j = 0; j < n_keep; j++)
        (void)ordo_draw_take(d, row[j]);
    draw_rest(d, row, n_keep);
    shuffle(&d->rng, row, d->n_live, d->n_live);
}

static void fill_blocks(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    int32_t n_block = (int32_t)(((int64_t)d->par.n_kv + d->par.block - 1) / d->par.block), at = 0, tries = 0;

    (void)query;
    (void)before;
    while (at < d->n_live && tries++ < 4 * d->n_live) {
        int64_t from = (int64_t)ordo_draw_below(&d->rng, (uint32_t)n_block) * d->par.block;
        int64_t rest = d->par.n_kv - from;

        at = draw_run(d, row, at, (int32_t)from, rest < d->par.block ? (int32_t)rest : d->par.block);
    }
    draw_rest(d, row, at);
}

/* Density falling as 1 / row: a binade of row + 1, then a row of it. */
static int32_t heavy_row(struct ordo_draw *d)
{
    uint32_t binades = 32 - (uint32_t)__builtin_clz((uint32_t)d->par.n_kv);
    uint32_t low = UINT32_C(1) << ordo_draw_below(&d->rng, binades), high = 2 * low;

    high = high <= (uint32_t)d->par.n_kv + 1 ? high : (uint32_t)d->par.n_kv + 1;
    return (int32_t)(low - 1 + ordo_draw_below(&d->rng, high - low));
}

static void fill_heavy(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    int32_t n_hot = (int32_t)((int64_t)d->n_live * d->par.hot_percent / 100), at = 0;

    (void)query;
    (void)before;
    for (int32_t tries = 0; at < n_hot && tries < 4 * n_hot; tries++) {
        int32_t id = heavy_row(d);

        if (ordo_draw_take(d, id))
            row[at++] = id;
    }
    draw_rest(d, row, at);
    shuffle(&d->rng, row, d->n_live, d->n_live);
}

static void fill_causal(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    int32_t visible = query / d->par.ratio + 1;

    (void)before;
    draw_between(d, row, 0, d->n_live, 0, visible < d->par.n_kv ? visible : d->par.n_kv);
    ordo_draw_release(d, row);
}

/* Document of a query, and where the share of document i begins in n things. */
static int32_t share(int32_t i, int32_t n, int32_t docs)
{
    return (int32_t)((int64_t)i * n / docs);
}

static void fill_packed(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    int32_t docs = d->par.docs, doc = (int32_t)((int64_t)query * docs / d->par.n_query);

    (void)before;
    draw_between(d, row, 0, d->n_live, share(doc, d->par.n_kv, docs), share(doc + 1, d->par.n_kv, docs));
    ordo_draw_release(d, row);
}

static void fill_identical(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    if (before)
        memcpy(row, before, (size_t)d->n_live * sizeof *row);
    else
        fill_uniform(d, query, before, row);
}

static void fill_reversed(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    if (!before)
        fill_uniform(d, query, before, row);
    for (int32_t j = 0; before && j < d->n_live; j++)
        row[j] = before[d->n_live - 1 - j];
}

static void fill_disjoint(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    (void)before;
    for (int32_t j = 0; j < d->n_live; j++)
        row[j] = (int32_t)(((int64_t)query * d->n_live + j) % d->par.n_kv);
}

/* Rows at the edges of words, granules, tiles and KV; between them dead slots of every kind. */
static void fill_boundary(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    const int32_t n = d->par.n_kv, dead[] = {-1, -2, INT32_MIN, n, n < INT32_MAX ? n + 1 : n, 2147480000, INT32_MAX};
    const int32_t unit[] = {1, 2, 4, 8, 32, 64, 512};

    (void)query;
    (void)before;
    for (int32_t j = 0; j < d->n_live; j++) {
        uint32_t what = ordo_draw_below(&d->rng, 8), u = (uint32_t)unit[ordo_draw_below(&d->rng, 7)];
        int64_t id = what < 4 ? (int64_t)u * (what & 1) - (what >> 1)
                              : n - 1 - (int64_t)u * (what != 4) + (what == 6);

        if (what == 7 || id < 0 || id >= n || !ordo_draw_take(d, (int32_t)id))
            id = dead[ordo_draw_below(&d->rng, 7)];
        row[j] = (int32_t)id;
    }
    for (int32_t j = 0; j < d->n_live; j++)
        row[j] = row[j] == 2147480000 && row[j] < n ? -1 : row[j];
    ordo_draw_release(d, row);
}

const struct ordo_preset ordo_presets[] = {
    {"uniform", "", "Top-K different ids, uniform over KV, in no order", fill_uniform},
    {"window", "", "ids (q + j) mod KV: a sliding window", fill_window},
    {"sinks", "sinks", "the first rows, then a window of half a row from q on, then uniform", fill_sinks},
    {"keep", "keep", "that share of the previous query's ids stays, the rest is uniform, places are fresh",
     fill_keep},
    {"blocks", "block", "whole blocks of neighbouring rows", fill_blocks},
    {"heavy", "hot", "a share of ids whose density falls as 1 / row, the rest uniform", fill_heavy},
    {"causal", "ratio", "uniform over the first q / ratio + 1 rows; -1 where these are too few", fill_causal},
    {"packed", "docs", "documents that share no row, queries and rows divided alike", fill_packed},
    {"identical", "", "all queries choose the same ids in the same order", fill_identical},
    {"reversed", "", "all queries choose the same ids, each in the reverse order of the query before", fill_reversed},
    {"disjoint", "", "ids q * Top-K + j mod KV: neighbouring queries share no row", fill_disjoint},
    {"boundary", "", "rows at the edges of mask words, granules and KV, and dead slots of every kind", fill_boundary},
    {NULL, NULL, NULL, NULL},
};
