/* e2_design.h - the programs that E2 explores: a design, its extents, and who visits which rows in which order. */
#ifndef ORDO_SIM_E2_DESIGN_H
#define ORDO_SIM_E2_DESIGN_H

#include "sim/e2_program.h"

/* X(id, name, sentence) */
#define ORDO_E2_DESIGNS(X)                                                                                           \
    X(PRIVATE, "private", "private shards, one launch a wave")                                                       \
    X(RELAY, "relay", "row relay")                                                                                   \
    X(TICKET, "ticket", "tickets, ascending block id")                                                               \
    X(PERMUTED, "permuted", "tickets, descending block id")                                                          \
    X(GRID, "grid", "persistent grid barrier")                                                                       \
    X(WAVES, "waves", "waves in one launch, plane reused by tickets")                                                \
    X(COARSE, "coarse", "five steps a row: compute, poll, read, write, clear")

enum ordo_e2_design_id {
#define ORDO_X(id, name, text) ORDO_E2_##id,
    ORDO_E2_DESIGNS(ORDO_X)
#undef ORDO_X
        ORDO_N_E2_DESIGNS
};
extern const char *const ordo_e2_design_name[ORDO_N_E2_DESIGNS], *const ordo_e2_design_text[ORDO_N_E2_DESIGNS];

enum ordo_e2_order { ORDO_E2_SAME, ORDO_E2_ROTATED, ORDO_E2_ANY };
extern const char *const ordo_e2_order_name[3];

/* Fields of a spec, as replay files write them: X(field, least, most).
 *
 * ranks add to rows; rank r is CTA r.  stride: C of the packing.  spread: CTAs of one cluster of the hardware, 0: all
 * ranks.  groups: copies, each with its own plane.  slots: rows of a tile.  reducers 0: a CTA is one thread that does
 * what its threads do, in the order that their barriers impose.  bulk: bit r: rank r adds by bulk copies.  setup: the
 * mask build takes part.  order: how ranks walk rows.  writes: bit row * ranks + rank, 0 for all. */
#define ORDO_E2_FIELDS(X)                                                                                            \
    X(stride, 0, 16)                                                                                                 \
    X(ranks, 1, 16)                                                                                                  \
    X(rows, 1, 32)                                                                                                   \
    X(groups, 1, 16)                                                                                                 \
    X(spread, 0, 16)                                                                                                 \
    X(waves, 1, 4)                                                                                                   \
    X(slots, 1, 8)                                                                                                   \
    X(columns, 1, 4)                                                                                                 \
    X(reducers, 0, 4)                                                                                                \
    X(bulk, 0, 65535)                                                                                                \
    X(setup, 0, 1)                                                                                                   \
    X(order, 0, 2)

struct ordo_e2_spec {
    enum ordo_e2_design_id design;
#define ORDO_X(field, least, most) int32_t field;
    ORDO_E2_FIELDS(ORDO_X)
#undef ORDO_X
    uint64_t writes;
};

/* Fills in zero fields; the design's usual extents. */
struct ordo_e2_spec ordo_e2_spec_whole(struct ordo_e2_spec spec);

/* Records the program; false without memory.  p->wrong says what cannot be stated.  Free it also then. */
bool ordo_e2_design(const struct ordo_e2_spec *spec, struct ordo_e2_program *p);

#endif
