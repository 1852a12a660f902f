/* fpu.h - whether the machine's fp32 is the one that the twin is written for.
 *
 * The twin's sums are C's own operations.  A library built with -ffast-math sets flush-to-zero for the whole process
 * when it is loaded, and a rounding mode is inherited like it: then every bit is another function's, silently. */
#ifndef ORDO_REF_FPU_H
#define ORDO_REF_FPU_H

#include "base/status.h"

/* ORDO_ENVIRONMENT unless this thread (and those that it starts) rounds to nearest even, once an operation, and keeps
 * subnormals. */
enum ordo_status ordo_fpu_check(struct ordo_err *err);

#endif
