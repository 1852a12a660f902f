/* replace.h - writing a file whole or not at all.
 *
 * The bytes go to a fresh temporary beside the target, are synced, and are renamed over it.  Links are followed; only
 * a regular file may be replaced, never a device or a pipe. */
#ifndef ORDO_BASE_REPLACE_H
#define ORDO_BASE_REPLACE_H

#include "base/status.h"

#include <stdint.h>

/* All n bytes to fd; 0, or errno. */
int ordo_write_all(int fd, const void *bytes, uint64_t n);

/* fill writes the content to fd and returns 0 or an errno; then nothing is left behind.  field: what the file is to
 * the user ("file", "--emit-run").  ORDO_ENVIRONMENT when it cannot be written. */
enum ordo_status ordo_replace_file(const char *path, const char *field, int (*fill)(int fd, void *ctx), void *ctx,
                                   struct ordo_err *err);

#endif
