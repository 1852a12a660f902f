/* help.h - usage texts, made from the tables. */
#ifndef ORDO_CLI_HELP_H
#define ORDO_CLI_HELP_H

#include "cli/verb.h"

#include <stdio.h>

/* Usage, summary and options of one verb. */
void ordo_help_verb(const struct ordo_verb *verb, FILE *out);
/* The verbs of a NULL-terminated table and the exit codes. */
void ordo_help_all(const struct ordo_verb *const *verbs, FILE *out);

#endif
