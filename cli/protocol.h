/* protocol.h - `ordo prove --protocol`: the gate for a change of the role headers. */
#ifndef ORDO_CLI_PROTOCOL_H
#define ORDO_CLI_PROTOCOL_H

#include "cli/option.h"

/* Decides every claim about the shipped headers and prints the table; returns the exit code. */
int ordo_prove_protocol(const struct ordo_args *args);

#endif
