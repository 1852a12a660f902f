/* case_fill.h - the line `fill` of a case: tensors of one value, between the files that read and print cases. */
#ifndef ORDO_CORPUS_CASE_FILL_H
#define ORDO_CORPUS_CASE_FILL_H

#include "corpus/case.h"

#include <stdio.h>

/* `fill q 2.2 sink -inf`, in the order of the enumeration; nothing where nothing is filled. */
void ordo_case_print_fill(const struct ordo_case *c, FILE *out);

/* Reads the line's value [v, end); returns NULL, or what it wants. */
const char *ordo_case_read_fill(struct ordo_case *c, const char *v, const char *end);

#endif
