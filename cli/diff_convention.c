/* diff_convention.c - which wrong convention explains outputs that no correct kernel can give.
 *
 * Each is tried as a hypothesis: the real interval with that one thing changed, on a few units of every output, units
 * with wrong elements among them.  One explains them that admits all but a thousandth of the elements, and nine of
 * ten that the right formulas do not: a convention that changes nothing here explains nothing, nor does one that
 * would overflow where the outputs do not. */
#include "cli/diff.h"

#include "base/size.h"

#include <math.h>
#include <stdlib.h>

enum { UNITS = 12 };

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Wrong units first, as they come, then evenly spaced ones of those that were judged. */
static int64_t choose(const struct ordo_diff_work *w, int output, int64_t unit[UNITS])
{
    const struct ordo_units *u = &w->units[0][output];
    const struct ordo_tier *t = &w->tier[ORDO_DIFF_REAL][output];
    int32_t width = ordo_diff_width(w, output);
    int64_t n = 0, kept = 0, step = u->n / (UNITS - 2) + 1;

    if (t->n_bad)
        unit[n++] = t->first.element / width;
    if (t->n_bad)
        unit[n++] = t->worst.element / width;
    for (int64_t i = 0; i < u->n && n < UNITS; i += step)
        unit[n++] = u->unit[i];
    qsort(unit, (size_t)n, sizeof *unit, by_number);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || unit[i] != unit[kept - 1])
            unit[kept++] = unit[i];
    return kept;
}

static enum ordo_status want(struct ordo_diff_work *w, int output, int64_t n, const int64_t *unit,
                             struct ordo_err *err)
{
    return w->dense ? ordo_dense_want_near(&w->near, &w->dense_attend, output, n, unit, err)
                    : ordo_near_want(&w->near, &w->c.attend, output, n, unit, err);
}

/* Finite results where a kernel might overflow: admitted, but not explained. */
static int64_t finite_open(const struct ordo_actual *got, const struct ordo_near_set *s)
{
    int64_t n = 0;

    for (int64_t k = 0; k < s->n_unit * s->width; k++)
        n += !isfinite(s->e[k]) && isfinite(ordo_actual_value(got, s->unit[k / s->width] * s->width + k % s->width));
    return n;
}

/* Elements that a hypothesis (0: the right formulas) does not admit, and of the others those that it says nothing
 * of. */
static enum ordo_status misses(struct ordo_diff_work *w, int wrong, int64_t *n, int64_t *n_miss, int64_t *n_open,
                               struct ordo_err *err)
{
    enum ordo_status status =
        w->dense ? ordo_dense_near(&w->dense_attend, ORDO_NEAR_REAL, (enum ordo_dense_wrong)wrong, NULL, &w->near,
                                   err)
                 : ordo_near_run(&w->c.attend, ORDO_NEAR_REAL, (enum ordo_wrong)wrong, NULL, &w->near, err);

    *n = *n_miss = *n_open = 0;
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++) {
        struct ordo_tier t;

        if (!w->has[i])
            continue;
        ordo_tier_interval(&w->actual[i], &w->near.set[i], &t);
        *n += (int64_t)t.n;
        *n_miss += (int64_t)t.n_bad;
        *n_open += finite_open(&w->actual[i], &w->near.set[i]);
    }
    return status;
}

enum ordo_status ordo_diff_convention(struct ordo_diff_work *w, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;
    int64_t n_wrong = 0, open = 0;

    ordo_near_free(&w->near);
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++) {
        int64_t unit[UNITS], n = w->has[i] ? choose(w, i, unit) : 0;

        status = want(w, i, n, unit, err);
    }
    if (status == ORDO_OK)
        status = misses(w, 0, &w->n_tried, &n_wrong, &open, err);
    for (int wrong = 1; wrong < (w->dense ? (int)ORDO_DENSE_WRONGS : (int)ORDO_WRONGS) && status == ORDO_OK;
         wrong++) {
        int64_t n, n_miss, n_open;

        status = misses(w, wrong, &n, &n_miss, &n_open, err);
        n_miss += n_open > open ? n_open - open : 0;
        if (status == ORDO_OK && n_miss <= n / 1000 && n_miss < n_wrong - n_wrong * 9 / 10 &&
            w->n_wrong < ORDO_DIFF_EXPLANATIONS)
            w->wrong[w->n_wrong++] = wrong;
    }
    return status;
}
