/* ptx_limit.c - could anything go on for ever, if reads were bound by next to nothing?
 *
 * Each thread is a graph of its own: its place and registers, and what it last wrote where.  Its reads take any value
 * that another thread may ever write, or the last of its own.  An endless fair execution then has, for some threads
 * that stay and each place, one of three ends: it is written for ever, or never, or has a last write.  A strong read
 * that repeats for ever reads a value written for ever, or the last one; a weak read may read what it likes, and so
 * may any where the writes are not all in coherence order.  If no choice of threads and ends leaves every thread that
 * stays a circle, nothing can go on.
 *
 * Of Atomicity two things are kept.  Where only atomic operations write for ever, each takes the value of the one
 * before, so a value that is written for ever is taken for ever.  And the initial write, and the last one of a thread
 * that has ended, are followed by another, which takes their value if it is an atomic operation.  All else that is
 * left out (causality, in which order a place takes its values) would only forbid more.
 *
 * That a read takes its own thread's last write or another thread's holds where places have one address and proxy. */
#include "sim/ptx_limit.h"

#include <stdlib.h>
#include <string.h>

enum { WORK = 10000000 }; /* links looked at */

/* Whether some atomic operation may take the value that a link writes, or none has to. */
static bool goes_on(const struct ordo_ptx_limit *x, const struct ordo_ptx_access *a)
{
    uint16_t stores = (uint16_t)~x->chains;
    bool taken = false;

    for (int u = 0; u < x->m->p->n_thread; u++) {
        stores |= x->thread[u].stores;
        taken |= ordo_ptx_limit_holds(&x->thread[u].taken[a->place], a->written);
    }
    return taken || (stores >> a->place) & 1;
}

/* Whether a link may repeat for ever under the guess. */
static bool repeats(const struct ordo_ptx_limit *x, int t, const struct ordo_ptx_limit_link *link)
{
    const struct ordo_ptx_limit_node *from = &x->thread[t].node[link->from];
    int place = link->a.place;

    if (!x->thread[t].stays[link->from] || !x->thread[t].stays[link->to])
        return false;
    if (link->a.writes && (x->guess.place[place].kind != FOR_EVER || !goes_on(x, &link->a)))
        return false;
    if (!link->a.reads || link->weak || !((x->chains >> place) & 1))
        return true;
    if (x->guess.place[place].kind != FOR_EVER)
        return link->a.read == x->guess.place[place].last;
    for (int u = 0; u < x->m->p->n_thread; u++)
        if (u != t && ordo_ptx_limit_holds(&x->thread[u].endless[place], link->a.read))
            return true;
    return (from->wrote >> place) & 1 && from->own[place] == link->a.read;
}

/* One round: keeps the nodes between two links that may repeat.  False: nothing changed. */
static bool trim(struct ordo_ptx_limit *x, int t)
{
    struct ordo_ptx_limit_thread *th = &x->thread[t];
    struct ordo_ptx_limit_values endless[ORDO_PTX_LOCATIONS] = {{0}}, taken[ORDO_PTX_LOCATIONS] = {{0}};
    uint16_t stores = 0;
    bool in[ORDO_PTX_LIMIT_NODES] = {false}, out[ORDO_PTX_LIMIT_NODES] = {false}, changed = false;

    x->work -= th->n_link;
    for (int i = 0; i < th->n_link; i++) {
        const struct ordo_ptx_limit_link *link = &th->link[i];

        if (!repeats(x, t, link))
            continue;
        out[link->from] = in[link->to] = true;
        if (link->a.writes)
            (void)ordo_ptx_limit_add(&endless[link->a.place], link->a.written);
        if (link->a.writes && !(link->a.reads && ordo_ptx_limit_add(&taken[link->a.place], link->a.read)))
            stores |= (uint16_t)(1u << link->a.place);
    }
    for (int i = 0; i < th->n_node; i++) {
        bool stays = th->stays[i] && ((in[i] && out[i]) || th->node[i].l.pc == ORDO_PTX_ROUND);

        changed |= stays != th->stays[i];
        th->stays[i] = stays;
    }
    for (int i = 0; i < x->m->p->n_loc; i++) {
        changed |= endless[i].n != th->endless[i].n || taken[i].n != th->taken[i].n;
        th->endless[i] = endless[i];
        th->taken[i] = taken[i];
    }
    changed |= stores != th->stores;
    th->stores = stores;
    return changed;
}

/* Nodes in which thread t may be at last, before anything is trimmed. */
static void begin(struct ordo_ptx_limit *x, int t)
{
    struct ordo_ptx_limit_thread *th = &x->thread[t];
    bool stays = (x->guess.staying >> t) & 1;

    x->work -= th->n_node;
    th->stores = stays ? UINT16_MAX : 0;
    for (int i = 0; i < x->m->p->n_loc; i++)
        if (stays && x->guess.place[i].kind == FOR_EVER)
            th->endless[i] = th->written[i];
        else
            th->endless[i].n = 0;
    for (int i = 0; i < th->n_node; i++) {
        th->stays[i] = stays || th->node[i].l.pc == x->m->p->thread[t].n_op;
        for (int j = 0; j < x->m->p->n_loc; j++)
            if (x->guess.place[j].kind == NEVER && (th->node[i].wrote >> j) & 1)
                th->stays[i] = false;
    }
}

static bool has_node(const struct ordo_ptx_limit *x, int t, int place, int64_t last)
{
    for (int i = 0; i < x->thread[t].n_node; i++) {
        const struct ordo_ptx_limit_node *node = &x->thread[t].node[i];

        if (x->thread[t].stays[i] && (place < 0 || ((node->wrote >> place) & 1 && node->own[place] == last)))
            return true;
    }
    return false;
}

/* Whether some thread accounts for what the guess says of the place. */
static bool accounted(const struct ordo_ptx_limit *x, int place)
{
    bool found = !((x->m->observed >> place) & 1) || x->guess.place[place].kind == NEVER;

    for (int t = 0; t < x->m->p->n_thread; t++)
        found |= x->guess.place[place].kind == FOR_EVER ? x->thread[t].endless[place].n > 0
                                                        : has_node(x, t, place, x->guess.place[place].last);
    return found;
}

static void trace_back(struct ordo_ptx_limit *x, int t)
{
    struct ordo_ptx_limit_thread *th = &x->thread[t];
    bool grows = true;

    memcpy(th->leads, th->stays, sizeof th->leads);
    while (grows) {
        grows = false;
        for (int i = 0; i < th->n_link; i++)
            if (th->leads[th->link[i].to] && !th->leads[th->link[i].from])
                grows = th->leads[th->link[i].from] = true;
        x->work -= th->n_link;
    }
}

/* Whether thread u may write directly after a write of v to the place. */
static bool may_follow(const struct ordo_ptx_limit *x, int u, int place, int64_t v)
{
    const struct ordo_ptx_limit_thread *th = &x->thread[u];

    for (int i = 0; i < th->n_link; i++) {
        const struct ordo_ptx_access *a = &th->link[i].a;

        if (a->place == place && a->writes && th->leads[th->link[i].to] && (!a->reads || a->read == v))
            return true;
    }
    return false;
}

static bool is_followed(const struct ordo_ptx_limit *x, int t, int place, int64_t v)
{
    for (int u = 0; u < x->m->p->n_thread; u++)
        if (u != t && may_follow(x, u, place, v))
            return true;
    return x->guess.place[place].kind != FOR_EVER || !((x->chains >> place) & 1);
}

/* Whether the last writes of thread t at its end, to places that are written for ever, are each followed by one. */
static bool followed(const struct ordo_ptx_limit *x, int t, const struct ordo_ptx_limit_node *end)
{
    for (int i = 0; i < x->m->p->n_loc; i++)
        if ((end->wrote >> i) & 1 && !is_followed(x, t, i, end->own[i]))
            return false;
    return true;
}

static bool all_followed(struct ordo_ptx_limit *x)
{
    for (int t = 0; t < x->m->p->n_thread; t++)
        trace_back(x, t);
    for (int i = 0; i < x->m->p->n_loc; i++)
        if (!is_followed(x, -1, i, x->m->p->loc[i].start))
            return false;
    for (int t = 0; t < x->m->p->n_thread; t++) {
        bool found = (x->guess.staying >> t) & 1;

        for (int i = 0; i < x->thread[t].n_node; i++)
            found |= x->thread[t].stays[i] && followed(x, t, &x->thread[t].node[i]);
        if (!found)
            return false;
    }
    return true;
}

static bool possible(struct ordo_ptx_limit *x)
{
    bool changed = true;

    for (int t = 0; t < x->m->p->n_thread; t++)
        begin(x, t);
    while (changed) {
        changed = false;
        for (int t = 0; t < x->m->p->n_thread; t++)
            if ((x->guess.staying >> t) & 1)
                changed |= trim(x, t);
    }
    for (int t = 0; t < x->m->p->n_thread; t++)
        if (!has_node(x, t, -1, 0))
            return false;
    for (int i = 0; i < x->m->p->n_loc; i++)
        if (!accounted(x, i))
            return false;
    return all_followed(x);
}

/* Tries every end of the places from i on; true: some guess is possible, or the work is too much. */
static bool try_places(struct ordo_ptx_limit *x, int i)
{
    if (x->work < 0)
        return true;
    if (i == x->m->p->n_loc)
        return possible(x);
    x->guess.place[i].kind = NEVER;
    x->guess.place[i].last = x->m->p->loc[i].start;
    if (try_places(x, i + 1))
        return true;
    if (!((x->m->observed >> i) & 1))
        return false;
    x->guess.place[i].kind = FOR_EVER;
    if (try_places(x, i + 1))
        return true;
    x->guess.place[i].kind = LAST;
    for (int t = 0; t < x->m->p->n_thread; t++)
        for (int j = 0; j < x->thread[t].written[i].n; j++) {
            x->guess.place[i].last = x->thread[t].written[i].v[j];
            if (try_places(x, i + 1))
                return true;
        }
    return false;
}

static uint16_t chains(const struct ordo_ptx_machine *m)
{
    unsigned set = UINT16_MAX;

    for (int t = 0; t < m->p->n_thread; t++)
        for (int u = 0; u < t; u++)
            for (int i = 0; i < m->p->thread[t].n_op; i++)
                for (int j = 0; j < m->p->thread[u].n_op; j++) {
                    const struct ordo_ptx_op *a = &m->p->thread[t].op[i], *b = &m->p->thread[u].op[j];

                    if (a->loc >= 0 && a->loc == b->loc && a->kind != ORDO_PTX_LD && b->kind != ORDO_PTX_LD &&
                        !ordo_ptx_always_strong(m->p, a, t, b, u))
                        set &= ~(1u << a->loc);
                }
    return (uint16_t)set;
}

enum ordo_ptx_answer ordo_ptx_limit(const struct ordo_ptx_machine *m)
{
    struct ordo_ptx_limit *x = calloc(1, sizeof *x);
    enum ordo_ptx_answer answer = ORDO_PTX_UNKNOWN;

    if (!x)
        return ORDO_PTX_UNKNOWN;
    x->m = m;
    x->chains = chains(m);
    x->work = WORK;
    if (ordo_ptx_limit_explore(x)) {
        answer = ORDO_PTX_NO;
        for (unsigned set = 1; set < 1u << m->p->n_thread && answer == ORDO_PTX_NO; set++) {
            x->guess.staying = set;
            if (try_places(x, 0))
                answer = ORDO_PTX_UNKNOWN;
        }
    }
    free(x);
    return answer;
}
