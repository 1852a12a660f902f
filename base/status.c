/* status.c - see status.h. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(struct ordo_err *err, const char *file, const char *field, const char *reason, va_list args)
    __attribute__((format(printf, 4, 0)));
static void fill(struct ordo_err *err, const char *file, const char *field, const char *reason, va_list args)
{
    if (!err)
        return;
    (void)snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    (void)snprintf(err->field, sizeof err->field, "%s", field ? field : "");
    (void)vsnprintf(err->reason, sizeof err->reason, reason, args);
}

enum ordo_status ordo_fail(struct ordo_err *err, enum ordo_status status, const char *file, const char *field,
                           const char *reason, ...)
{
    va_list args;

    va_start(args, reason);
    fill(err, file, field, reason, args);
    va_end(args);
    return status;
}

enum ordo_status ordo_fail_errno(struct ordo_err *err, enum ordo_status status, int errno_value, const char *file,
                                 const char *field, const char *reason, ...)
{
    va_list args;
    size_t used;

    va_start(args, reason);
    fill(err, file, field, reason, args);
    va_end(args);
    if (err) {
        used = strlen(err->reason);
        (void)snprintf(err->reason + used, sizeof err->reason - used, ": %s", strerror(errno_value));
    }
    return status;
}

void ordo_bug(const char *file, int line, const char *what)
{
    fprintf(stderr, "ordo: internal error at %s:%d: %s\n", file, line, what);
    abort();
}
