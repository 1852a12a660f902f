/* check_stage.h - O2 over sampled queries: each sum of the attention twin against the exact sum of its own inputs. */
#ifndef ORDO_CLI_CHECK_STAGE_H
#define ORDO_CLI_CHECK_STAGE_H

#include "cli/tensors.h"
#include "oracle/stage.h"

struct ordo_stages {
    int32_t queries, all_queries; /* looked at, of those with a live slot */
    int64_t period;               /* every period-th sum of a product */
    struct ordo_stage_tally tally[ORDO_STAGES];
};
extern const char *const ordo_stage_name[ORDO_STAGES];

/* Runs the twin alone on up to 8 evenly spaced queries of a run and judges S, dP, O, delta, dQ and the contribution
 * to dKV; dSink's sum is one term there.  ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_check_stages(const struct ordo_twin_run *run, struct ordo_stages *stages, struct ordo_err *err);

#endif
