/* sealed.h - a file of one line of JSON, the header, then a payload of any bytes, then the line of base/seal.h. */
#ifndef ORDO_CORPUS_SEALED_H
#define ORDO_CORPUS_SEALED_H

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
void ordo_sealed_free(struct ordo_sealed *s);

#endif
