/* expect.h - verdicts that were written down before, to compare new ones with.
 *
 * A CSV file with the columns file,model,property,holds and perhaps race; holds is 1, 0 or refused, race 1, 0 or
 * empty.  Lines are found by the last part of a file's path and the property. */
#ifndef ORDO_CLI_EXPECT_H
#define ORDO_CLI_EXPECT_H

#include "base/status.h"

#include <stdbool.h>

struct ordo_expectation {
    char file[200];
    bool liveness;
    char holds[16], race[8];
};

struct ordo_expectations {
    int n;
    struct ordo_expectation *line;
};

enum ordo_status ordo_expect_read(const char *path, struct ordo_expectations *e, struct ordo_err *err);
void ordo_expect_free(struct ordo_expectations *e);

/* Whether the verdict ("true", "false", "refused") is the one written down; a difference, and a file without a line,
 * is said on stderr. */
bool ordo_expect_compare(const struct ordo_expectations *e, const char *path, bool liveness, const char *holds,
                         bool race);

#endif
