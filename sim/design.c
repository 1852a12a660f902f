/* design.c - the table of designs.  A third design is one new file and one line here. */
#include "sim/design.h"

#include <string.h>

const struct ordo_design *const ordo_designs[] = {
    &ordo_design_private_shards,
    &ordo_design_cluster_relay,
    NULL,
};

const struct ordo_design *ordo_design_find(const char *name)
{
    for (int i = 0; ordo_designs[i]; i++)
        if (strcmp(ordo_designs[i]->name, name) == 0)
            return ordo_designs[i];
    return NULL;
}
