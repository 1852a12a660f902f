/* contribution.h - the seeded fp32 vectors that stand for the real contributions of (query, head block) to a KV row.
 *
 * Keyed by seed, leaf (= query and head block), row and column, never by the slot: where an id stands in its index
 * row must not matter.  Made of integer operations alone, so that a kernel can make the same bits.  Two classes:
 *
 *   exact  an integer in [-4, 4] times 1 or 2 times a power of two that depends on the column only (2^-8 .. 2^8).  In
 *          units of the column's power every term is an integer of at most 8, so any partial sum of n terms, in
 *          any order and tree, is an integer of at most 8 n, and fp32 holds all integers up to 2^24: every addition
 *          is exact while n <= 2^21 = ORDO_EXACT_MAX_TERMS.  Any order then gives the same bits, and a difference is
 *          a logic error.  For longer rows that is not promised; ask ordo_exact_holds.
 *   rough  random sign and 24-bit significand; 7/8 - 1/32 of the values spread over the 12 binades 2^-6 .. 2^5,
 *          1/8 over the 41 binades 2^-20 .. 2^20, 1/64 are -0.0 and 1/64 subnormal.  A wrong order gives other bits.
 *
 * All values are finite and below 2^21, so no sum of 2^31 of them overflows. */
#ifndef ORDO_REF_CONTRIBUTION_H
#define ORDO_REF_CONTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

enum ordo_input_class { ORDO_EXACT, ORDO_ROUGH };
extern const char *const ordo_input_class_name[2];

enum { ORDO_DEFAULT_WIDTH = 8 };
#define ORDO_EXACT_MAX_TERMS (UINT64_C(1) << 21)

struct ordo_inputs {
    enum ordo_input_class kind;
    uint64_t seed;
    int32_t width; /* columns, > 0 */
};

/* Writes the contribution of leaf to row: width floats. */
void ordo_contribution(const struct ordo_inputs *in, uint32_t leaf, int32_t row, float *out);

/* The same, columns [first, first + n) only: n floats. */
void ordo_contribution_span(const struct ordo_inputs *in, uint32_t leaf, int32_t row, int32_t first, int32_t n,
                            float *out);

/* Whether the exact class is exact when no row has more than max_terms additions. */
static inline bool ordo_exact_holds(uint64_t max_terms)
{
    return max_terms <= ORDO_EXACT_MAX_TERMS;
}

#endif
