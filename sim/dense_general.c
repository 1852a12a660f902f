/* dense_general.c - a schedule for any block mask: window, documents, block-sparse, packed sequences.
 *
 * Three orders of the tasks are made: by edge colouring and by list scheduling (dense_keys.h), where KV tiles
 * start by falling length, and as SPT does it.  Each is made for some sections of the grid too: with many heads side
 * by side the long tiles of all start first, and few tiles of one head meet.  All are timed on some heads, and the
 * shortest becomes the tables.  They are the same for every head, so bits do not hang on the head's place in the
 * grid; but they do on the SM count and on how many heads there are.
 *
 * Nobody waits for ever where a CTA takes one item, in launch order: a wait goes to a task of a smaller key, keys are
 * made for so many tiles of a head at a time as there are SMs for each head of a section, and the grid starts them
 * in that order, so the smallest key of all that are left is resident.  Persistent CTAs have no such promise. */
#include "sim/dense_impl.h"

#include "base/size.h"
#include "sim/dense_keys.h"
#include "sim/dense_time.h"

#include <stdlib.h>
#include <string.h>

struct keyed {
    int64_t key;
    int32_t what;
};

static int by_key(const void *a, const void *b)
{
    int64_t x = ((const struct keyed *)a)->key, y = ((const struct keyed *)b)->key;

    return (x > y) - (x < y);
}

/* From keys to the query table: each tile's rows by key. */
static void make_queries(const struct ordo_dense_mask *m, const int64_t *key, struct keyed *sorted, int32_t *table)
{
    for (int32_t kv = 0; kv < m->n_kv; kv++) {
        int32_t n = ordo_dense_steps(m, kv);

        for (int32_t i = 0; i < n; i++)
            sorted[i] = (struct keyed){key[m->q_start[kv] + i], ordo_dense_seen_by(m, kv, i)};
        qsort(sorted, (size_t)n, sizeof *sorted, by_key);
        for (int32_t i = 0; i < n; i++)
            table[m->q_start[kv] + i] = sorted[i].what;
    }
}

/* And to the rank table: each row's tiles by key.  at[kv]: how many rows of the tile have gone by. */
static void make_ranks(const struct ordo_dense_mask *m, const int64_t *key, struct keyed *sorted, int32_t *at,
                       int32_t *table)
{
    memset(at, 0, (size_t)m->n_kv * sizeof *at);
    for (int32_t q = 0; q < m->n_q; q++) {
        int32_t n = 0;

        for (int32_t kv = 0; kv < m->n_kv; kv++)
            if (ordo_dense_sees(m, q, kv))
                sorted[n++] = (struct keyed){key[m->q_start[kv] + at[kv]++], kv};
        qsort(sorted, (size_t)n, sizeof *sorted, by_key);
        for (int32_t i = 0; i < n; i++)
            table[(int64_t)q * m->n_kv + sorted[i].what] = i;
    }
}

/* By falling length, or from the last tile to the first. */
static void make_places(const struct ordo_dense_mask *m, bool by_length, struct keyed *sorted, int32_t *place)
{
    for (int32_t kv = 0; kv < m->n_kv; kv++)
        sorted[kv] = (struct keyed){(by_length ? -(int64_t)ordo_dense_steps(m, kv) * m->n_kv : 0) - kv, kv};
    qsort(sorted, (size_t)m->n_kv, sizeof *sorted, by_key);
    for (int32_t i = 0; i < m->n_kv; i++)
        place[i] = sorted[i].what;
}

/* Row q - kv steps after its diagonal: query tiles ascending, dQ by KV descending. */
static void keys_spt(const struct ordo_dense_mask *m, int64_t *key)
{
    for (int32_t kv = 0; kv < m->n_kv; kv++)
        for (int32_t i = 0; i < ordo_dense_steps(m, kv); i++)
            key[m->q_start[kv] + i] = ordo_dense_seen_by(m, kv, i) - kv;
}

enum kind { COLOUR, LIST, SPT, N_KINDS };

struct choice {
    enum kind kind;
    int32_t section;
    int64_t ticks;
};

struct work {
    int64_t *key;
    struct keyed *sorted;
    int32_t *at;
};

/* Tiles of one head that are resident together whatever the other heads of the section do, or one. */
static int32_t width_of(const struct ordo_dense *d)
{
    return d->launch.sms > d->section ? d->launch.sms / d->section : 1;
}

static bool make_tables(struct ordo_dense *d, const struct choice *choice, const struct work *w)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    bool made = true;

    d->section = choice->section;
    make_places(m, choice->kind != SPT, w->sorted, d->place_table);
    if (choice->kind == COLOUR)
        made = ordo_dense_keys_colour(m, d->place_table, width_of(d), w->key);
    else if (choice->kind == LIST)
        made = ordo_dense_keys_list(m, d->place_table, width_of(d), d->launch.c, d->launch.r, w->key);
    else
        keys_spt(m, w->key);
    if (made) {
        make_queries(m, w->key, w->sorted, d->query_table);
        make_ranks(m, w->key, w->sorted, w->at, d->rank_table);
    }
    return made;
}

/* So many heads are timed: about four waves, more where that is quick. */
static int32_t sample_of(const struct ordo_dense *d)
{
    enum { QUICK_TASKS = 1 << 18 };
    const struct ordo_dense_mask *m = d->launch.mask;
    int64_t waves = 4 * (int64_t)d->launch.sms / m->n_kv + 1, quick = QUICK_TASKS / (m->pairs + 1);
    int64_t most = waves > quick ? waves : quick;

    return d->launch.heads < most ? d->launch.heads : (int32_t)most;
}

/* Ticks of the first heads with d's tables. */
static enum ordo_status time_sample(const struct ordo_dense *d, int32_t heads, int64_t *ticks, struct ordo_err *err)
{
    struct ordo_dense sample = *d;
    struct ordo_dense_model model = {.c = {d->launch.c, 1}, .r = {d->launch.r, 1}, .edge = {0, 1}, .start = {0, 1},
                                     .jitter = {0, 1}, .slots = d->launch.sms};
    struct ordo_dense_time t;
    enum ordo_status status;

    sample.launch.heads = heads;
    status = ordo_dense_time(&sample, &model, NULL, &t, err);
    *ticks = t.makespan;
    ORDO_BUG_ON(status == ORDO_OK && t.hangs);
    ordo_dense_time_free(&t);
    return status;
}

/* Tries the three orders with this section; the best so far stays in *best, the last tried in the tables. */
static enum ordo_status try_section(struct ordo_dense *d, int32_t section, int32_t sample, const struct work *w,
                                    struct choice *best, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (enum kind kind = COLOUR; kind < N_KINDS && status == ORDO_OK; kind++) {
        struct choice choice = {kind, section, 0};

        if (!make_tables(d, &choice, w))
            return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "tables", "no memory");
        status = time_sample(d, sample, &choice.ticks, err);
        if (choice.ticks < best->ticks)
            *best = choice;
    }
    return status;
}

/* A section that was asked for, or else 1, 2, 4, ... and all heads of the sample; of a large mask only 1. */
static enum ordo_status choose(struct ordo_dense *d, const struct work *w, struct ordo_err *err)
{
    enum { LARGE = 1 << 17, STRIDE = 2 };
    int32_t sample = sample_of(d), section = d->section;
    struct choice best = {COLOUR, section, INT64_MAX};
    enum ordo_status status = try_section(d, section, sample, w, &best, err);
    bool more = d->launch.section <= 1 && d->launch.mask->pairs <= LARGE;

    while (status == ORDO_OK && more && section < sample) {
        section = section * STRIDE < sample ? section * STRIDE : sample;
        status = try_section(d, section, sample, w, &best, err);
    }
    if (status == ORDO_OK && !make_tables(d, &best, w))
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "tables", "no memory");
    return status;
}

static enum ordo_status prepare(struct ordo_dense *d, struct ordo_err *err)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    uint64_t side = (uint64_t)(m->n_q > m->n_kv ? m->n_q : m->n_kv);
    struct work w = {ordo_alloc((uint64_t)m->pairs, sizeof *w.key), ordo_alloc(side, sizeof *w.sorted),
                     ordo_alloc((uint64_t)m->n_kv, sizeof *w.at)};
    enum ordo_status status;

    d->query_table = ordo_alloc((uint64_t)m->pairs, sizeof *d->query_table);
    d->rank_table = ordo_alloc_zero((uint64_t)m->n_q * (uint64_t)m->n_kv, sizeof *d->rank_table);
    d->place_table = ordo_alloc((uint64_t)m->n_kv, sizeof *d->place_table);
    if (w.key && w.sorted && w.at && d->query_table && d->rank_table && d->place_table)
        status = choose(d, &w, err);
    else
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "tables", "no memory");
    free(w.key);
    free(w.sorted);
    free(w.at);
    return status;
}

static enum ordo_status fits(const struct ordo_dense *d, struct ordo_err *err)
{
    enum { MOST_PAIRS = 1 << 22 }; /* beyond it the tables take minutes */

    if (d->launch.mask->pairs > MOST_PAIRS)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "mask",
                         "%lld pairs are too many for tables; at most %d are taken",
                         (long long)d->launch.mask->pairs, MOST_PAIRS);
    return ORDO_OK;
}

static int item(const struct ordo_dense *d, int64_t number, struct ordo_dense_tile tile[2])
{
    tile[0] = ordo_dense_place(d, number);
    tile[0].kv = d->place_table[tile[0].kv];
    return 1;
}

static int32_t query(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step)
{
    (void)head;
    return d->query_table[d->launch.mask->q_start[kv] + step];
}

static int32_t rank(const struct ordo_dense *d, int32_t head, int32_t q, int32_t kv)
{
    (void)head;
    return d->rank_table[(int64_t)q * d->launch.mask->n_kv + kv];
}

const struct ordo_dense_schedule ordo_dense_general = {
    .name = "general",
    .about = "any mask: the best of edge colouring, list scheduling and SPT, as tables",
    .heads_per_item = 1,
    .classes = 1,
    .fits = fits,
    .prepare = prepare,
    .items = ordo_dense_tile_items,
    .item = item,
    .query = query,
    .rank = rank,
};
