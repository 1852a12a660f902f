/* expect.h - verdicts that were written down before, to compare new ones with.
 *
 * A CSV file with the columns file,model,property,holds and perhaps race and executions; holds is 1, 0 or refused, an
 * empty field asks nothing.  Lines are found by the last part of a file's path and the property. */
#ifndef ORDO_CLI_EXPECT_H
#define ORDO_CLI_EXPECT_H

#include "base/status.h"
#include "sim/ptx_litmus.h"

#include <stdbool.h>

struct ordo_expectation {
    char file[200];
    bool liveness;
    char holds[16], race[8], executions[24];
};

struct ordo_expectations {
    int n;
    struct ordo_expectation *line;
};

enum ordo_status ordo_expect_read(const char *path, struct ordo_expectations *e, struct ordo_err *err);
void ordo_expect_free(struct ordo_expectations *e);

/* Whether the line is about the file at path: its name without folders. */
bool ordo_expect_is_about(const struct ordo_expectation *x, const char *path);
/* Whether the verdict is the one written down; a difference is said on stderr. */
bool ordo_expect_compare(const struct ordo_expectation *x, const char *path, const struct ordo_ptx_verdict *v);

#endif
