/* bench_dsa.h - the attention kernels' time on this machine's card. */
#ifndef ORDO_CLI_BENCH_DSA_H
#define ORDO_CLI_BENCH_DSA_H

#include "base/status.h"
#include "cli/option.h"

/* `ordo bench dsa`: one table.  ORDO_ENVIRONMENT, `not run`, without a card. */
enum ordo_status ordo_bench_dsa(const struct ordo_args *args, struct ordo_err *err);

#endif
