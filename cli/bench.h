/* bench.h - the benchmarks that fill a file of their own; cmd_bench.c has the table. */
#ifndef ORDO_CLI_BENCH_H
#define ORDO_CLI_BENCH_H

#include "cli/option.h"
#include "corpus/problem.h"

/* The generated tensor that the command line asks for; free with ordo_problem_free. */
enum ordo_status ordo_bench_problem(const struct ordo_args *args, struct ordo_problem *p, struct ordo_err *err);

/* One line for each cluster size: a certificate checked again, both files read. */
enum ordo_status ordo_bench_cert(const struct ordo_args *args, struct ordo_err *err);

/* Tiny cases a second through all that judges them, with and without schedules, and cases of the swarm. */
enum ordo_status ordo_bench_fuzz(const struct ordo_args *args, struct ordo_err *err);

/* Stores --results results in a fresh database under $TMPDIR, one flip among them, and asks for the flips. */
enum ordo_status ordo_bench_store(const struct ordo_args *args, struct ordo_err *err);

/* Products a second of each instruction set, and of a loop of fmaf. */
enum ordo_status ordo_bench_twin_mma(const struct ordo_args *args, struct ordo_err *err);

/* Errors of exp2, log2 and the BF16 conversion, counted over every --step'th input. */
enum ordo_status ordo_bench_twin_exp2(const struct ordo_args *args, struct ordo_err *err);

/* Dense schedules timed: tasks a second, and how near the bound the general one comes on random block masks. */
enum ordo_status ordo_bench_sim(const struct ordo_args *args, struct ordo_err *err);

#endif
