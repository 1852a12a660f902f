/* protocol_e2.h - the part of `ordo prove --protocol` that E2 decides. */
#ifndef ORDO_CLI_PROTOCOL_E2_H
#define ORDO_CLI_PROTOCOL_E2_H

#include "base/status.h"
#include "cli/option.h"
#include "sim/e2_protocol.h"
#include "sim/e2_replay.h"

#include <jansson.h>

/* Claims are collected in one array, the table of schedulers in the other; both are printed too, unless json. */
struct ordo_e2_said {
    json_t *claims, *lives;
    bool json;
    int n, n_violated, n_refused; /* refused: also without a verdict */
};

/* What --rows and --scheduler ask for; ORDO_USAGE if there is no such scheduler. */
enum ordo_status ordo_protocol_e2_asked(const struct ordo_args *args, struct ordo_e2_asked *asked,
                                        struct ordo_err *err);
/* Reads these and --cluster. */
enum ordo_status ordo_protocol_e2(const struct ordo_args *args, struct ordo_e2_said *said, struct ordo_err *err);
/* --variant: decides that one and shows its schedule; returns the exit code. */
int ordo_protocol_variant(const struct ordo_args *args);

/* "cluster=4" */
void ordo_say_scheduler(const struct ordo_e2_options *o, char *out, size_t size);
/* A schedule for `ordo replay`. */
enum ordo_status ordo_write_trail(const char *path, const struct ordo_e2_replay *r, struct ordo_err *err);

#endif
