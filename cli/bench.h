/* bench.h - the parts of `ordo bench` that stand in files of their own. */
#ifndef ORDO_CLI_BENCH_H
#define ORDO_CLI_BENCH_H

#include "cli/option.h"
#include "corpus/problem.h"

/* The generated tensor that the command line asks for; free with ordo_problem_free. */
enum ordo_status ordo_bench_problem(const struct ordo_args *args, struct ordo_problem *p, struct ordo_err *err);

/* One line for each cluster size: a certificate checked again, both files read. */
enum ordo_status ordo_bench_cert(const struct ordo_args *args, struct ordo_err *err);

#endif
