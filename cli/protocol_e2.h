/* protocol_e2.h - the part of `ordo prove --protocol` that E2 decides. */
#ifndef ORDO_CLI_PROTOCOL_E2_H
#define ORDO_CLI_PROTOCOL_E2_H

#include "base/status.h"
#include "cli/option.h"

#include <jansson.h>

/* Claims go to the array (NULL: text), the table of schedulers to lives; counts in n_*. */
struct ordo_e2_said {
    json_t *claims, *lives;
    int n, n_violated, n_refused; /* refused: also without a verdict */
};

/* Reads --cluster, --rows and --scheduler. */
enum ordo_status ordo_protocol_e2(const struct ordo_args *args, struct ordo_e2_said *said, struct ordo_err *err);
/* --variant: decides that one and shows its schedule; returns the exit code. */
int ordo_protocol_variant(const struct ordo_args *args);

#endif
