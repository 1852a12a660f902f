/* policy.h - which design, cluster and wave a request gets, as two tables. */
#ifndef ORDO_SIM_POLICY_H
#define ORDO_SIM_POLICY_H

#include "sim/design.h"
#include "sim/workspace.h"

struct ordo_choice {
    const struct ordo_design *design;
    int32_t cluster, wave, planes;
    struct ordo_workspace workspace;
};

/* Planes (= lanes of a wave) of private shards at this Q. */
int32_t ordo_policy_private_planes(int32_t n_query);

/* ORDO_USAGE or ORDO_BAD_INPUT as ordo_plan_make. */
enum ordo_status ordo_policy_choose(const struct ordo_request *r, struct ordo_choice *out, struct ordo_err *err);

#endif
