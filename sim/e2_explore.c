/* e2_explore.c - the search: breadth first, level by level, each state met once.
 *
 * A level's states are kept in order; those of a finished level only if a schedule is to be told, which is then found
 * backwards, level by level. */
#include "base/clock.h"
#include "base/status.h"
#include "sim/e2_search.h"

enum { FIRST_SLOTS = 1 << 14 };

/* --- levels ----------------------------------------------------------------------------------------------------- */

static bool next_level(struct ordo_e2_search *x)
{
    if (x->depth + 2 >= x->level_room) {
        uint32_t room = x->level_room ? 2 * x->level_room : 256;
        struct ordo_e2_level *level = realloc(x->level, room * sizeof *level);

        if (!level)
            return false;
        memset(&level[x->level_room], 0, (room - x->level_room) * sizeof *level);
        x->level = level;
        x->level_room = room;
    }
    return true;
}

/* Reuses a finished level's storage for the one after the next. */
static void forget_level(struct ordo_e2_search *x)
{
    struct ordo_e2_level *old = &x->level[x->depth];

    if (x->keep)
        return;
    x->level[x->depth + 2] = (struct ordo_e2_level){old->s, 0, old->room};
    *old = (struct ordo_e2_level){NULL, 0, 0};
}

ORDO_E2_INLINE void search_levels(struct ordo_e2_search *x, int w, bool plain)
{
    uint64_t most = x->e2->o.most ? x->e2->o.most : UINT64_C(1) << 31;
    int table_w = x->e2->o.hunt ? 2 : w;

    while (x->level[x->depth].n && !x->bad && !x->lacks_memory && !x->over) {
        const struct ordo_e2_level *l = &x->level[x->depth];

        for (uint64_t i = 0; i < l->n && (!x->bad || x->move.choice >= 0); i++) {
            ordo_e2_expand(x, w, plain, &l->s[i * (uint64_t)w]);
            if (__builtin_expect(x->table.n * 3 >= (x->table.mask + 1) * 2 - 3 * 4096, 0)) {
                while (x->tail != x->head)
                    ordo_e2_look_up(x, w, plain, x->tail++);
                x->lacks_memory |= !ordo_e2_table_grow(&x->table, table_w);
                x->over = x->table.n > most;
                if (x->over || x->lacks_memory)
                    break;
            }
        }
        while (x->tail != x->head)
            ordo_e2_look_up(x, w, plain, x->tail++);
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

static void search_width(struct ordo_e2_search *x)
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

/* --- the schedule ----------------------------------------------------------------------------------------------- */

/* Walks back from the harmed state: some state of the level before has it as a successor. */
static bool tell(struct ordo_e2_search *x, struct ordo_e2_result *r)
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
        const struct ordo_e2_level *l = &x->level[d];

        x->met = false;
        for (uint64_t i = 0; i < l->n && !x->met; i++) {
            ordo_e2_expand(x, w, false, &l->s[i * (uint64_t)w]);
            if (x->met)
                memcpy(target, &l->s[i * (uint64_t)w], (size_t)w * 8);
        }
        ORDO_BUG_ON(!x->met);
        r->move[d] = x->move;
    }
    x->target = NULL;
    return true;
}

static void end_search(struct ordo_e2_search *x)
{
    for (uint32_t i = 0; i < x->level_room; i++)
        free(x->level[i].s);
    free(x->level);
    free(x->table.slot);
}

static bool run(const struct ordo_e2 *e2, bool keep, struct ordo_e2_result *r)
{
    struct ordo_e2_search *x = calloc(1, sizeof *x);
    uint64_t slots = FIRST_SLOTS;
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
        ordo_e2_meet(x, e2->w, false, e2->init);
        ordo_e2_look_up(x, e2->w, false, x->tail++);
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
