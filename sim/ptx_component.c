/* ptx_component.c - strongly connected components, by Tarjan's algorithm with a stack of its own. */
#include "sim/ptx_live.h"

#include <stdlib.h>

struct walk {
    int32_t n_index, n_stack, n_path, n_component;
    int32_t *index, *low; /* by node; index 0: not met */
    int32_t *stack, *path, *next;
};

static void enter(struct walk *w, int32_t node)
{
    w->index[node] = w->low[node] = ++w->n_index;
    w->stack[w->n_stack++] = node;
    w->path[w->n_path++] = node;
}

static void leave(struct walk *w, int32_t *component)
{
    int32_t node = w->path[--w->n_path], other;

    if (w->n_path > 0 && w->low[node] < w->low[w->path[w->n_path - 1]])
        w->low[w->path[w->n_path - 1]] = w->low[node];
    if (w->low[node] != w->index[node])
        return;
    do {
        other = w->stack[--w->n_stack];
        component[other] = w->n_component;
    } while (other != node);
    w->n_component++;
}

static void follow(struct walk *w, int degree, const int32_t *edge, int32_t *component)
{
    while (w->n_path > 0) {
        int32_t node = w->path[w->n_path - 1], to;

        if (w->next[node] == degree) {
            leave(w, component);
            continue;
        }
        to = edge[(size_t)node * (size_t)degree + (size_t)w->next[node]++];
        if (to >= 0 && w->index[to] == 0)
            enter(w, to);
        else if (to >= 0 && component[to] < 0 && w->index[to] < w->low[node])
            w->low[node] = w->index[to];
    }
}

int32_t ordo_ptx_components(int32_t n, int degree, const int32_t *edge, int32_t *component)
{
    int32_t *space = calloc((size_t)n * 5, sizeof *space);
    struct walk w = {.index = space};

    if (!space)
        return -1;
    w.low = space + n;
    w.stack = w.low + n;
    w.path = w.stack + n;
    w.next = w.path + n;
    for (int32_t i = 0; i < n; i++)
        component[i] = -1;
    for (int32_t i = 0; i < n; i++)
        if (w.index[i] == 0) {
            enter(&w, i);
            follow(&w, degree, edge, component);
        }
    free(space);
    return w.n_component;
}
