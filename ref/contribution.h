/* contribution.h - the seeded fp32 vectors that stand for the real contributions of (query, head block) to a KV row.
 *
 * Keyed by seed, leaf (= query and head block), row and column, never by the slot: where an id stands in its index
 * row must not matter.  Two input classes:
 *   exact  small integers times powers of two; any order of addition gives the same bits, so a difference is a logic
 *          error.  Exact for up to 2^21 terms of one row (then units shrink to +-1, exact up to 2^24 terms).
 *   rough  full significands over spread magnitudes, -0 and subnormals; a wrong order gives other bits.
 * All values are finite, and no sum of 2^31 of them overflows. */
#ifndef ORDO_REF_CONTRIBUTION_H
#define ORDO_REF_CONTRIBUTION_H

#include <stdint.h>

enum ordo_input_class { ORDO_EXACT, ORDO_ROUGH };
extern const char *const ordo_input_class_name[2];

enum { ORDO_DEFAULT_WIDTH = 8 };

struct ordo_inputs {
    enum ordo_input_class kind;
    uint64_t seed;
    int32_t width; /* columns, > 0 */
};

/* Writes the contribution of leaf to row: width floats. */
void ordo_contribution(const struct ordo_inputs *in, uint32_t leaf, int32_t row, float *out);

#endif
