/* ptx_derive.c - observation, synchronisation and causality of an execution, or of the part of it that is decided.
 *
 * Everything here only grows when more is decided, so an axiom that fails on a part fails on the whole. */
#include "sim/ptx_impl.h"

/* A write is observed by a morally strong read of it, and through atomic operations that read and write on. */
static void observe(const struct ordo_ptx_skeleton *k, struct ordo_ptx_derived *d)
{
    uint64_t reads = k->reads;
    bool grows = true;

    while (reads) {
        int r = ordo_take(&reads), w = k->s->from[r];

        if (w >= 0) {
            d->rf.row[w] |= ordo_bit(r);
            if (ordo_rel_has(&k->strong, w, r))
                d->observed.row[w] |= ordo_bit(r);
        }
    }
    for (int turn = 0; grows && turn < k->n; turn++) {
        struct ordo_rel atomic, next;

        ordo_rel_compose(k->n, &d->observed, &k->rmw, &atomic);
        ordo_rel_compose(k->n, &atomic, &d->observed, &next);
        grows = false;
        for (int i = 0; i < k->n; i++) {
            grows |= (next.row[i] & ~d->observed.row[i]) != 0;
            d->observed.row[i] |= next.row[i];
        }
    }
}

/* The first operation of a release pattern synchronises with the last of an acquire pattern that observes it. */
static void synchronise(const struct ordo_ptx_skeleton *k, struct ordo_ptx_derived *d)
{
    uint64_t writes = k->writes;

    while (writes) {
        int w = ordo_take(&writes);
        uint64_t reads = d->observed.row[w], lasts = 0, firsts = k->releases[w];

        while (reads)
            lasts |= k->acquires[ordo_take(&reads)];
        while (firsts) {
            int f = ordo_take(&firsts);

            d->sync.row[f] |= lasts & k->strong.row[f];
        }
    }
}

/* Through which events the order of memory operation a is carried: itself if generic, proxy fences of its proxy in
 * its CTA. */
static uint64_t carriers(const struct ordo_ptx_skeleton *k, int a)
{
    return (k->generic & ordo_bit(a)) | (k->close.row[a] & ~k->memory);
}

/* Whether some x of one set precedes some y of the other in base causality. */
static bool linked(const struct ordo_ptx_derived *d, uint64_t xs, uint64_t ys)
{
    while (xs)
        if (d->causes_base.row[ordo_take(&xs)] & ys)
            return true;
    return false;
}

/* As linked, with an alias fence between. */
static bool linked_by_alias(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d, uint64_t xs,
                            uint64_t ys)
{
    uint64_t fences = k->alias;

    while (fences) {
        int f = ordo_take(&fences);

        if (linked(d, xs, ordo_bit(f)) && (d->causes_base.row[f] & ys))
            return true;
    }
    return false;
}

/* Events of the set that precede b in base causality. */
static uint64_t preceding(const struct ordo_ptx_derived *d, uint64_t set, int b)
{
    uint64_t out = 0;

    while (set) {
        int i = ordo_take(&set);

        if (ordo_rel_has(&d->causes_base, i, b))
            out |= ordo_bit(i);
    }
    return out;
}

/* Proxy-preserved base causality: between generic operations at one address; within one proxy and CTA; or where
 * proxy fences of the operations' own proxies and CTAs (and alias fences between two addresses) stand on the way. */
static bool preserved(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d, int a, int b)
{
    uint64_t left = carriers(k, a), right = carriers(k, b);

    if (ordo_rel_has(&k->address, a, b) && ordo_rel_has(&k->close, a, b))
        return true;
    left &= ordo_bit(a) | d->causes_base.row[a];
    right = (right & ordo_bit(b)) | preceding(d, right & ~ordo_bit(b), b);
    if (ordo_rel_has(&k->address, a, b) && linked(d, left, right))
        return true;
    return linked_by_alias(k, d, left, right);
}

static void preserve(const struct ordo_ptx_skeleton *k, struct ordo_ptx_derived *d)
{
    for (int a = 0; a < k->n; a++) {
        uint64_t after = d->causes_base.row[a] & k->place.row[a];

        if (k->generic & ordo_bit(a)) {
            d->preserved.row[a] = after & k->address.row[a] & k->generic;
            after &= ~d->preserved.row[a];
        }
        while (after) {
            int b = ordo_take(&after);

            if (preserved(k, d, a, b))
                d->preserved.row[a] |= ordo_bit(b);
        }
        if (k->start & ordo_bit(a))
            d->preserved.row[a] |= k->place.row[a];
    }
}

void ordo_ptx_derive(const struct ordo_ptx_skeleton *k, const struct ordo_rel *extra, struct ordo_ptx_derived *d)
{
    *d = (struct ordo_ptx_derived){0};
    observe(k, d);
    synchronise(k, d);
    d->causes_base = k->base;
    ordo_rel_union(k->n, &d->causes_base, &d->sync);
    if (extra)
        ordo_rel_union(k->n, &d->causes_base, extra);
    ordo_rel_close(k->n, &d->causes_base);
    preserve(k, d);
    ordo_rel_compose(k->n, &d->observed, &d->preserved, &d->cause);
    ordo_rel_union(k->n, &d->cause, &d->preserved);
}
