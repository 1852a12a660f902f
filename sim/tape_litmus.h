/* tape_litmus.h - recorded threads as a litmus program, so that the axioms (E3) judge the very operations that
 * ship. */
#ifndef ORDO_SIM_TAPE_LITMUS_H
#define ORDO_SIM_TAPE_LITMUS_H

#include "protocol/tape.h"

#include <stdio.h>

/* One thread: its tape, the CTA and cluster it runs in, and what it adds to the plane. */
struct ordo_litmus_thread {
    const struct ordo_tape *tape;
    int32_t cta, cluster;
    int32_t addend;
};

/* Writes a herd-style program of n threads that share one mask word (initially `mask`), one counter
 * (0) and one plane element (0).  An await becomes its polling loop, a plane access the element.  warp barriers are
 * left out: a thread stands for its warp.  exists: the final condition.  Returns NULL, or a sentence why the tapes
 * have no such program. */
const char *ordo_tape_litmus(const char *name, const struct ordo_litmus_thread *thread, int n, uint32_t mask,
                             const char *exists, FILE *out);

#endif
