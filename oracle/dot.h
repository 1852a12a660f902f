/* dot.h - exact dot products of BF16, as one integer: no addition rounds, so neither order nor range matters.
 *
 * A product of two BF16 is a 16-bit integer times 2^(place - 266), place in [0, 506]; fp32 numbers fit the same grid.
 */
#ifndef ORDO_ORACLE_DOT_H
#define ORDO_ORACLE_DOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORDO_DOT_CHUNKS = 18, ORDO_DOT_LOWEST = -266 };

/* The sum so far: chunk[i] counts 2^(32 i - 266).  A fresh one is all zero. */
struct ordo_dot {
    int64_t chunk[ORDO_DOT_CHUNKS];
};

/* Adds a[i a_step] b[i b_step], i < n, and leaves carries undone where n <= ORDO_DOT_BLOCK.  False, and an unusable
 * sum, if an operand is Inf or NaN. */
enum { ORDO_DOT_BLOCK = 1 << 14 };
bool ordo_dot_add(struct ordo_dot *x, const uint16_t *a, ptrdiff_t a_step, const uint16_t *b, ptrdiff_t b_step,
                  int32_t n);
/* Adds or subtracts an fp32 number, finite. */
void ordo_dot_add_fp32(struct ordo_dot *x, uint32_t bits, bool subtract);

/* The smallest double that is not below |x|. */
double ordo_dot_abs_up(const struct ordo_dot *x);

#endif
