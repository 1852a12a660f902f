/* db_text.h - cells of the database as JSON that loses nothing, and runs as CSV and JUnit XML. */
#ifndef ORDO_CLI_DB_TEXT_H
#define ORDO_CLI_DB_TEXT_H

#include "store/store.h"

#include <jansson.h>
#include <stdio.h>

/* Text that is no UTF-8, and blobs, become {"hex": "..."}; integers beyond 2^53 decimal strings; reals that are not
 * finite "inf", "-inf". */
json_t *ordo_db_to_json(const struct ordo_store_cell *cell);
/* The way back; false for what no export writes.  column: its name, for the reals that stand as text.  *owned is what
 * the caller frees after use, or NULL. */
bool ordo_db_from_json(const json_t *value, const char *column, struct ordo_store_cell *cell, char **owned);

/* A sink for v_run: a header, then a line per run (RFC 4180); NULL is empty, empty text is "". */
struct ordo_store_sink ordo_db_csv_sink(FILE *out);

/* A sink for v_run as testcases.  First all rows with out NULL, which counts them; then all again. */
struct ordo_junit {
    FILE *out;
    int64_t tests, failures, skipped;
    double seconds;
    int column[8]; /* of the names in db_text.c */
};
struct ordo_store_sink ordo_db_junit_sink(struct ordo_junit *j);
void ordo_db_junit_begin(const struct ordo_junit *j);
void ordo_db_junit_end(const struct ordo_junit *j);

#endif
