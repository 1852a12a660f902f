/* store_plan.h - what every run that is stored shares: its problem and plan as rows, and the way into the database.
 */
#ifndef ORDO_CLI_STORE_PLAN_H
#define ORDO_CLI_STORE_PLAN_H

#include "sim/duplicates.h"
#include "sim/plan.h"
#include "store/store.h"

/* digest: ordo_problem_digest's, which whoever prints it has already; scan: of all queries. */
struct ordo_store_problem ordo_store_problem_of(const struct ordo_problem *p, const struct ordo_digest *digest,
                                                const struct ordo_contract_scan *scan);
/* The canonical text of a plan; the caller frees.  Without memory the program ends. */
char *ordo_store_plan_text(const struct ordo_plan *plan);
/* A row whose text is lent. */
struct ordo_store_plan ordo_store_plan_of(const struct ordo_plan *plan, const char *text);

/* Adds a run to the database at `db`, which is made or upgraded; an upgrade speaks on stderr, since nobody asked for
 * it. */
enum ordo_status ordo_store_keep(const char *db, const struct ordo_store_run *run, int64_t *id, struct ordo_err *err);

#endif
