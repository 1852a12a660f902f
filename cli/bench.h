/* bench.h - a benchmark that fills a file of its own; cmd_bench.c has the table. */
#ifndef ORDO_CLI_BENCH_H
#define ORDO_CLI_BENCH_H

#include "cli/option.h"

/* Stores --results results in a fresh database under $TMPDIR, one flip among them, and asks for the flips. */
enum ordo_status ordo_bench_store(const struct ordo_args *args, struct ordo_err *err);

#endif
