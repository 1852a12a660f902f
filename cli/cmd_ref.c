/* cmd_ref.c - `ordo ref`: the bits that the kernels must give, from an index tensor and the values of its tensors. */
#include "base/parallel.h"
#include "cli/dense_twin.h"
#include "cli/form.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/report.h"
#include "cli/tensors.h"
#include "cli/verb.h"
#include "ref/fp.h"
#include "ref/mma.h"
#include "sim/design.h"
#include "sim/domain.h"
#include "sim/duplicates.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct work {
    struct ordo_problem problem;
    struct ordo_plan plan;
    const struct ordo_mma_model *model;
    struct ordo_contract_scan scan;
    struct ordo_twin_run run;
    struct ordo_values values;
};

static enum ordo_status scan(struct work *w, struct ordo_err *err)
{
    struct ordo_domain domain;
    enum ordo_status status = ordo_domain_make(&w->problem, &domain, err);

    if (status == ORDO_OK)
        status = ordo_contract_scan_make(&w->problem, &domain, NULL, &w->scan, err);
    ordo_domain_free(&domain);
    return status;
}

static enum ordo_status set_scale(const struct ordo_args *args, struct work *w, struct ordo_err *err)
{
    const char *text = ordo_opt_string(args, "scale");
    char *end;

    if (!text)
        return ORDO_OK;
    w->run.a.in.scale = strtof(text, &end);
    if (*end || !(w->run.a.in.scale > 0 && w->run.a.in.scale < HUGE_VALF))
        return ordo_fail(err, ORDO_USAGE, NULL, "--scale", "must be a positive number, not '%s'", text);
    return ORDO_OK;
}

static enum ordo_status take_values(const struct ordo_args *args, struct work *w, struct ordo_err *err)
{
    const char *file = ordo_opt_string(args, "inputs");
    enum ordo_status status;

    if (file && ordo_opt_given(args, "seed"))
        return ordo_fail(err, ORDO_USAGE, NULL, "--inputs", "does not go with --seed");
    if (!file && ordo_twin_run_tensor_bytes(&w->plan) > ordo_memory_bytes())
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "the tensors alone need %" PRIu64 " bytes",
                         ordo_twin_run_tensor_bytes(&w->plan));
    status = file ? ordo_twin_run_read(&w->run, &w->plan, &w->problem, file, err)
                  : ordo_twin_run_seed(&w->run, &w->plan, &w->problem, &w->values, err);
    return status == ORDO_OK ? set_scale(args, w, err) : status;
}

static enum ordo_status save(const char *path, const struct ordo_twin_run *run, struct ordo_err *err)
{
    struct ordo_npz_array array[ORDO_OUTPUTS];
    size_t n = ordo_twin_run_arrays(run, array);

    return path ? ordo_npz_write(path, array, n, err) : ORDO_OK;
}

static void say(const struct ordo_args *args, const struct work *w)
{
    const char *inputs = ordo_opt_string(args, "inputs"), *output = ordo_opt_string(args, "output");
    char hex[ORDO_DIGEST_HEX];

    ordo_report_plan(&w->plan);
    printf("core     sm%d, %s: %s\n", (int)w->model->sm, ordo_evidence_name[w->model->evidence], w->model->source);
    if (inputs)
        printf("inputs   %s, scale %.9g\n", inputs, (double)w->run.a.in.scale);
    else
        printf("inputs   %s, seed %" PRIu64 ", scale %.9g\n", ordo_input_class_name[w->values.kind], w->values.seed,
               (double)w->run.a.in.scale);
    for (int i = 0; i < ORDO_OUTPUTS - !ordo_opt_flag(args, "planes"); i++)
        printf("%-8s %-8s %s\n", i ? "" : "bits", ordo_output_name[i], ordo_digest_hex(&w->run.digest[i], hex));
    if (output)
        printf("written  %s\n", output);
}

static void say_json(const struct ordo_args *args, const struct work *w)
{
    json_t *o = ordo_json_new("ordo.ref/1"), *digests = ordo_need(json_object());

    ordo_json_text(o, "file", args->operand[0]);
    ordo_json_digest(o, "plan_digest", &w->plan.digest);
    ordo_json_int(o, "core", w->model->sm);
    ordo_json_text(o, "core_evidence", ordo_evidence_name[w->model->evidence]);
    ordo_json_text(o, "inputs", ordo_opt_string(args, "inputs"));
    if (!ordo_opt_string(args, "inputs")) {
        ordo_json_text(o, "class", ordo_input_class_name[w->values.kind]);
        ordo_json_u64(o, "seed", w->values.seed);
    }
    ordo_json_bits(o, "scale", ordo_fp32_bits(w->run.a.in.scale));
    for (int i = 0; i < ORDO_OUTPUTS - !ordo_opt_flag(args, "planes"); i++)
        ordo_json_digest(digests, ordo_output_name[i], &w->run.digest[i]);
    ordo_json_set(o, "digests", digests);
    ordo_json_text(o, "output", ordo_opt_string(args, "output"));
    ordo_out_json(o);
}

/* Outside the contract nothing is promised, so nothing is computed. */
static int say_refused(const struct ordo_args *args, const struct work *w)
{
    if (args->json) {
        json_t *o = ordo_json_new("ordo.ref/1");

        ordo_json_text(o, "file", args->operand[0]);
        ordo_json_u64(o, "duplicates", w->scan.n_duplicate);
        ordo_report_duplicates_json(o, &w->scan);
        ordo_out_json(o);
    } else {
        ordo_report_duplicates(&w->scan, 10);
        printf("refused  %" PRIu64 " duplicate ids inside a query; the deterministic contract wants unique ids\n",
               w->scan.n_duplicate);
    }
    return ORDO_FINDING;
}

static int work(struct ordo_args *args, struct work *w, struct ordo_err *err)
{
    int n_thread = ordo_opt_given(args, "jobs") ? ordo_opt_int(args, "jobs") : ordo_processors();
    enum ordo_status status = ordo_input_read(args, args->operand[0], &w->problem, err);

    if (status == ORDO_OK) {
        struct ordo_request request = ordo_input_request(args, &w->problem);

        status = ordo_plan_make(&request, &w->plan, err);
    }
    if (status == ORDO_OK)
        status = ordo_design_ordered(w->plan.design, err);
    if (status == ORDO_OK)
        status = ordo_attention_model(&w->plan, &w->model, err);
    if (status == ORDO_OK)
        status = scan(w, err);
    if (status == ORDO_OK && w->scan.n_duplicate)
        return say_refused(args, w);
    if (status == ORDO_OK)
        status = take_values(args, w, err);
    if (status == ORDO_OK)
        status = ordo_twin_run(&w->run, n_thread, ordo_opt_flag(args, "planes"), err);
    if (status == ORDO_OK)
        status = save(ordo_opt_string(args, "output"), &w->run, err);
    if (status != ORDO_OK)
        return ordo_report_error(args, status, err);
    (args->json ? say_json : say)(args, w);
    return ORDO_OK;
}

static int run(struct ordo_args *args)
{
    struct work w = {.values = {.seed = ordo_opt_u64(args, "seed"),
                                .kind = (enum ordo_input_class)ordo_opt_choice(args, "values")}};
    struct ordo_err err = {0};
    int code;

    if (ordo_opt_flag(args, "dense"))
        return ordo_ref_dense(args);
    if (ordo_form_has_file(args, &err) != ORDO_OK)
        return ordo_report_error(args, ORDO_USAGE, &err);
    code = work(args, &w, &err);

    ordo_twin_run_free(&w.run);
    ordo_contract_scan_free(&w.scan);
    ordo_problem_free(&w.problem);
    return code;
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT_KV(false),
    ORDO_OPTIONS_PLAN,
    ORDO_OPTIONS_DENSE_TWIN,
    {.name = "inputs", .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = ".npz with q, kv, do, perhaps sink, o and lse, scale (else seeded)"},
    ORDO_OPTION_SEED,
    {.name = "values", .kind = ORDO_OPT_CHOICE, .metavar = "exact|rough", .preset = "rough",
     .help = "seeded: small integers with logits 0, or anything"},
    {.name = "scale", .kind = ORDO_OPT_STRING, .metavar = "X",
     .help = "softmax scale (else the file's, else 1/sqrt(dqk))"},
    {.name = "output", .kind = ORDO_OPT_STRING, .letter = 'o', .metavar = "FILE", .help = "the .npz to write"},
    {.name = "planes", .kind = ORDO_OPT_FLAG,
     .help = "the fp32 planes too, as the fold finds them; --dense: fp32 gradients"},
    {.name = "jobs", .kind = ORDO_OPT_INT, .letter = 'j', .metavar = "N", .min = 1, .max = ORDO_MAX_THREADS,
     .help = "threads (else one a processor); never changes a bit"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_ref = {
    .name = "ref",
    .summary = "every bit that sparse or dense attention, forward and backward, must give",
    .operands = "[FILE]",
    .min_operands = 0,
    .max_operands = 1,
    .option = options,
    .detail = "Outputs: o, lse, delta, dq, dkv, dkv_fp32 (before it rounds), dsink; BF16 as uint16 in the .npz.\n"
              "With o and lse among the inputs the backward uses them, as a kernel would; else the twin's own.\n",
    .run = run,
};
