/* dense_twin.h - a run of the dense twin as the program has it: problem, schedule, tensors, outputs, their
 * digests. */
#ifndef ORDO_CLI_DENSE_TWIN_H
#define ORDO_CLI_DENSE_TWIN_H

#include "base/digest.h"
#include "cli/option.h"
#include "corpus/npz_write.h"
#include "ref/dense.h"
#include "ref/inputs.h"

#include <jansson.h>
#include <stdio.h>

/* For every verb that computes a dense backward.  Such a verb has --heads, --seed, --values, --inputs and --scale
 * too. */
#define ORDO_OPTIONS_DENSE_TWIN                                                                                      \
    {.name = "dense", .kind = ORDO_OPT_FLAG, .help = "dense attention instead of an index tensor"},                  \
    {.name = "batch", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX,     \
     .preset = "1", .help = "sequences"},                                                                            \
    {.name = "q-len", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1,                       \
     .max = INT32_MAX / 2, .preset = "512", .help = "queries of a sequence"},                                        \
    {.name = "kv-len", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1,                      \
     .max = INT32_MAX / 2, .help = "KV rows of a sequence (else as many)"},                                          \
    {.name = "kv-heads", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX,  \
     .help = "KV heads, of which --heads is a multiple (else as many)"},                                             \
    {.name = "head-dim", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1,                    \
     .max = ORDO_DENSE_D, .preset = "128", .help = "features of a head"},                                            \
    {.name = "mask", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_CHOICE, .metavar = "full|causal", .preset = "full",   \
     .help = "causal ends with the last query and KV row together"},                                                 \
    {.name = "tile-q", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 16,                     \
     .max = ORDO_DENSE_TILE, .help = "queries of a tile (else by head-dim and mask)"},                               \
    {.name = "tile-kv", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 16,                    \
     .max = ORDO_DENSE_TILE, .help = "KV rows of a tile (else 128)"},                                                \
    {.name = "order", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_STRING, .metavar = "NAME", .preset = "ascending",    \
     .help = "the schedule (ordo sim --dense names them)"},                                                          \
    {.name = "sms", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = 65536,           \
     .preset = "132", .help = "SMs that the schedule is made for"},                                                  \
    {.name = "section", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 0, .max = 65536,       \
     .preset = "0", .help = "heads of a section of the grid"}

enum ordo_dense_output {
    ORDO_DENSE_OUTPUT_O,
    ORDO_DENSE_OUTPUT_LSE,
    ORDO_DENSE_OUTPUT_DELTA,
    ORDO_DENSE_OUTPUT_DQ,
    ORDO_DENSE_OUTPUT_DK,
    ORDO_DENSE_OUTPUT_DV,
    ORDO_DENSE_OUTPUT_DQ_FP32, /* these on request */
    ORDO_DENSE_OUTPUT_DK_FP32,
    ORDO_DENSE_OUTPUT_DV_FP32,
    ORDO_DENSE_OUTPUTS
};
extern const char *const ordo_dense_output_name[ORDO_DENSE_OUTPUTS]; /* as the keys of an .npz */

/* A fresh one is all zero and must stay where it is; ordo_dense_run_free frees what it has, at any time. */
struct ordo_dense_case {
    struct ordo_dense_problem problem;
    struct ordo_dense_mask mask;
    struct ordo_dense schedule;
    struct ordo_values values;
    struct ordo_dense_tensors tensors;
    uint16_t *o; /* a saved forward, if there was one */
    float *lse;
    float scale;
    struct ordo_dense_outputs out;
    struct ordo_digest digest[ORDO_DENSE_OUTPUTS];
};

/* The options' problem under the schedule of that name (NULL: none, for verbs that no order moves), and its tensors:
 * seeded, or out of --inputs (keys q, k, v, do; o with lse and scale if they are there). */
enum ordo_status ordo_dense_case_take(const struct ordo_args *args, const char *order, struct ordo_dense_case *c,
                                      struct ordo_err *err);
/* Its parts: problem, values and customary scale (ORDO_USAGE where an index file is named too); mask and schedule for
 * a problem that is set; seeded tensors of c->values. */
enum ordo_status ordo_dense_case_problem(const struct ordo_args *args, struct ordo_dense_case *c,
                                         struct ordo_err *err);
enum ordo_status ordo_dense_case_order(struct ordo_dense_case *c, const char *order, int32_t sms, int32_t section,
                                       struct ordo_err *err);
enum ordo_status ordo_dense_case_seed(struct ordo_dense_case *c, struct ordo_err *err);
/* Runs the twin into fresh outputs and digests them as ordo_twin_run does.  ORDO_ENVIRONMENT where that needs more
 * memory than the machine has. */
enum ordo_status ordo_dense_case_run(struct ordo_dense_case *c, int n_thread, bool fp32, struct ordo_err *err);
/* Frees everything. */
void ordo_dense_case_free(struct ordo_dense_case *c);

/* An output's extents, 3 or 4 of them (returned), and its data or NULL; and its elements. */
int ordo_dense_output_dims(const struct ordo_dense_problem *p, enum ordo_dense_output output, uint64_t dim[4]);
const void *ordo_dense_output_data(const struct ordo_dense_case *c, enum ordo_dense_output output);
uint64_t ordo_dense_output_count(const struct ordo_dense_problem *p, enum ordo_dense_output output);
/* The outputs that are there, as arrays for ordo_npz_write; returns how many. */
size_t ordo_dense_case_arrays(const struct ordo_dense_case *c, struct ordo_npz_array array[ORDO_DENSE_OUTPUTS]);

/* What fixes the bits: problem, schedule and contract, one `name value` a line; and its digest. */
void ordo_dense_case_print(const struct ordo_dense_case *c, FILE *out);
struct ordo_digest ordo_dense_case_digest(const struct ordo_dense_case *c);

/* The problem, its order and digest if with_order, and how the values came. */
void ordo_dense_case_say(const struct ordo_args *args, const struct ordo_dense_case *c, bool with_order);
void ordo_dense_case_json(json_t *o, const struct ordo_args *args, const struct ordo_dense_case *c, bool with_order);

/* `ordo ref --dense`, `ordo inputs --dense`. */
int ordo_ref_dense(struct ordo_args *args);
int ordo_inputs_dense(struct ordo_args *args);

#endif
