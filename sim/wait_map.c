/* wait_map.c - see wait_map.h. */
#include "sim/wait_map.h"

#include "base/progress.h"
#include "base/size.h"
#include "protocol/live.h"
#include "sim/domain.h"

#include <stdlib.h>

/* 1 + the last group of queries, and the last query, that named a row. */
struct last {
    uint32_t group, query;
};

/* Clusters are consecutive queries and a wave is a multiple of them: query / C is (wave, plane). */
static void count_query(const struct ordo_problem *p, const struct ordo_domain *d, int32_t q, struct last *last,
                        struct ordo_wait_map *map)
{
    const int32_t *idx = ordo_problem_row(p, q);
    int32_t clamped = ordo_clamp_length(ordo_problem_length(p, q), p->topk);
    uint32_t group = (uint32_t)(q / map->cluster) + 1, query = (uint32_t)q + 1;

    for (int32_t j = 0; j < clamped; j++) {
        struct last *l;
        struct ordo_wait_cell *cell;

        if (!ordo_slot_live(idx[j], p->n_kv, j, clamped))
            continue;
        l = &last[ordo_domain_compact(d, idx[j])];
        if (l->query == query)
            continue; /* a repeated id counts once */
        cell = &map->cell[(size_t)(idx[j] / map->rows) * (size_t)map->n_x + (size_t)(q / map->queries)];
        cell->updates++;
        cell->waits += l->group == group;
        *l = (struct last){group, query};
    }
}

/* How many things a box holds, a multiple of unit or one, so that n of them fit into `most` boxes; *boxes are
 * needed. */
static int32_t box_size(int32_t n, int32_t most, int32_t unit, int32_t *boxes)
{
    int32_t size = 1;

    if (n > most)
        size = (int32_t)(ordo_div_up(ordo_div_up((uint64_t)n, (uint64_t)most), (uint64_t)unit) * (uint64_t)unit);
    *boxes = (int32_t)ordo_div_up((uint64_t)n, (uint64_t)size);
    return size;
}

enum ordo_status ordo_wait_map_make(const struct ordo_problem *p, int32_t cluster, int32_t most_x, int32_t most_y,
                                    struct ordo_wait_map *map, struct ordo_err *err)
{
    struct ordo_domain d;
    struct last *last = NULL;
    enum ordo_status status = ordo_domain_make(p, &d, err);

    *map = (struct ordo_wait_map){.cluster = cluster};
    map->queries = box_size(p->n_query, most_x, cluster, &map->n_x);
    map->rows = box_size(p->n_kv, most_y, 1, &map->n_y);
    if (status != ORDO_OK)
        goto out;
    map->cell = ordo_alloc((uint64_t)map->n_x * (uint64_t)map->n_y, sizeof *map->cell);
    last = ordo_alloc(d.n, sizeof *last);
    if (!map->cell || !last) {
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for the map of waits");
        goto out;
    }
    for (size_t i = 0; i < (size_t)map->n_x * (size_t)map->n_y; i++)
        map->cell[i] = (struct ordo_wait_cell){0, 0};
    for (uint32_t c = 0; c < d.n; c++)
        last[c] = (struct last){0, 0};
    for (int32_t q = 0; q < p->n_query; q++) {
        count_query(p, &d, q, last, map);
        if (q % 4096 == 0)
            ordo_progress("map of waits: query", (uint64_t)q, (uint64_t)p->n_query);
    }
    ordo_progress_end();
out:
    free(last);
    ordo_domain_free(&d);
    return status;
}

void ordo_wait_map_free(struct ordo_wait_map *map)
{
    free(map->cell);
    map->cell = NULL;
}

static struct ordo_wait_cell sum(const struct ordo_wait_map *map, int32_t x0, int32_t x1, int32_t y0, int32_t y1)
{
    struct ordo_wait_cell s = {0, 0};

    for (int32_t y = y0; y < y1; y++)
        for (int32_t x = x0; x < x1; x++) {
            const struct ordo_wait_cell *c = &map->cell[(size_t)y * (size_t)map->n_x + (size_t)x];

            s.updates += c->updates;
            s.waits += c->waits;
        }
    return s;
}

struct ordo_wait_cell ordo_wait_map_x(const struct ordo_wait_map *map, int32_t x)
{
    return sum(map, x, x + 1, 0, map->n_y);
}

struct ordo_wait_cell ordo_wait_map_y(const struct ordo_wait_map *map, int32_t y)
{
    return sum(map, 0, map->n_x, y, y + 1);
}

struct ordo_wait_cell ordo_wait_map_all(const struct ordo_wait_map *map)
{
    return sum(map, 0, map->n_x, 0, map->n_y);
}
