/* ptx_barrier.c - who meets whom at a barrier, and which waits never end.
 *
 * A barrier is named by its scope (CTA or cluster), instance and resource numbers; the n-th uses by its threads meet.
 * Without a count it waits for every thread of the scope whose program names it.  With a count it opens when so many
 * have arrived and stays open for those who come later: they meet the first ones, who do not meet them. */
#include "sim/ptx_impl.h"

static bool same_name(const struct ordo_ptx_program *p, const struct ordo_ptx_event *a,
                      const struct ordo_ptx_event *b)
{
    return a->cluster == b->cluster && a->instance == b->instance && a->resource == b->resource &&
           ordo_ptx_includes(p, a->cluster ? ORDO_PTX_CLUSTER : ORDO_PTX_CTA, a->thread, b->thread);
}

bool ordo_ptx_same_barrier(const struct ordo_ptx_program *p, const struct ordo_ptx_event *a,
                           const struct ordo_ptx_event *b)
{
    return a->nth == b->nth && same_name(p, a, b);
}

static bool is_barrier(const struct ordo_ptx_op *op)
{
    return op->kind == ORDO_PTX_BAR_SYNC || op->kind == ORDO_PTX_BAR_ARRIVE ||
           op->kind == ORDO_PTX_CLUSTER_ARRIVE || op->kind == ORDO_PTX_CLUSTER_WAIT;
}

/* Whether the program of a thread names the barrier of e by plain numbers, on whatever path. */
static bool names(const struct ordo_ptx_program *p, int t, const struct ordo_ptx_event *e)
{
    const struct ordo_ptx_thread *th = &p->thread[t];

    if (!ordo_ptx_includes(p, e->cluster ? ORDO_PTX_CLUSTER : ORDO_PTX_CTA, e->thread, t))
        return false;
    for (int i = 0; i < th->n_op; i++) {
        const struct ordo_ptx_op *op = &th->op[i];
        bool cluster = op->kind == ORDO_PTX_CLUSTER_ARRIVE || op->kind == ORDO_PTX_CLUSTER_WAIT;

        if (!is_barrier(op) || cluster != e->cluster)
            continue;
        if (cluster || (op->x[0].reg < 0 && op->x[0].number == e->instance && op->x[1].reg < 0 &&
                        op->x[1].number == e->resource))
            return true;
    }
    return false;
}

/* Arrivals at the barrier of e, one a thread. */
static uint64_t arrivals(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s,
                         const struct ordo_ptx_event *e, unsigned *threads)
{
    uint64_t set = 0;

    *threads = 0;
    for (int i = 0; i < s->n; i++)
        if (s->event[i].kind == ORDO_PTX_ARRIVE && ordo_ptx_same_barrier(p, &s->event[i], e)) {
            set |= ordo_bit(i);
            *threads |= 1u << s->event[i].thread;
        }
    return set;
}

/* Whether everyone that the barrier of e waits for has arrived. */
static bool opens(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s, const struct ordo_ptx_event *e,
                  uint64_t *member)
{
    unsigned there;

    *member = arrivals(p, s, e, &there);
    if (e->counted)
        return __builtin_popcountll(*member) >= e->count;
    for (int t = 0; t < p->n_thread; t++) {
        bool expected = names(p, t, e);

        for (int i = 0; !expected && i < s->n; i++)
            expected = s->event[i].kind == ORDO_PTX_ARRIVE && s->event[i].thread == t &&
                       same_name(p, &s->event[i], e);
        if (expected && !((there >> t) & 1))
            return false;
    }
    return true;
}

bool ordo_ptx_meets_all(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s,
                        const struct ordo_ptx_event *e)
{
    uint64_t member;

    return opens(p, s, e, &member);
}

int ordo_ptx_named_by(const struct ordo_ptx_program *p, const struct ordo_ptx_event *e)
{
    int n = 0;

    for (int t = 0; t < p->n_thread; t++)
        n += names(p, t, e);
    return n;
}

static void remember(struct ordo_ptx_groups *g, uint64_t member, int64_t count)
{
    for (int i = 0; i < g->n; i++)
        if (g->member[i] == member)
            return;
    g->member[g->n] = member;
    g->count[g->n++] = count < 0 ? 0 : (int)count;
}

/* What a blocked thread waits for: its last arrival, of the cluster where it stands at a cluster wait. */
static const struct ordo_ptx_event *waited_for(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s,
                                               int t)
{
    bool cluster = p->thread[t].op[s->run[t].pc].kind == ORDO_PTX_CLUSTER_WAIT;

    for (int i = s->n - 1; i >= 0; i--)
        if (s->event[i].kind == ORDO_PTX_ARRIVE && s->event[i].thread == t && s->event[i].cluster == cluster)
            return &s->event[i];
    return NULL;
}

bool ordo_ptx_is_met(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s, int t)
{
    const struct ordo_ptx_event *e = waited_for(p, s, t);

    return e && ordo_ptx_meets_all(p, s, e);
}

bool ordo_ptx_barriers_end(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s,
                           struct ordo_ptx_groups *g)
{
    uint64_t member;

    g->n = 0;
    for (int i = 0; i < s->n; i++) {
        const struct ordo_ptx_event *e = &s->event[i];

        if (e->kind != ORDO_PTX_WAIT)
            continue;
        if (!opens(p, s, e, &member))
            return false;
        if (e->counted)
            remember(g, member, e->count);
    }
    for (int t = 0; t < p->n_thread; t++) {
        const struct ordo_ptx_event *e = s->run[t].end == ORDO_PTX_BLOCKED ? waited_for(p, s, t) : NULL;

        if (e && opens(p, s, e, &member))
            return false;
    }
    return true;
}

void ordo_ptx_meet(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s, uint64_t first,
                   struct ordo_rel *sync, struct ordo_rel *wait)
{
    while (first) {
        int a = ordo_take(&first);
        const struct ordo_ptx_event *e = &s->event[a];

        for (int i = 0; i < s->n; i++)
            if (s->event[i].kind == ORDO_PTX_WAIT && ordo_ptx_same_barrier(p, e, &s->event[i])) {
                wait->row[a] |= ordo_bit(i);
                if (e->releases && e->thread != s->event[i].thread)
                    sync->row[a] |= ordo_bit(i);
            }
    }
}

void ordo_ptx_meet_all(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s, struct ordo_rel *wait)
{
    struct ordo_rel sync = {0};

    for (int i = 0; i < s->n; i++)
        if (s->event[i].kind == ORDO_PTX_ARRIVE && !s->event[i].counted)
            ordo_ptx_meet(p, s, ordo_bit(i), &sync, wait);
}
