/* bench_oracle.h - what exactness costs: exact sums and MPFR against a plain fp32 loop over the same buffer.
 *
 * Rows of 2,048 terms whose exponents spread over 12, 60 or 250 binades, half of each row cancelling the other half
 * up to its last bits.  The three methods take turns, so that a change of the machine's speed meets all of them; the
 * figures are medians. */
#ifndef ORDO_ORACLE_BENCH_ORACLE_H
#define ORDO_ORACLE_BENCH_ORACLE_H

#include "base/status.h"

#include <stdint.h>

enum { ORDO_BENCH_RANGES = 3, ORDO_BENCH_TERMS = 2048, ORDO_BENCH_ROWS = 64, ORDO_BENCH_RUNS = 15 };

/* Nanoseconds per term. */
struct ordo_bench_range {
    int binades;
    double chain, exact, mpfr;
    uint32_t disagreements; /* rows on which exact and MPFR differ: 0, or something is broken */
};

struct ordo_bench_oracle {
    struct ordo_bench_range range[ORDO_BENCH_RANGES];
};

/* Takes about a quarter of a second.  ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_bench_oracle(struct ordo_bench_oracle *out, struct ordo_err *err);

#endif
