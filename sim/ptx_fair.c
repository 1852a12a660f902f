/* ptx_fair.c - all runs of the threads one access at a time, as a graph of states, and a circle in it that is fair.
 *
 * A state is a row of numbers: for each thread its place in the program and its registers, then the observed places.
 * Edges 2 t and 2 t + 1 of a state are the access of thread t, the second with a stale value; a thread that goes
 * round by itself has an edge to the same state. */
#include "sim/ptx_live.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, MOST_WORDS = 1 << 23 }; /* states; numbers in all of them */

struct graph {
    const struct ordo_ptx_machine *m;
    int width, degree, memory; /* numbers of a state; edges of a state; where the places begin */
    int32_t n, most;
    int64_t *word;
    int32_t *edge, *slot; /* slot: states by hash, -1 empty, 2 * MOST of them */
};

static struct ordo_ptx_local local_of(const struct graph *g, const int64_t *state, int t)
{
    const int64_t *at = state;
    struct ordo_ptx_local l = {0};

    for (int i = 0; i < t; i++)
        at += 1 + g->m->p->thread[i].n_reg;
    l.pc = (int16_t)at[0];
    memcpy(l.reg, at + 1, (size_t)g->m->p->thread[t].n_reg * sizeof l.reg[0]);
    return l;
}

static void set_local(const struct graph *g, int64_t *state, int t, const struct ordo_ptx_local *l)
{
    int64_t *at = state;

    for (int i = 0; i < t; i++)
        at += 1 + g->m->p->thread[i].n_reg;
    at[0] = l->pc;
    memcpy(at + 1, l->reg, (size_t)g->m->p->thread[t].n_reg * sizeof l->reg[0]);
}

/* The number of the state, which is added when it is new; -1: too many. */
static int32_t find(struct graph *g, const int64_t *state)
{
    size_t size = (size_t)g->width * sizeof *state;
    uint64_t h = 0;

    for (int i = 0; i < g->width; i++) {
        h = (h ^ (uint64_t)state[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    for (h %= 2 * MOST; g->slot[h] >= 0; h = (h + 1) % (2 * MOST))
        if (memcmp(g->word + (size_t)g->slot[h] * (size_t)g->width, state, size) == 0)
            return g->slot[h];
    if (g->n == g->most)
        return -1;
    memcpy(g->word + (size_t)g->n * (size_t)g->width, state, size);
    g->slot[h] = g->n;
    return g->n++;
}

static bool start(struct graph *g)
{
    int64_t state[ORDO_PTX_THREADS * (1 + ORDO_PTX_REGS) + ORDO_PTX_LOCATIONS] = {0};

    for (int t = 0; t < g->m->p->n_thread; t++) {
        struct ordo_ptx_local l;

        if (!ordo_ptx_local_start(g->m, t, &l))
            return false;
        set_local(g, state, t, &l);
    }
    for (int i = 0; i < g->m->p->n_loc; i++)
        if ((g->m->observed >> i) & 1)
            state[g->memory + i] = g->m->p->loc[i].start;
    return find(g, state) == 0;
}

/* The value that the access of thread t reads or replaces; false: it has none that is stale. */
static bool old_value(const struct graph *g, const int64_t *state, int t, const struct ordo_ptx_op *op, bool stale,
                      int64_t *old)
{
    int place = g->m->p->loc[op->loc].place;

    *old = stale ? g->m->p->loc[place].start : state[g->memory + place];
    return !stale || (g->m->stale[t] >> place) & 1;
}

/* Where edge e leads from state i: -1 nowhere, -2 too far. */
static int32_t step(struct graph *g, int32_t i, int e)
{
    int64_t state[ORDO_PTX_THREADS * (1 + ORDO_PTX_REGS) + ORDO_PTX_LOCATIONS], old;
    int t = e / 2;
    struct ordo_ptx_local l;
    struct ordo_ptx_access a;
    const struct ordo_ptx_op *op;
    int32_t to;

    memcpy(state, g->word + (size_t)i * (size_t)g->width, (size_t)g->width * sizeof *state);
    l = local_of(g, state, t);
    op = ordo_ptx_stands_at(g->m, t, &l);
    if (!op)
        return l.pc == ORDO_PTX_ROUND ? i : -1;
    if (!old_value(g, state, t, op, e % 2, &old))
        return -1;
    if (!ordo_ptx_access(g->m, t, &l, old, &a))
        return -2;
    set_local(g, state, t, &l);
    if (a.writes)
        state[g->memory + a.place] = a.written;
    to = find(g, state);
    return to < 0 ? -2 : to;
}

static bool explore(struct graph *g)
{
    if (!start(g))
        return false;
    for (int32_t i = 0; i < g->n; i++)
        for (int e = 0; e < g->degree; e++) {
            int32_t to = step(g, i, e);

            if (to == -2)
                return false;
            g->edge[(size_t)i * (size_t)g->degree + (size_t)e] = to;
        }
    return true;
}

static bool has_ended(const struct graph *g, int32_t i, int t)
{
    return local_of(g, g->word + (size_t)i * (size_t)g->width, t).pc == g->m->p->thread[t].n_op;
}

/* Threads with a step inside the component of state i, from that state. */
static unsigned stays_inside(const struct graph *g, const int32_t *component, int32_t i)
{
    unsigned set = 0;

    for (int e = 0; e < g->degree; e++) {
        int32_t to = g->edge[(size_t)i * (size_t)g->degree + (size_t)e];

        if (to >= 0 && component[to] == component[i])
            set |= 1u << e / 2;
    }
    return set;
}

static void note(const struct graph *g, const int32_t *component, int32_t which, struct ordo_ptx_circle *circle)
{
    *circle = (struct ordo_ptx_circle){.found = true};
    for (int32_t i = 0; i < g->n; i++) {
        unsigned inside = component[i] == which ? stays_inside(g, component, i) : 0;

        for (int t = 0; t < g->m->p->n_thread; t++) {
            int16_t pc = local_of(g, g->word + (size_t)i * (size_t)g->width, t).pc;

            if ((inside >> t) & 1 && pc == ORDO_PTX_ROUND)
                circle->round[t] = true;
            else if ((inside >> t) & 1)
                circle->repeats[t] |= ordo_bit(pc);
        }
    }
}

/* A component in which every thread that has not ended takes a step. */
static enum ordo_ptx_answer fair(const struct graph *g, const int32_t *component, int32_t n,
                                 struct ordo_ptx_circle *circle)
{
    unsigned *steps = calloc((size_t)n, sizeof *steps);
    enum ordo_ptx_answer answer = ORDO_PTX_NO;

    if (!steps)
        return ORDO_PTX_UNKNOWN;
    for (int32_t i = 0; i < g->n; i++)
        steps[component[i]] |= stays_inside(g, component, i);
    for (int32_t i = 0; i < g->n && answer == ORDO_PTX_NO; i++) {
        unsigned inside = steps[component[i]];
        bool all = inside != 0;

        for (int t = 0; t < g->m->p->n_thread; t++)
            all &= (inside >> t) & 1 || has_ended(g, i, t);
        if (all) {
            answer = ORDO_PTX_YES;
            note(g, component, component[i], circle);
        }
    }
    free(steps);
    return answer;
}

static enum ordo_ptx_answer answer(struct graph *g, struct ordo_ptx_circle *circle)
{
    int32_t *component, n;
    enum ordo_ptx_answer found = ORDO_PTX_UNKNOWN;

    if (!explore(g))
        return ORDO_PTX_UNKNOWN;
    component = malloc((size_t)g->n * sizeof *component);
    n = component ? ordo_ptx_components(g->n, g->degree, g->edge, component) : -1;
    if (n >= 0)
        found = fair(g, component, n, circle);
    free(component);
    return found;
}

enum ordo_ptx_answer ordo_ptx_fair_circle(const struct ordo_ptx_machine *m, struct ordo_ptx_circle *circle)
{
    struct graph g = {.m = m, .degree = 2 * m->p->n_thread};
    enum ordo_ptx_answer found = ORDO_PTX_UNKNOWN;

    for (int t = 0; t < m->p->n_thread; t++)
        g.memory += 1 + m->p->thread[t].n_reg;
    g.width = g.memory + m->p->n_loc;
    g.most = MOST_WORDS / g.width < MOST ? MOST_WORDS / g.width : MOST;
    g.word = malloc((size_t)g.most * (size_t)g.width * sizeof *g.word);
    g.edge = malloc((size_t)g.most * (size_t)g.degree * sizeof *g.edge);
    g.slot = malloc(2 * (size_t)MOST * sizeof *g.slot);
    if (g.word && g.edge && g.slot) {
        memset(g.slot, 0xff, 2 * (size_t)MOST * sizeof *g.slot);
        found = answer(&g, circle);
    }
    free(g.word);
    free(g.edge);
    free(g.slot);
    return found;
}
