/* dense_list.c - list scheduling of a block mask in time; see dense_keys.h. */
#include "sim/dense_keys.h"

#include "base/size.h"

#include <stdlib.h>

struct worker {
    int64_t now;
    int32_t kv, left; /* the tile, and how many of its rows are left; kv -1: none */
};

struct list {
    const struct ordo_dense_mask *m;
    const int32_t *place;
    int32_t n_worker, started, c, r;
    struct worker *worker;
    int64_t *row_free;  /* by row: when its last reduction ends */
    int32_t *row_left;  /* by row: contributions that have not been placed */
    int32_t *rest;      /* as q_list: the places i of each tile's rows that are left, in front */
    int64_t n_key;
};

static bool next_tile(struct list *l, struct worker *w)
{
    while (w->left == 0) {
        if (l->started == l->m->n_kv)
            return false;
        w->kv = l->place[l->started++];
        w->left = ordo_dense_steps(l->m, w->kv);
    }
    return true;
}

/* Who is free first, and among those has most left; NULL at the end. */
static struct worker *first_free(struct list *l)
{
    struct worker *best = NULL;

    for (int32_t i = 0; i < l->n_worker; i++) {
        struct worker *w = &l->worker[i];

        if (w->kv != -1 && (!best || w->now < best->now || (w->now == best->now && w->left > best->left)))
            best = w;
    }
    return best;
}

/* When the worker could add to the row. */
static int64_t when(const struct list *l, const struct worker *w, int32_t q)
{
    return w->now + l->c > l->row_free[q] ? w->now + l->c : l->row_free[q];
}

/* Places one task of the worker. */
static void place_task(struct list *l, struct worker *w, int64_t *key)
{
    int64_t start = l->m->q_start[w->kv];
    int32_t *rest = l->rest + start, best = 0, q;

    for (int32_t i = 1; i < w->left; i++) {
        int32_t a = ordo_dense_seen_by(l->m, w->kv, rest[i]), b = ordo_dense_seen_by(l->m, w->kv, rest[best]);
        int64_t when_a = when(l, w, a), when_b = when(l, w, b);

        if (when_a < when_b || (when_a == when_b && l->row_left[a] > l->row_left[b]))
            best = i;
    }
    q = ordo_dense_seen_by(l->m, w->kv, rest[best]);
    w->now = when(l, w, q) + l->r;
    l->row_free[q] = w->now;
    l->row_left[q]--;
    key[start + rest[best]] = l->n_key++;
    rest[best] = rest[--w->left];
    if (!next_tile(l, w))
        w->kv = -1;
}

bool ordo_dense_keys_list(const struct ordo_dense_mask *m, const int32_t *place, int32_t width, int32_t c, int32_t r,
                          int64_t *key)
{
    struct list l = {.m = m, .place = place, .n_worker = width < m->n_kv ? width : m->n_kv, .c = c, .r = r};
    bool made;

    l.worker = ordo_alloc_zero((uint64_t)l.n_worker, sizeof *l.worker);
    l.row_free = ordo_alloc_zero((uint64_t)m->n_q, sizeof *l.row_free);
    l.row_left = ordo_alloc((uint64_t)m->n_q, sizeof *l.row_left);
    l.rest = ordo_alloc((uint64_t)m->pairs, sizeof *l.rest);
    made = l.worker && l.row_free && l.row_left && l.rest;
    if (made) {
        struct worker *w;

        for (int32_t q = 0; q < m->n_q; q++)
            l.row_left[q] = ordo_dense_adds(m, q);
        for (int32_t kv = 0; kv < m->n_kv; kv++)
            for (int32_t i = 0; i < ordo_dense_steps(m, kv); i++)
                l.rest[m->q_start[kv] + i] = i;
        for (int32_t i = 0; i < l.n_worker; i++)
            if (!next_tile(&l, &l.worker[i]))
                l.worker[i].kv = -1;
        while ((w = first_free(&l)))
            place_task(&l, w, key);
    }
    free(l.worker);
    free(l.row_free);
    free(l.row_left);
    free(l.rest);
    return made;
}
