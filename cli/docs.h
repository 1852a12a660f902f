/* docs.h - the manual page and the completion for bash, made from the tables that also parse and give --help. */
#ifndef ORDO_CLI_DOCS_H
#define ORDO_CLI_DOCS_H

#include "cli/verb.h"

#include <stdio.h>

/* ordo(1) in mdoc; verbs is NULL-terminated. */
void ordo_docs_man(const struct ordo_verb *const *verbs, FILE *out);
/* A file for bash-completion: verbs, words, options, values of choices, files. */
void ordo_docs_bash(const struct ordo_verb *const *verbs, FILE *out);

/* What follows an option's help everywhere: the range of its value, and its preset or that it is required. */
void ordo_docs_limits(const struct ordo_option *o, FILE *out);

/* The exit codes in words, for all who print them.  Ends with a NULL text. */
struct ordo_exit_code {
    int code;
    const char *text;
};
extern const struct ordo_exit_code ordo_exit_codes[];

#endif
