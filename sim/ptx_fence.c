/* ptx_fence.c - every order of fence.sc operations that the axioms leave: morally strong pairs, without a circle.
 *
 * Before a pair is tried both ways, every pair is ordered that can only go one way. */
#include "sim/ptx_impl.h"

/* What follows from the order of fences so far, which grows by what causality asks.  False: it breaks an axiom. */
static bool fences_hold(struct ordo_ptx_choice *c, struct ordo_ptx_derived *d)
{
    const struct ordo_ptx_skeleton *k = c->k;
    struct ordo_rel extra = c->meets;
    uint64_t set = k->sc;

    if (!ordo_ptx_spend(c->q, k->n, ORDO_PTX_DERIVES))
        return false;
    ordo_rel_union(k->n, &extra, &c->fences);
    ordo_ptx_derive(k, &extra, d);
    while (ordo_ptx_asks(k, ORDO_PTX_AXIOM_FENCE_SC) && set) {
        int a = ordo_take(&set);
        uint64_t after = d->causes_base.row[a] & k->sc & k->strong.row[a];

        c->fences.row[a] |= after;
        while (after)
            if (ordo_rel_has(&c->fences, ordo_take(&after), a))
                return false;
    }
    return ordo_ptx_forced(k, d) == ORDO_PTX_AXIOM_NONE;
}

/* A pair of morally strong fence.sc operations without an order, from (*a, *b) on.  False: there is none. */
static bool open_pair(const struct ordo_ptx_choice *c, int *a, int *b)
{
    for (; *a < c->k->n; ++*a, *b = *a + 1)
        for (; (c->k->sc & ordo_bit(*a)) && *b < c->k->n; ++*b)
            if ((c->k->sc & ordo_bit(*b)) && ordo_rel_has(&c->k->strong, *a, *b) &&
                !ordo_rel_has(&c->fences, *a, *b) && !ordo_rel_has(&c->fences, *b, *a))
                return true;
    return false;
}

/* Orders every open pair of which one order breaks an axiom the other way, until there is none.  False: both do. */
static bool settle_fences(struct ordo_ptx_choice *c)
{
    struct ordo_ptx_derived d;
    bool grows = true;

    while (grows) {
        grows = false;
        for (int a = 0, b = 1; open_pair(c, &a, &b); b++) {
            struct ordo_rel before = c->fences, forth;
            bool holds, back;

            c->fences.row[a] |= ordo_bit(b);
            holds = fences_hold(c, &d);
            forth = c->fences;
            c->fences = before;
            c->fences.row[b] |= ordo_bit(a);
            back = fences_hold(c, &d);
            if (!holds && !back)
                return false;
            if (holds)
                c->fences = back ? before : forth;
            grows |= holds != back;
        }
    }
    return true;
}

static void choose(struct ordo_ptx_choice *c)
{
    struct ordo_ptx_derived d;
    struct ordo_rel before = c->fences, held;
    int a = 0, b = 1;

    if (fences_hold(c, &d)) {
        held = c->fences;
        if (open_pair(c, &a, &b)) {
            c->fences.row[a] |= ordo_bit(b);
            choose(c);
            c->fences = held;
            c->fences.row[b] |= ordo_bit(a);
            choose(c);
        } else if (ordo_ptx_fences_agree(c->k, &d, &c->fences) == ORDO_PTX_AXIOM_NONE) {
            ordo_ptx_choose_coherence(c, &d);
        }
    }
    c->fences = before;
}

void ordo_ptx_choose_fences(struct ordo_ptx_choice *c)
{
    struct ordo_rel before = c->fences;

    if (settle_fences(c))
        choose(c);
    c->fences = before;
}
