/* bench.h - the benchmarks that fill a file of their own; cmd_bench.c has the table. */
#ifndef ORDO_CLI_BENCH_H
#define ORDO_CLI_BENCH_H

#include "cli/option.h"

/* Tiny cases a second through all that judges them, with and without schedules, and cases of the swarm. */
enum ordo_status ordo_bench_fuzz(const struct ordo_args *args, struct ordo_err *err);

/* Stores --results results in a fresh database under $TMPDIR, one flip among them, and asks for the flips. */
enum ordo_status ordo_bench_store(const struct ordo_args *args, struct ordo_err *err);

#endif
