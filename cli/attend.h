/* attend.h - from the command line to a problem with its tensors: what `truth` and `diff` start from. */
#ifndef ORDO_CLI_ATTEND_H
#define ORDO_CLI_ATTEND_H

#include "cli/option.h"
#include "cli/tensors.h"
#include "oracle/attend.h"

#include <jansson.h>

/* The index tensor, its plan, and the values: seeded or a file's.  Filled by ordo_case_run_read; a fresh one is zero.
 */
struct ordo_case_run {
    struct ordo_problem problem;
    struct ordo_plan plan;
    struct ordo_twin_run run;
    struct ordo_values values;
    struct ordo_attend attend; /* the same tensors, as the oracle takes them */
};

/* What is planned: the shape alone; ORDO_OPTIONS_PLAN; or that with the design of --kernel, for the GPU that has
 * it. */
enum ordo_case_plan { ORDO_CASE_SHAPE, ORDO_CASE_PLAN, ORDO_CASE_KERNEL };

/* Options: ORDO_OPTIONS_INPUT, ORDO_OPTIONS_SHAPE (or ORDO_OPTIONS_PLAN) and ORDO_OPTIONS_VALUES.  Free with
 * ordo_case_run_free, also after a failure. */
enum ordo_status ordo_case_run_read(const struct ordo_args *args, enum ordo_case_plan how, struct ordo_case_run *c,
                                    struct ordo_err *err);
void ordo_case_run_free(struct ordo_case_run *c);

/* How the values came: "rough, seed 0, scale 0.1" or "FILE, scale 0.1". */
void ordo_case_run_say(const struct ordo_args *args, const struct ordo_case_run *c);
void ordo_case_run_json(json_t *o, const struct ordo_args *args, const struct ordo_case_run *c);

#define ORDO_OPTIONS_VALUES                                                                                          \
    {.name = "inputs", .kind = ORDO_OPT_STRING, .metavar = "FILE",                                                   \
     .help = ".npz with q, kv, do, perhaps sink, o and lse, scale (else seeded)"},                                   \
    ORDO_OPTION_SEED,                                                                                                \
    {.name = "values", .kind = ORDO_OPT_CHOICE, .metavar = "exact|rough", .preset = "rough",                         \
     .help = "seeded: small integers with logits 0, or anything"},                                                   \
    ORDO_OPTION_TINY,                                                                                                \
    {.name = "scale", .kind = ORDO_OPT_STRING, .metavar = "X",                                                       \
     .help = "softmax scale (else the file's, else 1/sqrt(dqk))"}

#endif
