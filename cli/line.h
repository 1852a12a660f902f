/* line.h - the command line as one line that a shell takes back: for the record, and to replay a finding. */
#ifndef ORDO_CLI_LINE_H
#define ORDO_CLI_LINE_H

#include "cli/option.h"

/* "ordo check 'my file.npy' --kv 4096".  The caller frees. */
char *ordo_args_line(const struct ordo_args *args);

#endif
