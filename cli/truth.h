/* truth.h - the real gradient as the program has it: how much of it, what there is to say of it, and as an .npz. */
#ifndef ORDO_CLI_TRUTH_H
#define ORDO_CLI_TRUTH_H

#include "cli/attend.h"
#include "oracle/real.h"

extern const char *const ordo_unit_name[ORDO_REAL_OUTPUTS]; /* "heads of queries", "KV rows", "heads" */

/* One output, of sparse or of dense attention, and what it is called. */
struct ordo_truth_output {
    const char *name, *bf16_key, *fp32_key, *unit_key; /* keys of the .npz; bf16_key NULL: none in BF16 */
    const char *unit_name;
    int64_t all; /* units that there are */
    int n_dim;
    uint64_t dim[4]; /* of the whole */
    const struct ordo_real_set *set;
};

/* Whole or sampled as --budget says. */
enum ordo_status ordo_truth_run(const struct ordo_args *args, const struct ordo_case_run *c,
                                struct ordo_real_gradient *g, struct ordo_err *err);
void ordo_truth_outputs(const struct ordo_case_run *c, const struct ordo_real_gradient *g,
                        struct ordo_truth_output output[ORDO_REAL_OUTPUTS]);

enum ordo_status ordo_truth_write(const char *path, const struct ordo_truth_output output[ORDO_REAL_OUTPUTS],
                                  struct ordo_err *err);
/* The page's lines and the object's members for all outputs. */
void ordo_truth_say(const struct ordo_truth_output output[ORDO_REAL_OUTPUTS], uint64_t rows);
void ordo_truth_json(json_t *o, const struct ordo_truth_output output[ORDO_REAL_OUTPUTS]);

/* `ordo truth --dense` (truth_dense.c). */
int ordo_truth_dense(struct ordo_args *args);

#define ORDO_OPTION_BUDGET                                                                                           \
    {.name = "budget", .kind = ORDO_OPT_INT, .metavar = "N", .preset = "400", .min = 1, .max = 1000000,              \
     .help = "millions of MPFR operations (about 40 ns each); sampled where more would be needed"}

#endif
