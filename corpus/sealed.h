/* sealed.h - a file of one line of JSON, the header, then a payload of any bytes, then the line of base/seal.h. */
#ifndef ORDO_CORPUS_SEALED_H
#define ORDO_CORPUS_SEALED_H

#include "base/digest.h"
#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct ordo_sealed {
    bool broken;    /* its bytes are not those that were sealed: nothing else is known */
    json_t *header; /* an object, or NULL */
    uint8_t *file;
    const uint8_t *payload; /* in it */
    size_t n_payload;
};

/* ORDO_BAD_INPUT if it is no file of this form with that text as "schema"; ORDO_OK also if it is broken.  Free with
 * ordo_sealed_free, also after a failure. */
enum ordo_status ordo_sealed_read(const char *path, const char *schema, struct ordo_sealed *s, struct ordo_err *err);
/* The same of n bytes, which s takes over; name is for messages. */
enum ordo_status ordo_sealed_parse(const char *name, const char *schema, uint8_t *bytes, size_t n,
                                   struct ordo_sealed *s, struct ordo_err *err);
void ordo_sealed_free(struct ordo_sealed *s);

/* A header held against what it must be, field after field; start with n = the fields that are not. */
struct ordo_sealed_check {
    const json_t *header;
    size_t n;   /* fields asked for */
    bool alien; /* one of them is missing or has another type */
    bool lacks_memory;
};

/* Whether the field is `want`, which it takes over; NULL: there was no memory to make it. */
bool ordo_sealed_field(struct ordo_sealed_check *k, const char *key, json_t *want);
bool ordo_sealed_digest(struct ordo_sealed_check *k, const char *key, struct ordo_digest want);

#endif
