/* report.h - the parts of a report that several verbs print, each as text and as JSON fields. */
#ifndef ORDO_CLI_REPORT_H
#define ORDO_CLI_REPORT_H

#include "sim/census.h"
#include "sim/plan.h"
#include "sim/prove.h"

#include <jansson.h>

/* Text goes to stdout; JSON fields are added to o. */
void ordo_report_census(const char *file, const struct ordo_problem *p, const struct ordo_census *c, uint64_t most);
void ordo_report_census_json(json_t *o, const struct ordo_problem *p, const struct ordo_census *c);

void ordo_report_plan(const struct ordo_plan *plan);
void ordo_report_contract(const struct ordo_plan *plan); /* text only: the plan's JSON has it */
void ordo_report_plan_json(json_t *o, const struct ordo_plan *plan);

/* Duplicate places, at most `most` lines, then how many more; none and no word if most is 0. */
void ordo_report_duplicates(const struct ordo_contract_scan *scan, uint64_t most);
void ordo_report_duplicates_json(json_t *o, const struct ordo_contract_scan *scan); /* duplicate_places */
void ordo_report_proof(const struct ordo_proof *proof);
void ordo_report_proof_json(json_t *o, const struct ordo_proof *proof);

/* "protocol/relay.h", however the compiler was told to find it. */
const char *ordo_report_header(const char *path);

/* A violation's place in words: "wave 0, head block 0, plane 3, rank 1 (query 25), row 17". */
void ordo_report_place(const struct ordo_violation *v, char *out, size_t size);

#endif
