/* cmd_tree.c - `ordo tree`: the addition tree of one KV row, from the proved order. */
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/report.h"
#include "cli/svg.h"
#include "cli/verb.h"
#include "sim/tree.h"

#include <stdlib.h>

static void say_json(const struct ordo_args *args, const struct ordo_plan *plan, const struct ordo_row *row)
{
    json_t *o = ordo_json_new("ordo.tree/1");
    char *text = NULL;
    size_t n = 0;
    FILE *out = ordo_need(open_memstream(&text, &n));

    ordo_tree_print(plan, row, out);
    (void)fclose(out);
    ordo_json_text(o, "file", args->operand[0]);
    ordo_json_int(o, "row", row->row);
    ordo_json_int(o, "leaves", row->n_add);
    ordo_json_int(o, "depth", ordo_tree_depth(plan, row));
    ordo_json_text(o, "tree", ordo_need(text));
    ordo_out_json(o);
    free(text);
}

/* Without a proved order there is no tree. */
static int say_unproved(const struct ordo_args *args, const struct ordo_proof *proof)
{
    json_t *o;

    if (args->json) {
        o = ordo_json_new("ordo.tree/1");
        ordo_json_text(o, "file", args->operand[0]);
        ordo_json_int(o, "row", ordo_opt_int(args, "row"));
        ordo_report_proof_json(o, proof);
        ordo_out_json(o);
    } else {
        ordo_report_proof(proof);
    }
    return ORDO_FINDING;
}

static int say(const struct ordo_args *args, const struct ordo_plan *plan, const struct ordo_proof *proof)
{
    struct ordo_row row = {.row = ordo_opt_int(args, "row")};
    struct ordo_svg_tree picture = {plan, &row};
    const char *svg = ordo_opt_string(args, "svg");
    struct ordo_err err = {0};
    int64_t i;

    if (proof->verdict != ORDO_PROVED)
        return say_unproved(args, proof);
    i = ordo_rows_find(proof->order, row.row);
    if (i >= 0)
        row = ordo_rows_get(proof->order, (uint32_t)i);
    if (svg && ordo_svg_file(svg, ordo_svg_tree, &picture, &err) != ORDO_OK)
        return ordo_report_error(args, ORDO_ENVIRONMENT, &err);
    if (args->json)
        say_json(args, plan, &row);
    else
        ordo_tree_print(plan, &row, stdout);
    return ORDO_OK;
}

static int run(struct ordo_args *args)
{
    struct ordo_problem p = {0};
    struct ordo_plan plan;
    struct ordo_proof proof = {0};
    struct ordo_err err = {0};
    int code;
    enum ordo_status status = ordo_input_read(args, args->operand[0], &p, &err);

    if (status == ORDO_OK && ordo_opt_int(args, "row") >= p.n_kv)
        status = ordo_fail(&err, ORDO_USAGE, NULL, "--row", "row %d is not one of %d KV rows",
                           (int)ordo_opt_int(args, "row"), (int)p.n_kv);
    if (status == ORDO_OK) {
        struct ordo_request request = ordo_input_request(args, &p);

        status = ordo_plan_make(&request, &plan, &err);
    }
    if (status == ORDO_OK)
        status = ordo_prove(&plan, &p, &proof, &err);
    code = status != ORDO_OK ? ordo_report_error(args, status, &err) : say(args, &plan, &proof);
    ordo_proof_free(&proof);
    ordo_problem_free(&p);
    return code;
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT,
    {.name = "row", .kind = ORDO_OPT_INT, .required = true, .metavar = "K", .max = INT32_MAX, .help = "the KV row"},
    ORDO_OPTIONS_PLAN,
    {.name = "svg", .kind = ORDO_OPT_STRING, .metavar = "FILE", .help = "draw the tree"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_tree = {
    .name = "tree",
    .summary = "print the addition tree of one KV row",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .option = options,
    .run = run,
};
