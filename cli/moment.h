/* moment.h - a date or a moment in UTC, as people write it. */
#ifndef ORDO_CLI_MOMENT_H
#define ORDO_CLI_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

/* "2026-01-31" (its first moment) or "2026-01-31T12:00:00Z" to microseconds since 1970; false for anything else, days
 * that are not in the calendar included. */
bool ordo_moment_parse(const char *text, int64_t *us);

#endif
