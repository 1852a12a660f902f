/* bridge_role.h - a role that nobody ships: the operations and orders that the shipped ones do not use today; and the
 * operands of the fixed_* kernels.  Each memory begins at a multiple of 2^32: an address tells which it is. */
#ifndef ORDO_TESTS_BRIDGE_ROLE_H
#define ORDO_TESTS_BRIDGE_ROLE_H

#include "protocol/op.h"

#define ORDO_FIXED_MASK (INT64_C(1) << 32)
#define ORDO_FIXED_PLANE (INT64_C(32) << 32)
#define ORDO_FIXED_COUNTER (INT64_C(3) << 32)
#define ORDO_FIXED_VALUES (INT64_C(4) << 32)
#define ORDO_FIXED_HAND {1, 2, 192}
#define ORDO_FIXED_IDX {17, -1, 30}
#define ORDO_FIXED_ROWS {17, -1, INT64_C(1) << 31}

ORDO_ROLE void ordo_bridge_rest(ORDO_TAPE ORDO_WORDS mask, int64_t word, uint32_t bits)
{
    ORDO_AWAIT_CLEAR(relaxed, cluster, u32, mask, word, bits);
    ORDO_FENCE(acq_rel, gpu);
    ORDO_FENCE(sc, sys);
    ORDO_RED_AND(relaxed, sys, b32, mask, word, bits);
    ORDO_BULK_WAIT_READ(0);
}

#endif
