/* dense_units.c - which rows of dense gradients a budget pays for: KV heads alike.
 *
 * A KV row needs every softmax row that sees it, but its neighbours need the same ones: so what a budget buys is the
 * softmax rows of the last queries, and then the KV rows that only those see.  Under a causal mask these are the last
 * KV rows; without one it is all or nothing.  Query rows are bought one by one, evenly spaced; so are KV rows where
 * the forward's statistics are given, because then a slot needs no other. */
#include "oracle/dense_impl.h"

#include "base/size.h"

#include <math.h>
#include <stdlib.h>

static const double piece_budget = 1e8; /* a KV head that gets less is hardly looked at */

int64_t ordo_dense_units(const struct ordo_dense_attend *a, int output)
{
    return output == ORDO_DENSE_DQ ? (int64_t)a->batch * a->q_len * a->q_heads
                                   : (int64_t)a->batch * a->kv_len * a->kv_heads;
}

/* What the parts of a piece cost. */
struct price {
    double slot, term; /* a slot of a softmax row with its dot products; of a sum's D columns */
    double most;       /* rows of an output */
    bool alone;        /* a KV row needs its own slots only */
};

static double all_slots(const struct ordo_dense_piece *p)
{
    double slots = 0;

    for (int32_t i = 0; i < p->problem.n_query; i++)
        slots += p->problem.length[i];
    return slots * p->group;
}

static double whole_piece(const struct ordo_dense_piece *p, const struct price *price)
{
    return all_slots(p) * (price->slot + 5 * price->term);
}

/* Every step'th of [first, end), so that not more than `most`; at least one if most >= 1. */
static void take_evenly(struct ordo_units *u, int64_t first, int64_t end, double most)
{
    int64_t step = most < 1 ? INT64_MAX / 2 : (int64_t)ceil(fmax(1, (double)(end - first) / most));

    for (int64_t i = first; i < end && most >= 1; i += step)
        u->unit[u->n++] = i;
}

/* KV rows that only the last queries see, as many of those as half the budget pays for; the other half is for the
 * sums. */
static void choose_rows(const struct ordo_dense_piece *p, const struct price *price, double budget,
                        struct ordo_units *u)
{
    const struct ordo_dense_attend *a = p->a;
    int32_t first = a->q_len, from;
    double left = budget / 2, row;

    while (first > 0 && left >= p->problem.length[first - 1] * p->group * price->slot)
        left -= p->problem.length[--first] * p->group * price->slot;
    from = first == 0 ? 0 : a->causal ? first + a->kv_len - a->q_len : a->kv_len;
    from = from < 0 ? 0 : from;
    row = ((double)a->q_len - first) * p->group * 3 * price->term;
    take_evenly(u, from, a->kv_len, row > 0 ? fmin(budget / 2 / row, price->most) : 0);
}

static void choose_rows_alone(const struct ordo_dense_piece *p, const struct price *price, double budget,
                              struct ordo_units *u)
{
    double one = all_slots(p) / p->a->kv_len * (price->slot + 3 * price->term); /* on the average */

    take_evenly(u, 0, p->a->kv_len, fmin(one > 0 ? budget / one : price->most, price->most));
}

static void choose_queries(const struct ordo_dense_piece *p, const struct price *price, double budget,
                           struct ordo_units *u)
{
    int64_t n = (int64_t)p->a->q_len * p->group;
    double one = all_slots(p) / (double)n * (price->slot + 2 * price->term); /* on the average */

    take_evenly(u, 0, n, fmin(one > 0 ? budget / one : (double)n, price->most));
}

static enum ordo_status choose_piece(const struct ordo_dense_piece *p, const struct price *price, double budget,
                                     struct ordo_units u[2], struct ordo_err *err)
{
    int64_t n[2] = {(int64_t)p->a->q_len * p->group, p->a->kv_len};
    bool whole = whole_piece(p, price) <= budget && (double)n[0] <= price->most && (double)n[1] <= price->most;

    for (int i = 0; i < 2; i++) {
        u[i].unit = ordo_alloc((uint64_t)n[i], sizeof *u[i].unit);
        if (!u[i].unit)
            return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to choose rows");
        if (whole)
            take_evenly(&u[i], 0, n[i], (double)n[i]);
    }
    if (!whole) {
        choose_queries(p, price, budget / 3, &u[0]);
        (price->alone ? choose_rows_alone : choose_rows)(p, price, budget * 2 / 3, &u[1]);
    }
    return ORDO_OK;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The piece's choice in each of n pieces of all. */
static enum ordo_status spread(struct ordo_dense_piece *p, int output, const struct ordo_units *of_piece, int64_t n,
                               int64_t pieces, struct ordo_units *u, struct ordo_err *err)
{
    uint64_t count;

    u->all = ordo_dense_units(p->a, output);
    u->unit = ordo_mul((uint64_t)n, (uint64_t)of_piece->n, &count) ? ordo_alloc(count, sizeof *u->unit) : NULL;
    if (!u->unit)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, ordo_dense_gradient_name[output], "no room to choose its rows");
    for (int64_t i = 0; i < n; i++) {
        int64_t number = i * pieces / n;

        p->b = (int32_t)(number / p->a->kv_heads);
        p->kv_head = (int32_t)(number % p->a->kv_heads);
        for (int64_t k = 0; k < of_piece->n; k++)
            u->unit[u->n++] = ordo_dense_piece_unit(p, output, of_piece->unit[k]);
    }
    qsort(u->unit, (size_t)u->n, sizeof *u->unit, by_number);
    return ORDO_OK;
}

enum ordo_status ordo_dense_choose(const struct ordo_dense_attend *a, const struct ordo_unit_cost *cost,
                                   enum ordo_near_kind kind, double budget, double most,
                                   struct ordo_units units[ORDO_DENSE_GRADIENTS], struct ordo_err *err)
{
    struct price price = {cost->slot + cost->product * 3 * a->d, cost->term * a->d, most / a->d,
                          kind == ORDO_NEAR_DECLARED};
    int64_t pieces = (int64_t)a->batch * a->kv_heads, n = 1;
    struct ordo_units of_piece[2] = {{0}};
    struct ordo_dense_piece p;
    enum ordo_status status = ordo_dense_piece_make(a, ORDO_DENSE_REACH_SEEN, false, false, &p, err);

    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++)
        units[i] = (struct ordo_units){0};
    if (status == ORDO_OK) {
        double least = fmin(fmax(whole_piece(&p, &price), 1), piece_budget);

        n = (int64_t)fmin((double)pieces, fmax(1, budget / least));
        price.most /= (double)n;
        status = choose_piece(&p, &price, budget / (double)n, of_piece, err);
    }
    for (int i = 0; i < ORDO_DENSE_GRADIENTS && status == ORDO_OK; i++)
        status = spread(&p, i, &of_piece[i != ORDO_DENSE_DQ], n, pieces, &units[i], err);
    free(of_piece[0].unit);
    free(of_piece[1].unit);
    ordo_dense_piece_free(&p);
    return status;
}
