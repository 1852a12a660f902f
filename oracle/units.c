/* units.c - see units.h. */
#include "oracle/units.h"

#include "base/size.h"

#include <math.h>
#include <stdlib.h>

/* In MPFR operations of 40 ns: exp, division and conversions of a slot are about 100.  In fp64 ones of half a
 * nanosecond: two exponentials and the roundings. */
const struct ordo_unit_cost ordo_unit_cost_real = {100, 0.125, 1}, ordo_unit_cost_near = {400, 4, 3};

struct count {
    const struct ordo_attend *a;
    const struct ordo_unit_cost *cost;
    int32_t *live, *slots; /* scratch; of a query: its live slots */
    uint64_t *named;       /* of a KV row: how many slots name it */
    double *row_slots;     /* and how many slots the queries of those have */
    double all_slots, slot;
};

static void count_free(struct count *c)
{
    free(c->live);
    free(c->slots);
    free(c->named);
    free(c->row_slots);
}

static enum ordo_status count(struct count *c, struct ordo_err *err)
{
    const struct ordo_problem *p = c->a->problem;

    c->slot = c->cost->slot + c->cost->product * (c->a->d_qk + c->a->d_v);
    c->live = ordo_alloc((uint64_t)p->topk, sizeof *c->live);
    c->slots = ordo_alloc((uint64_t)p->n_query, sizeof *c->slots);
    c->named = ordo_alloc_zero((uint64_t)p->n_kv, sizeof *c->named);
    c->row_slots = ordo_alloc_zero((uint64_t)p->n_kv, sizeof *c->row_slots);
    if (!c->live || !c->slots || !c->named || !c->row_slots)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to count who names which KV row");
    for (int32_t query = 0; query < p->n_query; query++) {
        int32_t n = c->slots[query] = ordo_attend_live(p, query, c->live);

        c->all_slots += n;
        for (int32_t j = 0; j < n; j++) {
            c->named[c->live[j]]++;
            c->row_slots[c->live[j]] += n;
        }
    }
    return ORDO_OK;
}

/* What one unit costs alone. */
static double unit_cost(const struct count *c, int output, int64_t unit)
{
    const struct ordo_attend *a = c->a;

    if (output == ORDO_REAL_DQ)
        return c->slots[unit / a->n_head] * (c->slot + c->cost->term * a->d_qk);
    if (output == ORDO_REAL_DKV)
        return a->n_head * (c->row_slots[unit] * c->slot +
                            (double)c->named[unit] * c->cost->term * ((double)a->d_qk + a->d_v));
    return c->all_slots * c->slot;
}

/* Everything: its outputs share their softmax rows. */
static double whole_cost(const struct count *c)
{
    return c->all_slots * c->a->n_head * (c->slot + c->cost->term * (2.0 * c->a->d_qk + c->a->d_v));
}

static bool whole(const struct count *c, double budget, double most)
{
    const struct ordo_attend *a = c->a;

    return whole_cost(c) <= budget && (double)ordo_real_units(a, ORDO_REAL_DQ) * a->d_qk <= most &&
           (double)ordo_real_units(a, ORDO_REAL_DKV) * a->d_qk <= most;
}

/* Evenly spaced among the units that something adds to and that the budget pays for alone, as many as budget and
 * `most` elements pay for. */
static void choose(const struct count *c, int output, double budget, double most, struct ordo_units *u)
{
    double most_of_one = budget, all = 0, left = most / (output == ORDO_REAL_DSINK ? 1 : c->a->d_qk), share;
    int64_t step, alive = 0;

    for (int64_t i = 0; i < u->all; i++) {
        double one = unit_cost(c, output, i);

        if (one > budget)
            continue;
        all += one;
        alive += one > 0;
    }
    share = fmax(all / budget, (double)alive / left);
    step = share <= 1 ? 1 : share < (double)alive ? (int64_t)share + 1 : alive;
    for (int64_t i = 0, at = 0; i < u->all; i++) {
        double one = unit_cost(c, output, i);

        if (one == 0 || one > most_of_one || at++ % step || one > budget || left < 1)
            continue;
        budget -= one;
        left--;
        u->unit[u->n++] = i;
    }
    for (int64_t i = 0; i < u->all; i++)
        if (unit_cost(c, output, i) == 0)
            u->unit[u->n + u->n_dead++] = i;
}

enum ordo_status ordo_units_choose(const struct ordo_attend *a, const struct ordo_unit_cost *cost, double budget,
                                   double most, struct ordo_units units[ORDO_REAL_OUTPUTS], struct ordo_err *err)
{
    struct count c = {.a = a, .cost = cost};
    enum ordo_status status = count(&c, err);
    double each = budget / ORDO_REAL_OUTPUTS;

    if (status == ORDO_OK && whole_cost(&c) <= budget)
        each = HUGE_VAL; /* only elements are too many */
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        units[i] = (struct ordo_units){0};
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++) {
        struct ordo_units *u = &units[i];

        u->all = ordo_real_units(a, i);
        u->unit = ordo_alloc((uint64_t)u->all, sizeof *u->unit);
        if (!u->unit)
            status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, ordo_real_name[i], "no room to choose among its units");
        else if (whole(&c, budget, most))
            for (; u->n < u->all; u->n++)
                u->unit[u->n] = u->n;
        else
            choose(&c, i, each, most, u);
    }
    count_free(&c);
    return status;
}

void ordo_units_free(struct ordo_units units[ORDO_REAL_OUTPUTS])
{
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        free(units[i].unit);
        units[i] = (struct ordo_units){0};
    }
}
