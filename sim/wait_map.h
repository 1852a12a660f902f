/* wait_map.h - where a relay would wait: updates and waits over queries and KV rows, in boxes.  As census.h
 * counts. */
#ifndef ORDO_SIM_WAIT_MAP_H
#define ORDO_SIM_WAIT_MAP_H

#include "corpus/problem.h"

/* Box (x, y) holds queries [x * queries, ...) and rows [y * rows, ...); the last ones may be short.  cell[y * n_x +
 * x]. An update is one (query, row); it waits when a lower rank of the same (wave, plane) names the row too. */
struct ordo_wait_cell {
    uint64_t updates, waits;
};

struct ordo_wait_map {
    int32_t cluster, n_x, n_y, queries, rows;
    struct ordo_wait_cell *cell;
};

/* At most most_x by most_y boxes.  A box of several queries holds whole clusters, since lower ranks wait less.
 * ORDO_ENVIRONMENT without memory.  Free with ordo_wait_map_free, also after a failure. */
enum ordo_status ordo_wait_map_make(const struct ordo_problem *p, int32_t cluster, int32_t most_x, int32_t most_y,
                                    struct ordo_wait_map *map, struct ordo_err *err);
void ordo_wait_map_free(struct ordo_wait_map *map);

/* Sums of a column, a row, or all. */
struct ordo_wait_cell ordo_wait_map_x(const struct ordo_wait_map *map, int32_t x);
struct ordo_wait_cell ordo_wait_map_y(const struct ordo_wait_map *map, int32_t y);
struct ordo_wait_cell ordo_wait_map_all(const struct ordo_wait_map *map);

#endif
