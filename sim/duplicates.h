/* duplicates.h - the contract check: no id twice among the live slots of one query; and how often each row is named.
 *
 * Two slots of one query share one rank, hence one mask bit: cleared after the first addition it lets the successor
 * in between.  Duplicates are outside the contract, reported place by place. */
#ifndef ORDO_SIM_DUPLICATES_H
#define ORDO_SIM_DUPLICATES_H

#include "base/arena.h"
#include "sim/domain.h"

struct ordo_duplicate {
    int32_t query, row;
    int32_t first, column; /* the slot that named the row first, and this one */
};

struct ordo_contract_scan {
    uint64_t live;            /* live slots */
    uint64_t n_duplicate;     /* live slots that repeat an earlier live id of their query */
    int32_t duplicate_queries;
    int32_t dead_queries;     /* queries without a live slot */
    struct ordo_duplicate *duplicate;
    uint32_t *writers;        /* per compact row: queries that name it */
    struct ordo_arena *arena; /* where writers lie; NULL for the heap */
};

/* One pass over the tensor, tables in arena (may be NULL).  Free with ordo_contract_scan_free, also after a failure.
 * ORDO_ENVIRONMENT without memory; ORDO_BAD_INPUT above 2^32 - 1 live slots. */
enum ordo_status ordo_contract_scan_make(const struct ordo_problem *p, const struct ordo_domain *d,
                                         struct ordo_arena *arena, struct ordo_contract_scan *s,
                                         struct ordo_err *err);
void ordo_contract_scan_free(struct ordo_contract_scan *s);

#endif
