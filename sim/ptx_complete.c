/* ptx_complete.c - what is left to choose when all reads have their writes: who meets at counted barriers, the order
 * of fence.sc operations, the coherence order of morally strong writes. */
#include "sim/ptx_impl.h"

/* A complete state with the choices made so far. */
struct choice {
    struct ordo_ptx_search *q;
    const struct ordo_ptx_skeleton *k;
    struct ordo_ptx_groups groups;
    struct ordo_rel meets, wait, fences;
};

static void choose_coherence(const struct choice *c, const struct ordo_ptx_derived *d)
{
    const struct ordo_ptx_skeleton *k = c->k;
    uint64_t writes = k->writes & ~k->start;

    if (!ordo_ptx_spend(c->q, k->n))
        return;
    if (ordo_ptx_coherent(k, d, false) != ORDO_PTX_AXIOM_NONE)
        return;
    while (writes) {
        int a = ordo_take(&writes);
        uint64_t open = writes & k->place.row[a] & k->strong.row[a] & ~d->co.row[a];

        while (open) {
            int b = ordo_take(&open);
            struct ordo_ptx_derived one;

            if (ordo_rel_has(&d->co, b, a))
                continue;
            one = *d;
            ordo_rel_order(k->n, &one.co, a, b);
            choose_coherence(c, &one);
            one.co = d->co;
            ordo_rel_order(k->n, &one.co, b, a);
            choose_coherence(c, &one);
            return;
        }
    }
    if (ordo_ptx_coherent(k, d, true) == ORDO_PTX_AXIOM_NONE)
        ordo_ptx_judge(c->q, k, d, &c->fences, &c->meets);
}

/* Every pair of morally strong fence.sc operations is ordered, without a circle. */
static void choose_fences(struct choice *c)
{
    const struct ordo_ptx_skeleton *k = c->k;
    struct ordo_ptx_derived d;
    struct ordo_rel extra = c->meets, before = c->fences;
    uint64_t set = k->sc;

    ordo_rel_union(k->n, &extra, &c->fences);
    ordo_ptx_derive(k, &extra, &d);
    if (ordo_ptx_forced(k, &d) != ORDO_PTX_AXIOM_NONE)
        return;
    while (set) {
        int a = ordo_take(&set);
        uint64_t open = set & k->strong.row[a];

        while (open) {
            int b = ordo_take(&open);

            if (ordo_rel_has(&before, a, b) || ordo_rel_has(&before, b, a))
                continue;
            c->fences.row[a] |= ordo_bit(b);
            choose_fences(c);
            c->fences = before;
            c->fences.row[b] |= ordo_bit(a);
            choose_fences(c);
            c->fences = before;
            return;
        }
    }
    if (ordo_ptx_fences_agree(k, &d, &c->fences) == ORDO_PTX_AXIOM_NONE)
        choose_coherence(c, &d);
}

/* Groups i and later: every set of as many arrivals as the barrier counts may be the first. */
static void choose_first(struct choice *c, int i, uint64_t first, uint64_t rest, int missing)
{
    struct ordo_rel meets = c->meets, wait = c->wait;

    if (i == c->groups.n) {
        struct ordo_rel time = c->k->s->base;

        ordo_rel_union(c->k->n, &time, &c->wait);
        if (ordo_rel_acyclic(c->k->n, &time))
            choose_fences(c);
        else
            c->q->tally->blocked++;
        return;
    }
    if (missing > 0) {
        while (rest) {
            int a = ordo_take(&rest);

            choose_first(c, i, first | ordo_bit(a), rest, missing - 1);
        }
        return;
    }
    ordo_ptx_meet(c->q->p, c->k->s, first, &c->meets, &c->wait);
    if (i + 1 < c->groups.n)
        choose_first(c, i + 1, 0, c->groups.member[i + 1], c->groups.count[i + 1]);
    else
        choose_first(c, i + 1, 0, 0, 0);
    c->meets = meets;
    c->wait = wait;
}

void ordo_ptx_complete(struct ordo_ptx_search *q, const struct ordo_ptx_skeleton *k)
{
    struct choice c = {.q = q, .k = k};

    if (!ordo_ptx_barriers_end(q->p, k->s, &c.groups)) {
        q->tally->blocked++;
        return;
    }
    ordo_ptx_meet_all(q->p, k->s, &c.wait);
    choose_first(&c, 0, 0, c.groups.n ? c.groups.member[0] : 0, c.groups.n ? c.groups.count[0] : 0);
}
