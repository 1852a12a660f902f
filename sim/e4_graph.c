/* e4_graph.c - E4: the happens-before graph of one cluster, closed.
 *
 * Two kinds of edges: what must have happened for an operation to go on, and, among these, what synchronises.  They
 * differ where a fence and a relaxed operation form a pattern: then the operations block, and the fences order.
 * Every edge that orders lies along a path that blocks, so one topological order serves both; without one, somebody
 * waits for himself. */
#include "sim/e4_impl.h"

#include "base/size.h"

#include <stdlib.h>

struct edge {
    uint32_t from, to;
    bool orders;
};

struct graph {
    struct edge *edge;
    uint32_t n_edge;
    uint32_t *first, *n_in, *ready; /* by node: its edges; how many still come; done ones first */
};

static void add(struct graph *g, const struct ordo_e4 *e4, int64_t from, int64_t to, bool blocks, bool orders)
{
    if (blocks || orders)
        g->edge[g->n_edge++] = (struct edge){e4->node[from], e4->node[to], orders};
}

/* The edges into a wait, from each lower rank that has a bit or a turn and is named. */
static void add_signals(struct graph *g, const struct ordo_e4 *e4, uint32_t at)
{
    const struct ordo_record *r = ordo_e4_record(e4, at);
    int32_t cluster = e4->tapes->shape.cluster, rank = ordo_e4_thread(e4, at)->rank;
    bool mask = r->op == ORDO_OP_AWAIT_CLEAR;
    int64_t bit = mask ? r->index * 32 : r->index * cluster, end = mask ? bit + 32 : bit + rank;

    for (; bit < end; bit++) {
        int64_t clear = e4->clear[bit], from, to;

        if (clear < 0 || (mask && !(r->value >> bit % 32 & 1)))
            continue;
        from = ordo_e4_release(e4, clear);
        to = ordo_e4_acquire(e4, at);
        add(g, e4, clear, at, true, from == clear && to == at);
        add(g, e4, from, to, false, from != clear || to != at);
    }
}

static bool collect(struct graph *g, const struct ordo_e4 *e4)
{
    uint32_t most = e4->n;

    for (uint32_t at = 0; at < e4->n; at++)
        if (ordo_e4_record(e4, at)->op == ORDO_OP_AWAIT_CLEAR || ordo_e4_record(e4, at)->op == ORDO_OP_AWAIT_GE)
            most += 2 * 32;
    g->edge = ordo_alloc_zero((uint64_t)most + 1, sizeof *g->edge);
    g->first = ordo_alloc_zero((uint64_t)e4->n + 2, sizeof *g->first);
    g->n_in = ordo_alloc_zero((uint64_t)e4->n + 1, sizeof *g->n_in);
    g->ready = ordo_alloc_zero((uint64_t)e4->n + 1, sizeof *g->ready);
    if (!g->edge || !g->first || !g->n_in || !g->ready)
        return false;
    for (uint32_t at = 0; at < e4->n; at++) {
        if (at + 1 < ordo_e4_end(e4, at))
            add(g, e4, at, at + 1, true, true);
        if (ordo_e4_record(e4, at)->op == ORDO_OP_AWAIT_CLEAR || ordo_e4_record(e4, at)->op == ORDO_OP_AWAIT_GE)
            add_signals(g, e4, at);
    }
    return true;
}

/* Edges by their source: a counting sort into `out`. */
static void sort_edges(struct graph *g, uint32_t n_node, struct edge *out)
{
    for (uint32_t i = 0; i < g->n_edge; i++) {
        g->first[g->edge[i].from + 1]++;
        g->n_in[g->edge[i].to]++;
    }
    for (uint32_t x = 0; x < n_node; x++)
        g->first[x + 1] += g->first[x];
    for (uint32_t i = 0; i < g->n_edge; i++)
        out[g->first[g->edge[i].from]++] = g->edge[i];
    for (uint32_t x = n_node; x > 0; x--)
        g->first[x] = g->first[x - 1];
    g->first[0] = 0;
}

static void inherit(struct ordo_e4 *e4, uint32_t from, uint32_t to)
{
    uint64_t *a = e4->before + (uint64_t)from * e4->words, *b = e4->before + (uint64_t)to * e4->words;

    for (uint32_t w = 0; w < e4->words; w++)
        b[w] |= a[w];
    b[from / 64] |= UINT64_C(1) << from % 64;
}

/* Returns how many nodes came to be done. */
static uint32_t close(struct graph *g, struct ordo_e4 *e4, const struct edge *edge)
{
    uint32_t n = 0;

    for (uint32_t x = 0; x < e4->n; x++)
        if (g->n_in[x] == 0)
            g->ready[n++] = x;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = g->first[g->ready[i]]; k < g->first[g->ready[i] + 1]; k++) {
            if (edge[k].orders)
                inherit(e4, edge[k].from, edge[k].to);
            if (--g->n_in[edge[k].to] == 0)
                g->ready[n++] = edge[k].to;
        }
    return n;
}

bool ordo_e4_graph(struct ordo_e4 *e4)
{
    struct graph g = {0};
    struct edge *sorted = NULL;
    bool ok = collect(&g, e4);

    if (ok)
        sorted = ordo_alloc_zero((uint64_t)g.n_edge + 1, sizeof *sorted);
    if (!ok || !sorted) {
        ok = ordo_e4_breaks(e4, ORDO_E4_NO_MEMORY, -1);
        goto out;
    }
    sort_edges(&g, e4->n, sorted);
    if (close(&g, e4, sorted) == e4->n)
        goto out;
    for (uint32_t at = 0; ok && at < e4->n; at++)
        if (g.n_in[e4->node[at]])
            ok = ordo_e4_breaks(e4, ORDO_E4_CYCLE, at);
out:
    free(sorted);
    free(g.edge);
    free(g.first);
    free(g.n_in);
    free(g.ready);
    return ok;
}
