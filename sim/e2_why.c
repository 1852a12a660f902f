/* e2_why.c - which edge is missing between two additions to a cell.
 *
 * The chain that should order them: addition, barrier, release, acquire, barrier, addition.  Its links are tried in
 * turn on the schedule, and the first that does not hold is named with the lines that should make it. */
#include "sim/e2_why.h"

#include "sim/e2_step.h"

#include <stdarg.h>
#include <string.h>

void ordo_e2_say(struct ordo_e2_trail *t, const char *format, ...)
{
    va_list args;

    if (t->n_reason == ORDO_E2_REASONS)
        return;
    va_start(args, format);
    (void)vsnprintf(t->reason[t->n_reason++], sizeof t->reason[0], format, args);
    va_end(args);
}

const char *ordo_e2_at(const struct ordo_e2 *e2, int32_t thread, int32_t op, char out[256])
{
    const struct ordo_e2_thread *t = &e2->p->thread[thread];
    char who[40], what[128], where[64];

    ordo_e2_name(t, who, sizeof who);
    ordo_e2_spell(&t->op[op], what, sizeof what);
    ordo_e2_source(&t->op[op].record, where, sizeof where);
    (void)snprintf(out, 256, "%s, %s (%s)", who, what, where);
    return out;
}

static const struct ordo_record *record_of(const struct ordo_e2 *e2, const struct ordo_e2_event *e)
{
    return &e2->p->thread[e->thread].op[e->op].record;
}

static bool adds_to(const struct ordo_e2 *e2, const struct ordo_e2_event *e, int32_t cell)
{
    const struct ordo_record *r = e->thread < 0 ? NULL : record_of(e2, e);

    if (!r || r->space != ORDO_SPACE_PLANE || (r->op != ORDO_OP_STORE && r->op != ORDO_OP_BULK_ADD))
        return false;
    for (int32_t i = 0, c; (c = ordo_e2_cell_of(e2, r, i)) >= 0; i++)
        if (c == cell)
            return true;
    return false;
}

/* The last step's cell that it must not touch yet, -1: none. */
static int32_t cell_in_question(const struct ordo_e2 *e2, const struct ordo_e2_trail *t)
{
    const struct ordo_e2_event *last = &t->event[t->n - 1];
    const struct ordo_record *r = record_of(e2, last);
    const struct ordo_e2_view *v = &e2->view[last->thread];

    if (r->space != ORDO_SPACE_PLANE)
        return -1;
    for (int32_t i = 0, c; (c = ordo_e2_cell_of(e2, r, i)) >= 0; i++) {
        int32_t fact = r->op == ORDO_OP_BULK_ADD ? e2->n_cell + c : c;

        if (t->bad == ORDO_E2_ORDER || !ordo_e2_get(t->state, ordo_e2_part(v, fact, 1)))
            return c;
    }
    return -1;
}

static bool is_await(const struct ordo_record *r)
{
    return r->op == ORDO_OP_AWAIT_CLEAR || r->op == ORDO_OP_AWAIT_GE;
}

static bool is_clear(const struct ordo_record *r)
{
    return (r->space == ORDO_SPACE_MASK || r->space == ORDO_SPACE_COUNTER) && !is_await(r) && r->op != ORDO_OP_LOAD;
}

static uint32_t bits_of(const struct ordo_record *r)
{
    return r->op == ORDO_OP_RED_AND || r->op == ORDO_OP_STORE ? ~r->value : ~UINT32_C(0);
}

/* Whether the await asks for what the write does. */
static bool asks_for(const struct ordo_record *await, const struct ordo_record *write)
{
    return await->space == write->space && await->index == write->index &&
           (await->op == ORDO_OP_AWAIT_GE || (await->value & bits_of(write)));
}

static bool fenced(const struct ordo_e2 *e2, int32_t thread, int32_t first, int32_t end)
{
    for (int32_t i = first; i < end; i++)
        if (e2->p->thread[thread].op[i].record.op == ORDO_OP_FENCE)
            return true;
    return false;
}

/* Why the await, having observed the write, does not synchronise with it. */
static void weak_link(const struct ordo_e2 *e2, struct ordo_e2_trail *t, const struct ordo_e2_event *write,
                      const struct ordo_e2_event *await)
{
    const struct ordo_record *w = record_of(e2, write), *a = record_of(e2, await);
    char one[256], other[256];
    const char *why =
        "what it read is not carried on from the clear by updates alone, each morally strong with the next";

    if (a->sem == ORDO_SEM_weak)
        why = "a weak load synchronises with nothing and races with the clear";
    else if (!ordo_e2_strong_pair(e2, write->thread, write->op, await->thread, await->op))
        why = "their scopes do not include each other's thread, so they are not morally strong";
    else if (w->sem < ORDO_SEM_release && !fenced(e2, write->thread, 0, write->op))
        why = "the clear does not release, and no fence of its thread stands before it";
    else if (a->sem != ORDO_SEM_acquire && !fenced(e2, await->thread, await->op, e2->p->thread[await->thread].n_op))
        why = "the poll does not acquire, and no fence of its thread stands behind it";
    t->from = (int32_t)(write - t->event);
    t->to = (int32_t)(await - t->event);
    ordo_e2_say(t, "missing: release to acquire, from %s", ordo_e2_at(e2, write->thread, write->op, one));
    ordo_e2_say(t, "         to %s", ordo_e2_at(e2, await->thread, await->op, other));
    ordo_e2_say(t, "         %s", why);
}

/* Searches the schedule between the two additions for what should order them. */
static void name_edge(const struct ordo_e2 *e2, struct ordo_e2_trail *t, uint32_t from)
{
    const struct ordo_e2_event *first = &t->event[from], *last = &t->event[t->n - 1];
    const struct ordo_e2_thread *a = &e2->p->thread[first->thread], *b = &e2->p->thread[last->thread];
    const struct ordo_e2_event *write = NULL, *await = NULL;
    char text[256];

    for (uint32_t i = 0; i + 1 < t->n; i++) {
        const struct ordo_e2_event *e = &t->event[i];

        if (e->thread < 0 || e->copy)
            continue;
        if (is_await(record_of(e2, e)) && e2->p->thread[e->thread].cta == b->cta &&
            (!write || asks_for(record_of(e2, e), record_of(e2, write))))
            await = e;
        if (is_clear(record_of(e2, e)) && e2->p->thread[e->thread].cta == a->cta && (i > from || !write))
            write = e;
    }
    if (record_of(e2, first)->op == ORDO_OP_BULK_ADD && !first->copy)
        ordo_e2_say(t, "missing: the wait for completion of %s", ordo_e2_at(e2, first->thread, first->op, text));
    else if (a->cta == b->cta)
        ordo_e2_say(t, "missing: a barrier of CTA %d between the two", (int)a->cta);
    else if (!write)
        ordo_e2_say(t, "missing: a clear by CTA %d after its addition", (int)a->cta);
    else if (write < first)
        ordo_e2_say(t, "missing: a barrier between the addition and %s",
                    ordo_e2_at(e2, write->thread, write->op, text));
    else if (!await || !asks_for(record_of(e2, await), record_of(e2, write)))
        ordo_e2_say(t, "missing: a wait by CTA %d for %s", (int)b->cta,
                    ordo_e2_at(e2, write->thread, write->op, text));
    else
        weak_link(e2, t, write, await);
}

/* The views at the end: if a thread of the CTA knows the addition, its barrier is missing; if the thread knows it and
 * adds in bulk, the proxy fence. */
static bool known_nearby(const struct ordo_e2 *e2, struct ordo_e2_trail *t, int32_t cell)
{
    const struct ordo_e2_event *last = &t->event[t->n - 1];
    const struct ordo_e2_thread *me = &e2->p->thread[last->thread];

    if (!e2->views || t->bad != ORDO_E2_RACE)
        return false;
    if (ordo_e2_get(t->state, ordo_e2_part(&e2->view[last->thread], cell, 1))) {
        ordo_e2_say(t, "missing: an async proxy fence of CTA %d between the two (not derivable without)",
                    (int)me->cta);
        return true;
    }
    for (int32_t i = 0; i < e2->p->n_thread; i++) {
        const struct ordo_e2_thread *u = &e2->p->thread[i];

        if (u->cta != me->cta || u->setup || !ordo_e2_get(t->state, ordo_e2_part(&e2->view[i], cell, 1)))
            continue;
        ordo_e2_say(t, "missing: a barrier from CTA %d %s, which knows of it, to CTA %d %s", (int)u->cta, u->role,
                    (int)me->cta, me->role);
        return true;
    }
    return false;
}

/* --- an addition that has not been made ------------------------------------------------------------------------- */

static bool done(const struct ordo_e2_trail *t, int32_t thread, int32_t op)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->event[i].thread == thread && t->event[i].op == op)
            return true;
    return false;
}

/* The addition that the cell waits for: its turn is the number of those made. */
static bool next_in_turn(const struct ordo_e2 *e2, const struct ordo_e2_trail *t, int32_t cell,
                         struct ordo_e2_event *next)
{
    int32_t turn = (int32_t)ordo_e2_get(t->state, e2->cell[cell].count);

    for (int32_t u = 0; u < e2->p->n_thread; u++)
        for (int32_t i = 0; i < e2->p->thread[u].n_op; i++) {
            *next = (struct ordo_e2_event){(int16_t)u, (int16_t)i, false, 0};
            if (adds_to(e2, next, cell) && ordo_e2_turn_of(e2, u, i, cell) == turn)
                return true;
        }
    return false;
}

/* Whether the await asks for a bit that the CTA clears. */
static bool names(const struct ordo_e2 *e2, const struct ordo_e2_event *wait, int32_t cta)
{
    for (int32_t u = 0; u < e2->p->n_thread; u++)
        for (int32_t i = 0; i < e2->p->thread[u].n_op; i++)
            if (e2->p->thread[u].cta == cta && e2->p->thread[u].op[i].record.op == ORDO_OP_RED_AND &&
                record_of(e2, wait)->op == ORDO_OP_AWAIT_CLEAR &&
                asks_for(record_of(e2, wait), &e2->p->thread[u].op[i].record))
                return true;
    return false;
}

/* Which link of the chain from the addition `next`, not yet made, to the last step let that step come first. */
static void name_gap(const struct ordo_e2 *e2, struct ordo_e2_trail *t, const struct ordo_e2_event *next)
{
    const struct ordo_e2_thread *a = &e2->p->thread[next->thread], *b = &e2->p->thread[t->event[t->n - 1].thread];
    const struct ordo_e2_event *early = NULL, *wait = NULL;
    char text[256];

    for (uint32_t i = 0; i < t->n; i++) {
        const struct ordo_e2_event *e = &t->event[i];

        if (e->thread >= 0 && is_clear(record_of(e2, e)) && e2->p->thread[e->thread].cta == a->cta)
            early = e;
        if (e->thread >= 0 && is_await(record_of(e2, e)) && e2->p->thread[e->thread].cta == b->cta)
            wait = e;
    }
    if (early && wait && asks_for(record_of(e2, wait), record_of(e2, early)))
        ordo_e2_say(t, "missing: a barrier between that addition and %s, which came first",
                    ordo_e2_at(e2, early->thread, early->op, text));
    else if (wait && names(e2, wait, a->cta))
        ordo_e2_say(t, "missing: its bit, which is not set when %s looks",
                    ordo_e2_at(e2, wait->thread, wait->op, text));
    else if (wait)
        ordo_e2_say(t, "missing: a wait for it; %s does not wait for CTA %d",
                    ordo_e2_at(e2, wait->thread, wait->op, text), (int)a->cta);
    else
        ordo_e2_say(t, "missing: a barrier between the wait of CTA %d and its addition; it has not waited yet",
                    (int)b->cta);
}

void ordo_e2_why_unordered(const struct ordo_e2 *e2, struct ordo_e2_trail *t)
{
    int32_t cell = cell_in_question(e2, t);
    const struct ordo_e2_event *last = &t->event[t->n - 1];
    struct ordo_e2_event next;
    uint32_t from = t->n - 1;
    char one[256];

    ordo_e2_say(t, "%s: %s", ordo_e2_bad_name[t->bad], ordo_e2_at(e2, last->thread, last->op, one));
    if (cell < 0) {
        ordo_e2_say(t, "a weak poll races with the writes of its word");
        return;
    }
    if (t->bad == ORDO_E2_ORDER && next_in_turn(e2, t, cell, &next) && !done(t, next.thread, next.op)) {
        ordo_e2_say(t, "it is the turn of %s", ordo_e2_at(e2, next.thread, next.op, one));
        if (!ordo_e2_why_hand_over(e2, t, &next, last))
            name_gap(e2, t, &next);
        return;
    }
    while (from > 0 && !(from < t->n - 1 && adds_to(e2, &t->event[from], cell)))
        from--;
    if (!adds_to(e2, &t->event[from], cell))
        return;
    t->from = (int32_t)from;
    t->to = (int32_t)t->n - 1;
    ordo_e2_say(t, "not ordered after %s", ordo_e2_at(e2, t->event[from].thread, t->event[from].op, one));
    if (!ordo_e2_why_hand_over(e2, t, &t->event[from], last) && !known_nearby(e2, t, cell))
        name_edge(e2, t, from);
}

void ordo_e2_why(const struct ordo_e2 *e2, struct ordo_e2_trail *t)
{
    t->n_reason = 0;
    if (t->bad == ORDO_E2_DEADLOCK)
        ordo_e2_why_blocked(e2, t);
    else if (t->bad == ORDO_E2_RESIDUAL)
        ordo_e2_say(
            t, "residual bit: all threads have ended, and a mask bit is still set: a clear was lost or never made");
    else
        ordo_e2_why_unordered(e2, t);
}
