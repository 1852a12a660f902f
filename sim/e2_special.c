/* e2_special.c - steps that masks alone cannot say: the last arrival at a barrier, lists of writes, slots. */
#include "sim/e2_step.h"

#include <string.h>

/* --- barriers --------------------------------------------------------------------------------------------------- */

/* Lets every thread that waits at the barrier go on, with what all who arrived knew. */
static void release_waiting(const struct ordo_e2 *e2, uint64_t *s, int16_t object)
{
    const struct ordo_e2_barrier *b = &e2->barrier[object];
    uint64_t known = ordo_e2_get(s, b->gathered);

    for (int32_t i = 0; i < e2->first_actor[e2->p->n_thread]; i++) {
        const struct ordo_e2_actor *a = &e2->actor[i];
        const struct ordo_e2_step *step = &e2->step[ordo_e2_step_at(a, s)];
        struct ordo_e2_field view = e2->view[a->thread].field;

        if (step->kind != ORDO_E2_WAITING || step->object != object)
            continue;
        ordo_e2_put(s, a->at, ordo_e2_get(s, a->at) + 1);
        if (view.width)
            s[view.word] |= known << view.shift;
        if (step->last && e2->n_unit)
            ordo_e2_leave(e2, s, step);
    }
    ordo_e2_put(s, b->gathered, 0);
    ordo_e2_put(s, b->count, 0);
}

static void arrive_cluster(const struct ordo_e2 *e2, uint64_t *s, const struct ordo_e2_step *step)
{
    const struct ordo_e2_cluster_barrier *b = &e2->cluster_barrier[step->object];

    if (ordo_e2_get(s, b->count) != (uint64_t)b->n_user)
        return;
    ordo_e2_put(s, b->published, ordo_e2_get(s, b->gathered));
    ordo_e2_put(s, b->gathered, 0);
    ordo_e2_put(s, b->count, 0);
    ordo_e2_put(s, b->parity, ordo_e2_get(s, b->parity) ^ 1);
}

/* --- words as lists of writes ----------------------------------------------------------------------------------- */

static struct ordo_e2_field known_field(const struct ordo_e2 *e2, const struct ordo_e2_history *h, int32_t thread,
                                        uint64_t write)
{
    return write ? ordo_e2_part(&e2->view[thread], h->fact + (int32_t)write - 1, 1) : (struct ordo_e2_field){0, 0, 0};
}

static void note_known(const struct ordo_e2 *e2, uint64_t *s, const struct ordo_e2_history *h, int32_t thread,
                       uint64_t write)
{
    if (e2->views)
        ordo_e2_put(s, known_field(e2, h, thread, write), 1);
}

static uint64_t last_entry(const struct ordo_e2_history *h, const uint64_t *s)
{
    return h->cap == 1 ? 0 : ordo_e2_get(s, h->n);
}

static void append(const struct ordo_e2 *e2, uint64_t *s, const struct ordo_e2_step *step, uint64_t value)
{
    const struct ordo_e2_history *h = &e2->history[step->object];
    uint64_t at = h->cap == 1 ? 0 : ordo_e2_get(s, h->n) + 1;

    ordo_e2_put(s, h->n, at);
    ordo_e2_put(s, h->id[at], step->write);
    ordo_e2_put(s, h->value[at], value);
    note_known(e2, s, h, step->thread, step->write);
}

static uint64_t updated(const struct ordo_record *r, uint64_t old, uint64_t operand)
{
    return r->op == ORDO_OP_RED_AND ? old & operand : r->op == ORDO_OP_RED_OR ? old | operand : old + operand;
}

/* What the await observes by reading entry `at`: that write, and those before it that the chain of updates carries
 * on. */
static void observe(const struct ordo_e2 *e2, uint64_t *s, const struct ordo_e2_step *step, uint64_t at)
{
    const struct ordo_e2_history *h = &e2->history[step->object];
    const uint32_t *join = &e2->read[step->reads], *direct = join + h->n_write + 1;
    uint64_t write = ordo_e2_get(s, h->id[at]);

    note_known(e2, s, h, step->thread, write);
    if (!write || !direct[write - 1] || !e2->views)
        return;
    for (;;) {
        uint64_t before = at ? ordo_e2_get(s, h->id[--at]) : 0;

        ordo_e2_join_range(e2, s, join[write - 1], join[write] - join[write - 1]);
        if (!before || !h->link[before][write])
            return;
        write = before;
    }
}

static bool satisfies(const struct ordo_e2_op *op, uint32_t wanted, uint64_t value)
{
    if (op->record.op == ORDO_OP_LOAD)
        return true;
    if (op->record.op == ORDO_OP_AWAIT_CLEAR)
        return !(value & wanted);
    return op->exact ? value == wanted : value >= wanted;
}

int ordo_e2_choices(const struct ordo_e2 *e2, const uint64_t *s, const struct ordo_e2_step *step, int *choice,
                    bool *newest)
{
    const struct ordo_e2_history *h = &e2->history[step->object];
    uint64_t last = last_entry(h, s);
    int n = 0;

    *newest = false;
    for (uint64_t at = last + 1; at-- > 0;) {
        uint64_t write = ordo_e2_get(s, h->id[at]);

        if (satisfies(ordo_e2_op_of(e2, step), step->value, ordo_e2_get(s, h->value[at]))) {
            *newest |= at == last;
            choice[n++] = (int)at + 1;
        }
        if (e2->views && write && ordo_e2_get(s, known_field(e2, h, step->thread, write)))
            break;
    }
    return n;
}

void ordo_e2_special(const struct ordo_e2 *e2, uint64_t *s, const struct ordo_e2_step *step, int choice)
{
    const struct ordo_e2_history *h = &e2->history[step->kind >= ORDO_E2_READ ? step->object : 0];
    uint64_t last = step->kind >= ORDO_E2_READ ? last_entry(h, s) : 0;

    switch (step->kind) {
    case ORDO_E2_ARRIVE:
        if (ordo_e2_get(s, e2->barrier[step->object].count) == step->value)
            release_waiting(e2, s, step->object);
        break;
    case ORDO_E2_CLUSTER_ARRIVE:
        arrive_cluster(e2, s, step);
        break;
    case ORDO_E2_READ:
        observe(e2, s, step, (uint64_t)choice - 1);
        break;
    case ORDO_E2_FETCH:
        note_known(e2, s, h, step->thread, ordo_e2_get(s, h->id[choice - 1]));
        ordo_e2_put(s, e2->register_of[step->thread], ordo_e2_get(s, h->value[choice - 1]));
        break;
    case ORDO_E2_UPDATE:
        append(e2, s, step, updated(&ordo_e2_op_of(e2, step)->record, ordo_e2_get(s, h->value[last]), step->value));
        break;
    case ORDO_E2_PUT:
        append(e2, s, step, ordo_e2_get(s, e2->register_of[step->thread]) & step->value);
        break;
    default:
        break;
    }
}

bool ordo_e2_left_over(const struct ordo_e2 *e2, const uint64_t *s)
{
    for (int i = 0; i < e2->w; i++)
        if (s[i] & e2->residual[i])
            return true;
    for (int32_t i = 0; i < e2->n_history; i++)
        if (e2->history[i].space == ORDO_SPACE_MASK &&
            ordo_e2_get(s, e2->history[i].value[last_entry(&e2->history[i], s)]))
            return true;
    return false;
}

/* --- the scheduler ---------------------------------------------------------------------------------------------- */

void ordo_e2_leave(const struct ordo_e2 *e2, uint64_t *s, const struct ordo_e2_step *step)
{
    const struct ordo_e2_thread *t = &e2->p->thread[step->thread];

    for (int32_t i = 0; i < e2->n_unit; i++) {
        const struct ordo_e2_unit *u = &e2->unit[i];
        bool ended = u->id == (e2->o.scheduler == ORDO_SCHED_CLUSTER ? t->cluster : t->cta) && !t->setup;

        for (int w = 0; w < e2->w && ended; w++)
            ended = (s[w] & u->mask[w]) == u->want[w];
        if (ended)
            ordo_e2_put(s, e2->free_slots, ordo_e2_get(s, e2->free_slots) + (uint64_t)u->n_cta);
    }
}

bool ordo_e2_may_start(const struct ordo_e2 *e2, const uint64_t *s, int32_t unit)
{
    const struct ordo_e2_unit *u = &e2->unit[unit];

    if (ordo_e2_get(s, u->started) || ordo_e2_get(s, e2->free_slots) < (uint64_t)u->n_cta)
        return false;
    for (int32_t i = 0; e2->o.scheduler == ORDO_SCHED_WINDOW && i < e2->n_unit; i++)
        if (e2->unit[i].id < u->id && !ordo_e2_get(s, e2->unit[i].started))
            return false;
    return true;
}

void ordo_e2_start(const struct ordo_e2 *e2, uint64_t *s, int32_t unit)
{
    const struct ordo_e2_unit *u = &e2->unit[unit];

    ordo_e2_put(s, u->started, 1);
    ordo_e2_put(s, e2->free_slots, ordo_e2_get(s, e2->free_slots) - (uint64_t)u->n_cta);
}

bool ordo_e2_can_step(const struct ordo_e2 *e2, const uint64_t *s, const struct ordo_e2_actor *a)
{
    uint32_t at = ordo_e2_step_at(a, s);
    int choice[ORDO_E2_WRITES];
    bool newest = true;

    if (!ordo_e2_holds(ordo_e2_masks(e2, e2->w, at), e2->w, ORDO_E2_NEED, s))
        return false;
    if (e2->step[at].kind == ORDO_E2_READ)
        (void)ordo_e2_choices(e2, s, &e2->step[at], choice, &newest);
    return newest;
}

bool ordo_e2_stuck(const struct ordo_e2 *e2, const uint64_t *s)
{
    for (int32_t t = 0; t < e2->p->n_thread; t++) {
        int32_t cta = e2->p->thread[t].cta;
        bool moves = false, unfinished = false;

        for (int32_t i = 0; i < e2->n_actor; i++)
            if (e2->p->thread[e2->actor[i].thread].cta == cta && !e2->p->thread[e2->actor[i].thread].setup) {
                moves |= ordo_e2_can_step(e2, s, &e2->actor[i]);
                unfinished |= e2->step[ordo_e2_step_at(&e2->actor[i], s)].kind != ORDO_E2_END;
            }
        if (unfinished && !moves)
            return true;
    }
    return false;
}
