/* check_full.h - `ordo check --level full`: the attention twin on the real tensor, and the proof's order beside it.
 *
 * Where the size allows, the whole: every output by the plan's walk, and for evenly spaced KV rows the same sum once
 * more by the proved order, slot by slot; these must agree in every bit, and lie inside the bound of the exact sum of
 * their contributions.  On some queries each sum of each stage against the exact one of its own inputs.  Where it
 * does not, only rows, from a forward that is given and not computed (dO for O, ln Top-K for LSE), and the report
 * says how many of how many. */
#ifndef ORDO_CLI_CHECK_FULL_H
#define ORDO_CLI_CHECK_FULL_H

#include "cli/check_stage.h"
#include "cli/tensors.h"
#include "oracle/judge.h"
#include "sim/prove.h"

enum ordo_full_extent { ORDO_FULL_NOT_ASKED, ORDO_FULL_NOT_RUN, ORDO_FULL_SAMPLED, ORDO_FULL_WHOLE };
extern const char *const ordo_full_extent_name[4];

struct ordo_full {
    enum ordo_full_extent extent;
    const char *why;                          /* it is not whole; NULL if it is */
    bool too_large;                           /* why it was not run; else there was nothing to run */
    uint64_t seed;
    struct ordo_digest values;                /* of the tensors; sampled or whole */
    struct ordo_digest input;                 /* of tensors and scale, as ordo_twin_run_input */
    struct ordo_digest digest[ORDO_OUTPUTS];  /* whole only; planes never */
    uint32_t rows, all_rows;                  /* summed by the proved order, of all live ones */
    uint64_t different;                       /* elements of those on which walk and proof part */
    int32_t row, column;                      /* the first of them */
    uint32_t by_walk, by_proof;
    struct ordo_oracle_summary oracle;
    struct ordo_stages stages;
};

/* What of it is done is decided by extents alone.  ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_check_full(const struct ordo_plan *plan, const struct ordo_problem *problem,
                                 const struct ordo_proof *proof, uint64_t seed, int n_thread, struct ordo_full *full,
                                 struct ordo_err *err);

#endif
