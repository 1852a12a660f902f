/* run_repeat.h - tier T4: the same bits again and again, whatever stood in memory, however the card is busy. */
#ifndef ORDO_CLI_RUN_REPEAT_H
#define ORDO_CLI_RUN_REPEAT_H

#include "cli/run_card.h"

/* Outputs and workspace are poisoned before every run with the next of 0, ~0, 0xa5a5a5a5 and a NaN.  Every other run
 * is a replay of one graph; every eighth has other ids and shorter lengths, is a replay too, and is held to an eager
 * run with them; in every other pair the second stream keeps the card busy. */
struct ordo_rig_repeats {
    int32_t n, graph, changed, busy;
    uint64_t differ[ORDO_DSA_TENSORS]; /* words that were not those of the first run, over all runs */
    int32_t first;                     /* the first run with such a word in a promised output, or -1 */
};

/* Whether the design promises the bits of a tensor: of one without an order all but dKV. */
bool ordo_rig_promised(const struct ordo_plan *plan, int tensor);

/* n more runs, each held to the first, whose outputs still lie on the card.  Ends early where a run hangs
 * (r->hung). */
enum ordo_status ordo_rig_repeat(struct ordo_rig_card *r, const struct ordo_problem *problem, int32_t n,
                                 struct ordo_rig_repeats *out, struct ordo_err *err);

#endif
