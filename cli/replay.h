/* replay.h - the kinds of evidence that `ordo replay` shows again and that fill a file of their own. */
#ifndef ORDO_CLI_REPLAY_H
#define ORDO_CLI_REPLAY_H

#include "cli/option.h"

/* Makes the schedule in the operand's file again, step by step; *code is ORDO_FINDING if it ends in harm.  Draws it
 * if --svg says where. */
enum ordo_status ordo_replay_schedule(const struct ordo_args *args, int *code, struct ordo_err *err);

#endif
