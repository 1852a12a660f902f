/* ptx_limit_graph.c - the graphs of ptx_limit.h, all threads together: a value that one writes another may read. */
#include "sim/ptx_limit.h"

#include <string.h>

bool ordo_ptx_limit_holds(const struct ordo_ptx_limit_values *s, int64_t v)
{
    for (int i = 0; i < s->n; i++)
        if (s->v[i] == v)
            return true;
    return false;
}

bool ordo_ptx_limit_add(struct ordo_ptx_limit_values *s, int64_t v)
{
    if (ordo_ptx_limit_holds(s, v))
        return true;
    if (s->n == ORDO_PTX_LIMIT_VALUES)
        return false;
    s->v[s->n++] = v;
    return true;
}

/* The number of a node, added when it is new; -1: no room. */
static int32_t find(struct ordo_ptx_limit_thread *th, const struct ordo_ptx_limit_node *node)
{
    for (int i = 0; i < th->n_node; i++) {
        const struct ordo_ptx_limit_node *o = &th->node[i];

        if (o->l.pc == node->l.pc && o->wrote == node->wrote && memcmp(o->own, node->own, sizeof o->own) == 0 &&
            memcmp(o->l.reg, node->l.reg, sizeof o->l.reg) == 0)
            return i;
    }
    if (th->n_node == ORDO_PTX_LIMIT_NODES)
        return -1;
    th->node[th->n_node] = *node;
    return th->n_node++;
}

/* The link that reads `old`. */
static bool take(struct ordo_ptx_limit *x, int t, int32_t from, int64_t old)
{
    struct ordo_ptx_limit_thread *th = &x->thread[t];
    struct ordo_ptx_limit_node next = th->node[from];
    struct ordo_ptx_limit_link *link = &th->link[th->n_link];

    if (th->n_link == ORDO_PTX_LIMIT_LINKS)
        return false;
    link->from = from;
    link->weak = ordo_ptx_stands_at(x->m, t, &next.l)->sem == ORDO_PTX_WEAK;
    if (!ordo_ptx_access(x->m, t, &next.l, old, &link->a))
        return false;
    if (link->a.writes) {
        next.wrote |= (uint16_t)(1u << link->a.place);
        next.own[link->a.place] = link->a.written;
        if (!ordo_ptx_limit_add(&th->written[link->a.place], link->a.written))
            return false;
    }
    link->to = find(th, &next);
    th->n_link++;
    return link->to >= 0;
}

static bool leave(struct ordo_ptx_limit *x, int t, int32_t from)
{
    const struct ordo_ptx_limit_node node = x->thread[t].node[from];
    const struct ordo_ptx_op *op = ordo_ptx_stands_at(x->m, t, &node.l);
    struct ordo_ptx_limit_values old = {0};
    int place;

    if (!op)
        return true;
    place = x->m->p->loc[op->loc].place;
    (void)ordo_ptx_limit_add(&old, (node.wrote >> place) & 1 ? node.own[place] : x->m->p->loc[place].start);
    for (int u = 0; op->kind != ORDO_PTX_ST && u < x->m->p->n_thread; u++)
        for (int i = 0; u != t && i < x->thread[u].written[place].n; i++)
            if (!ordo_ptx_limit_add(&old, x->thread[u].written[place].v[i]))
                return false;
    for (int i = 0; i < old.n; i++)
        if (!take(x, t, from, old.v[i]))
            return false;
    return true;
}

static bool explore_thread(struct ordo_ptx_limit *x, int t)
{
    struct ordo_ptx_limit_thread *th = &x->thread[t];
    struct ordo_ptx_limit_node start = {0};

    th->n_node = th->n_link = 0;
    if (!ordo_ptx_local_start(x->m, t, &start.l) || find(th, &start) < 0)
        return false;
    for (int i = 0; i < th->n_node; i++)
        if (!leave(x, t, i))
            return false;
    return true;
}

static int count_values(const struct ordo_ptx_limit *x)
{
    int n = 0;

    for (int t = 0; t < x->m->p->n_thread; t++)
        for (int i = 0; i < x->m->p->n_loc; i++)
            n += x->thread[t].written[i].n;
    return n;
}

bool ordo_ptx_limit_explore(struct ordo_ptx_limit *x)
{
    int before;

    do {
        before = count_values(x);
        for (int t = 0; t < x->m->p->n_thread; t++)
            if (!explore_thread(x, t))
                return false;
    } while (count_values(x) != before);
    return true;
}
