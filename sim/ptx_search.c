/* ptx_search.c - which write each read reads, decided one read at a time, dead ends left as soon as an axiom fails.
 *
 * A read takes a write that has been issued, or is put off: then it takes one that is issued later.  So each
 * execution is met exactly once, and a write may stand after its reader in program order. */
#include "sim/ptx_impl.h"

#include "base/progress.h"

static void decide(struct ordo_ptx_search *q, struct ordo_ptx_state *s, const struct ordo_ptx_skeleton *k);

enum { AFTER_CUT = 100000 }; /* what is spent at most on an answer despite executions that were not followed */

bool ordo_ptx_spend(struct ordo_ptx_search *q, int n, enum ordo_ptx_step step)
{
    uint64_t cost = (uint64_t)step * (1 + (uint64_t)n * (uint64_t)n / 64);

    if (q->tally->cut && q->left > AFTER_CUT)
        q->left = AFTER_CUT;
    if (q->left < cost || ((q->tally->cut || q->aims) && ordo_ptx_found(q))) {
        q->tally->exhausted = true;
        return false;
    }
    if (q->left % 65536 < cost)
        ordo_progress("executions: steps left", q->left, 0);
    q->left -= cost;
    return true;
}

/* Goes on from a copy, with what can be issued now. */
static void go_on(struct ordo_ptx_search *q, const struct ordo_ptx_state *from)
{
    struct ordo_ptx_state s = *from;
    struct ordo_ptx_skeleton k;

    if (!ordo_ptx_issue(q, &s))
        return;
    for (int t = 0; t < q->p->n_thread; t++)
        if (s.run[t].end == ORDO_PTX_RUNNING && s.run[t].gate == ORDO_PTX_AT) {
            s.run[t].gate = ORDO_PTX_PASSES;
            go_on(q, &s);
            s.run[t].end = ORDO_PTX_BLOCKED;
            go_on(q, &s);
            return;
        }
    ordo_ptx_skeleton(q->p, &s, &k);
    ordo_ptx_take_turns(&q->facts, &k);
    k.dropped = q->dropped;
    decide(q, &s, &k);
}

static bool all_ended(const struct ordo_ptx_search *q, const struct ordo_ptx_state *s)
{
    for (int t = 0; t < q->p->n_thread; t++)
        if (s->run[t].end == ORDO_PTX_RUNNING)
            return false;
    return true;
}

/* Every thread that has not ended waits for others to bring their values. */
static bool all_reduce(const struct ordo_ptx_search *q, const struct ordo_ptx_state *s)
{
    for (int t = 0; t < q->p->n_thread; t++)
        if (s->run[t].end == ORDO_PTX_RUNNING &&
            (!q->p->thread[t].op[s->run[t].pc].reduces || s->run[t].gate == ORDO_PTX_BEFORE))
            return false;
    return true;
}

/* Some thread may still write there. */
static bool may_come(const struct ordo_ptx_search *q, const struct ordo_ptx_state *s, int place)
{
    for (int t = 0; t < q->p->n_thread; t++)
        if (s->run[t].end == ORDO_PTX_RUNNING && (q->facts.may_write[t][s->run[t].pc] >> place) & 1)
            return true;
    return false;
}

/* Writes that read r may read, decided by nothing but their place and program order. */
static uint64_t candidates(const struct ordo_ptx_state *s, const struct ordo_ptx_skeleton *k, int r)
{
    uint64_t set = k->place.row[r] & k->writes & ~s->base.row[r] & ~s->po.row[r];

    return s->later[r] ? set & ~(ordo_bit(s->later[r]) - 1) : set;
}

static bool possible(const struct ordo_ptx_skeleton *k)
{
    struct ordo_ptx_derived d;

    if (ordo_ptx_thin_air(k))
        return false;
    ordo_ptx_derive(k, NULL, &d);
    return ordo_ptx_forced(k, &d) == ORDO_PTX_AXIOM_NONE;
}

static void decide_read(struct ordo_ptx_search *q, struct ordo_ptx_state *s, const struct ordo_ptx_skeleton *k,
                        int r)
{
    uint64_t set = candidates(s, k, r);
    int8_t before = s->later[r];

    while (set) {
        s->from[r] = (int8_t)ordo_take(&set);
        if (ordo_ptx_spend(q, k->n, ORDO_PTX_DERIVES) && possible(k) && (!q->aims || ordo_ptx_may_decide(q, k, NULL)))
            decide(q, s, k);
    }
    s->from[r] = -1;
    if (may_come(q, s, s->event[r].place)) {
        s->later[r] = (int8_t)s->n;
        decide(q, s, k);
        s->later[r] = before;
    }
}

/* Goes on with one read of the set that can be decided now.  False: there is none; some may wait. */
static bool decide_some(struct ordo_ptx_search *q, struct ordo_ptx_state *s, const struct ordo_ptx_skeleton *k,
                        uint64_t reads, bool *waits)
{
    while (reads) {
        int r = ordo_take(&reads);

        if (s->from[r] >= 0)
            continue;
        if (s->later[r] < s->n && (s->later[r] == 0 || candidates(s, k, r))) {
            decide_read(q, s, k, r);
            return true;
        }
        *waits = true;
    }
    return false;
}

static void decide(struct ordo_ptx_search *q, struct ordo_ptx_state *s, const struct ordo_ptx_skeleton *k)
{
    bool waits = false;
    uint64_t first;

    if (!ordo_ptx_spend(q, s->n, ORDO_PTX_CHOOSES))
        return;
    if (!all_ended(q, s) && ordo_ptx_can_issue(q, s)) {
        go_on(q, s);
        return;
    }
    first = q->aims ? k->reads & ordo_ptx_aimed_at(q, s) : 0;
    if (decide_some(q, s, k, first, &waits) || decide_some(q, s, k, k->reads & ~first, &waits))
        return;
    if (!waits && all_ended(q, s))
        ordo_ptx_complete(q, k);
    else if (!waits && !q->liveness && all_reduce(q, s))
        q->tally->blocked++;
}

void ordo_ptx_enumerate(struct ordo_ptx_search *q)
{
    struct ordo_ptx_state s;

    ordo_ptx_facts(q->p, q->liveness, &q->facts);
    ordo_ptx_start(q, &s);
    go_on(q, &s);
    ordo_progress_end();
}
