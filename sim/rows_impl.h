/* rows_impl.h - the inside of sim/rows.h, for the prover that fills it. */
#ifndef ORDO_SIM_ROWS_IMPL_H
#define ORDO_SIM_ROWS_IMPL_H

#include "sim/domain.h"
#include "sim/duplicates.h"
#include "sim/rows.h"

#include <stdbool.h>

/* What the prover touches for each addition, in one cache line. */
struct ordo_row_slot {
    uint32_t cursor; /* one past the row's last accepted addition */
    uint32_t end;    /* one past its room */
    uint64_t last;   /* plane << 32 | key of its last addition, 0 for none */
};

/* Invariant: the additions of compact row c are add[start(c) .. slot[c].cursor), where start(c) is the end of the row
 * before; once filled, cursor = end for each row. */
struct ordo_rows {
    struct ordo_domain domain;
    struct ordo_row_slot *slot; /* per compact row */
    uint32_t *live;     /* the compact rows with additions, ascending */
    uint32_t n_live, n_add;
    struct ordo_add *add;
    struct ordo_arena *arena; /* where all this lies; NULL for the heap */
};

/* Room for writers[c] * head_blocks additions of each row, where the scan's tables lie.  Takes the domain over (also
 * on failure).  NULL on failure; ORDO_ENVIRONMENT without memory, ORDO_BAD_INPUT above 2^32 - 1 additions. */
struct ordo_rows *ordo_rows_make(struct ordo_domain *domain, const struct ordo_contract_scan *scan,
                                 int32_t head_blocks, enum ordo_status *status, struct ordo_err *err);

/* Appends an accepted addition; false when the row has no room left: more additions than live slots. */
static inline bool ordo_rows_append(struct ordo_rows *rows, uint32_t compact, struct ordo_add add)
{
    struct ordo_row_slot *s = &rows->slot[compact];

    if (s->cursor == s->end)
        return false;
    rows->add[s->cursor++] = add;
    return true;
}

/* The first compact row that lacks an addition, or -1. */
int64_t ordo_rows_lacking(const struct ordo_rows *rows);

#endif
