/* near.c - see near.h. */
#include "fuzz/nearby.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static bool is_row(const struct ordo_problem *p, int32_t id)
{
    return id >= 0 && id < p->n_kv;
}

/* The granules of all ids that are rows, dead by their length or not: sorted, each once.  Returns how many. */
static size_t list_granules(const struct ordo_problem *p, size_t n_slot, int32_t *granule)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < n_slot; i++)
        if (is_row(p, p->idx[i]))
            granule[n++] = p->idx[i] / 8;
    qsort(granule, n, sizeof *granule, ascending);
    for (size_t i = 0; i < n; i++)
        if (!kept || granule[kept - 1] != granule[i])
            granule[kept++] = granule[i];
    return kept;
}

enum ordo_status ordo_nearby_make(struct ordo_arena *arena, const struct ordo_problem *p, struct ordo_nearby *near,
                                struct ordo_err *err)
{
    size_t n_slot = (size_t)p->n_query * (size_t)p->topk, n;
    int32_t *granule = ordo_arena_alloc(arena, n_slot + 1, sizeof *granule);
    int32_t *idx = ordo_arena_alloc_zero(arena, n_slot + 2 * (size_t)p->topk + 1, sizeof *idx); /* as draws have */

    if (!granule || !idx)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for the rows that are named");
    n = list_granules(p, n_slot, granule);
    for (size_t i = 0; i < n_slot; i++) {
        int32_t id = p->idx[i], g = id / 8;
        const int32_t *at = is_row(p, id) ? bsearch(&g, granule, n, sizeof g, ascending) : NULL;

        idx[i] = at ? (int32_t)(at - granule) * 8 + id % 8 : id;
    }
    near->granule = granule;
    near->problem = *p;
    near->problem.idx = idx;
    near->problem.n_kv = (int32_t)n * 8;
    if (n && granule[n - 1] == p->n_kv / 8) /* a short last granule stays short */
        near->problem.n_kv += p->n_kv % 8 - 8;
    return ORDO_OK;
}

int32_t ordo_nearby_row(const struct ordo_nearby *near, int32_t row)
{
    return row >= 0 && row < near->problem.n_kv ? near->granule[row / 8] * 8 + row % 8 : row;
}
