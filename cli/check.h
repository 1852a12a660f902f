/* check.h - everything one `ordo check` finds out, from file to verdict; collected here, printed and stored
 * elsewhere. */
#ifndef ORDO_CLI_CHECK_H
#define ORDO_CLI_CHECK_H

#include "cli/check_full.h"
#include "cli/evaluate.h"
#include "cli/option.h"
#include "sim/census.h"
#include "sim/prove.h"

#include <jansson.h>

enum { ORDO_N_CLASSES = 2 }; /* exact, rough */

/* Undecided: nothing was found, but what was asked for is beyond the limits, so it was not done. */
enum ordo_check_verdict { ORDO_CHECK_PASS, ORDO_CHECK_FAIL, ORDO_CHECK_REFUSED, ORDO_CHECK_UNDECIDED };
extern const char *const ordo_check_verdict_name[4];

/* What a reader should know of a verdict, one bit each. */
enum { ORDO_WARN_NOTHING_LIVE, ORDO_WARN_MOSTLY_DEAD, ORDO_N_WARNINGS };
extern const char *const ordo_check_warning[ORDO_N_WARNINGS];

struct ordo_check {
    const char *file;
    struct ordo_problem problem;
    struct ordo_digest problem_digest;
    struct ordo_census census;
    struct ordo_plan plan;
    struct ordo_proof proof;
    int n_evaluation; /* 0 without a proved order */
    struct ordo_evaluation evaluation[ORDO_N_CLASSES];
    struct ordo_full full;
    enum ordo_check_verdict verdict;
    unsigned warnings;
    char finding[256];  /* one sentence, "" when clean */
    const char *db;     /* NULL: not stored */
    int64_t run_id;     /* 0: not stored */
    int64_t started_us, finished_us;
};

/* check_store.c: stores c in c->db and sets c->run_id. */
enum ordo_status ordo_check_store(struct ordo_check *c, const struct ordo_args *args, struct ordo_err *err);

/* check_report.c: the page, or one JSON object. */
void ordo_check_print(const struct ordo_check *c, const struct ordo_args *args);
void ordo_check_print_json(const struct ordo_check *c);

/* check_full_report.c: nothing, and null, where it was not asked for. */
void ordo_check_full_print(const struct ordo_full *full);
json_t *ordo_check_full_json(const struct ordo_full *full);

#endif
