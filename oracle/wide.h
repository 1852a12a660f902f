/* wide.h - an exact sum of fp32 numbers as one integer, sign and magnitude, in units of 2^-149; and its rounding.
 *
 * Every fp32 number is a multiple of 2^-149, so every sum is too, and each result here is one rounding of the exact
 * value: never first to one format and then to another. */
#ifndef ORDO_ORACLE_WIDE_H
#define ORDO_ORACLE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

enum { ORDO_WIDE_LIMBS = 5 };

/* value = (negative ? -1 : 1) * sum of limb[i] * 2^(64 i - 149).  Zero is not negative. */
struct ordo_wide {
    uint64_t limb[ORDO_WIDE_LIMBS];
    bool negative;
};

/* Nearest, ties to even; gradual underflow; Inf from the midpoint above the largest finite number on.  Zero gives
 * +0, as any sum that began at +0.0 does. */
uint32_t ordo_wide_fp32(const struct ordo_wide *x);
uint16_t ordo_wide_bf16(const struct ordo_wide *x);

/* The smallest double that is not below |x|. */
double ordo_wide_abs_up(const struct ordo_wide *x);

#endif
