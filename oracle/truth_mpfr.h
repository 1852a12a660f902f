/* truth_mpfr.h - the exact sum by MPFR: slow, short, and written by other people.  The referee of exact.h.
 *
 * mpfr_sum at a precision that holds every sum of 2^40 fp32 numbers, so nothing is rounded there; then one rounding
 * to each format inside that format's exponent range, so that subnormals round once, as in hardware. */
#ifndef ORDO_ORACLE_TRUTH_MPFR_H
#define ORDO_ORACLE_TRUTH_MPFR_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct ordo_truth_bits {
    uint32_t fp32;
    uint16_t bf16;
};

struct ordo_truth; /* opaque: MPFR numbers kept from sum to sum; not shared between threads */

/* NULL without memory.  Free with ordo_truth_free, which takes NULL too. */
struct ordo_truth *ordo_truth_new(void);
void ordo_truth_free(struct ordo_truth *t);

/* The sum of term[0], term[stride], ... (n terms), rounded once to each format; an exact zero is +0, NaN canonical.
 * ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_truth_sum(struct ordo_truth *t, const float *term, size_t n, size_t stride,
                                struct ordo_truth_bits *out, struct ordo_err *err);

/* Version of MPFR. */
const char *ordo_truth_library(void);

#endif
