/* ptx_judge.c - one execution: does the condition hold at its end, does it race, does it end? */
#include "sim/ptx_impl.h"

#include <stdlib.h>

static void keep(struct ordo_ptx_search *q, const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d,
                 const struct ordo_rel *fences, const struct ordo_rel *meets)
{
    struct ordo_ptx_witness *w = q->tally->witness ? q->tally->witness : malloc(sizeof *w);

    if (!w)
        return;
    w->s = *k->s;
    w->k = *k;
    w->k.s = &w->s;
    w->d = *d;
    w->fences = *fences;
    w->meets = *meets;
    w->without = q->dropped;
    q->tally->witness = w;
}

/* Writes that nothing is known to follow: each may be the last one. */
static uint64_t last_writes(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d, int place)
{
    uint64_t set = 0;

    for (int i = 0; i < k->n; i++)
        if ((k->writes & ordo_bit(i)) && k->s->event[i].place == place && d->co.row[i] == 0)
            set |= ordo_bit(i);
    return set;
}

/* Tries every end of memory from location i on; notes the answers of both conditions. */
static void try_ends(struct ordo_ptx_search *q, const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d,
                     const int64_t (*reg)[16], int64_t *loc, int i, bool answer[2])
{
    const struct ordo_ptx_location *l = &q->p->loc[i];

    if (i == q->p->n_loc) {
        if (ordo_ptx_final_eval(&q->p->filter, reg, loc))
            answer[ordo_ptx_final_eval(&q->p->final, reg, loc)] = true;
        return;
    }
    if (l->place != i) {
        loc[i] = loc[l->place];
        try_ends(q, k, d, reg, loc, i + 1, answer);
        return;
    }
    for (uint64_t set = last_writes(k, d, i); set;) {
        ORDO_BUG_ON(!ordo_ptx_value(k->s, k->s->event[ordo_take(&set)].node, &loc[i]));
        try_ends(q, k, d, reg, loc, i + 1, answer);
    }
}

static void end_registers(const struct ordo_ptx_search *q, const struct ordo_ptx_state *s, int64_t (*reg)[16])
{
    for (int t = 0; t < q->p->n_thread; t++)
        for (int i = 0; i < q->p->thread[t].n_reg; i++)
            ORDO_BUG_ON(!ordo_ptx_value(s, s->run[t].reg[i], &reg[t][i]));
}

/* Those of `writes` whose value is not the one that r read: only they could let a loop on r end. */
static uint64_t other_value(const struct ordo_ptx_state *s, uint64_t writes, int r)
{
    uint64_t other = 0;
    int64_t read = 0, written = 0;

    ORDO_BUG_ON(!ordo_ptx_value(s, s->event[r].node, &read));
    while (writes) {
        int w = ordo_take(&writes);

        if (!ordo_ptx_value(s, s->event[w].node, &written) || written != read)
            other |= ordo_bit(w);
    }
    return other;
}

/* A weak read may miss another thread's writes for ever; a strong one sees them at last, whatever its scope: that
 * writes become visible to strong reads is the assumption under which "fair" is meant.  Writes of the same value,
 * such as the failed attempts of this and other waiters, change nothing. */
static bool stays(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d, uint64_t spin)
{
    uint64_t reads = spin & k->reads;

    while (reads) {
        int r = ordo_take(&reads);
        uint64_t missed = other_value(k->s, d->co.row[k->s->from[r]], r);

        if (k->s->event[r].strong ? missed != 0 : (missed & k->strong.row[r]) != 0)
            return false;
    }
    return true;
}

/* One execution stands for all in which threads that are alike have changed places. */
static void count(const struct ordo_ptx_search *q, uint64_t *n)
{
    if (__builtin_add_overflow(*n, q->facts.orders, n))
        *n = UINT64_MAX;
}

static void judge_end(struct ordo_ptx_search *q, const struct ordo_ptx_skeleton *k,
                      const struct ordo_ptx_derived *d, const struct ordo_rel *fences, const struct ordo_rel *meets)
{
    bool ends = true;

    for (int t = 0; t < q->p->n_thread; t++) {
        const struct ordo_ptx_run *run = &k->s->run[t];

        ends &= run->end == ORDO_PTX_DONE;
        if (run->end == ORDO_PTX_SPINS && !stays(k, d, run->spin))
            return;
    }
    if (ends) {
        count(q, &q->tally->executions);
        return;
    }
    if (q->tally->stuck == 0)
        keep(q, k, d, fences, meets);
    count(q, &q->tally->stuck);
}

void ordo_ptx_judge(struct ordo_ptx_search *q, const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d,
                    const struct ordo_rel *fences, const struct ordo_rel *meets)
{
    int64_t reg[ORDO_PTX_THREADS][16] = {{0}}, loc[ORDO_PTX_LOCATIONS] = {0};
    bool answer[2] = {false, false}, decides;
    int a, b;

    if (q->liveness) {
        judge_end(q, k, d, fences, meets);
        q->tally->race |= ordo_ptx_races(k, d, &a, &b);
        return;
    }
    end_registers(q, k->s, reg);
    try_ends(q, k, d, (const int64_t(*)[16])reg, loc, 0, answer);
    if (!answer[0] && !answer[1])
        return;
    count(q, &q->tally->executions);
    q->tally->race |= ordo_ptx_races(k, d, &a, &b);
    decides = q->p->quantifier == ORDO_PTX_FORALL ? answer[0] && !q->tally->failed
                                                  : answer[1] && !q->tally->satisfied;
    if (answer[1])
        count(q, &q->tally->satisfied);
    if (answer[0])
        count(q, &q->tally->failed);
    if (decides)
        keep(q, k, d, fences, meets);
}

bool ordo_ptx_found(const struct ordo_ptx_search *q)
{
    const struct ordo_ptx_tally *t = q->tally;

    return q->liveness ? t->stuck > 0 : q->p->quantifier == ORDO_PTX_FORALL ? t->failed > 0 : t->satisfied > 0;
}
