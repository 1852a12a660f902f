/* tree.h - the addition tree of one KV row as canonical text, from the proved order. */
#ifndef ORDO_SIM_TREE_H
#define ORDO_SIM_TREE_H

#include "sim/plan.h"
#include "sim/rows.h"

#include <stdio.h>

/* One line a plane that has writers, one line a group that has such a plane, one line for the sum; planes and groups
 * without writers hold +0.0 and are counted, not listed.  qI.hJ is the contribution of query I, head block J.
 *
 *   row 17
 *   P3 = +0 + q24.h0 + q27.h0
 *   G0 = +0 + P3        (8 planes, 7 of them +0.0)
 *   sum = +0 + G0       (2 groups, 1 of them +0.0)
 */
void ordo_tree_print(const struct ordo_plan *plan, const struct ordo_row *row, FILE *out);

/* Additions on the longest way from a leaf to the sum, fold included. */
uint32_t ordo_tree_depth(const struct ordo_plan *plan, const struct ordo_row *row);

#endif
