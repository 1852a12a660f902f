/* design.c - the table of designs.  Another design is one new file and one line here. */
#include "sim/design.h"

#include <string.h>

const struct ordo_design *const ordo_designs[] = {
    &ordo_design_private_shards,
    &ordo_design_cluster_relay,
    &ordo_design_atomic,
    NULL,
};

const struct ordo_design *ordo_design_find(const char *name)
{
    for (int i = 0; ordo_designs[i]; i++)
        if (strcmp(ordo_designs[i]->name, name) == 0)
            return ordo_designs[i];
    return NULL;
}

enum ordo_status ordo_design_ordered(const struct ordo_design *design, struct ordo_err *err)
{
    if (design->sync != ORDO_SYNC_ATOMIC)
        return ORDO_OK;
    return ordo_fail(err, ORDO_USAGE, NULL, "design",
                     "%s promises no order: the CTAs of a launch add into one plane as they come, so dKV may have "
                     "other bits in each run",
                     design->name);
}
