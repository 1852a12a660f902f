/* schedule_pick.c - who steps next; see schedule_impl.h. */
#include "sim/schedule_impl.h"

const char *const ordo_scheduler_name[ORDO_N_SCHEDULERS] = {
#define ORDO_X(id, name) name,
    ORDO_SCHEDULERS(ORDO_X)
#undef ORDO_X
};

void ordo_picker_start(struct ordo_picker *p, enum ordo_scheduler kind, uint64_t seed,
                       struct ordo_step_thread *thread, int32_t n_thread, uint64_t steps)
{
    *p = (struct ordo_picker){.kind = kind, .rng = {ordo_mix(seed)}};
    for (int32_t t = 0; t < n_thread; t++)
        thread[t].priority = ordo_rng_next(&p->rng) | 1;
    for (int i = 0; i < 2; i++)
        p->demote[i] = ordo_rng_below(&p->rng, steps + 1);
}

static const struct ordo_record *pending(const struct ordo_step_thread *t)
{
    return &t->tape.record[t->at];
}

/* Larger goes first. */
static uint64_t urgency(const struct ordo_picker *p, const struct ordo_step_thread *t)
{
    switch (p->kind) {
    case ORDO_SCHEDULER_STARVE:
        return (uint64_t)t->rank << 32 | t->priority >> 32;
    case ORDO_SCHEDULER_WAITER:
        return (uint64_t)(pending(t)->op == ORDO_OP_AWAIT_CLEAR) << 40 | (uint64_t)t->rank << 32 | t->priority >> 32;
    default:
        return t->priority;
    }
}

static int32_t next_in_turn(struct ordo_picker *p, const int32_t *ready, int32_t n)
{
    int32_t best = 0, gap = INT32_MAX;

    for (int32_t i = 0; i < n; i++) {
        int32_t ahead = ready[i] > p->cursor ? ready[i] - p->cursor : ready[i] - p->cursor + (1 << 24);

        if (ahead < gap) {
            gap = ahead;
            best = i;
        }
    }
    p->cursor = ready[best];
    return best;
}

int32_t ordo_picker_next(struct ordo_picker *p, struct ordo_step_thread *thread, const int32_t *ready, int32_t n)
{
    int32_t best = 0;
    uint64_t most = 0;

    if (p->kind == ORDO_SCHEDULER_WALK)
        return (int32_t)((ordo_rng_next(&p->rng) >> 32) * (uint64_t)n >> 32);
    if (p->kind == ORDO_SCHEDULER_ROBIN)
        return next_in_turn(p, ready, n);
    for (int32_t i = 0; i < n; i++) {
        uint64_t u = urgency(p, &thread[ready[i]]);

        if (u > most) {
            most = u;
            best = i;
        }
    }
    return best;
}

static bool touches(const struct ordo_record *a, const struct ordo_record *b)
{
    return a->space != ORDO_SPACE_NONE && a->space == b->space && a->index == b->index;
}

void ordo_picker_stepped(struct ordo_picker *p, struct ordo_step_thread *thread, int32_t t, const int32_t *ready,
                         int32_t n, const struct ordo_record *made)
{
    uint64_t step = p->step++;

    if (p->kind == ORDO_SCHEDULER_PCT && (step == p->demote[0] || step == p->demote[1]))
        thread[t].priority = 2 - (step == p->demote[0]); /* below all that were drawn */
    if (p->kind != ORDO_SCHEDULER_POS)
        return;
    thread[t].priority = ordo_rng_next(&p->rng) | 1;
    for (int32_t i = 0; i < n; i++)
        if (touches(pending(&thread[ready[i]]), made))
            thread[ready[i]].priority = ordo_rng_next(&p->rng) | 1;
}
