/* bench_explore.h - `ordo bench explore`: E2 on the coarse model, and Spin on the same model beside it. */
#ifndef ORDO_CLI_BENCH_EXPLORE_H
#define ORDO_CLI_BENCH_EXPLORE_H

#include "base/status.h"
#include "cli/option.h"

enum ordo_status ordo_bench_explore(const struct ordo_args *args, struct ordo_err *err);

#endif
