/* e2_trail.c - see e2_trail.h: a schedule is made again, move by move, by the same steps as the search made. */
#include "sim/e2_trail.h"

#include "sim/e2_step.h"
#include "sim/e2_why.h"

#include <stdlib.h>
#include <string.h>

static bool offered(const struct ordo_e2 *e2, const uint64_t *s, const struct ordo_e2_step *step, int choice)
{
    int offer[ORDO_E2_WRITES + 1], n;
    bool newest;

    if (step->kind != ORDO_E2_READ && step->kind != ORDO_E2_FETCH)
        return choice == 0;
    n = ordo_e2_choices(e2, s, step, offer, &newest);
    while (n > 0 && offer[n - 1] != choice)
        n--;
    return n > 0;
}

static struct ordo_e2_event event_of(const struct ordo_e2 *e2, const uint64_t *s, struct ordo_e2_move m, uint32_t at)
{
    const struct ordo_e2_step *step = &e2->step[at];
    struct ordo_e2_event e = {step->thread, step->op, e2->actor[m.actor].segment < 0, 0};

    if (m.choice)
        e.read = (uint8_t)ordo_e2_get(s, e2->history[step->object].id[m.choice - 1]);
    return e;
}

/* One move; false if it cannot be made. */
static bool make(const struct ordo_e2 *e2, struct ordo_e2_trail *t, struct ordo_e2_move m)
{
    uint32_t at;

    if (m.actor < 0) {
        if (-1 - m.actor >= e2->n_unit || !ordo_e2_may_start(e2, t->state, -1 - m.actor))
            return false;
        t->event[t->n++] = (struct ordo_e2_event){-1, (int16_t)(-1 - m.actor), false, 0};
        ordo_e2_start(e2, t->state, -1 - m.actor);
        return true;
    }
    if (m.actor >= e2->n_actor)
        return false;
    at = ordo_e2_step_at(&e2->actor[m.actor], t->state);
    if (!ordo_e2_holds(ordo_e2_masks(e2, e2->w, at), e2->w, ORDO_E2_NEED, t->state) ||
        !offered(e2, t->state, &e2->step[at], m.choice))
        return false;
    t->event[t->n++] = event_of(e2, t->state, m, at);
    t->bad = ordo_e2_apply(e2, e2->w, t->state, at, m.choice);
    return true;
}

/* Where the schedule ends, if no move did harm. */
static enum ordo_e2_bad end_of(const struct ordo_e2 *e2, struct ordo_e2_trail *t)
{
    bool moves = false;

    t->ended = ordo_e2_ended(e2, e2->w, t->state);
    if (t->ended)
        return ordo_e2_left_over(e2, t->state) ? ORDO_E2_RESIDUAL : ORDO_E2_NONE;
    for (int32_t i = 0; i < e2->n_actor; i++)
        moves |= ordo_e2_can_step(e2, t->state, &e2->actor[i]);
    for (int32_t u = 0; u < e2->n_unit; u++)
        moves |= ordo_e2_may_start(e2, t->state, u);
    if (e2->o.scheduler == ORDO_SCHED_UNFAIR && ordo_e2_stuck(e2, t->state))
        moves = false;
    return moves ? ORDO_E2_NONE : ORDO_E2_DEADLOCK;
}

bool ordo_e2_follow(const struct ordo_e2 *e2, const struct ordo_e2_move *move, uint32_t n, struct ordo_e2_trail *t)
{
    *t = (struct ordo_e2_trail){.wrong = -1, .from = -1, .to = -1};
    t->event = calloc((size_t)n + 1, sizeof *t->event);
    if (!t->event)
        return false;
    memcpy(t->state, e2->init, sizeof t->state);
    for (uint32_t i = 0; i < n && t->wrong < 0 && !t->bad; i++)
        if (!make(e2, t, move[i]))
            t->wrong = i;
    if (t->wrong < 0 && !t->bad)
        t->bad = end_of(e2, t);
    if (t->wrong < 0 && t->bad)
        ordo_e2_why(e2, t);
    return true;
}

void ordo_e2_trail_free(struct ordo_e2_trail *t)
{
    free(t->event);
    t->event = NULL;
}
