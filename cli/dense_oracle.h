/* dense_oracle.h - a dense case as the oracle takes it: what `truth --dense` and `diff --dense` share. */
#ifndef ORDO_CLI_DENSE_ORACLE_H
#define ORDO_CLI_DENSE_ORACLE_H

#include "cli/dense_twin.h"
#include "oracle/dense.h"

/* By ORDO_DENSE_DQ ...: what a unit is, and which outputs of the twin it is, rounded and before it rounds. */
extern const char *const ordo_dense_unit_name[ORDO_DENSE_GRADIENTS]; /* "query rows", "KV rows", "KV rows" */
extern const enum ordo_dense_output ordo_dense_gradient_output[ORDO_DENSE_GRADIENTS],
    ordo_dense_gradient_fp32[ORDO_DENSE_GRADIENTS];

/* ORDO_ENVIRONMENT where the lists of the oracle's sparse form do not fit into this machine's memory. */
enum ordo_status ordo_dense_oracle_fits(const struct ordo_dense_case *c, struct ordo_err *err);

/* The same tensors; c must outlive it. */
struct ordo_dense_attend ordo_dense_attend_of(const struct ordo_dense_case *c);

#endif
