/* expect.c - see expect.h. */
#include "fuzz/expect.h"

#include "protocol/live.h"
#include "sim/fold.h"

#include <stdlib.h>
#include <string.h>

static bool live(const struct ordo_problem *p, int32_t q, int32_t column)
{
    int64_t id = p->idx[(int64_t)q * p->topk + column];

    return 0 <= id && id < p->n_kv && (!p->length || column < p->length[q]);
}

bool ordo_expect_live(const struct ordo_problem *p, int32_t *query)
{
    for (int32_t q = 0; q < p->n_query; q++) {
        int32_t length = p->length ? p->length[q] : p->topk, clamped = ordo_clamp_length(length, p->topk);
        int32_t want = length <= 0 ? 0 : length >= p->topk ? p->topk : length;

        *query = q;
        if (clamped != want)
            return false;
        for (int32_t j = 0; j < p->topk; j++)
            if (ordo_slot_live(p->idx[(int64_t)q * p->topk + j], p->n_kv, j, clamped) != live(p, q, j))
                return false;
    }
    return true;
}

bool ordo_expect_fold(int32_t planes)
{
    for (int32_t p = 0; p < planes; p++) {
        uint32_t end = ordo_fold_group_end((uint32_t)p / 8, (uint32_t)planes);
        int32_t want = p / 8 * 8 + 8 < planes ? p / 8 * 8 + 8 : planes;

        if (ordo_fold_group((uint32_t)p) != (uint32_t)p / 8 || end != (uint32_t)want)
            return false;
    }
    return ordo_fold_groups((uint32_t)planes) == (uint32_t)(planes + 7) / 8;
}

/* --- the rows of the tables ------------------------------------------------------------------------------------- */

enum { DENSE_ROWS = 1 << 24 };

static int ascending(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Lists the granules of all live slots, sorts, keeps each once. */
static bool number_rows(struct ordo_arena *arena, const struct ordo_problem *p, struct ordo_expected *e)
{
    uint64_t n_slot = (uint64_t)p->n_query * (uint64_t)p->topk;
    size_t n = 0, kept = 0;

    e->n = ((uint32_t)p->n_kv + 7) / 8 * 8;
    if (p->n_kv <= DENSE_ROWS)
        return true;
    e->granule = ordo_arena_alloc(arena, n_slot + 1, sizeof *e->granule);
    if (!e->granule)
        return false;
    for (int32_t q = 0; q < p->n_query; q++)
        for (int32_t j = 0; j < p->topk; j++)
            if (live(p, q, j))
                e->granule[n++] = p->idx[(int64_t)q * p->topk + j] / 8;
    qsort(e->granule, n, sizeof *e->granule, ascending);
    for (size_t i = 0; i < n; i++)
        if (!kept || e->granule[kept - 1] != e->granule[i])
            e->granule[kept++] = e->granule[i];
    e->n = (uint32_t)kept * 8;
    return true;
}

/* The table row of a KV row that a live slot names, and back. */
static uint32_t number(const struct ordo_expected *e, int32_t row)
{
    const int32_t *at, granule = row / 8;

    if (!e->granule)
        return (uint32_t)row;
    at = bsearch(&granule, e->granule, e->n / 8, sizeof granule, ascending);
    return (uint32_t)(at - e->granule) * 8 + (uint32_t)row % 8;
}

static int32_t row_of(const struct ordo_expected *e, uint32_t i)
{
    return e->granule ? e->granule[i / 8] * 8 + (int32_t)(i % 8) : (int32_t)i;
}

/* --- counts ----------------------------------------------------------------------------------------------------- */

/* writers[row + 1] counts; stamp[row] is 1 + the last query that named it. */
static void count(const struct ordo_problem *p, struct ordo_expected *e, uint32_t *writers, uint32_t *stamp)
{
    for (int32_t q = 0; q < p->n_query; q++) {
        bool any = false;

        for (int32_t j = 0; j < p->topk; j++) {
            uint32_t row;

            if (!live(p, q, j))
                continue;
            row = number(e, p->idx[(int64_t)q * p->topk + j]);
            any = true;
            e->live++;
            if (stamp[row] == (uint32_t)q + 1)
                e->duplicates++;
            else
                writers[row]++;
            stamp[row] = (uint32_t)q + 1;
        }
        e->dead_queries += !any;
    }
}

/* --- the order -------------------------------------------------------------------------------------------------- */

struct filler {
    struct ordo_expected *e;
    uint32_t *end;  /* one past the last addition of each row */
    uint64_t *last; /* 1 + (plane, launch) of it */
};

static void add_query(struct filler *f, const struct ordo_problem *p, int32_t q, int32_t plane, uint32_t leaf,
                      uint64_t launch)
{
    for (int32_t j = 0; j < p->topk; j++) {
        uint32_t row;

        if (!live(p, q, j))
            continue;
        row = number(f->e, p->idx[(int64_t)q * p->topk + j]);
        f->e->add[f->end[row]++] = (struct ordo_add){leaf, (uint32_t)plane};
        f->e->waits += f->last[row] == launch;
        f->last[row] = launch;
    }
}

static void fill(struct filler *f, const struct ordo_plan *plan, const struct ordo_problem *p)
{
    int32_t wave = plan->wave, cluster = plan->cluster, blocks = (plan->request.n_head + 63) / 64;
    int64_t waves = ((int64_t)p->n_query + wave - 1) / wave;

    for (int32_t plane = 0; plane * (int64_t)cluster < wave && plane * (int64_t)cluster < p->n_query; plane++)
        for (int64_t w = 0; w < waves; w++)
            for (int32_t b = 0; b < blocks; b++)
                for (int32_t rank = 0; rank < cluster; rank++) {
                    int64_t q = w * wave + (int64_t)plane * cluster + rank;

                    if (q < p->n_query)
                        add_query(f, p, (int32_t)q, plane, (uint32_t)(q * blocks + b),
                                  (uint64_t)(plane + 1) << 40 | (uint64_t)(w * blocks + b));
                }
}

enum ordo_status ordo_expect(struct ordo_arena *arena, const struct ordo_plan *plan, const struct ordo_problem *p,
                             struct ordo_expected *e, struct ordo_err *err)
{
    uint32_t *writers, *stamp, at = 0, blocks = ((uint32_t)plan->request.n_head + 63) / 64;
    struct filler f = {.e = e};
    uint64_t n;

    *e = (struct ordo_expected){.granule = NULL};
    if (!number_rows(arena, p, e))
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for the expected order");
    n = e->n;
    writers = ordo_arena_alloc_zero(arena, n, sizeof *writers);
    stamp = ordo_arena_alloc_zero(arena, n, sizeof *stamp);
    f.end = ordo_arena_alloc(arena, n, sizeof *f.end);
    f.last = ordo_arena_alloc_zero(arena, n, sizeof *f.last);
    e->start = ordo_arena_alloc(arena, n + 1, sizeof *e->start);
    if (!writers || !stamp || !f.end || !f.last || !e->start)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for the expected order");
    count(p, e, writers, stamp);
    e->updates = (e->live - e->duplicates) * blocks;
    for (uint64_t row = 0; row < n; row++) {
        e->start[row] = f.end[row] = at;
        e->touched += writers[row] != 0;
        at += writers[row] * blocks;
    }
    e->start[n] = at;
    if (e->duplicates)
        return ORDO_OK;
    e->add = ordo_arena_alloc(arena, at, sizeof *e->add);
    if (!e->add)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for the expected order");
    fill(&f, plan, p);
    return ORDO_OK;
}

int32_t ordo_expect_order(const struct ordo_expected *e, const struct ordo_rows *rows)
{
    uint32_t n = ordo_rows_count(rows), i = 0;

    for (uint32_t k = 0; k < e->n; k++) {
        uint32_t want = e->start[k + 1] - e->start[k];
        int32_t row = row_of(e, k);
        struct ordo_row got;

        if (!want)
            continue;
        if (i == n)
            return row;
        got = ordo_rows_get(rows, i++);
        if (got.row != row || got.n_add != want ||
            memcmp(got.add, e->add + e->start[k], want * sizeof *got.add) != 0)
            return row;
    }
    return i == n ? -1 : ordo_rows_get(rows, i).row;
}

/* --- masks ------------------------------------------------------------------------------------------------------ */

/* The bits of one row, from its members. */
int32_t ordo_expect_masks(const struct ordo_expected *e, const struct ordo_plan *plan,
                          const struct ordo_problem *p, const struct ordo_worker *worker, int n, const uint32_t *word,
                          int64_t n_word)
{
    int64_t cluster = plan->cluster, set = 0, found = 0;

    if (n_word != e->n * cluster / 32)
        return p->n_kv;
    for (int i = 0; i < n; i++) {
        int32_t q = worker[i].query;
        int64_t rank = q % plan->wave % cluster;

        for (int32_t j = 0; j < p->topk; j++) {
            int32_t row = p->idx[(int64_t)q * p->topk + j];
            int64_t bit;

            if (!live(p, q, j))
                continue;
            set++;
            bit = number(e, row) * cluster + rank;
            if (!(word[bit / 32] >> bit % 32 & 1))
                return row;
        }
    }
    for (int64_t w = 0; w < n_word; w++)
        found += __builtin_popcount(word[w]);
    if (found == set)
        return -1;
    for (int64_t w = 0; w < n_word; w++)
        if (word[w])
            return row_of(e, (uint32_t)(w * 32 / cluster)); /* near an extra bit, or a duplicate */
    return 0;
}

/* --- sums ------------------------------------------------------------------------------------------------------- */

enum { SPAN = 8 };

static void add_to(float *sum, const float *x)
{
    for (int c = 0; c < SPAN; c++)
        sum[c] += x[c];
}

void ordo_expect_sum(const struct ordo_row *row, int32_t planes, const float *term, int32_t width, float *out)
{
    for (int32_t first = 0; first < width; first += SPAN) {
        size_t n = (size_t)(width - first < SPAN ? width - first : SPAN);
        float total[SPAN] = {0};
        uint32_t i = 0;

        for (int32_t group = 0; group < planes; group += 8) {
            float sum[SPAN] = {0};

            for (int32_t plane = group; plane < group + 8 && plane < planes; plane++) {
                float own[SPAN] = {0}, line[SPAN] = {0};

                for (; i < row->n_add && row->add[i].plane == (uint32_t)plane; i++)
                    add_to(own, memcpy(line, term + (size_t)i * (size_t)width + first, n * sizeof *line));
                add_to(sum, own);
            }
            add_to(total, sum);
        }
        memcpy(out + first, total, n * sizeof *out);
    }
}
