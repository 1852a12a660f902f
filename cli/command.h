/* command.h - a user's command that reads one file and writes another, run again and again in a folder of its own. */
#ifndef ORDO_CLI_COMMAND_H
#define ORDO_CLI_COMMAND_H

#include "base/status.h"

/* Plain storage; in and out are the two files' paths. */
struct ordo_command {
    const char *text;
    char folder[192], in[256], out[256], log[256];
};

/* Makes the folder in TMPDIR.  From here to ordo_command_end SIGINT and SIGTERM end the command, not the program. */
enum ordo_status ordo_command_begin(const char *text, struct ordo_command *c, struct ordo_err *err);
/* Runs it once: `sh -c TEXT`, the names of in and out as $1 and $2, and behind TEXT if that does not name $1 itself.
 * No out is there before.  ORDO_BAD_INPUT when it fails or leaves no out, ORDO_INTERRUPTED after a signal,
 * ORDO_ENVIRONMENT when it cannot be started. */
enum ordo_status ordo_command_run(const struct ordo_command *c, struct ordo_err *err);
/* Removes the folder and all that is in it. */
void ordo_command_end(struct ordo_command *c);

#endif
