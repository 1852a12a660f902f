/* gen.c - see gen.h. */
#include "corpus/gen.h"

#include "base/rng.h"
#include "base/size.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct ordo_draw {
    struct ordo_gen_params par;
    int32_t n_live;   /* min(topk, n_kv): slots of a row that hold an id */
    uint64_t *taken;  /* one bit per id; all zero between rows */
    int32_t *pool;    /* ids not taken, for dense rows */
    struct ordo_rng rng;
};

/* --- drawing ---------------------------------------------------------------------------------------------------- */

/* Uniform in [0, bound), 0 < bound < 2^31: the high half of a 32 x 32 bit product, rejecting the short stretch
 * (Lemire, "Fast Random Integer Generation in an Interval", 2019).  Twice as fast as a division per id. */
static inline uint32_t below(struct ordo_rng *rng, uint32_t bound)
{
    uint64_t m = (ordo_rng_next(rng) >> 32) * bound;

    if ((uint32_t)m < bound)
        for (uint32_t tail = -bound % bound; (uint32_t)m < tail;)
            m = (ordo_rng_next(rng) >> 32) * bound;
    return (uint32_t)(m >> 32);
}

static bool take(struct ordo_draw *d, int32_t id)
{
    uint64_t bit = UINT64_C(1) << (id & 63), *word = &d->taken[id >> 6];
    bool fresh = !(*word & bit);

    *word |= bit;
    return fresh;
}

static void release(struct ordo_draw *d, const int32_t *row)
{
    for (int32_t j = 0; j < d->n_live; j++)
        d->taken[row[j] >> 6] = 0;
}

/* The first n of row become a uniform choice of them in random order. */
static void shuffle(struct ordo_rng *rng, int32_t *row, int32_t n_row, int32_t n)
{
    for (int32_t j = 0; j < n; j++) {
        int32_t other = j + (int32_t)below(rng, (uint32_t)(n_row - j)), id = row[other];

        row[other] = row[j];
        row[j] = id;
    }
}

/* row[first..n_live) becomes uniform among the ids that are not taken.  Sparse rows throw until an id is fresh; dense
 * ones choose from the list of what is left. */
static void draw_rest(struct ordo_draw *d, int32_t *row, int32_t first)
{
    int32_t n_pool = 0;

    if (d->n_live <= d->par.n_kv / 2) {
        for (int32_t j = first; j < d->n_live; j++)
            do
                row[j] = (int32_t)below(&d->rng, (uint32_t)d->par.n_kv);
            while (!take(d, row[j]));
        return;
    }
    for (int32_t id = 0; id < d->par.n_kv; id++)
        if (!(d->taken[id >> 6] >> (id & 63) & 1))
            d->pool[n_pool++] = id;
    shuffle(&d->rng, d->pool, n_pool, d->n_live - first);
    memcpy(row + first, d->pool, (size_t)(d->n_live - first) * sizeof *row);
}

/* --- presets ---------------------------------------------------------------------------------------------------- */

static void fill_uniform(struct ordo_draw *d, int32_t query, const int32_t *before, int32_t *row)
{
    (void)query;
    (void)before;
    draw_rest(d, row, 0);
    release(d, row);
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
        (void)take(d, row[j]);
    draw_rest(d, row, n_keep);
    release(d, row);
    shuffle(&d->rng, row, d->n_live, d->n_live);
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

static const struct ordo_preset preset[] = {
    {"uniform", "", "Top-K different ids, uniform over KV, in no order", fill_uniform},
    {"keep", "--keep PERCENT", "that share of the previous query's ids stays, the rest is uniform, places are fresh",
     fill_keep},
    {"window", "", "ids (q + j) mod KV: a sliding window", fill_window},
};

const struct ordo_preset *ordo_preset_at(size_t i)
{
    return i < sizeof preset / sizeof preset[0] ? &preset[i] : NULL;
}

const struct ordo_preset *ordo_preset_find(const char *name)
{
    for (size_t i = 0; ordo_preset_at(i); i++)
        if (strcmp(preset[i].name, name) == 0)
            return &preset[i];
    return NULL;
}

/* --- the whole tensor ------------------------------------------------------------------------------------------- */

static enum ordo_status check(const struct ordo_gen_params *par, struct ordo_err *err)
{
    if (par->n_query < 0)
        return ordo_fail(err, ORDO_USAGE, NULL, "queries", "the number of queries is negative");
    if (par->n_kv < 0)
        return ordo_fail(err, ORDO_USAGE, NULL, "kv", "the number of KV rows is negative");
    if (par->topk < 0)
        return ordo_fail(err, ORDO_USAGE, NULL, "topk", "Top-K is negative");
    if (par->keep_percent < 0 || par->keep_percent > 100)
        return ordo_fail(err, ORDO_USAGE, NULL, "keep", "%d is not a percentage from 0 to 100",
                         (int)par->keep_percent);
    return ORDO_OK;
}

/* Dead slots up to topk, after n_live ids. */
static void pad(int32_t *row, int32_t n_live, int32_t topk)
{
    for (int32_t j = n_live; j < topk; j++)
        row[j] = -1;
}

static void fill_all(const struct ordo_preset *which, struct ordo_draw *d, struct ordo_problem *out)
{
    uint64_t key = ordo_mix(d->par.seed);

    for (int32_t q = 0; q < out->n_query; q++) {
        int32_t *row = out->idx + (int64_t)q * out->topk;

        d->rng.state = ordo_mix(key + (uint64_t)q + 1);
        if (d->n_live)
            which->fn(d, q, q ? row - out->topk : NULL, row);
        pad(row, d->n_live, out->topk);
    }
}

enum ordo_status ordo_gen(const struct ordo_preset *which, const struct ordo_gen_params *par,
                          struct ordo_problem *out, struct ordo_err *err)
{
    struct ordo_draw d = {.par = *par, .n_live = par->topk < par->n_kv ? par->topk : par->n_kv};
    enum ordo_status status = check(par, err);

    memset(out, 0, sizeof *out);
    if (status)
        return status;
    d.taken = ordo_alloc_zero((uint64_t)par->n_kv / 64 + 1, sizeof *d.taken);
    d.pool = ordo_alloc(d.n_live > par->n_kv / 2 ? (uint64_t)par->n_kv : 0, sizeof *d.pool);
    out->idx = ordo_alloc((uint64_t)par->n_query * (uint64_t)par->topk, sizeof *out->idx);
    if (d.taken && d.pool && out->idx) {
        out->n_query = par->n_query;
        out->n_kv = par->n_kv;
        out->topk = par->topk;
        fill_all(which, &d, out);
    } else {
        ordo_problem_free(out);
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "there is no memory for %d queries of %d slots",
                           (int)par->n_query, (int)par->topk);
    }
    free(d.taken);
    free(d.pool);
    return status;
}
