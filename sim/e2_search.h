/* e2_search.h - a search's state, and what one state of the program has for successors.  Inlined by width.
 *
 * New states wait in a short ring between the fetch of their slot and its look-up, so that the memory's latency is
 * hidden. */
#ifndef ORDO_SIM_E2_SEARCH_H
#define ORDO_SIM_E2_SEARCH_H

#include "sim/e2_step.h"
#include "sim/e2_table.h"

#include <stdlib.h>
#include <string.h>

enum { ORDO_E2_RING = 32 };

struct ordo_e2_level {
    uint64_t *s;
    uint64_t n, room;
};

struct ordo_e2_search {
    const struct ordo_e2 *e2;
    struct ordo_e2_table table;
    struct ordo_e2_level *level; /* [depth]; earlier ones empty unless kept */
    uint32_t depth, level_room;
    bool keep, lacks_memory, over;
    uint64_t edges, ring[ORDO_E2_RING][ORDO_E2_WORDS], ring_hash[ORDO_E2_RING];
    uint32_t head, tail; /* of the ring */
    enum ordo_e2_bad bad;
    uint64_t harm[ORDO_E2_WORDS]; /* the state it was done to */
    struct ordo_e2_move move;     /* choice -1: the state itself is the harm */
    const uint64_t *target;       /* telling a schedule: the state whose predecessor is wanted */
    bool met;
};

/* --- states met ------------------------------------------------------------------------------------------------- */

static inline bool ordo_e2_keep_state(struct ordo_e2_level *l, int w, const uint64_t *s)
{
    if (l->n == l->room) {
        uint64_t room = l->room ? 2 * l->room : 256;
        uint64_t *more = realloc(l->s, room * (uint64_t)w * 8);

        if (!more)
            return false;
        l->s = more;
        l->room = room;
    }
    memcpy(&l->s[l->n++ * (uint64_t)w], s, (size_t)w * 8);
    return true;
}

ORDO_E2_INLINE void ordo_e2_look_up(struct ordo_e2_search *x, int w, bool plain, uint32_t i)
{
    const uint64_t *s = x->ring[i % ORDO_E2_RING];
    uint64_t key[2] = {0, 0};
    bool fresh;

    if (!plain && x->e2->o.hunt) {
        key[0] = x->ring_hash[i % ORDO_E2_RING] | 1;
        for (int j = 0; j < w; j++)
            key[1] = (key[1] ^ s[j]) * 0xA0761D6478BD642Fu + (key[1] >> 29);
        fresh = ordo_e2_table_put(&x->table, 2, key, ordo_e2_hash(key, 2));
    } else {
        fresh = ordo_e2_table_put(&x->table, w, s, x->ring_hash[i % ORDO_E2_RING]);
    }
    if (fresh && !ordo_e2_keep_state(&x->level[x->depth + 1], w, s))
        x->lacks_memory = true;
}

ORDO_E2_INLINE void ordo_e2_meet(struct ordo_e2_search *x, int w, bool plain, const uint64_t *s)
{
    uint64_t hash = ordo_e2_hash(s, w);

    if (x->head - x->tail == ORDO_E2_RING)
        ordo_e2_look_up(x, w, plain, x->tail++);
    memcpy(x->ring[x->head % ORDO_E2_RING], s, (size_t)w * 8);
    x->ring_hash[x->head++ % ORDO_E2_RING] = hash;
    if (plain || !x->e2->o.hunt)
        __builtin_prefetch(&x->table.slot[(hash >> 20 & x->table.mask) * (uint64_t)w], 1);
}

/* --- one state -------------------------------------------------------------------------------------------------- */

static inline void ordo_e2_note_harm(struct ordo_e2_search *x, int w, const uint64_t *s, enum ordo_e2_bad bad,
                                     int actor, int choice)
{
    if (x->bad && (choice >= 0 || x->move.choice < 0)) /* a state that is harm itself is one step nearer */
        return;
    x->bad = bad;
    memcpy(x->harm, s, (size_t)w * 8);
    x->move = (struct ordo_e2_move){(int16_t)actor, (int16_t)choice};
}

/* A successor was made: met, or compared with the target. */
ORDO_E2_INLINE void ordo_e2_made(struct ordo_e2_search *x, int w, bool plain, const uint64_t *s, int actor,
                                 int choice)
{
    x->edges++;
    if (plain || !x->target) {
        ordo_e2_meet(x, w, plain, s);
    } else if (memcmp(s, x->target, (size_t)w * 8) == 0 && !x->met) {
        x->met = true;
        x->move = (struct ordo_e2_move){(int16_t)actor, (int16_t)choice};
    }
}

ORDO_E2_INLINE void ordo_e2_take(struct ordo_e2_search *x, int w, bool plain, const uint64_t *s, uint32_t at,
                                 int actor, int choice)
{
    const struct ordo_e2 *e2 = x->e2;
    uint64_t next[ORDO_E2_WORDS];
    enum ordo_e2_bad bad;

    memcpy(next, s, (size_t)w * 8);
    bad = ordo_e2_apply(e2, w, next, at, choice);
    if (!plain && e2->o.fuse && !bad)
        bad = ordo_e2_fuse(e2, w, next, actor);
    if (__builtin_expect(bad != ORDO_E2_NONE, 0)) {
        ordo_e2_note_harm(x, w, s, bad, actor, choice);
        return;
    }
    if (!plain && e2->n_orbit)
        ordo_e2_sort_rows(e2, next);
    ordo_e2_made(x, w, plain, next, actor, choice);
}

/* All that an enabled step can do.  Returns whether it can be done for ever ignoring writes that all others see. */
ORDO_E2_INLINE bool ordo_e2_take_all(struct ordo_e2_search *x, int w, const uint64_t *s, uint32_t at, int actor)
{
    const struct ordo_e2_step *step = &x->e2->step[at];
    int choice[ORDO_E2_WRITES + 1], n;
    bool newest;

    if (step->kind != ORDO_E2_READ && step->kind != ORDO_E2_FETCH) {
        ordo_e2_take(x, w, false, s, at, actor, 0);
        return true;
    }
    n = ordo_e2_choices(x->e2, s, step, choice, &newest);
    for (int i = 0; i < n; i++)
        ordo_e2_take(x, w, false, s, at, actor, choice[i]);
    return newest;
}

ORDO_E2_INLINE bool ordo_e2_enabled(const struct ordo_e2 *e2, int w, const uint64_t *s, int32_t actor, uint32_t *at)
{
    *at = ordo_e2_step_at(&e2->actor[actor], s);
    return ordo_e2_holds(ordo_e2_masks(e2, w, *at), w, ORDO_E2_NEED, s);
}

/* Actors first..end - 1 belong together: can they move, and do all their moves commute with whatever others do first?
 */
ORDO_E2_INLINE bool ordo_e2_alone(const struct ordo_e2 *e2, int w, const uint64_t *s, int32_t first, int32_t end)
{
    bool any = false;

    for (int32_t i = first; i < end; i++) {
        uint32_t at;

        if (!ordo_e2_enabled(e2, w, s, i, &at))
            continue;
        if (!e2->step[at].safe)
            return false;
        any = true;
    }
    return any;
}

/* The actors whose moves are enough in this state: those of one thread, if one can go alone; else all. */
ORDO_E2_INLINE bool ordo_e2_choose(const struct ordo_e2 *e2, int w, const uint64_t *s, int32_t *first, int32_t *end)
{
    int32_t n = e2->p->n_thread;

    for (int32_t t = 0; e2->o.persist && t < n; t++)
        if (ordo_e2_alone(e2, w, s, e2->first_actor[t], e2->first_actor[t + 1])) {
            *first = e2->first_actor[t];
            *end = e2->first_actor[t + 1];
            return true;
        }
    for (int32_t i = e2->first_actor[n]; e2->o.persist && i < e2->n_actor; i++)
        if (ordo_e2_alone(e2, w, s, i, i + 1)) {
            *first = i;
            *end = i + 1;
            return true;
        }
    *first = 0;
    *end = e2->n_actor;
    return false;
}

ORDO_E2_INLINE bool ordo_e2_start_units(struct ordo_e2_search *x, int w, const uint64_t *s)
{
    bool any = false;

    for (int32_t u = 0; u < x->e2->n_unit; u++)
        if (ordo_e2_may_start(x->e2, s, u)) {
            uint64_t next[ORDO_E2_WORDS];

            memcpy(next, s, (size_t)w * 8);
            ordo_e2_start(x->e2, next, u);
            ordo_e2_made(x, w, false, next, -1 - u, 0);
            any = true;
        }
    return any;
}

ORDO_E2_INLINE void ordo_e2_expand(struct ordo_e2_search *x, int w, bool plain, const uint64_t *s)
{
    const struct ordo_e2 *e2 = x->e2;
    int32_t first = 0, end = e2->n_actor;
    bool moves = false, whole = !plain && !ordo_e2_choose(e2, w, s, &first, &end);

    if (!plain && e2->o.scheduler == ORDO_SCHED_UNFAIR && ordo_e2_stuck(e2, s)) {
        ordo_e2_note_harm(x, w, s, ORDO_E2_DEADLOCK, 0, -1);
        return;
    }
    for (int32_t i = first; i < end; i++) {
        uint32_t at;

        if (!ordo_e2_enabled(e2, w, s, i, &at))
            continue;
        if (plain) {
            ordo_e2_take(x, w, true, s, at, i, 0);
            moves = true;
        } else {
            moves |= ordo_e2_take_all(x, w, s, at, i);
        }
    }
    if (whole && e2->n_unit)
        moves |= ordo_e2_start_units(x, w, s);
    if (__builtin_expect(!moves, 0)) {
        if (!ordo_e2_ended(e2, w, s))
            ordo_e2_note_harm(x, w, s, ORDO_E2_DEADLOCK, 0, -1);
        else if (ordo_e2_left_over(e2, s))
            ordo_e2_note_harm(x, w, s, ORDO_E2_RESIDUAL, 0, -1);
    }
}

#endif
