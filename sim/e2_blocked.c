/* e2_blocked.c - who waits for whom in a deadlock, and the cycle.
 *
 * A blocked thread waits for one that has yet to clear its bit, count up or arrive; a CTA that has no slot for one
 * that has. Following these from any blocked thread ends in a cycle, or at something that nobody is going to do. */
#include "sim/e2_step.h"
#include "sim/e2_why.h"

#include <inttypes.h>
#include <string.h>

struct blocked {
    const struct ordo_e2 *e2;
    struct ordo_e2_trail *t;
    bool done[ORDO_E2_MAX_THREADS][ORDO_E2_MAX_OPS];
};

/* The operation that the thread stands before or waits in; -1: it has ended. */
static int32_t stands_at(const struct blocked *b, int32_t thread)
{
    const struct ordo_e2 *e2 = b->e2;

    for (int32_t i = e2->first_actor[thread]; i < e2->first_actor[thread + 1]; i++) {
        const struct ordo_e2_step *step = &e2->step[ordo_e2_step_at(&e2->actor[i], b->t->state)];
        bool begun = ordo_e2_get(b->t->state, e2->actor[i].at) > 0 || e2->p->thread[thread].n_segment == 1;

        if (step->op >= 0 && begun)
            return step->op;
    }
    for (int32_t i = e2->first_actor[thread]; i < e2->first_actor[thread + 1]; i++)
        if (e2->step[ordo_e2_step_at(&e2->actor[i], b->t->state)].op >= 0)
            return e2->step[ordo_e2_step_at(&e2->actor[i], b->t->state)].op;
    return -1;
}

static const struct ordo_e2_unit *unit_of(const struct blocked *b, int32_t thread)
{
    const struct ordo_e2_thread *t = &b->e2->p->thread[thread];

    for (int32_t u = 0; u < b->e2->n_unit; u++)
        if (b->e2->unit[u].id == (b->e2->o.scheduler == ORDO_SCHED_CLUSTER ? t->cluster : t->cta))
            return &b->e2->unit[u];
    return NULL;
}

static bool waits_for_slot(const struct blocked *b, int32_t thread)
{
    const struct ordo_e2_unit *u = unit_of(b, thread);

    return u && !ordo_e2_get(b->t->state, u->started);
}

/* Whether a pending operation (u, i) is what r waits for. */
static bool would_help(const struct blocked *b, const struct ordo_record *r, int32_t u, int32_t i)
{
    const struct ordo_record *w = &b->e2->p->thread[u].op[i].record;
    bool word = w->space == r->space && w->index == r->index;

    if (b->done[u][i])
        return false;
    switch (r->op) {
    case ORDO_OP_AWAIT_CLEAR:
        return word && (w->op == ORDO_OP_RED_AND || w->op == ORDO_OP_STORE) && (r->value & ~w->value);
    case ORDO_OP_AWAIT_GE:
        return word && w->op == ORDO_OP_RED_ADD;
    case ORDO_OP_CLUSTER_WAIT:
        return w->op == ORDO_OP_CLUSTER_ARRIVE;
    default:
        return w->op == r->op && w->index == r->index;
    }
}

static bool reachable(const struct blocked *b, const struct ordo_record *r, int32_t thread, int32_t u)
{
    const struct ordo_e2_thread *me = &b->e2->p->thread[thread], *other = &b->e2->p->thread[u];

    if (r->op == ORDO_OP_BAR_SYNC)
        return me->cta == other->cta;
    if (r->op == ORDO_OP_WARP_SYNC)
        return me->cta == other->cta && me->warp == other->warp;
    return r->op != ORDO_OP_CLUSTER_WAIT || me->cluster == other->cluster;
}

/* The bits of an await that are still set. */
static bool still_set(const struct blocked *b, const struct ordo_record *r, const struct ordo_record *w)
{
    struct ordo_e2 *e2 = (struct ordo_e2 *)b->e2; /* the look-up does not change it */

    for (int32_t i = 0; i < 32 && r->op == ORDO_OP_AWAIT_CLEAR; i++) {
        struct ordo_e2_bit *bit = r->value & ~w->value & UINT32_C(1) << i ? ordo_e2_bit_of(e2, r, i) : NULL;

        if (bit && !ordo_e2_get(b->t->state, bit->field))
            return false;
    }
    return true;
}

/* What the thread itself waits for next, as a number; 0 if nothing. */
static uint32_t turn_of(const struct blocked *b, int32_t thread)
{
    const struct ordo_e2_thread *t = &b->e2->p->thread[thread];

    for (int32_t i = 0; i < t->n_op; i++)
        if (!b->done[thread][i] && t->op[i].record.op == ORDO_OP_AWAIT_GE)
            return t->op[i].record.value;
    return 0;
}

/* Who counts up next, by the turns that they wait for; -1: none. */
static int32_t next_to_count(const struct blocked *b, const struct ordo_record *r, int32_t thread)
{
    int32_t best = -1;

    for (int32_t u = 0; u < b->e2->p->n_thread; u++)
        for (int32_t i = 0; u != thread && i < b->e2->p->thread[u].n_op; i++)
            if (would_help(b, r, u, i) && (best < 0 || turn_of(b, u) < turn_of(b, best)))
                best = u;
    return best;
}

/* A thread that `thread` waits for, -1: none. */
static int32_t waits_for(const struct blocked *b, int32_t thread)
{
    const struct ordo_e2 *e2 = b->e2;
    int32_t at = stands_at(b, thread);
    const struct ordo_record *r = &e2->p->thread[thread].op[at].record;

    if (r->op == ORDO_OP_AWAIT_GE && !waits_for_slot(b, thread))
        return next_to_count(b, r, thread);

    for (int32_t u = 0; u < e2->p->n_thread; u++) {
        if (u == thread && r->op != ORDO_OP_AWAIT_CLEAR)
            continue;
        if (waits_for_slot(b, thread) && !waits_for_slot(b, u) && stands_at(b, u) >= 0)
            return u;
        for (int32_t i = 0; !waits_for_slot(b, thread) && i < e2->p->thread[u].n_op; i++)
            if (!e2->p->thread[u].setup && reachable(b, r, thread, u) && would_help(b, r, u, i) &&
                still_set(b, r, &e2->p->thread[u].op[i].record))
                return u;
    }
    return -1;
}

static void say_link(const struct blocked *b, int32_t thread, int32_t next)
{
    const struct ordo_e2_thread *n = next < 0 ? NULL : &b->e2->p->thread[next];
    char at[256], whom[64] = "what nobody is going to do";

    if (n)
        ordo_e2_name(n, whom, sizeof whom);
    if (waits_for_slot(b, thread))
        ordo_e2_say(b->t, "CTA %d has no slot and waits for %s", (int)b->e2->p->thread[thread].cta, whom);
    else
        ordo_e2_say(b->t, "%s waits for %s", ordo_e2_at(b->e2, thread, stands_at(b, thread), at), whom);
}

/* A thread to begin with: blocked, and of a CTA that cannot go on by itself. */
static int32_t first_blocked(const struct blocked *b)
{
    for (int32_t t = 0; t < b->e2->p->n_thread; t++)
        if (stands_at(b, t) >= 0 && !b->e2->p->thread[t].setup &&
            !ordo_e2_can_step(b->e2, b->t->state, &b->e2->actor[b->e2->first_actor[t]]))
            return t;
    return -1;
}

void ordo_e2_why_blocked(const struct ordo_e2 *e2, struct ordo_e2_trail *t)
{
    struct blocked b = {.e2 = e2, .t = t};
    int32_t seen[ORDO_E2_MAX_THREADS], n = 0, at, loop = 0;

    for (uint32_t i = 0; i < t->n; i++)
        if (t->event[i].thread >= 0)
            b.done[t->event[i].thread][t->event[i].op] = true;
    if (e2->o.scheduler == ORDO_SCHED_UNFAIR) {
        at = first_blocked(&b);
        say_link(&b, at, waits_for(&b, at));
        ordo_e2_say(t, "which need not run: nobody promises it a turn");
        return;
    }
    for (at = first_blocked(&b); at >= 0 && n < ORDO_E2_MAX_THREADS; at = waits_for(&b, at)) {
        for (loop = 0; loop < n && seen[loop] != at;)
            loop++;
        if (loop < n || stands_at(&b, at) < 0)
            break;
        seen[n++] = at;
    }
    if (at < 0 || n == 0 || loop == n)
        loop = 0;
    ordo_e2_say(t, "deadlock: %s", at < 0 ? "a wait that nobody ends" : "a cycle of waits");
    for (int32_t i = loop; i < n; i++)
        say_link(&b, seen[i], i + 1 < n ? seen[i + 1] : at);
}
