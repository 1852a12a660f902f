/* ptx_coherence.c - the coherence order of morally strong writes: what the axioms ask of it, then what they leave.
 *
 * Every pair of morally strong writes will be ordered.  Where one of the two orders would break an axiom, the other
 * is taken at once: no execution is lost, and what cannot be completed is left long before all pairs are chosen. */
#include "sim/ptx_impl.h"

/* Puts a before b.  False: b is before a. */
static bool put(const struct ordo_ptx_skeleton *k, struct ordo_rel *co, int a, int b, bool *grows)
{
    if (ordo_rel_has(co, a, b))
        return true;
    if (ordo_rel_has(co, b, a))
        return false;
    ordo_rel_order(k->n, co, a, b);
    *grows = true;
    return true;
}

/* Causality: a write that precedes the read r comes before the write w that r reads. */
static bool before_read(const struct ordo_ptx_skeleton *k, struct ordo_ptx_derived *d, int r, int w, bool *grows)
{
    uint64_t others = k->place.row[r] & k->writes & k->strong.row[w] & ~d->co.row[w];

    while (others) {
        int b = ordo_take(&others);

        if (!ordo_rel_has(&d->co, b, w) && ordo_rel_has(&d->cause, b, r) && !put(k, &d->co, b, w, grows))
            return false;
    }
    return true;
}

/* Atomicity: a write comes before what the operation (r, w) reads, or after w. */
static bool around_atomic(const struct ordo_ptx_skeleton *k, struct ordo_ptx_derived *d, int r, int w, bool *grows)
{
    int from = k->s->from[r];
    uint64_t others = k->writes & k->strong.row[r] & k->strong.row[w] & ~ordo_bit(w);

    while (others) {
        int b = ordo_take(&others);

        if (ordo_rel_has(&d->co, from, b) && !put(k, &d->co, w, b, grows))
            return false;
        if (b != from && ordo_rel_has(&d->co, b, w) && ordo_rel_has(&k->strong, b, from) &&
            !put(k, &d->co, b, from, grows))
            return false;
    }
    return true;
}

bool ordo_ptx_saturate(const struct ordo_ptx_skeleton *k, struct ordo_ptx_derived *d)
{
    bool grows = true, causality = ordo_ptx_asks(k, ORDO_PTX_AXIOM_CAUSALITY);
    bool atomicity = ordo_ptx_asks(k, ORDO_PTX_AXIOM_ATOMICITY);

    while (grows) {
        uint64_t reads = k->reads;

        grows = false;
        while (reads) {
            int r = ordo_take(&reads), from = k->s->from[r], w = k->s->event[r].partner;

            if (from < 0)
                continue;
            if (causality && !before_read(k, d, r, from, &grows))
                return false;
            if (atomicity && w >= 0 && !around_atomic(k, d, r, w, &grows))
                return false;
        }
    }
    return true;
}

static void choose_coherence(const struct ordo_ptx_choice *c, const struct ordo_ptx_derived *d)
{
    const struct ordo_ptx_skeleton *k = c->k;
    uint64_t writes = k->writes & ~k->start;

    if (!ordo_ptx_spend(c->q, k->n, ORDO_PTX_CHOOSES))
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
            if (ordo_ptx_saturate(k, &one))
                choose_coherence(c, &one);
            one.co = d->co;
            ordo_rel_order(k->n, &one.co, b, a);
            if (ordo_ptx_saturate(k, &one))
                choose_coherence(c, &one);
            return;
        }
    }
    if (ordo_ptx_coherent(k, d, true) == ORDO_PTX_AXIOM_NONE)
        ordo_ptx_judge(c->q, k, d, &c->fences, &c->meets);
}

/* Chooses the last write of location i and later ones where the condition asks for it, before all other pairs; only
 * where all writes of the place will be ordered. */
static void choose_last(struct ordo_ptx_choice *c, const struct ordo_ptx_derived *d, int i)
{
    const struct ordo_ptx_skeleton *k = c->k;
    uint64_t writes = 0, lasts;

    if (i == c->q->p->n_loc) {
        if (!c->q->aims || ordo_ptx_may_decide(c->q, k, d))
            choose_coherence(c, d);
        return;
    }
    if ((c->q->facts.shown >> i) & 1)
        writes = ordo_ptx_chain(k, i);
    lasts = writes;
    if (!writes)
        choose_last(c, d, i + 1);
    while (lasts) {
        int last = ordo_take(&lasts);
        uint64_t others = writes & ~ordo_bit(last) & ~k->start;
        struct ordo_ptx_derived one = *d;
        bool possible = (d->co.row[last] & writes) == 0;

        while (possible && others) {
            int b = ordo_take(&others);

            possible = !ordo_rel_has(&one.co, last, b);
            if (possible && !ordo_rel_has(&one.co, b, last))
                ordo_rel_order(k->n, &one.co, b, last);
        }
        if (possible && ordo_ptx_spend(c->q, k->n, ORDO_PTX_DERIVES) && ordo_ptx_saturate(k, &one))
            choose_last(c, &one, i + 1);
    }
}

void ordo_ptx_choose_coherence(struct ordo_ptx_choice *c, const struct ordo_ptx_derived *d)
{
    choose_last(c, d, c->q->aims ? 0 : c->q->p->n_loc);
}
