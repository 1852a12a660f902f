/* value.h - one option's value: from text, strictly, and what it must be, in words. */
#ifndef ORDO_CLI_VALUE_H
#define ORDO_CLI_VALUE_H

#include "cli/option.h"

/* Keeps text in *v and reads it as o's kind says; false when it is not allowed: no spaces, plus signs or suffixes. */
bool ordo_value_parse(const struct ordo_option *o, const char *text, struct ordo_value *v);

bool ordo_parse_int(const char *text, int32_t min, int32_t max, int64_t *out);

/* What a value must be: "an integer from 1 to 9", "one of a, b".  Returns out. */
char *ordo_option_describe(const struct ordo_option *o, char *out, size_t n);

#endif
