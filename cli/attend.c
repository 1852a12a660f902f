/* attend.c - see attend.h. */
#include "cli/attend.h"

#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "ref/fp.h"
#include "sim/design.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static struct ordo_request shape_of(const struct ordo_args *args, const struct ordo_problem *p)
{
    return (struct ordo_request){.n_query = p->n_query, .n_kv = p->n_kv, .topk = p->topk,
                                 .n_head = ordo_opt_int(args, "heads"), .d_qk = ordo_opt_int(args, "dqk"),
                                 .d_v = ordo_opt_int(args, "dv")};
}

static struct ordo_request request_of(const struct ordo_args *args, enum ordo_case_plan how,
                                      const struct ordo_problem *p)
{
    struct ordo_request r = how == ORDO_CASE_SHAPE ? shape_of(args, p) : ordo_input_request(args, p);

    if (how == ORDO_CASE_KERNEL) {
        r.target = ORDO_TARGET_SM90;
        r.design = ordo_design_find(ordo_opt_string(args, "kernel")); /* NULL: auto */
    }
    return r;
}

static enum ordo_status set_scale(const struct ordo_args *args, float *scale, struct ordo_err *err)
{
    const char *text = ordo_opt_string(args, "scale");
    char *end;

    if (!text)
        return ORDO_OK;
    *scale = strtof(text, &end);
    if (*end || !(*scale > 0 && *scale < HUGE_VALF))
        return ordo_fail(err, ORDO_USAGE, NULL, "--scale", "must be a positive number, not '%s'", text);
    return ORDO_OK;
}

static enum ordo_status take_values(const struct ordo_args *args, struct ordo_case_run *c, struct ordo_err *err)
{
    const char *file = ordo_opt_string(args, "inputs");
    enum ordo_status status;

    c->values = (struct ordo_values){.seed = ordo_opt_u64(args, "seed"),
                                     .kind = (enum ordo_input_class)ordo_opt_choice(args, "values"),
                                     .tiny = ordo_opt_flag(args, "tiny")};
    if (file && (ordo_opt_given(args, "seed") || c->values.tiny))
        return ordo_fail(err, ORDO_USAGE, NULL, "--inputs", "does not go with --seed or --tiny");
    if (!file && ordo_twin_run_tensor_bytes(&c->plan) > ordo_memory_bytes())
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "the tensors alone need %" PRIu64 " bytes",
                         ordo_twin_run_tensor_bytes(&c->plan));
    status = file ? ordo_twin_run_read(&c->run, &c->plan, &c->problem, file, err)
                  : ordo_twin_run_seed(&c->run, &c->plan, &c->problem, &c->values, err);
    return status == ORDO_OK ? set_scale(args, &c->run.a.in.scale, err) : status;
}

enum ordo_status ordo_case_run_read(const struct ordo_args *args, enum ordo_case_plan how, struct ordo_case_run *c,
                                    struct ordo_err *err)
{
    enum ordo_status status = ordo_input_read(args, args->operand[0], &c->problem, err);
    const struct ordo_attention_inputs *in = &c->run.a.in;

    if (status == ORDO_OK) {
        struct ordo_request r = request_of(args, how, &c->problem);

        if (how == ORDO_CASE_KERNEL)
            status = ordo_input_kernels(&r, err);
        if (status == ORDO_OK)
            status = ordo_plan_make(&r, &c->plan, err);
    }
    if (status == ORDO_OK)
        status = take_values(args, c, err);
    if (status == ORDO_OK)
        c->attend = (struct ordo_attend){.problem = &c->problem, .n_head = c->plan.request.n_head,
                                         .d_qk = c->plan.request.d_qk, .d_v = c->plan.request.d_v, .q = in->q,
                                         .kv = in->kv, .dout = in->dout, .sink = in->sink, .scale = in->scale};
    return status;
}

void ordo_case_run_free(struct ordo_case_run *c)
{
    ordo_twin_run_free(&c->run);
    ordo_problem_free(&c->problem);
}

void ordo_case_run_say(const struct ordo_args *args, const struct ordo_case_run *c)
{
    const struct ordo_request *r = &c->plan.request;
    const char *inputs = ordo_opt_string(args, "inputs");

    printf("problem  %s: %" PRId32 " queries x Top-K %" PRId32 " over %" PRId32 " KV rows, %" PRId32
           " heads, %" PRId32 "/%" PRId32 "\n", args->operand[0], r->n_query, r->topk, r->n_kv, r->n_head, r->d_qk,
           r->d_v);
    if (inputs)
        printf("inputs   %s, scale %.9g\n", inputs, (double)c->run.a.in.scale);
    else
        printf("inputs   %s%s, seed %" PRIu64 ", scale %.9g\n", ordo_input_class_name[c->values.kind],
               c->values.tiny ? " with tiny dO" : "", c->values.seed, (double)c->run.a.in.scale);
}

void ordo_case_run_json(json_t *o, const struct ordo_args *args, const struct ordo_case_run *c)
{
    ordo_json_text(o, "file", args->operand[0]);
    ordo_json_text(o, "inputs", ordo_opt_string(args, "inputs"));
    if (!ordo_opt_string(args, "inputs")) {
        ordo_json_text(o, "class", ordo_input_class_name[c->values.kind]);
        ordo_json_u64(o, "seed", c->values.seed);
        ordo_json_bool(o, "tiny", c->values.tiny);
    }
    ordo_json_bits(o, "scale", ordo_fp32_bits(c->run.a.in.scale));
}
