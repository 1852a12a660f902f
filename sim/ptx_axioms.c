/* ptx_axioms.c - the six axioms of the model, each by its name, and data races. */
#include "sim/ptx_impl.h"

/* No Thin Air: what reads and needs each other in a circle would justify itself. */
bool ordo_ptx_thin_air(const struct ordo_ptx_skeleton *k)
{
    struct ordo_rel r = {0};
    uint64_t reads = k->reads, writes = k->writes;

    while (reads) {
        int i = ordo_take(&reads);

        if (k->s->from[i] >= 0)
            r.row[k->s->from[i]] |= ordo_bit(i);
    }
    while (writes) {
        int w = ordo_take(&writes);
        uint64_t needs = k->s->event[w].needs;

        while (needs)
            r.row[ordo_take(&needs)] |= ordo_bit(w);
    }
    return !ordo_rel_acyclic(k->n, &r);
}

/* Atomicity: nothing morally strong to both halves of an atomic operation comes between them. */
static bool atomicity(const struct ordo_ptx_skeleton *k, const struct ordo_rel *co)
{
    uint64_t reads = k->reads;

    while (reads) {
        int r = ordo_take(&reads), w = k->s->event[r].partner, from = k->s->from[r];
        uint64_t between;

        if (w < 0 || from < 0)
            continue;
        between = co->row[from] & k->strong.row[r] & k->strong.row[w] & ~ordo_bit(w);
        while (between)
            if (ordo_rel_has(co, ordo_take(&between), w))
                return false;
    }
    return true;
}

/* Causality: no operation reads from what it precedes, nor misses a write that precedes it. */
static bool causality(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d)
{
    uint64_t reads = k->reads;

    while (reads) {
        int r = ordo_take(&reads), w = k->s->from[r];
        uint64_t missed;

        if (w < 0)
            continue;
        if (ordo_rel_has(&d->cause, r, w))
            return false;
        missed = d->co.row[w];
        while (missed)
            if (ordo_rel_has(&d->cause, ordo_take(&missed), r))
                return false;
    }
    return true;
}

/* SC per Location: communication between morally strong operations does not contradict program order. */
static bool location(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d)
{
    struct ordo_rel r = {0};

    for (int i = 0; i < k->n; i++) {
        uint64_t com = d->rf.row[i] | d->co.row[i];

        if ((k->reads & ordo_bit(i)) && k->s->from[i] >= 0)
            com |= d->co.row[k->s->from[i]];
        com |= k->s->po.row[i];
        r.row[i] = com & k->strong.row[i] & k->place.row[i];
    }
    return ordo_rel_acyclic(k->n, &r);
}

/* Coherence: writes in causality order are in coherence order. */
static bool coherence(const struct ordo_ptx_skeleton *k, struct ordo_ptx_derived *d)
{
    uint64_t writes = k->writes;

    while (writes) {
        int w = ordo_take(&writes);

        if (ordo_ptx_asks(k, ORDO_PTX_AXIOM_COHERENCE) || (k->start & ordo_bit(w)))
            d->co.row[w] = d->cause.row[w] & k->writes;
        d->co.row[w] |= k->turn.row[w];
    }
    ordo_rel_close(k->n, &d->co);
    return ordo_rel_irreflexive(k->n, &d->co);
}

enum ordo_ptx_axiom ordo_ptx_coherent(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d,
                                      bool complete)
{
    if (ordo_ptx_asks(k, ORDO_PTX_AXIOM_CAUSALITY) && !causality(k, d))
        return ORDO_PTX_AXIOM_CAUSALITY;
    if (ordo_ptx_asks(k, ORDO_PTX_AXIOM_ATOMICITY) && !atomicity(k, &d->co))
        return ORDO_PTX_AXIOM_ATOMICITY;
    if (complete && ordo_ptx_asks(k, ORDO_PTX_AXIOM_LOCATION) && !location(k, d))
        return ORDO_PTX_AXIOM_LOCATION;
    return ORDO_PTX_AXIOM_NONE;
}

enum ordo_ptx_axiom ordo_ptx_forced(const struct ordo_ptx_skeleton *k, struct ordo_ptx_derived *d)
{
    if (!coherence(k, d) || !ordo_ptx_saturate(k, d))
        return ORDO_PTX_AXIOM_COHERENCE;
    return ordo_ptx_coherent(k, d, false);
}

/* Fence-SC: the order of morally strong fence.sc operations agrees with causality. */
enum ordo_ptx_axiom ordo_ptx_fences_agree(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d,
                                          const struct ordo_rel *fences)
{
    uint64_t set = ordo_ptx_asks(k, ORDO_PTX_AXIOM_FENCE_SC) ? k->sc : 0;

    while (set) {
        int f = ordo_take(&set);

        if (d->causes_base.row[f] & k->sc & k->strong.row[f] & ~fences->row[f])
            return ORDO_PTX_AXIOM_FENCE_SC;
    }
    return ORDO_PTX_AXIOM_NONE;
}

bool ordo_ptx_races(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d, int *a, int *b)
{
    uint64_t memory = k->memory & ~k->start;

    while (memory) {
        int i = ordo_take(&memory);
        uint64_t other = k->place.row[i] & memory & ~k->strong.row[i] & ~d->cause.row[i];

        if (k->reads & ordo_bit(i))
            other &= ~k->reads;
        while (other) {
            int j = ordo_take(&other);

            if (ordo_rel_has(&d->cause, j, i) || k->s->event[i].partner == j)
                continue;
            *a = i;
            *b = j;
            return true;
        }
    }
    return false;
}
