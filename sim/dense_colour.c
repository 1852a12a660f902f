/* dense_colour.c - edge colouring of a block mask; see dense_keys.h.
 *
 * One edge after the other takes a colour that is free at its tile; if that is taken at its row, a colour b free
 * at the row is made free at the tile by swapping both along the path that starts there and alternates between
 * them: in a bipartite graph it cannot come back to the row. */
#include "sim/dense_keys.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

struct colouring {
    const struct ordo_dense_mask *m;
    int32_t colours;
    int32_t *of_kv; /* [kv * colours + a]: the row that tile kv has in colour a */
    int32_t *of_q;  /* [q * colours + a]: the tile that row q has in colour a */
};

static int32_t free_colour(const int32_t *of, int32_t colours)
{
    int32_t a = 0;

    while (of[a] != NONE)
        a++;
    ORDO_BUG_ON(a >= colours);
    return a;
}

/* Swaps colours a and b along the path that leaves tile kv in colour b.  Afterwards b is free at kv. */
static void swap_path(struct colouring *c, int32_t kv, int32_t a, int32_t b)
{
    int32_t q = c->of_kv[kv * c->colours + b];

    c->of_kv[kv * c->colours + b] = NONE;
    while (q != NONE) { /* the edge (kv, q) of colour b becomes a */
        int32_t next_kv = c->of_q[q * c->colours + a], next_q;

        c->of_q[q * c->colours + a] = kv;
        c->of_kv[kv * c->colours + a] = q;
        if (next_kv == NONE) {
            c->of_q[q * c->colours + b] = NONE;
            return;
        }
        next_q = c->of_kv[next_kv * c->colours + b]; /* the edge (next_kv, q) of colour a becomes b */
        c->of_kv[next_kv * c->colours + b] = q;
        c->of_q[q * c->colours + b] = next_kv;
        if (next_q == NONE) {
            c->of_kv[next_kv * c->colours + a] = NONE;
            return;
        }
        kv = next_kv;
        q = next_q;
    }
}

static void add_edge(struct colouring *c, int32_t kv, int32_t q)
{
    int32_t a = free_colour(c->of_kv + kv * c->colours, c->colours);
    int32_t b = free_colour(c->of_q + q * c->colours, c->colours);

    if (c->of_q[q * c->colours + a] == NONE)
        b = a;
    else if (c->of_kv[kv * c->colours + b] != NONE)
        swap_path(c, kv, a, b);
    c->of_kv[kv * c->colours + b] = q;
    c->of_q[q * c->colours + b] = kv;
}

static int32_t largest_degree(const struct ordo_dense_mask *m)
{
    int32_t most = 0;

    for (int32_t kv = 0; kv < m->n_kv; kv++)
        most = ordo_dense_steps(m, kv) > most ? ordo_dense_steps(m, kv) : most;
    for (int32_t q = 0; q < m->n_q; q++)
        most = ordo_dense_adds(m, q) > most ? ordo_dense_adds(m, q) : most;
    return most;
}

/* The keys of tile kv, which starts in the given wave. */
static void take_keys(const struct colouring *c, int32_t kv, int64_t wave, int32_t *at, int64_t *key)
{
    for (int32_t i = 0; i < ordo_dense_steps(c->m, kv); i++)
        at[ordo_dense_seen_by(c->m, kv, i)] = i;
    for (int32_t a = 0; a < c->colours; a++)
        if (c->of_kv[kv * c->colours + a] != NONE)
            key[c->m->q_start[kv] + at[c->of_kv[kv * c->colours + a]]] = wave * c->colours + a;
}

bool ordo_dense_keys_colour(const struct ordo_dense_mask *m, const int32_t *place, int32_t width, int64_t *key)
{
    struct colouring c = {.m = m, .colours = largest_degree(m)};
    uint64_t n_kv = (uint64_t)m->n_kv * (uint64_t)c.colours, n_q = (uint64_t)m->n_q * (uint64_t)c.colours;
    int32_t *at = ordo_alloc((uint64_t)m->n_q, sizeof *at);
    bool made;

    c.of_kv = ordo_alloc(n_kv, sizeof *c.of_kv);
    c.of_q = ordo_alloc(n_q, sizeof *c.of_q);
    made = c.of_kv && c.of_q && at;
    if (made) {
        memset(c.of_kv, 0xff, n_kv * sizeof *c.of_kv);
        memset(c.of_q, 0xff, n_q * sizeof *c.of_q);
        for (int32_t kv = 0; kv < m->n_kv; kv++)
            for (int32_t i = 0; i < ordo_dense_steps(m, kv); i++)
                add_edge(&c, kv, ordo_dense_seen_by(m, kv, i));
        for (int32_t i = 0; i < m->n_kv; i++)
            take_keys(&c, place[i], i / width, at, key);
    }
    free(c.of_kv);
    free(c.of_q);
    free(at);
    return made;
}
