/* e2_explore.c - the search: breadth first, level by level, each state met once.
 *
 * New states wait in a short ring between the fetch of their slot and its look-up, so that the memory's latency is
 * hidden.  A level's states are kept in order; of a finished level only with a schedule to be told, which is then found
 * backwards, level by level. */
#include "base/clock.h"
#include "base/status.h"
#include "sim/e2_step.h"
#include "sim/e2_table.h"

#include <stdlib.h>
#include <string.h>

enum { RING = 32, FIRST_SLOTS = 1 << 10 };

struct level {
    uint64_t *s;
    uint64_t n, room;
};

struct search {
    const struct ordo_e2 *e2;
    struct ordo_e2_table table;
    struct level *level; /* [depth]; earlier ones empty unless kept */
    uint32_t depth, level_room;
    bool keep, lacks_memory, over;
    uint64_t edges, ring[RING][ORDO_E2_WORDS], ring_hash[RING];
    uint32_t head, tail; /* of the ring */
    enum ordo_e2_bad bad;
    uint64_t harm[ORDO_E2_WORDS]; /* the state it was done to */
    struct ordo_e2_move move;     /* choice -1: the state itself is the harm */
    const uint64_t *target;       /* telling a schedule: the state whose predecessor is wanted */
    bool met;
};

/* --- states met ---------------------------------------------------------------------------------------------------- */

static bool keep_state(struct level *l, int w, const uint64_t *s)
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

ORDO_E2_INLINE void look_up(struct search *x, int w, bool plain, uint32_t i)
{
    const uint64_t *s = x->ring[i % RING];
    uint64_t key[2] = {0, 0};
    bool fresh;

    if (!plain && x->e2->o.hunt) {
        key[0] = x->ring_hash[i % RING] | 1;
        for (int j = 0; j < w; j++)
            key[1] = (key[1] ^ s[j]) * 0xA0761D6478BD642Fu + (key[1] >> 29);
        fresh = ordo_e2_table_put(&x->table, 2, key, ordo_e2_hash(key, 2));
    } else {
        fresh = ordo_e2_table_put(&x->table, w, s, x->ring_hash[i % RING]);
    }
    if (fresh && !keep_state(&x->level[x->depth + 1], w, s))
        x->lacks_memory = true;
}

ORDO_E2_INLINE void meet(struct search *x, int w, bool plain, const uint64_t *s)
{
    uint64_t hash = ordo_e2_hash(s, w);

    if (x->head - x->tail == RING)
        look_up(x, w, plain, x->tail++);
    memcpy(x->ring[x->head % RING], s, (size_t)w * 8);
    x->ring_hash[x->head++ % RING] = hash;
    if (plain || !x->e2->o.hunt)
        __builtin_prefetch(&x->table.slot[(hash >> 20 & x->table.mask) * (uint64_t)w], 1);
}

/* --- one state ------------------------------------------------------------------------------------------------------- */

static void harm(struct search *x, int w, const uint64_t *s, enum ordo_e2_bad bad, int actor, int choice)
{
    if (x->bad)
        return;
    x->bad = bad;
    memcpy(x->harm, s, (size_t)w * 8);
    x->move = (struct ordo_e2_move){(int16_t)actor, (int16_t)choice};
}

/* A successor was made: met, or compared with the target. */
ORDO_E2_INLINE void made(struct search *x, int w, bool plain, const uint64_t *s, int actor, int choice)
{
    x->edges++;
    if (plain || !x->target) {
        meet(x, w, plain, s);
    } else if (memcmp(s, x->target, (size_t)w * 8) == 0 && !x->met) {
        x->met = true;
        x->move = (struct ordo_e2_move){(int16_t)actor, (int16_t)choice};
    }
}

ORDO_E2_INLINE void take(struct search *x, int w, bool plain, const uint64_t *s, uint32_t at, int actor, int choice)
{
    const struct ordo_e2 *e2 = x->e2;
    uint64_t next[ORDO_E2_WORDS];
    enum ordo_e2_bad bad;

    memcpy(next, s, (size_t)w * 8);
    bad = ordo_e2_apply(e2, w, next, at, choice);
    if (!plain && e2->o.fuse && !bad)
        bad = ordo_e2_fuse(e2, w, next, actor);
    if (__builtin_expect(bad != ORDO_E2_NONE, 0)) {
        harm(x, w, s, bad, actor, choice);
        return;
    }
    if (!plain && e2->n_orbit)
        ordo_e2_sort_rows(e2, next);
    made(x, w, plain, next, actor, choice);
}

/* All that an enabled step can do.  Returns whether it can be done for ever ignoring writes that all others see. */
ORDO_E2_INLINE bool take_all(struct search *x, int w, const uint64_t *s, uint32_t at, int actor)
{
    const struct ordo_e2_step *step = &x->e2->step[at];
    int choice[ORDO_E2_WRITES + 1], n;
    bool newest;

    if (step->kind != ORDO_E2_READ && step->kind != ORDO_E2_FETCH) {
        take(x, w, false, s, at, actor, 0);
        return true;
    }
    n = ordo_e2_choices(x->e2, s, step, choice, &newest);
    for (int i = 0; i < n; i++)
        take(x, w, false, s, at, actor, choice[i]);
    return newest;
}

ORDO_E2_INLINE bool enabled(const struct ordo_e2 *e2, int w, const uint64_t *s, int32_t actor, uint32_t *at)
{
    *at = ordo_e2_step_at(&e2->actor[actor], s);
    return ordo_e2_holds(ordo_e2_masks(e2, w, *at), w, ORDO_E2_NEED, s);
}

/* Actors first..end - 1 belong together: can they move, and do all their moves commute with whatever others do first? */
ORDO_E2_INLINE bool alone(const struct ordo_e2 *e2, int w, const uint64_t *s, int32_t first, int32_t end)
{
    bool any = false;

    for (int32_t i = first; i < end; i++) {
        uint32_t at;

        if (!enabled(e2, w, s, i, &at))
            continue;
        if (!e2->step[at].safe)
            return false;
        any = true;
    }
    return any;
}

/* The actors whose moves are enough in this state: those of one thread, if one can go alone; else all. */
ORDO_E2_INLINE bool choose(const struct ordo_e2 *e2, int w, const uint64_t *s, int32_t *first, int32_t *end)
{
    int32_t n = e2->p->n_thread;

    for (int32_t t = 0; e2->o.persist && t < n; t++)
        if (alone(e2, w, s, e2->first_actor[t], e2->first_actor[t + 1])) {
            *first = e2->first_actor[t];
            *end = e2->first_actor[t + 1];
            return true;
        }
    for (int32_t i = e2->first_actor[n]; e2->o.persist && i < e2->n_actor; i++)
        if (alone(e2, w, s, i, i + 1)) {
            *first = i;
            *end = i + 1;
            return true;
        }
    *first = 0;
    *end = e2->n_actor;
    return false;
}

ORDO_E2_INLINE bool start_units(struct search *x, int w, const uint64_t *s)
{
    bool any = false;

    for (int32_t u = 0; u < x->e2->n_unit; u++)
        if (ordo_e2_may_start(x->e2, s, u)) {
            uint64_t next[ORDO_E2_WORDS];

            memcpy(next, s, (size_t)w * 8);
            ordo_e2_start(x->e2, next, u);
            made(x, w, false, next, -1 - u, 0);
            any = true;
        }
    return any;
}

ORDO_E2_INLINE void expand(struct search *x, int w, bool plain, const uint64_t *s)
{
    const struct ordo_e2 *e2 = x->e2;
    int32_t first = 0, end = e2->n_actor;
    bool moves = false, whole = !plain && !choose(e2, w, s, &first, &end);

    if (!plain && e2->o.scheduler == ORDO_SCHED_UNFAIR && ordo_e2_stuck(e2, s)) {
        harm(x, w, s, ORDO_E2_DEADLOCK, 0, -1);
        return;
    }
    for (int32_t i = first; i < end; i++) {
        uint32_t at;

        if (!enabled(e2, w, s, i, &at))
            continue;
        if (plain) {
            take(x, w, true, s, at, i, 0);
            moves = true;
        } else {
            moves |= take_all(x, w, s, at, i);
        }
    }
    if (whole && e2->n_unit)
        moves |= start_units(x, w, s);
    if (__builtin_expect(!moves, 0)) {
        if (!ordo_e2_ended(e2, w, s))
            harm(x, w, s, ORDO_E2_DEADLOCK, 0, -1);
        else if (ordo_e2_left_over(e2, s))
            harm(x, w, s, ORDO_E2_RESIDUAL, 0, -1);
    }
}

/* --- levels ---------------------------------------------------------------------------------------------------------- */

static bool next_level(struct search *x)
{
    if (x->depth + 2 >= x->level_room) {
        uint32_t room = x->level_room ? 2 * x->level_room : 256;
        struct level *level = realloc(x->level, room * sizeof *level);

        if (!level)
            return false;
        memset(&level[x->level_room], 0, (room - x->level_room) * sizeof *level);
        x->level = level;
        x->level_room = room;
    }
    return true;
}

/* Reuses a finished level's storage for the one after the next. */
static void forget_level(struct search *x)
{
    struct level *old = &x->level[x->depth];

    if (x->keep)
        return;
    x->level[x->depth + 2] = (struct level){old->s, 0, old->room};
    *old = (struct level){NULL, 0, 0};
}

ORDO_E2_INLINE void search_levels(struct search *x, int w, bool plain)
{
    uint64_t most = x->e2->o.most ? x->e2->o.most : UINT64_C(1) << 31;
    int table_w = x->e2->o.hunt ? 2 : w;

    while (x->level[x->depth].n && !x->bad && !x->lacks_memory && !x->over) {
        const struct level *l = &x->level[x->depth];

        for (uint64_t i = 0; i < l->n && !x->bad; i++) {
            expand(x, w, plain, &l->s[i * (uint64_t)w]);
            if (__builtin_expect(x->table.n * 3 >= (x->table.mask + 1) * 2 - 3 * 4096, 0)) {
                while (x->tail != x->head)
                    look_up(x, w, plain, x->tail++);
                x->lacks_memory |= !ordo_e2_table_grow(&x->table, table_w);
                x->over = x->table.n > most;
                if (x->over || x->lacks_memory)
                    break;
            }
        }
        while (x->tail != x->head)
            look_up(x, w, plain, x->tail++);
        x->over |= x->table.n > most;
        if (x->bad)
            return;
        x->lacks_memory |= !next_level(x);
        if (x->lacks_memory)
            return;
        forget_level(x);
        x->depth++;
    }
}

static void search_width(struct search *x)
{
    const struct ordo_e2 *e2 = x->e2;
    bool plain = !e2->n_unit && !e2->o.persist && !e2->o.fuse && !e2->o.hunt && !e2->n_orbit && !e2->n_history &&
                 e2->o.scheduler != ORDO_SCHED_UNFAIR;

    switch (e2->w) {
    case 2:
        if (plain)
            search_levels(x, 2, true);
        else
            search_levels(x, 2, false);
        break;
    case 4:
        search_levels(x, 4, false);
        break;
    case 8:
        search_levels(x, 8, false);
        break;
    default:
        search_levels(x, e2->w, false);
    }
}

/* --- the schedule ---------------------------------------------------------------------------------------------------- */

/* Walks back from the harmed state: some state of the level before has it as a successor. */
static bool tell(struct search *x, struct ordo_e2_result *r)
{
    uint64_t target[ORDO_E2_WORDS];
    uint32_t n = x->depth + (x->move.choice >= 0);
    int w = x->e2->w;

    r->move = calloc(n + 1, sizeof *r->move);
    if (!r->move)
        return false;
    r->n_move = n;
    if (x->move.choice >= 0)
        r->move[x->depth] = x->move;
    memcpy(target, x->harm, sizeof target);
    x->target = target;
    for (uint32_t d = x->depth; d-- > 0;) {
        const struct level *l = &x->level[d];

        x->met = false;
        for (uint64_t i = 0; i < l->n && !x->met; i++) {
            expand(x, w, false, &l->s[i * (uint64_t)w]);
            if (x->met)
                memcpy(target, &l->s[i * (uint64_t)w], (size_t)w * 8);
        }
        ORDO_BUG_ON(!x->met);
        r->move[d] = x->move;
    }
    x->target = NULL;
    return true;
}

static void end_search(struct search *x)
{
    for (uint32_t i = 0; i < x->level_room; i++)
        free(x->level[i].s);
    free(x->level);
    free(x->table.slot);
}

static bool run(const struct ordo_e2 *e2, bool keep, struct ordo_e2_result *r)
{
    struct search *x = calloc(1, sizeof *x);
    uint64_t slots = FIRST_SLOTS * 16;
    bool ok = false;

    if (!x)
        return false;
    x->e2 = e2;
    x->keep = keep;
    while (slots * 2 < e2->o.expect * 3 + 3 * 8192)
        slots *= 2;
    if (ordo_e2_table_begin(&x->table, e2->o.hunt ? 2 : e2->w, slots) && next_level(x)) {
        double start = ordo_seconds();

        x->depth = (uint32_t)-1;
        meet(x, e2->w, false, e2->init);
        look_up(x, e2->w, false, x->tail++);
        x->depth = 0;
        if (!x->lacks_memory)
            search_width(x);
        r->seconds = ordo_seconds() - start;
        r->states = x->table.n;
        r->edges = x->edges;
        r->depth = x->depth;
        r->bad = x->bad;
        r->bits = 64 * e2->w;
        r->bytes = (x->table.mask + 1) * (uint64_t)(e2->o.hunt ? 2 : e2->w) * 8;
        r->verdict = x->bad       ? ORDO_E2_VIOLATED
                     : x->over    ? ORDO_E2_BUDGET
                     : e2->o.hunt ? ORDO_E2_NOT_FOUND
                                  : ORDO_E2_PROVED;
        ok = !x->lacks_memory && (!keep || !x->bad || tell(x, r));
    }
    end_search(x);
    free(x);
    return ok;
}

bool ordo_e2_explore(const struct ordo_e2 *e2, struct ordo_e2_result *result)
{
    *result = (struct ordo_e2_result){.verdict = ORDO_E2_REFUSED};
    if (e2->refused[0]) {
        memcpy(result->reason, e2->refused, sizeof result->reason);
        return true;
    }
    if (!run(e2, false, result))
        return false;
    if (result->verdict == ORDO_E2_VIOLATED && !e2->n_orbit) {
        struct ordo_e2_result again = {.verdict = ORDO_E2_VIOLATED};

        if (!run(e2, true, &again)) {
            ordo_e2_result_free(&again);
            return false;
        }
        result->move = again.move;
        result->n_move = again.n_move;
        result->shortest = !e2->o.fuse && !e2->o.persist;
    }
    return true;
}
