/* ptx_decide.c - the searches that make a verdict, one after the other, and what their counts say. */
#include "sim/ptx_live.h"

#include <stdlib.h>

/* Budgets of ordo_ptx_spend(), the largest one to three seconds.  Small programs need some ten thousand; liveness is
 * tried with little before machines over values are asked (ptx_live.h), and with more where they cannot tell. */
enum {
    BUDGET = 40000000,
    FIRST_TRY = 30000,
    RACE_TRY = 3000000,
    WHY_TRY = 3000000,
    FEW_VISITS = 3
};

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
    else if (t->cut_why)
        (void)snprintf(v->refused, sizeof v->refused, "line %d: %s", (int)t->cut_line, t->cut_why);
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

static void decide_liveness(struct ordo_ptx_search *q, const struct ordo_ptx_program *p, uint64_t budget,
                            struct ordo_ptx_verdict *v)
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
        search(q, p, true, budget, ORDO_PTX_VISITS, v);
    }
}

/* Too many executions to count: is there one that decides?  Their number stays what was counted. */
static void aim(struct ordo_ptx_search *q, const struct ordo_ptx_program *p, uint64_t budget,
                struct ordo_ptx_verdict *v)
{
    struct ordo_ptx_verdict one = {0};

    *q = (struct ordo_ptx_search){.p = p, .aims = true, .left = budget, .visits = ORDO_PTX_VISITS,
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
static void decide_condition(struct ordo_ptx_search *q, const struct ordo_ptx_program *p, uint64_t budget,
                             struct ordo_ptx_verdict *v)
{
    struct ordo_ptx_verdict longer = {0};

    search(q, p, false, budget, FEW_VISITS, v);
    if (!v->tally.cut)
        return;
    search(q, p, false, budget, ORDO_PTX_VISITS, &longer);
    if (longer.decided || !v->decided) {
        ordo_ptx_verdict_free(v);
        *v = longer;
    } else {
        ordo_ptx_verdict_free(&longer);
    }
}

bool ordo_ptx_decide_within(const struct ordo_ptx_program *p, bool liveness, uint64_t budget,
                            struct ordo_ptx_verdict *v)
{
    struct ordo_ptx_search *q = malloc(sizeof *q);

    *v = (struct ordo_ptx_verdict){0};
    if (!q)
        return false;
    if (liveness)
        decide_liveness(q, p, budget, v);
    else
        decide_condition(q, p, budget, v);
    if (!liveness && !v->decided && v->tally.exhausted)
        aim(q, p, budget, v);
    if (v->tally.race_open && !v->tally.race && v->decided)
        look_for_races(q, p, v);
    v->race_known = v->tally.race || (v->decided && !v->tally.cut && !v->tally.exhausted && !v->tally.race_open);
    free(q);
    return true;
}

bool ordo_ptx_decide(const struct ordo_ptx_program *p, bool liveness, struct ordo_ptx_verdict *v)
{
    return ordo_ptx_decide_within(p, liveness, BUDGET, v);
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
