/* census.h - what is in an index tensor: who shares rows with whom, and how much a relay would wait.
 *
 * Conventions: wave of 128 lanes, lane = query mod 128, rank = lane mod C, plane = lane div C.  A plane update is one
 * (query, row); it waits when a lower rank of the same (wave, plane) names the row too. */
#ifndef ORDO_SIM_CENSUS_H
#define ORDO_SIM_CENSUS_H

#include "sim/duplicates.h"
#include "sim/order.h"

enum { ORDO_N_CLUSTER_SIZES = 3, ORDO_CENSUS_WAVE = 128 };
extern const int32_t ordo_cluster_size[ORDO_N_CLUSTER_SIZES]; /* 4, 8, 16 */

struct ordo_fan_in {
    int32_t cluster, planes;
    uint64_t plane_rows; /* (wave, plane, row) with a writer */
    uint64_t updates, waits;
    int32_t max_fan_in;
    uint64_t fan_in[ORDO_MAX_CLUSTER]; /* [i]: (wave, plane, row) with i + 1 writers */
};

struct ordo_census {
    struct ordo_contract_scan scan;
    uint64_t dead;
    uint64_t rows_touched;
    uint32_t max_writers; /* queries that name the most popular row */
    uint64_t neighbour_rows; /* live rows of all queries but the first */
    uint64_t kept;           /* of them also named by the query before */
    uint64_t shifted;        /* of them one above a row of the query before */
    struct ordo_fan_in by_cluster[ORDO_N_CLUSTER_SIZES];
};

/* Free with ordo_census_free, also after a failure.  Errors as ordo_contract_scan_make. */
enum ordo_status ordo_census_make(const struct ordo_problem *p, struct ordo_census *census, struct ordo_err *err);
void ordo_census_free(struct ordo_census *census);

#endif
