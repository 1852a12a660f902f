/* dense_units.c - which rows of dense gradients a budget pays for: KV heads alike, each as units.h chooses. */
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

/* What a whole piece costs, as ordo_units_choose counts. */
static double whole_piece(const struct ordo_dense_piece *p, const struct ordo_unit_cost *cost)
{
    double slots = 0, d = p->a->d;

    for (int32_t i = 0; i < p->problem.n_query; i++)
        slots += p->problem.length[i];
    return slots * p->group * (cost->slot + cost->product * 3 * d + cost->term * 5 * d);
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

enum ordo_status ordo_dense_choose(const struct ordo_dense_attend *a, const struct ordo_unit_cost *cost, double budget,
                                   double most, struct ordo_units units[ORDO_DENSE_GRADIENTS], struct ordo_err *err)
{
    int64_t pieces = (int64_t)a->batch * a->kv_heads, n = 1;
    struct ordo_units of_piece[ORDO_REAL_OUTPUTS] = {{0}};
    struct ordo_dense_piece p;
    enum ordo_status status = ordo_dense_piece_make(a, ORDO_DENSE_REACH_SEEN, false, false, &p, err);

    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++)
        units[i] = (struct ordo_units){0};
    if (status == ORDO_OK) {
        n = (int64_t)fmin((double)pieces, fmax(1, budget / fmin(fmax(whole_piece(&p, cost), 1), piece_budget)));
        status = ordo_units_choose(&p.attend, cost, budget / (double)n, 2 * most / (double)n, of_piece, err);
    }
    for (int i = 0; i < ORDO_DENSE_GRADIENTS && status == ORDO_OK; i++)
        status = spread(&p, i, &of_piece[i != ORDO_DENSE_DQ], n, pieces, &units[i], err);
    ordo_units_free(of_piece);
    ordo_dense_piece_free(&p);
    return status;
}
