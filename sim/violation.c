/* violation.c - see violation.h. */
#include "sim/violation.h"

const struct ordo_violation_info ordo_violation_info[ORDO_N_VIOLATIONS] = {
#define ORDO_X(id, o, d, r, text) {#id, o, d, r, text},
    ORDO_VIOLATIONS(ORDO_X)
#undef ORDO_X
};
