/* rows.h - the proved order, row by row: which leaves are added to a KV row, plane by plane, in which order.
 *
 * The prover appends one entry for each addition that it has accepted, plane after plane; the core turns this around
 * into one list per KV row.  Everything downstream (digest, tree, reference, bounds) reads this and nothing else. */
#ifndef ORDO_SIM_ROWS_H
#define ORDO_SIM_ROWS_H

#include "base/digest.h"

#include <stdint.h>

/* One addition into (plane, row); leaf = query * head_blocks + head_block. */
struct ordo_add {
    uint32_t leaf;
    uint32_t plane;
};

/* The additions of one live row: planes ascending, inside a plane in the proved order. */
struct ordo_row {
    int32_t row;
    uint32_t n_add;
    const struct ordo_add *add;
};

struct ordo_rows; /* opaque: a compressed row list */

/* Live rows ascending: i in [0, ordo_rows_count).  The arrays belong to rows. */
uint32_t ordo_rows_count(const struct ordo_rows *rows);
struct ordo_row ordo_rows_get(const struct ordo_rows *rows, uint32_t i);
/* Index of a KV row, or -1 if no live slot names it. */
int64_t ordo_rows_find(const struct ordo_rows *rows, int32_t row);
uint64_t ordo_rows_adds(const struct ordo_rows *rows);
void ordo_rows_free(struct ordo_rows *rows);

/* order_digest: BLAKE2b-256 over little-endian uint32: planes, 8; then for each live row ascending: 0xFFFFFFFE, row;
 * for each plane ascending that has a writer of it: 0xFFFFFFFF, plane, then its leaves in order. */
struct ordo_digest ordo_rows_digest(const struct ordo_rows *rows, uint32_t planes);

#endif
