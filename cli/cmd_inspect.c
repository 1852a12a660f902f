/* cmd_inspect.c - `ordo inspect`: what is in an index tensor, before any plan. */
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/report.h"
#include "cli/svg.h"
#include "cli/verb.h"
#include "sim/census.h"

/* Pictures want more than the census counts. */
static enum ordo_status draw(const struct ordo_args *args, const struct ordo_problem *p, struct ordo_err *err)
{
    struct ordo_svg_wait w = {.file = args->operand[0], .problem = p, .shown = ordo_opt_choice(args, "cluster")};
    const char *path = ordo_opt_string(args, "svg");
    enum ordo_status status = ORDO_OK;

    for (int i = 0; path && i < ORDO_N_CLUSTER_SIZES && status == ORDO_OK; i++)
        status = ordo_wait_map_make(p, ordo_cluster_size[i], ORDO_SVG_BOXES_X, ORDO_SVG_BOXES_Y, &w.map[i], err);
    if (path && status == ORDO_OK)
        status = ordo_svg_file(path, ordo_svg_wait, &w, err);
    for (int i = 0; i < ORDO_N_CLUSTER_SIZES; i++)
        ordo_wait_map_free(&w.map[i]);
    return status;
}

static int run(struct ordo_args *args)
{
    struct ordo_problem p = {0};
    struct ordo_census census = {0};
    struct ordo_err err = {0};
    int code = ORDO_OK;
    enum ordo_status status = ordo_input_read(args, args->operand[0], &p, &err);

    if (status == ORDO_OK)
        status = ordo_census_make(&p, &census, &err);
    if (status == ORDO_OK)
        status = draw(args, &p, &err);
    if (status != ORDO_OK) {
        code = ordo_report_error(args, status, &err);
    } else if (args->json) {
        json_t *o = ordo_json_new("ordo.inspect/1");

        ordo_json_text(o, "file", args->operand[0]);
        ordo_report_census_json(o, &p, &census);
        ordo_out_json(o);
    } else {
        ordo_report_census(args->operand[0], &p, &census, 20);
    }
    ordo_census_free(&census);
    ordo_problem_free(&p);
    return code;
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT,
    {.name = "svg", .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "draw which updates wait, over queries and rows"},
    {.name = "cluster", .kind = ORDO_OPT_CHOICE, .metavar = "4|8|16", .preset = "8",
     .help = "CTAs of a cluster in the picture's boxes"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_inspect = {
    .name = "inspect",
    .summary = "say what is in an index tensor: liveness, duplicates, fan-in, waits",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .option = options,
    .run = run,
};
