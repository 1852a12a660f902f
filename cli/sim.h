/* sim.h - the parts of `ordo sim`: dense schedules, their bits, and the relay on an index tensor. */
#ifndef ORDO_CLI_SIM_H
#define ORDO_CLI_SIM_H

#include "cli/option.h"

/* Each does its work and returns the exit code. */
int ordo_sim_dense(const struct ordo_args *args);
int ordo_sim_bits(const struct ordo_args *args);
int ordo_sim_relay(const struct ordo_args *args);
int ordo_sim_measured(const struct ordo_args *args); /* --measured */

#endif
