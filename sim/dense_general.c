/* dense_general.c - a schedule for any block mask: window, documents, block-sparse, packed sequences.
 *
 * Three orders of the tasks are made: by edge colouring and by list scheduling (dense_keys.h), where KV tiles
 * start by falling length, and as SPT does it.  Each is timed on some heads, and the shortest becomes the tables.
 * They are the same for every head, so bits do not hang on the head's place in the grid; but they do on the SM
 * count.  Every wait goes to a task of a smaller key, so with a wave of CTAs resident nobody waits for ever. */
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

/* Ticks of some heads, about four waves, with d's tables. */
static enum ordo_status some_heads(const struct ordo_dense *d, int64_t *ticks, struct ordo_err *err)
{
    int64_t most = 4 * (int64_t)d->launch.sms / d->launch.mask->n_kv + 1;
    struct ordo_dense head = *d;
    struct ordo_dense_model model = {.c = {d->launch.c, 1}, .r = {d->launch.r, 1}, .edge = {0, 1}, .start = {0, 1},
                                     .jitter = {0, 1}, .slots = d->launch.sms};
    struct ordo_dense_time t;
    enum ordo_status status;

    head.launch.heads = d->launch.heads < most ? d->launch.heads : (int32_t)most;
    status = ordo_dense_time(&head, &model, NULL, &t, err);
    *ticks = t.hangs ? INT64_MAX : t.makespan;
    ordo_dense_time_free(&t);
    return status;
}

enum kind { COLOUR, LIST, SPT, N_KINDS };

static bool make_tables(struct ordo_dense *d, enum kind kind, int64_t *key, struct keyed *sorted, int32_t *at)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    bool made = true;

    make_places(m, kind != SPT, sorted, d->place_table);
    if (kind == COLOUR)
        made = ordo_dense_keys_colour(m, d->place_table, d->launch.sms, key);
    else if (kind == LIST)
        made = ordo_dense_keys_list(m, d->place_table, d->launch.sms, d->launch.c, d->launch.r, key);
    else
        keys_spt(m, key);
    if (made) {
        make_queries(m, key, sorted, d->query_table);
        make_ranks(m, key, sorted, at, d->rank_table);
    }
    return made;
}

static enum ordo_status prepare(struct ordo_dense *d, struct ordo_err *err)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    uint64_t side = (uint64_t)(m->n_q > m->n_kv ? m->n_q : m->n_kv);
    int64_t *key = ordo_alloc((uint64_t)m->pairs, sizeof *key), ticks[N_KINDS];
    struct keyed *sorted = ordo_alloc(side, sizeof *sorted);
    int32_t *at = ordo_alloc((uint64_t)m->n_kv, sizeof *at);
    enum ordo_status status = ORDO_OK;
    enum kind best = COLOUR;
    bool made;

    d->query_table = ordo_alloc((uint64_t)m->pairs, sizeof *d->query_table);
    d->rank_table = ordo_alloc_zero((uint64_t)m->n_q * (uint64_t)m->n_kv, sizeof *d->rank_table);
    d->place_table = ordo_alloc((uint64_t)m->n_kv, sizeof *d->place_table);
    made = key && sorted && at && d->query_table && d->rank_table && d->place_table;
    for (enum kind kind = COLOUR; kind < N_KINDS && made && status == ORDO_OK; kind++) {
        made = make_tables(d, kind, key, sorted, at);
        if (made)
            status = some_heads(d, &ticks[kind], err);
        if (made && status == ORDO_OK && ticks[kind] < ticks[best])
            best = kind;
    }
    if (made && status == ORDO_OK && best != SPT)
        made = make_tables(d, best, key, sorted, at);
    if (!made)
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "tables", "no memory");
    free(key);
    free(sorted);
    free(at);
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
