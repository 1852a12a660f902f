/* ptx_skeleton.c - what the events say alone: moral strength, patterns, addresses, the order that barriers give. */
#include "sim/ptx_impl.h"

static bool is_memory(const struct ordo_ptx_event *e)
{
    return e->kind == ORDO_PTX_READ || e->kind == ORDO_PTX_WRITE;
}

/* Related in program order, or strong with scopes that include each other; by the same proxy; and of two memory
 * operations, complete overlap at one address. */
static bool morally_strong(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s, int i, int j)
{
    const struct ordo_ptx_event *a = &s->event[i], *b = &s->event[j];

    if (i == j || a->thread < 0 || b->thread < 0 || a->kind > ORDO_PTX_BARRIER_FENCE ||
        b->kind > ORDO_PTX_BARRIER_FENCE || a->proxy != b->proxy)
        return false;
    if (is_memory(a) && is_memory(b) && (a->place != b->place || a->address != b->address))
        return false;
    if (ordo_rel_has(&s->po, i, j) || ordo_rel_has(&s->po, j, i))
        return true;
    return a->strong && b->strong && ordo_ptx_includes(p, a->scope, a->thread, b->thread) &&
           ordo_ptx_includes(p, b->scope, b->thread, a->thread);
}

static bool same_cta(const struct ordo_ptx_program *p, const struct ordo_ptx_event *a,
                     const struct ordo_ptx_event *b)
{
    return a->thread >= 0 && b->thread >= 0 && ordo_ptx_includes(p, ORDO_PTX_CTA, a->thread, b->thread);
}

static bool serves(const struct ordo_ptx_event *fence, const struct ordo_ptx_event *a)
{
    return fence->kind == ORDO_PTX_PROXY && (fence->places >> a->place) & 1;
}

static void classify(struct ordo_ptx_skeleton *k)
{
    for (int i = 0; i < k->n; i++) {
        const struct ordo_ptx_event *e = &k->s->event[i];
        uint64_t bit = ordo_bit(i);

        k->reads |= e->kind == ORDO_PTX_READ ? bit : 0;
        k->writes |= e->kind == ORDO_PTX_WRITE ? bit : 0;
        k->start |= e->thread < 0 ? bit : 0;
        k->sc |= e->kind == ORDO_PTX_BARRIER_FENCE && e->sem == ORDO_PTX_SC ? bit : 0;
        k->alias |= e->kind == ORDO_PTX_PROXY && e->proxy == ORDO_PTX_ALIAS ? bit : 0;
        k->generic |= is_memory(e) && e->proxy == ORDO_PTX_GENERIC ? bit : 0;
        if (e->kind == ORDO_PTX_READ && e->partner >= 0)
            k->rmw.row[i] = ordo_bit(e->partner);
    }
    k->memory = k->reads | k->writes;
}

static void relate(const struct ordo_ptx_program *p, struct ordo_ptx_skeleton *k, int i, int j)
{
    const struct ordo_ptx_event *a = &k->s->event[i], *b = &k->s->event[j];
    uint64_t bit = ordo_bit(j);

    if (i == j)
        return;
    if (is_memory(a) && is_memory(b) && a->place == b->place) {
        k->place.row[i] |= bit;
        if (a->address == b->address)
            k->address.row[i] |= bit;
    }
    if (is_memory(a) && (is_memory(b) || serves(b, a)) && a->proxy == b->proxy && same_cta(p, a, b))
        k->close.row[i] |= bit;
    if (morally_strong(p, k->s, i, j))
        k->strong.row[i] |= bit;
    /* A counted barrier waits for its count only: ptx_barrier.c decides who meets. */
    if (a->kind == ORDO_PTX_ARRIVE && b->kind == ORDO_PTX_WAIT && a->thread != b->thread && a->releases &&
        !b->counted && ordo_ptx_same_barrier(p, a, b))
        k->base.row[i] |= bit;
}

/* A release pattern on w: w itself if it releases, an earlier release of the same location, an earlier fence. */
static void release_patterns(struct ordo_ptx_skeleton *k, int w)
{
    const struct ordo_ptx_event *e = &k->s->event[w];

    if (!e->strong || e->thread < 0)
        return;
    if (e->sem == ORDO_PTX_RELEASE)
        k->releases[w] |= ordo_bit(w);
    for (int i = 0; i < k->n; i++) {
        const struct ordo_ptx_event *f = &k->s->event[i];

        if (!ordo_rel_has(&k->s->po, i, w))
            continue;
        if (f->kind == ORDO_PTX_BARRIER_FENCE && f->sem != ORDO_PTX_ACQUIRE)
            k->releases[w] |= ordo_bit(i);
        if (f->kind == ORDO_PTX_WRITE && f->sem == ORDO_PTX_RELEASE && ordo_rel_has(&k->address, i, w))
            k->releases[w] |= ordo_bit(i);
    }
}

/* An acquire pattern from r: r itself if it acquires, a later acquire of the same location, a later fence; never
 * from the read of a reduction. */
static void acquire_patterns(struct ordo_ptx_skeleton *k, int r)
{
    const struct ordo_ptx_event *e = &k->s->event[r];

    if (!e->strong || !e->acquires)
        return;
    if (e->sem == ORDO_PTX_ACQUIRE)
        k->acquires[r] |= ordo_bit(r);
    for (int i = 0; i < k->n; i++) {
        const struct ordo_ptx_event *l = &k->s->event[i];

        if (!ordo_rel_has(&k->s->po, r, i))
            continue;
        if (l->kind == ORDO_PTX_BARRIER_FENCE && l->sem != ORDO_PTX_RELEASE)
            k->acquires[r] |= ordo_bit(i);
        if (l->kind == ORDO_PTX_READ && l->sem == ORDO_PTX_ACQUIRE && ordo_rel_has(&k->address, r, i))
            k->acquires[r] |= ordo_bit(i);
    }
}

void ordo_ptx_skeleton(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s,
                       struct ordo_ptx_skeleton *k)
{
    *k = (struct ordo_ptx_skeleton){.s = s, .n = s->n, .base = s->base};
    classify(k);
    for (int i = 0; i < k->n; i++)
        for (int j = 0; j < k->n; j++)
            relate(p, k, i, j);
    for (int i = 0; i < k->n; i++) {
        if (s->event[i].kind == ORDO_PTX_WRITE)
            release_patterns(k, i);
        if (s->event[i].kind == ORDO_PTX_READ)
            acquire_patterns(k, i);
    }
}
