/* cmd_plan.c - `ordo plan`: what declared extents get, without any tensor. */
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/report.h"
#include "cli/verb.h"

static int run(struct ordo_args *args)
{
    struct ordo_problem extents = {
        .n_query = ordo_opt_int(args, "q"), .topk = ordo_opt_int(args, "topk"), .n_kv = ordo_opt_int(args, "kv")};
    struct ordo_request request = ordo_input_request(args, &extents);
    struct ordo_plan plan;
    struct ordo_err err = {0};
    enum ordo_status status = ordo_plan_make(&request, &plan, &err);

    if (status != ORDO_OK)
        return ordo_report_error(args, status, &err);
    if (args->json) {
        json_t *o = ordo_json_new("ordo.plan/1");

        ordo_report_plan_json(o, &plan);
        ordo_out_json(o);
    } else {
        ordo_report_plan(&plan);
        ordo_report_contract(&plan);
    }
    return ORDO_OK;
}

static const struct ordo_option options[] = {
    {.name = "q", .kind = ORDO_OPT_INT, .required = true, .metavar = "N", .max = INT32_MAX, .help = "queries"},
    {.name = "kv", .kind = ORDO_OPT_INT, .required = true, .metavar = "N", .max = INT32_MAX, .help = "KV rows"},
    {.name = "topk", .kind = ORDO_OPT_INT, .metavar = "N", .max = INT32_MAX, .preset = "2048", .help = "Top-K width"},
    ORDO_OPTIONS_PLAN,
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_plan = {
    .name = "plan",
    .summary = "choose design, cluster, planes and workspace from declared extents",
    .operands = "",
    .option = options,
    .run = run,
};
