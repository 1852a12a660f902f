/* input.h - from the shared options (cli/group.h) to the structs that the rooms take. */
#ifndef ORDO_CLI_INPUT_H
#define ORDO_CLI_INPUT_H

#include "cli/option.h"
#include "corpus/reader.h"
#include "sim/plan.h"

/* Reads the index tensor at path with ORDO_OPTIONS_INPUT and sets n_kv.  As ordo_read_problem. */
enum ordo_status ordo_input_read(const struct ordo_args *args, const char *path, struct ordo_problem *p,
                                 struct ordo_err *err);

/* The request of a problem with ORDO_OPTIONS_PLAN; what was not given is left to the policy. */
struct ordo_request ordo_input_request(const struct ordo_args *args, const struct ordo_problem *p);

/* Whether there are kernels for it.  ORDO_USAGE, with the name of the option, where one asks for something else. */
enum ordo_status ordo_input_kernels(const struct ordo_request *request, struct ordo_err *err);

/* The results database: --db, else ORDO_DB, else NULL. */
const char *ordo_input_db(const struct ordo_args *args);

#endif
