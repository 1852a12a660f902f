/* dense_variant.h - dense schedules with a fault, each from a report or a limit of published code, and what must
 * convict it; for the tests, and for whoever wants to see how such a fault looks. */
#ifndef ORDO_SIM_DENSE_VARIANT_H
#define ORDO_SIM_DENSE_VARIANT_H

#include "sim/dense_prove.h"

struct ordo_dense_variant {
    const char *name, *text;
    const struct ordo_dense_schedule *schedule;
    struct ordo_dense_mask_spec mask;
    int32_t heads, for_sms, sms;
    enum ordo_dense_fault fault; /* NONE: it hangs with every order total */
};

/* Ended by a NULL name. */
extern const struct ordo_dense_variant ordo_dense_variants[];
const struct ordo_dense_variant *ordo_dense_variant_find(const char *name);

#endif
