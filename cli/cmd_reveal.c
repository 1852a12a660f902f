/* cmd_reveal.c - `ordo reveal`: the addition tree of one sum, out of a box that only answers probes, beside the
 * plan's. */
#include "base/parallel.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/report.h"
#include "cli/reveal.h"
#include "cli/tensors.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* --- what is asked ---------------------------------------------------------------------------------------------- */

/* Which of row, query and head name a sum: needed, allowed or neither. */
enum need { NEVER, MAY, MUST };
static const struct {
    enum need row, query, head;
} needs[ORDO_SUM_KINDS] = {
    [ORDO_SUM_DKV] = {MUST, NEVER, NEVER}, [ORDO_SUM_DKV_TAIL] = {MUST, NEVER, NEVER},
    [ORDO_SUM_DQ] = {NEVER, MUST, MAY},    [ORDO_SUM_DSINK] = {NEVER, NEVER, MAY},
    [ORDO_SUM_DELTA] = {NEVER, MUST, MAY}, [ORDO_SUM_DP] = {NEVER, MUST, MAY},
};

static enum ordo_status check_need(const struct ordo_args *args, const char *name, enum need need,
                                   struct ordo_err *err)
{
    bool given = ordo_opt_given(args, name);
    char option[16];

    (void)snprintf(option, sizeof option, "--%s", name);
    if (need == MUST && !given)
        return ordo_fail(err, ORDO_USAGE, NULL, option, "--sum %s needs it", ordo_opt_string(args, "sum"));
    if (need == NEVER && given)
        return ordo_fail(err, ORDO_USAGE, NULL, option, "does not go with --sum %s", ordo_opt_string(args, "sum"));
    return ORDO_OK;
}

static enum ordo_status read_request(const struct ordo_args *args, struct ordo_sum_request *q, struct ordo_err *err)
{
    enum ordo_sum_kind k = (enum ordo_sum_kind)ordo_opt_choice(args, "sum");
    bool all_heads = k != ORDO_SUM_DQ && needs[k].head == MAY && !ordo_opt_given(args, "head");
    enum ordo_status status = check_need(args, "row", needs[k].row, err);

    *q = (struct ordo_sum_request){
        .kind = k,
        .query = ordo_opt_int(args, "query"),
        .head = all_heads ? ORDO_ALL_HEADS : ordo_opt_int(args, "head"),
        .blocks = ordo_opt_choice(args, "terms") == 1,
    };
    if (status == ORDO_OK)
        status = check_need(args, "query", needs[k].query, err);
    if (status == ORDO_OK)
        status = check_need(args, "head", needs[k].head, err);
    if (status == ORDO_OK && q->blocks && k != ORDO_SUM_DKV)
        status = ordo_fail(err, ORDO_USAGE, NULL, "--terms", "'block' goes with --sum dkv");
    return status;
}

static enum ordo_status read_scale(const struct ordo_args *args, int32_t *log2, struct ordo_err *err)
{
    const char *text = ordo_opt_string(args, "scale");
    char *end;
    int e = 0;
    double x = strtod(text, &end);

    if (*end || !(x > 0) || !isfinite(x) || frexp(x, &e) != 0.5 || abs(e - 1) > ORDO_PROBE_SCALE)
        return ordo_fail(err, ORDO_USAGE, NULL, "--scale", "must be a power of two from 2^-%d to 2^%d, not '%s'",
                         ORDO_PROBE_SCALE, ORDO_PROBE_SCALE, text);
    *log2 = e - 1;
    return ORDO_OK;
}

/* --- the work --------------------------------------------------------------------------------------------------- */

static enum ordo_status find_row(const struct ordo_reveal_work *w, struct ordo_row *row, struct ordo_err *err)
{
    int32_t k = ordo_opt_int(w->args, "row");
    int64_t i;

    if (k >= w->problem.n_kv)
        return ordo_fail(err, ORDO_USAGE, NULL, "--row", "row %" PRId32 " is not one of %" PRId32 " KV rows", k,
                         w->problem.n_kv);
    i = ordo_rows_find(w->proof.order, k);
    if (i < 0)
        return ordo_fail(err, ORDO_BAD_INPUT, w->args->operand[0], "row", "no live slot names row %" PRId32, k);
    *row = ordo_rows_get(w->proof.order, (uint32_t)i);
    return ORDO_OK;
}

static enum ordo_status prepare(struct ordo_reveal_work *w, const struct ordo_sum_request *request,
                                int32_t scale_log2, struct ordo_err *err)
{
    uint64_t bytes = ordo_twin_run_tensor_bytes(&w->plan);
    struct ordo_row row;
    bool of_row = needs[request->kind].row == MUST;
    enum ordo_status status = of_row ? find_row(w, &row, err) : ORDO_OK;

    if (status == ORDO_OK && bytes > ordo_memory_bytes() / 2)
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "the tensors alone need %" PRIu64 " bytes", bytes);
    if (status == ORDO_OK)
        status = ordo_sum_make(&w->plan, &w->problem, request, of_row ? &row : NULL, &w->sum, err);
    if (status == ORDO_OK)
        status = ordo_planned_tree(&w->plan, &w->sum, &w->planned, err);
    if (status == ORDO_OK)
        status = ordo_sumtree_view(&w->planned, &w->view[0], err);
    if (status == ORDO_OK)
        status = ordo_sumtree_digest(&w->view[0], &w->digest[0], err);
    if (status == ORDO_OK)
        status = ordo_probe_make(&w->plan, &w->problem, &w->sum, ordo_opt_flag(w->args, "whole"), scale_log2,
                                 &w->probe, err);
    return status;
}

static enum ordo_status ask(struct ordo_reveal_work *w, struct ordo_err *err)
{
    const char *command = ordo_opt_string(w->args, "exec");
    int n_thread = ordo_opt_given(w->args, "jobs") ? ordo_opt_int(w->args, "jobs") : ordo_processors();
    enum ordo_status status = command ? ordo_reveal_exec(w, command, err) : ordo_reveal_twin(w, n_thread, err);

    if (status != ORDO_OK || w->reveal.verdict != ORDO_REVEAL_TREE)
        return status;
    status = ordo_sumtree_view(&w->reveal.tree, &w->view[1], err);
    if (status == ORDO_OK)
        status = ordo_sumtree_digest(&w->view[1], &w->digest[1], err);
    if (status == ORDO_OK)
        status = ordo_sumtree_compare(&w->view[0], &w->view[1], &w->parting, err);
    return status;
}

/* Without a proved order there is no plan to compare with. */
static int say_unproved(const struct ordo_reveal_work *w)
{
    if (w->args->json) {
        json_t *o = ordo_json_new("ordo.reveal/1");

        ordo_json_text(o, "file", w->args->operand[0]);
        ordo_report_proof_json(o, &w->proof);
        ordo_out_json(o);
    } else {
        ordo_report_proof(&w->proof);
    }
    return ORDO_FINDING;
}

static int work(struct ordo_reveal_work *w, struct ordo_err *err)
{
    struct ordo_sum_request request;
    int32_t scale_log2 = 0;
    enum ordo_status status = read_request(w->args, &request, err);

    if (status == ORDO_OK)
        status = read_scale(w->args, &scale_log2, err);
    if (status == ORDO_OK)
        status = ordo_input_read(w->args, w->args->operand[0], &w->problem, err);
    if (status == ORDO_OK) {
        struct ordo_request r = ordo_input_request(w->args, &w->problem);

        status = ordo_plan_make(&r, &w->plan, err);
    }
    if (status == ORDO_OK)
        status = ordo_prove(&w->plan, &w->problem, &w->proof, err);
    if (status == ORDO_OK && w->proof.verdict != ORDO_PROVED)
        return say_unproved(w);
    if (status == ORDO_OK)
        status = prepare(w, &request, scale_log2, err);
    if (status == ORDO_OK)
        status = ask(w, err);
    return status == ORDO_OK ? ordo_reveal_say(w) : ordo_report_error(w->args, status, err);
}

static int run(struct ordo_args *args)
{
    struct ordo_reveal_work w = {.args = args};
    struct ordo_err err = {0};
    int code = work(&w, &err);

    for (int i = 0; i < 2; i++)
        ordo_sumtree_view_free(&w.view[i]);
    ordo_sumtree_free(&w.planned);
    ordo_reveal_free(&w.reveal);
    ordo_probe_free(&w.probe);
    ordo_sum_free(&w.sum);
    ordo_proof_free(&w.proof);
    ordo_problem_free(&w.problem);
    return code;
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT,
    ORDO_OPTIONS_PLAN,
    {.name = "sum", .kind = ORDO_OPT_CHOICE, .required = true, .metavar = "dkv|dkv-tail|dq|dsink|delta|dp",
     .help = "the sum to reveal"},
    {.name = "row", .kind = ORDO_OPT_INT, .metavar = "K", .max = INT32_MAX, .help = "the KV row of dkv, dkv-tail"},
    {.name = "query", .kind = ORDO_OPT_INT, .metavar = "Q", .max = INT32_MAX, .help = "the query of dq, delta, dp"},
    {.name = "head", .kind = ORDO_OPT_INT, .metavar = "H", .max = INT32_MAX,
     .help = "the head of dq (else 0), dsink, delta, dp (else all, taken to add alike)"},
    {.name = "terms", .kind = ORDO_OPT_CHOICE, .metavar = "each|block", .preset = "each",
     .help = "dkv: every head's two terms, or one a CTA"},
    {.name = "whole", .kind = ORDO_OPT_FLAG, .help = "keep the slots alive that the sum does not need"},
    {.name = "exec", .kind = ORDO_OPT_STRING, .metavar = "CMD",
     .help = "ask the program `CMD in.npz out.npz` (else the attention twin)"},
    {.name = "scale", .kind = ORDO_OPT_STRING, .metavar = "X", .preset = "1",
     .help = "softmax scale, a power of two, for a program that has its own"},
    ORDO_OPTION_SEED,
    {.name = "jobs", .kind = ORDO_OPT_INT, .letter = 'j', .metavar = "N", .min = 1, .max = ORDO_MAX_THREADS,
     .help = "threads of the twin (else one a processor)"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_reveal = {
    .name = "reveal",
    .summary = "recover the addition tree of a sum by masked probes, and compare it with the plan's",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .option = options,
    .detail = "A probe puts 2^60, -2^60 and units on the terms of the sum; the units that come back were added\n"
              "outside the smallest sum that holds both masks.  Terms: q24.h0.v5 (query, head block, v for dO^T P\n"
              "or k for Q^T dS, head), q24.h0 (a CTA), t3.s200 (tile, slot), q17 (query), d40 (column).\n"
              "CMD is run by sh, the two names behind it or where it says $1, $2.  It reads q kv do sink o lse\n"
              "scale topk_idxs [topk_length] (BF16 as uint16), writes dkv or dkv_fp32, dq, dsink (float32 or BF16).\n"
              "Not reached: S, O and LSE.  What branches on values may show another tree than it has at work.\n",
    .run = run,
};
