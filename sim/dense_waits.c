/* dense_waits.c - can CTAs be sorted so that each waits only for earlier ones? see dense_prove.h.
 *
 * Rank i of a row waits for rank i - 1.  Rows do not cross heads, so waits over tiles stay in a head, and waits
 * over items in the one or two heads of an item: a small graph a group of heads, as a matrix of bits.  Groups with
 * the signatures of an earlier group have its graph. */
#include "sim/dense_prove.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

struct graph {
    const struct ordo_dense *d;
    int32_t heads, n;    /* heads of a group; nodes of a group */
    bool over_items;
    int64_t words;
    uint64_t *waits;     /* n rows of n bits: [a][b] a waits for b */
    int64_t *item;       /* of all tiles */
    int64_t *name;       /* of the nodes: an item */
    int32_t n_name;
    int32_t *order, *state;
};

static void free_graph(struct graph *g)
{
    free(g->waits);
    free(g->item);
    free(g->name);
    free(g->order);
    free(g->state);
}

static bool make_graph(struct graph *g)
{
    g->n = g->d->launch.mask->n_kv * g->heads;
    g->words = (g->n + 63) / 64;
    g->waits = ordo_alloc((uint64_t)g->n * (uint64_t)g->words, sizeof *g->waits);
    g->item = ordo_dense_item_of(g->d);
    g->name = ordo_alloc((uint64_t)g->n, sizeof *g->name);
    g->order = ordo_alloc((uint64_t)g->d->launch.mask->n_kv, sizeof *g->order);
    g->state = ordo_alloc(2 * (uint64_t)g->n, sizeof *g->state);
    return g->waits && g->item && g->name && g->order && g->state;
}

/* The node of a tile: itself, or the place of its item among the group's names. */
static int32_t node(struct graph *g, int32_t head, int32_t kv)
{
    int64_t item = g->item[(int64_t)head * g->d->launch.mask->n_kv + kv];

    if (!g->over_items)
        return kv;
    for (int32_t i = 0; i < g->n_name; i++)
        if (g->name[i] == item)
            return i;
    g->name[g->n_name] = item;
    return g->n_name++;
}

static void add_head(struct graph *g, int32_t head, int32_t *of)
{
    const struct ordo_dense_mask *m = g->d->launch.mask;

    for (int32_t kv = 0; kv < m->n_kv; kv++)
        of[kv] = node(g, head, kv);
    for (int32_t q = 0; q < m->n_q; q++) {
        int32_t adds = ordo_dense_order(g->d, head, q, g->order);

        for (int32_t i = 1; i < adds; i++) {
            int32_t a = of[g->order[i]], b = of[g->order[i - 1]];

            if (a != b)
                g->waits[a * g->words + b / 64] |= UINT64_C(1) << (b % 64);
        }
    }
}

/* The first b >= from that a waits for, or -1. */
static int32_t next_wait(const struct graph *g, int32_t a, int32_t from)
{
    for (int32_t b = from; b < g->n; b = (b / 64 + 1) * 64) {
        uint64_t word = g->waits[a * g->words + b / 64] >> (b % 64);

        if (word)
            return b + __builtin_ctzll(word);
    }
    return -1;
}

/* Depth first without recursion; the path stands in state[n ...].  Fills cycle with the first one. */
static void find_cycle(struct graph *g, struct ordo_dense_cycle *cycle)
{
    enum { FRESH = -1, DONE = -2 }; /* else on the path: where to look on from */
    int32_t *state = g->state, *path = g->state + g->n;

    for (int32_t i = 0; i < g->n; i++)
        state[i] = FRESH;
    for (int32_t root = 0; root < g->n && cycle->n == 0; root++) {
        int32_t depth = 0;

        if (state[root] != FRESH)
            continue;
        path[depth++] = root;
        state[root] = 0;
        while (depth > 0 && cycle->n == 0) {
            int32_t a = path[depth - 1], b = next_wait(g, a, state[a]);

            if (b < 0) {
                state[a] = DONE;
                depth--;
            } else if (state[b] == FRESH) {
                state[a] = b + 1;
                path[depth++] = b;
                state[b] = 0;
            } else if (state[b] == DONE) {
                state[a] = b + 1;
            } else {
                int32_t from = depth - 1;

                while (path[from] != b)
                    from--;
                cycle->n = depth - from;
                for (int32_t i = 0; i < cycle->n && i < ORDO_DENSE_MOST_CYCLE; i++)
                    cycle->node[i] = g->over_items ? g->name[path[from + i]] : path[from + i];
            }
        }
    }
}

static void one_group(struct graph *g, int32_t first, int32_t *of, struct ordo_dense_cycle *cycle)
{
    memset(g->waits, 0, (size_t)(g->n * g->words) * sizeof *g->waits);
    g->n_name = 0;
    cycle->head = first;
    for (int32_t head = first; head < first + g->heads && head < g->d->launch.heads; head++)
        add_head(g, head, of);
    find_cycle(g, cycle);
}

/* Whether an earlier group of the list had these signatures; else they are put there. */
static bool known(struct ordo_digest *list, int64_t *n, const struct ordo_digest *one, int32_t heads)
{
    for (int64_t i = 0; i < *n; i += heads)
        if (memcmp(list + i, one, (size_t)heads * sizeof *one) == 0)
            return true;
    memcpy(list + *n, one, (size_t)heads * sizeof *one);
    *n += heads;
    return false;
}

enum ordo_status ordo_dense_wait_cycle(const struct ordo_dense *d, bool over_items, struct ordo_dense_cycle *cycle,
                                       struct ordo_err *err)
{
    struct graph g = {.d = d, .heads = over_items ? d->schedule->heads_per_item : 1, .over_items = over_items};
    int32_t *of = ordo_alloc((uint64_t)d->launch.mask->n_kv, sizeof *of);
    struct ordo_digest *list = ordo_alloc((uint64_t)d->launch.heads + 1, sizeof *list);
    enum ordo_status status = ORDO_OK;
    int64_t n_list = 0;

    *cycle = (struct ordo_dense_cycle){.n = 0};
    if (!of || !list || !make_graph(&g))
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "waits", "no memory");
    for (int32_t head = 0; head < d->launch.heads && status == ORDO_OK && cycle->n == 0; head += g.heads) {
        struct ordo_digest one[2] = {{{0}}, {{0}}};

        for (int32_t i = 0; i < g.heads && head + i < d->launch.heads; i++)
            one[i] = ordo_dense_signature(d, head + i);
        if (!known(list, &n_list, one, g.heads))
            one_group(&g, head, of, cycle);
    }
    free_graph(&g);
    free(of);
    free(list);
    return status;
}
