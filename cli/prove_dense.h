/* prove_dense.h - `ordo prove --dense`. */
#ifndef ORDO_CLI_PROVE_DENSE_H
#define ORDO_CLI_PROVE_DENSE_H

#include "cli/option.h"

/* Does the work and returns the exit code. */
int ordo_prove_dense(const struct ordo_args *args);
/* --optimal: all schedules of a few tiles. */
int ordo_prove_optimal(const struct ordo_args *args);

#endif
