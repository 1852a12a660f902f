/* sim_dense.h - what `ordo sim --dense` says of one timed schedule. */
#ifndef ORDO_CLI_SIM_DENSE_H
#define ORDO_CLI_SIM_DENSE_H

#include "cli/option.h"
#include "sim/dense_time.h"

struct ordo_sim_timed {
    struct ordo_dense dense;
    struct ordo_dense_time time;
    struct ordo_dense_bounds bounds;
    struct ordo_rational gap; /* time / bound - 1 */
};

/* Ticks as a fraction of the unit; returns out. */
const char *ordo_sim_ticks(const struct ordo_dense_time *t, int64_t ticks, char out[ORDO_RATIONAL_TEXT]);

void ordo_sim_print_model(const struct ordo_args *args, const struct ordo_dense_model *model);
void ordo_sim_print(const struct ordo_sim_timed *t);
/* refused: why it was not timed, or NULL. */
void ordo_sim_print_json(const struct ordo_args *args, const struct ordo_dense_schedule *schedule,
                         const struct ordo_dense_launch *launch, const struct ordo_sim_timed *t, const char *refused);

#endif
