/* real_sample.c - how much of the real gradient a budget pays for, and which of it.
 *
 * Costs in operations: a slot of a softmax row is worth about 100 (exp, division, conversions) and an eighth for each
 * product of its two exact dot products; a wanted sum one for each term. */
#include "oracle/real.h"

#include "base/size.h"

#include <stdlib.h>

struct sample {
    const struct ordo_attend *a;
    int32_t *live, *slots; /* scratch; of a query: its live slots */
    uint64_t *named;       /* of a KV row: how many slots name it */
    double *row_cost;      /* of a KV row: the softmax rows of one head that it needs */
    double all_slots, slot_cost;
};

static void free_sample(struct sample *s)
{
    free(s->live);
    free(s->slots);
    free(s->named);
    free(s->row_cost);
}

static enum ordo_status count(struct sample *s, struct ordo_err *err)
{
    const struct ordo_problem *p = s->a->problem;

    s->slot_cost = 100 + (s->a->d_qk + s->a->d_v) / 8.0;
    s->live = ordo_alloc((uint64_t)p->topk, sizeof *s->live);
    s->slots = ordo_alloc((uint64_t)p->n_query, sizeof *s->slots);
    s->named = ordo_alloc_zero((uint64_t)p->n_kv, sizeof *s->named);
    s->row_cost = ordo_alloc_zero((uint64_t)p->n_kv, sizeof *s->row_cost);
    if (!s->live || !s->slots || !s->named || !s->row_cost)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to count who names which KV row");
    for (int32_t query = 0; query < p->n_query; query++) {
        int32_t n = s->slots[query] = ordo_attend_live(p, query, s->live);

        s->all_slots += n;
        for (int32_t j = 0; j < n; j++) {
            s->named[s->live[j]]++;
            s->row_cost[s->live[j]] += n * s->slot_cost;
        }
    }
    return ORDO_OK;
}

/* What one unit costs alone. */
static double unit_cost(const struct sample *s, int output, int64_t unit)
{
    const struct ordo_attend *a = s->a;

    if (output == ORDO_REAL_DQ)
        return s->slots[unit / a->n_head] * (s->slot_cost + a->d_qk);
    if (output == ORDO_REAL_DKV)
        return a->n_head * (s->row_cost[unit] + (double)s->named[unit] * (a->d_qk + a->d_v));
    return s->all_slots * s->slot_cost;
}

static double whole_cost(const struct sample *s)
{
    const struct ordo_attend *a = s->a;

    return s->all_slots * a->n_head * (s->slot_cost + 2.0 * a->d_qk + a->d_v);
}

/* Evenly spaced units, as many as `budget` pays for: units that cost nothing (nobody names the row) come along. */
static enum ordo_status choose(const struct sample *s, int output, double budget, struct ordo_real_gradient *g,
                               double *cost, struct ordo_err *err)
{
    int64_t n = ordo_real_units(s->a, output), step = 1, taken = 0, *unit = ordo_alloc((uint64_t)n, sizeof *unit);
    enum ordo_status status;
    double all = 0;

    if (!unit)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to choose among %s", ordo_real_name[output]);
    for (int64_t i = 0; i < n; i++)
        all += unit_cost(s, output, i);
    if (all > budget)
        step = all / budget < (double)n ? (int64_t)(all / budget) + 1 : n;
    for (int64_t i = 0; i < n; i += step) {
        double one = unit_cost(s, output, i);

        if (one > budget)
            continue;
        budget -= one;
        *cost += one;
        unit[taken++] = i;
    }
    status = ordo_real_want(g, s->a, output, taken, unit, err);
    free(unit);
    return status;
}

enum ordo_status ordo_real_sample(const struct ordo_attend *a, double budget, struct ordo_real_gradient *g,
                                  double *cost, struct ordo_err *err)
{
    struct sample s = {.a = a};
    enum ordo_status status = count(&s, err);
    bool whole = status == ORDO_OK && whole_cost(&s) <= budget;

    *cost = whole ? whole_cost(&s) : 0;
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++)
        status = whole ? ordo_real_want(g, a, i, ordo_real_units(a, i), NULL, err)
                       : choose(&s, i, budget / ORDO_REAL_OUTPUTS, g, cost, err);
    free_sample(&s);
    return status;
}
