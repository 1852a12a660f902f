/* e2_trail.h - a schedule followed step by step, what went wrong at its end, and both told as text or picture. */
#ifndef ORDO_SIM_E2_TRAIL_H
#define ORDO_SIM_E2_TRAIL_H

#include "sim/e2.h"

#include <stdio.h>

enum { ORDO_E2_REASONS = 24 };

struct ordo_e2_event {
    int16_t thread, op; /* thread -1: unit op starts */
    bool copy;          /* a bulk copy is done */
    uint8_t read;       /* number of the write that an await read, 0: not from a list */
};

struct ordo_e2_trail {
    struct ordo_e2_event *event;
    uint32_t n;
    int64_t wrong;        /* the move that cannot be made, -1: all can */
    enum ordo_e2_bad bad; /* where it ends */
    bool ended;           /* all threads have */
    uint64_t state[32];
    int32_t from, to; /* events between which an edge is missing, -1: none */
    int32_t n_reason;
    char reason[ORDO_E2_REASONS][256]; /* the missing edge, or the wait-for cycle, a line each */
};

/* Makes the moves one by one; false without memory.  e2 is of the same program and options but reductions.  Free it.
 */
bool ordo_e2_follow(const struct ordo_e2 *e2, const struct ordo_e2_move *move, uint32_t n,
                    struct ordo_e2_trail *trail);
void ordo_e2_trail_free(struct ordo_e2_trail *trail);

/* "CTA 1 reducer"; "CTA 1 starts". */
void ordo_e2_who(const struct ordo_e2 *e2, const struct ordo_e2_event *event, char *out, size_t size);
/* The history in order, each line with its thread, operation and source line; then the reasons. */
void ordo_e2_history_text(const struct ordo_e2 *e2, const struct ordo_e2_trail *trail, FILE *out);
/* A column for each thread, time downwards; the last step and its reasons in red. */
void ordo_e2_picture(const struct ordo_e2 *e2, const struct ordo_e2_trail *trail, FILE *out);

#endif
