/* run_report.h - a run on a card as a page, and as an object. */
#ifndef ORDO_CLI_RUN_REPORT_H
#define ORDO_CLI_RUN_REPORT_H

#include "cli/option.h"
#include "cli/run.h"

#include <jansson.h>

void ordo_rig_say(const struct ordo_rig *run, const struct ordo_rig_request *request, const char *db, int64_t id);
void ordo_rig_say_json(const struct ordo_args *args, const struct ordo_rig *run,
                       const struct ordo_rig_request *request, int64_t id);

/* Parts of them: which card and plan; T0, masks and T4. */
void ordo_rig_say_card(const struct ordo_rig *run);
void ordo_rig_say_results(const struct ordo_rig *run);
void ordo_rig_card_json(json_t *o, const struct ordo_rig *run);
void ordo_rig_results_json(json_t *o, const struct ordo_rig *run);

/* "dq[3][0][17]": where element i of an output stands. */
void ordo_rig_place(const struct ordo_plan *plan, enum ordo_output output, uint64_t i, char *out, size_t size);

#endif
