/* bench_attention.h - the attention twin's time: one query on one core, a file on all. */
#ifndef ORDO_CLI_BENCH_ATTENTION_H
#define ORDO_CLI_BENCH_ATTENTION_H

#include "base/status.h"
#include "cli/option.h"

/* `ordo bench attention`: prints what it measured. */
enum ordo_status ordo_bench_attention(const struct ordo_args *args, struct ordo_err *err);

/* One head of the dense twin, on one thread. */
enum ordo_status ordo_bench_attention_dense(const struct ordo_args *args, struct ordo_err *err);

#endif
