/* design.h - a design: one published way to make the addition order fixed.
 *
 * A design is one file that fills in this struct, and one line in the table of design.c.  It says which launches run,
 * how the workers of a launch share a plane, and by what they hand a row over. */
#ifndef ORDO_SIM_DESIGN_H
#define ORDO_SIM_DESIGN_H

#include "sim/order.h"
#include "sim/plan.h"

/* How two workers of one launch that add to the same (plane, row) are ordered. */
enum ordo_sync {
    ORDO_SYNC_NONE,  /* they may not exist: a plane has one worker a launch */
    ORDO_SYNC_RELAY, /* mask bits: wait for all lower ranks' bits, add, clear the own bit */
    ORDO_SYNC_ATOMIC /* not at all: additions are atomic, and come as they come */
};

struct ordo_design {
    const char *name;
    enum ordo_sync sync;
    /* Launch kinds in stream order; count 0 stands for "one per wave and head block". */
    int n_launch;
    const struct ordo_launch *launch;
    /* Streams the workers that share `plane`; see order.h. */
    ordo_walk_fn *walk;
};

/* The launches of planes that nobody waits for (design_private.c). */
enum { ORDO_PLANE_LAUNCHES = 6 };
extern const struct ordo_launch ordo_plane_launches[ORDO_PLANE_LAUNCHES];

extern const struct ordo_design ordo_design_private_shards, ordo_design_cluster_relay, ordo_design_atomic;

/* All designs, NULL-terminated. */
extern const struct ordo_design *const ordo_designs[];
const struct ordo_design *ordo_design_find(const char *name);

/* ORDO_USAGE for a design that promises no order, with the reason: nothing can be proved or predicted of it. */
enum ordo_status ordo_design_ordered(const struct ordo_design *design, struct ordo_err *err);

#endif
