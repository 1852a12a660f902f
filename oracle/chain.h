/* chain.h - the yardstick of the benchmark: a plain loop that adds fp32 numbers from +0.0.  A file of its own, so
 * that no compiler merges it with what is measured against it. */
#ifndef ORDO_ORACLE_CHAIN_H
#define ORDO_ORACLE_CHAIN_H

#include <stddef.h>

float ordo_chain(const float *term, size_t n);

#endif
