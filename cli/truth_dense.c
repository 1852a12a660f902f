/* truth_dense.c - `ordo truth --dense`: dq, dk and dv of dense attention in real arithmetic. */
#include "cli/dense_oracle.h"
#include "cli/out.h"
#include "cli/truth.h"

#include <stdio.h>

static const double most_elements = 1e7; /* of one output at a time: a gigabyte */

static void outputs_of(const struct ordo_dense_case *c, const struct ordo_dense_attend *a,
                       const struct ordo_real_gradient *g, struct ordo_truth_output output[ORDO_REAL_OUTPUTS])
{
    static const char *const fp32_key[] = {"dq_fp32", "dk_fp32", "dv_fp32"};
    static const char *const unit_key[] = {"dq_unit", "dk_unit", "dv_unit"};

    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++) {
        output[i] = (struct ordo_truth_output){
            .name = ordo_dense_gradient_name[i], .bf16_key = ordo_dense_gradient_name[i], .fp32_key = fp32_key[i],
            .unit_key = unit_key[i], .unit_name = ordo_dense_unit_name[i], .all = ordo_dense_units(a, i),
            .set = &g->set[i]};
        output[i].n_dim = ordo_dense_output_dims(&c->problem, ordo_dense_gradient_output[i], output[i].dim);
    }
}

static enum ordo_status compute(const struct ordo_args *args, const struct ordo_dense_attend *a,
                                struct ordo_real_gradient *g, struct ordo_err *err)
{
    struct ordo_units units[ORDO_DENSE_GRADIENTS];
    enum ordo_status status =
        ordo_dense_choose(a, &ordo_unit_cost_real, ORDO_NEAR_REAL, ordo_opt_int(args, "budget") * 1e6, most_elements,
                          units, err);

    for (int i = 0; i < ORDO_DENSE_GRADIENTS && status == ORDO_OK; i++)
        status = ordo_dense_want_real(g, a, i, units[i].n, units[i].unit, err);
    ordo_units_free(units);
    return status == ORDO_OK ? ordo_dense_real(a, g, err) : status;
}

static void say(const struct ordo_args *args, const struct ordo_dense_case *c, const struct ordo_real_gradient *g,
                const struct ordo_truth_output output[ORDO_REAL_OUTPUTS])
{
    const char *file = ordo_opt_string(args, "output");
    json_t *o;

    if (!args->json) {
        ordo_dense_case_say(args, c, false);
        ordo_truth_say(output, g->rows);
        if (file)
            printf("written  %s\n", file);
        return;
    }
    o = ordo_json_new("ordo.truth/1");
    ordo_dense_case_json(o, args, c, false);
    ordo_json_u64(o, "softmax_rows", g->rows);
    ordo_truth_json(o, output);
    ordo_json_text(o, "output", file);
    ordo_out_json(o);
}

int ordo_truth_dense(struct ordo_args *args)
{
    const char *file = ordo_opt_string(args, "output");
    struct ordo_truth_output output[ORDO_REAL_OUTPUTS];
    struct ordo_real_gradient g = {0};
    struct ordo_dense_case c = {.scale = 0};
    struct ordo_dense_attend a;
    struct ordo_err err = {0};
    enum ordo_status status = ordo_dense_case_take(args, NULL, &c, &err);

    a = ordo_dense_attend_of(&c);
    if (status == ORDO_OK)
        status = ordo_dense_oracle_fits(&c, &err);
    if (status == ORDO_OK)
        status = compute(args, &a, &g, &err);
    if (status == ORDO_OK)
        outputs_of(&c, &a, &g, output);
    if (status == ORDO_OK && file)
        status = ordo_truth_write(file, output, &err);
    if (status == ORDO_OK)
        say(args, &c, &g, output);
    ordo_real_free(&g);
    ordo_dense_case_free(&c);
    return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, &err);
}
