/* cmd_inspect.c - `ordo inspect`: what is in an index tensor, before any plan. */
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/report.h"
#include "cli/verb.h"
#include "sim/census.h"

static int run(struct ordo_args *args)
{
    struct ordo_problem p = {0};
    struct ordo_census census = {0};
    struct ordo_err err = {0};
    int code = ORDO_OK;
    enum ordo_status status = ordo_input_read(args, args->operand[0], &p, &err);

    if (status == ORDO_OK)
        status = ordo_census_make(&p, &census, &err);
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

static const struct ordo_option options[] = {ORDO_OPTIONS_INPUT, ORDO_OPTION_JSON, ORDO_OPTION_END};

const struct ordo_verb ordo_verb_inspect = {
    .name = "inspect",
    .summary = "say what is in an index tensor: liveness, duplicates, fan-in, waits",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .option = options,
    .run = run,
};
