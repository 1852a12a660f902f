/* ahead.h - the small cases of some swarms, run on several threads ahead of the campaign that counts them.
 *
 * A case depends on seed and number alone, so who runs it does not matter.  What it shows is kept with its number,
 * and the campaign takes it in the order of numbers: coverage, novelty, findings and counts are those of one
 * thread. */
#ifndef ORDO_FUZZ_AHEAD_H
#define ORDO_FUZZ_AHEAD_H

#include "fuzz/campaign.h"

/* Swarms for each thread in one go: threads wait for each other, and for the count, only so often. */
enum { ORDO_AHEAD_SWARMS = 8 };

/* The cases of one swarm from `number` on: case k has this finding, and what it reached first ends at log_end[k]. */
struct ordo_ahead {
    uint64_t number;
    int32_t n;
    struct ordo_finding finding[ORDO_SWARM_CASES];
    uint32_t log_end[ORDO_SWARM_CASES];
    struct ordo_cover_log log;
};

/* What one thread needs to run cases. */
struct ordo_runner {
    struct ordo_trial t;
    struct ordo_drawer drawer;
    struct ordo_cover cover; /* of threads that run ahead */
};

/* Draws the case into runner->drawer.c and runs it; *f: what was found. */
enum ordo_status ordo_runner_run(struct ordo_runner *runner, const struct ordo_campaign *c,
                                 const struct ordo_swarm *swarm, uint64_t number, struct ordo_finding *f,
                                 struct ordo_err *err);

struct ordo_aheads; /* opaque: one ordo_ahead for each swarm, one ordo_runner for each thread */

/* For c->n_thread threads.  ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_aheads_make(const struct ordo_campaign *c, struct ordo_aheads **out, struct ordo_err *err);
/* Harmless on NULL. */
void ordo_aheads_free(struct ordo_aheads *a);
/* Runs the small cases of *n swarms from `number` on.  The result is *n in a row, a's until the next call. */
enum ordo_status ordo_aheads_run(struct ordo_aheads *a, uint64_t number, const struct ordo_ahead **ahead, int32_t *n,
                                 struct ordo_err *err);

#endif
