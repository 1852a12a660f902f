/* golden_impl.h - the table of keys that reading and writing share. */
#ifndef ORDO_KERNELS_GOLDEN_IMPL_H
#define ORDO_KERNELS_GOLDEN_IMPL_H

#include "kernels/golden.h"

struct ordo_golden_field {
    const char *name;
    const char *const *names; /* of its values 0, 1, ..., NULL-terminated; NULL: a number */
    uint64_t most;            /* of a number */
    uint64_t otherwise;       /* the value where the key is absent; 0: it must be there, unless it begins with x- */
    uint32_t kinds;           /* bit per kind that has the key */
};

extern const struct ordo_golden_field ordo_golden_field[ORDO_KEYS];
/* Bit per form that an op has, by ORDO_KEY_OP. */
extern const uint32_t ordo_golden_forms[];

#endif
