/* cmd_truth.c - `ordo truth`: the gradient itself, in real arithmetic, rounded once. */
#include "cli/attend.h"
#include "cli/dense_twin.h"
#include "cli/form.h"
#include "cli/group.h"
#include "cli/out.h"
#include "cli/truth.h"
#include "cli/verb.h"

#include <stdio.h>

static void say(const struct ordo_args *args, const struct ordo_case_run *c, const struct ordo_real_gradient *g,
                const struct ordo_truth_output output[ORDO_REAL_OUTPUTS])
{
    const char *file = ordo_opt_string(args, "output");
    json_t *o;

    if (!args->json) {
        ordo_case_run_say(args, c);
        ordo_truth_say(output, g->rows);
        if (file)
            printf("written  %s\n", file);
        return;
    }
    o = ordo_json_new("ordo.truth/1");
    ordo_case_run_json(o, args, c);
    ordo_json_u64(o, "softmax_rows", g->rows);
    ordo_truth_json(o, output);
    ordo_json_text(o, "output", file);
    ordo_out_json(o);
}

static int run(struct ordo_args *args)
{
    const char *file = ordo_opt_string(args, "output");
    struct ordo_truth_output output[ORDO_REAL_OUTPUTS];
    struct ordo_real_gradient g = {0};
    struct ordo_case_run c = {0};
    struct ordo_err err = {0};
    enum ordo_status status;

    if (ordo_opt_flag(args, "dense"))
        return ordo_truth_dense(args);
    if (ordo_form_has_file(args, &err) != ORDO_OK)
        return ordo_report_error(args, ORDO_USAGE, &err);
    status = ordo_case_run_read(args, ORDO_CASE_SHAPE, &c, &err);
    if (status == ORDO_OK)
        status = ordo_truth_run(args, &c, &g, &err);
    if (status == ORDO_OK)
        ordo_truth_outputs(&c, &g, output);
    if (status == ORDO_OK && file)
        status = ordo_truth_write(file, output, &err);
    if (status == ORDO_OK)
        say(args, &c, &g, output);
    ordo_real_free(&g);
    ordo_case_run_free(&c);
    return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, &err);
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT_KV(false),
    ORDO_OPTIONS_SHAPE,
    ORDO_OPTIONS_DENSE_TWIN,
    ORDO_OPTIONS_VALUES,
    ORDO_OPTION_BUDGET,
    {.name = "output", .kind = ORDO_OPT_STRING, .letter = 'o', .metavar = "FILE", .help = "the .npz to write"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_truth = {
    .name = "truth",
    .summary = "the gradient in real arithmetic, rounded once",
    .operands = "[FILE]",
    .min_operands = 0,
    .max_operands = 1,
    .option = options,
    .detail = "dq, dkv and dsink of the BF16 inputs: softmax and all sums exact to a proved ball, rounded once to\n"
              "fp32 and to BF16.  The .npz has dq and dkv as BF16 (uint16), dsink, dq_fp32 and dkv_fp32 as float32;\n"
              "of a sample also dq_unit (query * heads + head), dkv_unit (KV row), dsink_unit (head), and the\n"
              "arrays hold those units only.  --dense: dq, dk, dv, and units that are rows, (b * length + i) * heads "
              "+ h.\n",
    .run = run,
};
