/* ptx_aim.c - a search that only looks for an execution that decides, for programs with too many to count.
 *
 * Reads on which the condition depends are decided first, and what can no longer be an answer is left at once.  If
 * nothing is left, no execution decides; how many there are besides is not known then. */
#include "sim/ptx_impl.h"

/* The register of a term at the end of its thread; -1: the thread goes on, or the term is no register. */
static int node_of(const struct ordo_ptx_state *s, const struct ordo_ptx_term *t)
{
    if (t->kind != ORDO_PTX_TERM_REG || s->run[t->thread].end != ORDO_PTX_DONE)
        return -1;
    return s->run[t->thread].reg[t->reg];
}

uint64_t ordo_ptx_chain(const struct ordo_ptx_skeleton *k, int place)
{
    uint64_t set = 0, todo;

    for (int i = 0; i < k->n; i++)
        if ((k->writes & ordo_bit(i)) && k->s->event[i].place == place)
            set |= ordo_bit(i);
    for (todo = set & ~k->start; todo;) {
        int i = ordo_take(&todo);

        if (todo & ~k->strong.row[i])
            return 0;
    }
    return set;
}

struct part {
    const struct ordo_ptx_search *q;
    const struct ordo_ptx_skeleton *k;
    const struct ordo_ptx_derived *d;
};

/* The last write of a place, if it is known. */
static bool last_value(const struct part *part, int place, int64_t *out)
{
    uint64_t writes = ordo_ptx_chain(part->k, place), lasts = writes, todo = writes;

    while (todo) {
        int w = ordo_take(&todo);

        if (part->d->co.row[w] & writes)
            lasts &= ~ordo_bit(w);
    }
    return __builtin_popcountll(lasts) == 1 &&
           ordo_ptx_value(part->k->s, part->k->s->event[ordo_take(&lasts)].node, out);
}

static bool known(const void *from, const struct ordo_ptx_term *t, int64_t *out)
{
    const struct part *part = from;
    int node = node_of(part->k->s, t);

    if (t->kind == ORDO_PTX_TERM_LOC)
        return part->d && last_value(part, part->q->p->loc[t->loc].place, out);
    return node >= 0 && ordo_ptx_value(part->k->s, node, out);
}

bool ordo_ptx_may_decide(const struct ordo_ptx_search *q, const struct ordo_ptx_skeleton *k,
                         const struct ordo_ptx_derived *d)
{
    struct part part = {q, k, d};

    return ordo_ptx_final_may(&q->p->filter, true, known, &part) &&
           ordo_ptx_final_may(&q->p->final, q->p->quantifier != ORDO_PTX_FORALL, known, &part);
}

static uint64_t reads_of(const struct ordo_ptx_state *s, const struct ordo_ptx_final *f)
{
    uint64_t set = 0;

    for (int i = 0; i < f->n; i++) {
        int node = node_of(s, &f->term[i]);

        set |= node < 0 ? 0 : s->node[node].reads;
    }
    return set;
}

uint64_t ordo_ptx_aimed_at(const struct ordo_ptx_search *q, const struct ordo_ptx_state *s)
{
    uint64_t set = reads_of(s, &q->p->final) | reads_of(s, &q->p->filter), todo = set;

    while (todo) {
        int w = s->from[ordo_take(&todo)];
        uint64_t more = w < 0 ? 0 : s->node[s->event[w].node].reads & ~set;

        set |= more;
        todo |= more;
    }
    return set;
}
