/* exact.h - exact sums of fp32 numbers, about as fast as a plain loop that adds them.
 *
 * No addition rounds, so order does not matter; the result is rounded once, to fp32 or directly to BF16.  This is the
 * oracle's fast path; truth_mpfr.h says the same by other means.
 *
 * Sign of zero: an exact zero is +0, also for no terms or only -0.0 terms.  That is what the fold gives, whose every
 * level begins at +0.0.
 *
 * Inf and NaN have no exact sum: they are counted, and the result is what IEEE addition gives in any order (Inf of
 * its sign; NaN for a NaN or for Infs of both signs). */
#ifndef ORDO_ORACLE_EXACT_H
#define ORDO_ORACLE_EXACT_H

#include "oracle/wide.h"

#include <stddef.h>

enum { ORDO_EXACT_CHUNKS = 9 };

/* The sum so far: chunk[i] counts 2^(32 i - 149).  Invariant between calls: all chunks but the last lie in [0, 2^32);
 * the last carries the sign and has room for 2^39 terms. */
struct ordo_exact {
    int64_t chunk[ORDO_EXACT_CHUNKS];
    uint64_t n; /* terms, special ones included */
    uint64_t n_plus_inf, n_minus_inf, n_nan;
};

void ordo_exact_init(struct ordo_exact *x);

/* Adds term[0], term[stride], ..., n of them. */
void ordo_exact_add(struct ordo_exact *x, const float *term, size_t n, size_t stride);

/* Whether there was any Inf or NaN; then there is no exact value. */
bool ordo_exact_special(const struct ordo_exact *x);

/* The exact sum, for a sum that is not special. */
struct ordo_wide ordo_exact_wide(const struct ordo_exact *x);

/* To each format by one rounding of the exact sum, to nearest even.  Special sums give Inf, -Inf or the NaN that GPUs
 * give. */
void ordo_exact_round(const struct ordo_exact *x, uint32_t *fp32, uint16_t *bf16);

/* |value - exact sum|, rounded up: never below the true error.  NaN if value or sum is special. */
double ordo_exact_error(const struct ordo_exact *x, uint32_t fp32_bits);

#endif
