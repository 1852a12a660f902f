/* run_golden.h - `ordo run --record LIST`, `--verify FILE`, `--predict FILE`. */
#ifndef ORDO_CLI_RUN_GOLDEN_H
#define ORDO_CLI_RUN_GOLDEN_H

#include "cli/option.h"

/* Whether one of them is there. */
bool ordo_rig_golden_asked(const struct ordo_args *args);
/* Returns the exit code. */
int ordo_rig_golden(struct ordo_args *args);

#endif
