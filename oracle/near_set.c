/* near_set.c - room for intervals. */
#include "oracle/near.h"

#include "base/size.h"

#include <stdlib.h>

enum ordo_status ordo_near_set_make(struct ordo_near_set *s, const char *name, int32_t width, int64_t n,
                                    const int64_t *unit, struct ordo_err *err)
{
    uint64_t count;

    *s = (struct ordo_near_set){.n_unit = n, .width = width};
    if (!ordo_mul((uint64_t)n, (uint64_t)s->width, &count))
        count = UINT64_MAX;
    s->unit = ordo_alloc((uint64_t)n, sizeof *s->unit);
    s->n = ordo_alloc((uint64_t)n, sizeof *s->n);
    s->x = ordo_alloc(count, sizeof *s->x);
    s->e = ordo_alloc(count, sizeof *s->e);
    s->top = ordo_alloc(count, sizeof *s->top);
    if (!s->unit || !s->n || !s->x || !s->e || !s->top)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, name, "no room for its intervals");
    for (int64_t i = 0; i < n; i++)
        s->unit[i] = unit ? unit[i] : i;
    return ORDO_OK;
}

enum ordo_status ordo_near_want(struct ordo_near_gradient *g, const struct ordo_attend *a, int output, int64_t n,
                                const int64_t *unit, struct ordo_err *err)
{
    return ordo_near_set_make(&g->set[output], ordo_real_name[output], output == ORDO_REAL_DSINK ? 1 : a->d_qk, n,
                              unit, err);
}

void ordo_near_free(struct ordo_near_gradient *g)
{
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        free(g->set[i].unit);
        free(g->set[i].n);
        free(g->set[i].x);
        free(g->set[i].e);
        free(g->set[i].top);
    }
    *g = (struct ordo_near_gradient){0};
}
