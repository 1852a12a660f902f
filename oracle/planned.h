/* planned.h - the addition tree that plan and contract promise for a sum, as data that a revealed one is held
 * against.
 *
 * It is said here once more, from the contract's words and the proved order of a KV row, and not read off the code
 * that adds. */
#ifndef ORDO_ORACLE_PLANNED_H
#define ORDO_ORACLE_PLANNED_H

#include "oracle/sumtree.h"
#include "sim/sum.h"

/* Leaf i is sum->term[i].  ORDO_ENVIRONMENT without memory.  Free with ordo_sumtree_free, also after a failure. */
enum ordo_status ordo_planned_tree(const struct ordo_plan *plan, const struct ordo_sum *sum, struct ordo_sumtree *t,
                                   struct ordo_err *err);

#endif
