/* e2_replay.h - a schedule as a small text file: the program, the variant, the scheduler, and the moves. */
#ifndef ORDO_SIM_E2_REPLAY_H
#define ORDO_SIM_E2_REPLAY_H

#include "base/status.h"
#include "sim/e2_variant.h"

#include <stdio.h>

struct ordo_e2_replay {
    const struct ordo_e2_variant *variant; /* NULL: as shipped */
    struct ordo_e2_spec spec;
    struct ordo_e2_options options; /* scheduler, slots, sc; no reductions */
    enum ordo_e2_bad ends;          /* as found */
    struct ordo_e2_move *move;
    uint32_t n_move;
};

void ordo_e2_replay_write(const struct ordo_e2_replay *replay, FILE *out);
/* ORDO_BAD_INPUT with the line as field.  Free with ordo_e2_replay_free, also after a failure. */
enum ordo_status ordo_e2_replay_read(const char *file, FILE *in, struct ordo_e2_replay *replay, struct ordo_err *err);
void ordo_e2_replay_free(struct ordo_e2_replay *replay);

#endif
