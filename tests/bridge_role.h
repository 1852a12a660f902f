/* bridge_role.h - a role that nobody ships: the operations and orders that the shipped ones do not use today. */
#ifndef ORDO_TESTS_BRIDGE_ROLE_H
#define ORDO_TESTS_BRIDGE_ROLE_H

#include "protocol/op.h"

ORDO_ROLE void ordo_bridge_rest(ORDO_TAPE ORDO_WORDS mask, int64_t word, uint32_t bits)
{
    ORDO_AWAIT_CLEAR(relaxed, cluster, u32, mask, word, bits);
    ORDO_FENCE(acq_rel, gpu);
    ORDO_FENCE(sc, sys);
    ORDO_RED_AND(relaxed, sys, b32, mask, word, bits);
    ORDO_BULK_WAIT_READ(0);
}

#endif
