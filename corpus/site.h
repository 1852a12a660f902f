/* site.h - where a reader stands when it has to refuse: file, key in a bundle, and the caller's ordo_err.
 *
 * The field of an error is the header field of a lone file ("shape"), or the key of a bundle; the header field then
 * opens the reason ("shape: ...").  Names that come from a file are made printable before anyone sees them. */
#ifndef ORDO_CORPUS_SITE_H
#define ORDO_CORPUS_SITE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct ordo_site {
    const char *file;
    const char *key; /* NULL for a lone file */
    struct ordo_err *err;
};

enum ordo_status ordo_site_fail(const struct ordo_site *at, enum ordo_status status, const char *field,
                                const char *reason, ...) __attribute__((format(printf, 4, 5), cold));

/* No memory for `count` of `what`. */
enum ordo_status ordo_site_no_memory(const struct ordo_site *at, uint64_t count, const char *what)
    __attribute__((cold));

/* Copies n bytes of text with every byte outside printable ASCII as '?', cut with "..." to fit, and nothing as
 * "(empty)"; returns out. */
const char *ordo_printable(char *out, size_t size, const char *text, size_t n);

/* The keys that a bundle holds, as one line for an error.  A fresh one is all zero. */
struct ordo_keys {
    char text[256];
    size_t n_key;
};

void ordo_keys_add(struct ordo_keys *keys, const char *name, size_t n);

/* "there is no array KEY; the keys are ..." */
enum ordo_status ordo_site_no_key(const struct ordo_site *at, const char *key, const struct ordo_keys *keys)
    __attribute__((cold));

#endif
