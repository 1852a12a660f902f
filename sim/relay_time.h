/* relay_time.h - what waiting costs the relay on a real index tensor: hand-over chains and stalls, per cluster size.
 *
 * As the census counts: waves of 128 lanes, one query each; clusters of consecutive lanes share a plane.  A CTA
 * takes its query's slots in tiles: products, weight c, then the additions of all its live rows, weight r, which
 * wait until every lower rank that names one of them has added to it (and `edge` later).  Ranks wait only for
 * lower ranks, so one pass in the order of ranks gives every time; waves run one after the other.  Exact, in ticks
 * of 1/den. */
#ifndef ORDO_SIM_RELAY_TIME_H
#define ORDO_SIM_RELAY_TIME_H

#include "base/rational.h"
#include "corpus/problem.h"

struct ordo_relay_model {
    struct ordo_rational c, r, edge;
    int32_t tile; /* slots of a tile */
};

struct ordo_relay_time {
    int32_t cluster;
    int64_t den;
    int64_t time, alone;  /* ticks: all waves; and if nobody ever waited */
    int64_t busy, stall;  /* of all CTAs, head block by head block alike */
    int64_t tiles, waits; /* tiles, and those that start their additions late */
    int64_t longest;      /* the longest single wait */
    int32_t chain;        /* hand-overs on the longest chain of them inside a wave */
    int32_t row_chain;    /* CTAs that hand one row on, at most */
};

/* ORDO_BAD_INPUT when times may leave 64 bits, ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_relay_time(const struct ordo_problem *p, int32_t cluster, const struct ordo_relay_model *model,
                                 struct ordo_relay_time *time, struct ordo_err *err);

#endif
