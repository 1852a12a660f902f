/* truth.h - the real gradient as the program has it: how much of it, and as an .npz. */
#ifndef ORDO_CLI_TRUTH_H
#define ORDO_CLI_TRUTH_H

#include "cli/attend.h"
#include "oracle/real.h"

extern const char *const ordo_unit_name[ORDO_REAL_OUTPUTS]; /* "heads of queries", "KV rows", "heads" */

/* Whole or sampled as --budget says. */
enum ordo_status ordo_truth_run(const struct ordo_args *args, const struct ordo_case_run *c,
                                struct ordo_real_gradient *g, struct ordo_err *err);

enum ordo_status ordo_truth_write(const char *path, const struct ordo_case_run *c, const struct ordo_real_gradient *g,
                                  struct ordo_err *err);

#define ORDO_OPTION_BUDGET                                                                                           \
    {.name = "budget", .kind = ORDO_OPT_INT, .metavar = "N", .preset = "400", .min = 1, .max = 1000000,              \
     .help = "millions of MPFR operations (about 40 ns each); sampled where more would be needed"}

#endif
