/* out.h - what the program says: results on stdout, all else on stderr.
 *
 * JSON is one compact object per line, `schema` first, fields in the order of the calls; nothing is lost silently: a
 * line that stdout refuses turns the exit code into ORDO_ENVIRONMENT (ordo_out_finish). */
#ifndef ORDO_CLI_OUT_H
#define ORDO_CLI_OUT_H

#include "base/digest.h"
#include "base/status.h"
#include "cli/option.h"

#include <jansson.h>
#include <stdint.h>

/* Returns p; without memory (p is NULL) says so and exits. */
void *ordo_need(void *p);

/* A fresh object with its schema, "ordo.plan/1".  No memory is fatal here and in all that follows. */
json_t *ordo_json_new(const char *schema);
/* Adds a field.  Text that is not UTF-8 (a file name may be anything) gets \xNN for each byte above ASCII; NULL
 * becomes null.  Integers beyond 2^53 become decimal strings, reals that are not finite "nan", "inf", "-inf". */
void ordo_json_text(json_t *object, const char *key, const char *text);
void ordo_json_int(json_t *object, const char *key, int64_t x);
void ordo_json_u64(json_t *object, const char *key, uint64_t x);
void ordo_json_bool(json_t *object, const char *key, bool x);
void ordo_json_real(json_t *object, const char *key, double x);
void ordo_json_bits(json_t *object, const char *key, uint32_t bits); /* "0x3f800001" */
void ordo_json_digest(json_t *object, const char *key, const struct ordo_digest *d);
/* Adds any value and takes it over. */
void ordo_json_set(json_t *object, const char *key, json_t *value);

/* Prints the object as one line on stdout and frees it. */
void ordo_out_json(json_t *object);

/* Says an error as `ordo VERB: FILE: FIELD: REASON` on stderr, empty parts left out, and with --json also as an
 * ordo.error/1 object on stdout.  args may be NULL (no verb yet).  Returns the exit code, which is status. */
int ordo_report_error(const struct ordo_args *args, enum ordo_status status, const struct ordo_err *err);

/* Before anything else: makes file descriptors 0 to 2 exist, so that no file of ours becomes "stdout"; and lets a
 * closed pipe be an error of write() instead of a death. */
void ordo_out_begin(void);
/* After everything else: code, or ORDO_ENVIRONMENT with a sentence when stdout lost something. */
int ordo_out_finish(int code);

#endif
