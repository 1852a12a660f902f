/* ptx_judge.c - one execution: does the condition hold at its end, does it race, does it end?  And the verdict. */
#include "sim/ptx_live.h"

#include <stdlib.h>
#include <string.h>

/* Budgets of ordo_ptx_spend(), the largest one to three seconds.  Small programs need some ten thousand; liveness is
 * tried with little before machines over values are asked (ptx_live.h), and with more where they cannot tell. */
enum {
    BUDGET = 40000000,
    FIRST_TRY = 30000,
    SECOND_TRY = 40000000,
    RACE_TRY = 3000000,
    WHY_TRY = 3000000,
    FEW_VISITS = 3
};

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
 * writes become visible to strong reads is the assumption under which "fair" is meant.  Writes of the same value, such
 * as the failed attempts of this and other waiters, change nothing. */
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

/* Then no execution ends, so none satisfies or fails a condition. */
static bool never_ends(const struct ordo_ptx_program *p)
{
    for (int t = 0; t < p->n_thread; t++)
        if (!ordo_ptx_end_is_reachable(&p->thread[t]))
            return true;
    return false;
}

/* What the counts say.  An execution that was found decides even where the search was not complete. */
static void conclude(const struct ordo_ptx_search *q, struct ordo_ptx_verdict *v)
{
    const struct ordo_ptx_tally *t = &v->tally;
    bool found = ordo_ptx_found(q);
    bool nothing = q->liveness && t->stuck == 0 && t->executions == 0; /* it must end or stay */

    v->decided = found || !(t->cut || t->exhausted || nothing) || (!q->liveness && never_ends(q->p));
    v->holds = v->decided && found == (!q->liveness && q->p->quantifier == ORDO_PTX_EXISTS);
    if (v->decided)
        return;
    if (nothing && !t->exhausted && !t->cut)
        (void)snprintf(v->refused, sizeof v->refused, "no execution was found that ends, and none that stays");
    else if (t->exhausted)
        (void)snprintf(v->refused, sizeof v->refused, "too many executions: the search was ended");
    else
        (void)snprintf(v->refused, sizeof v->refused,
                       "line %d: an execution longer than what is followed (%d events, %d turns of loops)",
                       (int)t->cut_line, ORDO_PTX_EVENTS, ORDO_PTX_VISITS);
}

/* Races in loop iterations that the search left out: a search of its own, whose executions do not count. */
static void look_for_races(struct ordo_ptx_search *q, const struct ordo_ptx_program *p, struct ordo_ptx_verdict *v)
{
    struct ordo_ptx_tally tally = {0};

    *q = (struct ordo_ptx_search){.p = p, .keeps = true, .left = RACE_TRY, .tally = &tally,
                                  .visits = ORDO_PTX_VISITS};
    ordo_ptx_enumerate(q);
    free(tally.witness);
    v->tally.race |= tally.race;
    v->tally.race_open = tally.cut || tally.exhausted;
}

static void search(struct ordo_ptx_search *q, const struct ordo_ptx_program *p, bool liveness, uint64_t budget,
                   int visits, struct ordo_ptx_verdict *v)
{
    *q = (struct ordo_ptx_search){.p = p, .liveness = liveness, .left = budget, .visits = visits,
                                  .tally = &v->tally};
    ordo_ptx_enumerate(q);
    conclude(q, v);
}

static void decide_liveness(struct ordo_ptx_search *q, const struct ordo_ptx_program *p, struct ordo_ptx_verdict *v)
{
    enum ordo_ptx_answer ends;

    if (p->filter.n > 0) {
        (void)snprintf(v->refused, sizeof v->refused,
                       "a filter is about the end of an execution: which endless ones it leaves out is not said");
        return;
    }
    search(q, p, true, FIRST_TRY, ORDO_PTX_VISITS, v);
    if (v->decided)
        return;
    ends = ordo_ptx_always_ends(p, &v->circle);
    if (ends != ORDO_PTX_UNKNOWN) {
        v->decided = true;
        v->holds = ends == ORDO_PTX_YES;
        v->refused[0] = 0;
    } else if (v->tally.exhausted) {
        *v = (struct ordo_ptx_verdict){0};
        search(q, p, true, SECOND_TRY, ORDO_PTX_VISITS, v);
    }
}

/* Too many executions to count: is there one that decides?  Their number stays what was counted. */
static void aim(struct ordo_ptx_search *q, const struct ordo_ptx_program *p, struct ordo_ptx_verdict *v)
{
    struct ordo_ptx_verdict one = {0};

    *q = (struct ordo_ptx_search){.p = p, .aims = true, .left = BUDGET, .visits = ORDO_PTX_VISITS,
                                  .tally = &one.tally};
    ordo_ptx_enumerate(q);
    conclude(q, &one);
    if (!one.decided)
        return;
    v->decided = true;
    v->holds = one.holds;
    v->refused[0] = 0;
    v->tally.race |= one.tally.race;
    v->tally.witness = one.tally.witness;
}

/* Short executions first: where loops can go on for long, one that decides is found sooner among them. */
static void decide_condition(struct ordo_ptx_search *q, const struct ordo_ptx_program *p, struct ordo_ptx_verdict *v)
{
    struct ordo_ptx_verdict longer = {0};

    search(q, p, false, BUDGET, FEW_VISITS, v);
    if (!v->tally.cut)
        return;
    search(q, p, false, BUDGET, ORDO_PTX_VISITS, &longer);
    if (longer.decided || !v->decided) {
        ordo_ptx_verdict_free(v);
        *v = longer;
    } else {
        ordo_ptx_verdict_free(&longer);
    }
}

static void decide_or_aim(struct ordo_ptx_search *q, const struct ordo_ptx_program *p, struct ordo_ptx_verdict *v)
{
    decide_condition(q, p, v);
    if (!v->decided && v->tally.exhausted)
        aim(q, p, v);
}

bool ordo_ptx_decide(const struct ordo_ptx_program *p, bool liveness, struct ordo_ptx_verdict *v)
{
    struct ordo_ptx_search *q = malloc(sizeof *q);

    *v = (struct ordo_ptx_verdict){0};
    if (!q)
        return false;
    if (liveness)
        decide_liveness(q, p, v);
    else
        decide_or_aim(q, p, v);
    if (v->tally.race_open && !v->tally.race && v->decided)
        look_for_races(q, p, v);
    v->race_known = v->tally.race || (v->decided && !v->tally.cut && !v->tally.exhausted && !v->tally.race_open);
    free(q);
    return true;
}

void ordo_ptx_why_not(const struct ordo_ptx_program *p, struct ordo_ptx_verdict *v)
{
    struct ordo_ptx_search *q = malloc(sizeof *q);

    for (int axiom = 1; q && axiom < ORDO_PTX_AXIOMS && !v->tally.witness; axiom++) {
        struct ordo_ptx_tally tally = {0};

        *q = (struct ordo_ptx_search){.p = p, .dropped = (enum ordo_ptx_axiom)axiom, .left = WHY_TRY, .tally = &tally,
                                      .visits = ORDO_PTX_VISITS};
        ordo_ptx_enumerate(q);
        v->tally.witness = tally.witness;
    }
    free(q);
}

void ordo_ptx_verdict_free(struct ordo_ptx_verdict *v)
{
    free(v->tally.witness);
    v->tally.witness = NULL;
}
