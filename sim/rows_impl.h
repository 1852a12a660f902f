/* rows_impl.h - the inside of sim/rows.h, for the prover that fills it. */
#ifndef ORDO_SIM_ROWS_IMPL_H
#define ORDO_SIM_ROWS_IMPL_H

#include "sim/domain.h"
#include "sim/duplicates.h"
#include "sim/rows.h"

#include <stdbool.h>

/* Invariant once filled: the additions of compact row c are add[start(c) .. cursor[c]), where start(c) = cursor of the
 * row before; cursor[c] - start(c) = writers of c times head blocks. */
struct ordo_rows {
    struct ordo_domain domain;
    uint32_t *cursor;   /* per compact row: one past its last accepted addition */
    uint32_t *end;      /* per compact row: one past its room */
    uint32_t *live;     /* the compact rows with additions, ascending */
    uint32_t n_live, n_add;
    struct ordo_add *add;
};

/* Room for writers[c] * head_blocks additions of each row.  Takes the domain over (also on failure).  NULL on failure;
 * ORDO_ENVIRONMENT without memory, ORDO_BAD_INPUT above 2^32 - 1 additions. */
struct ordo_rows *ordo_rows_make(struct ordo_domain *domain, const struct ordo_contract_scan *scan,
                                 int32_t head_blocks, enum ordo_status *status, struct ordo_err *err);

/* Appends an accepted addition; false when the row has no room left: more additions than live slots. */
static inline bool ordo_rows_append(struct ordo_rows *rows, uint32_t compact, struct ordo_add add)
{
    uint32_t at = rows->cursor[compact];

    if (at == rows->end[compact])
        return false;
    rows->add[at] = add;
    rows->cursor[compact] = at + 1;
    return true;
}

/* The first compact row that lacks an addition, or -1. */
int64_t ordo_rows_lacking(const struct ordo_rows *rows);

#endif
