/* cmd_inputs.c - `ordo inputs`: seeded Q, KV, dO and sink for an index tensor, with a copy of it, as one .npz. */
#include "cli/dense_twin.h"
#include "cli/form.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/verb.h"
#include "corpus/npz_write.h"
#include "ref/inputs.h"

#include <inttypes.h>
#include <stdlib.h>

static enum ordo_status save(const char *path, const struct ordo_problem *p, const struct ordo_request *r,
                             const struct ordo_tensors *t, struct ordo_err *err)
{
    uint64_t n_query = (uint64_t)r->n_query, n_head = (uint64_t)r->n_head, d_qk = (uint64_t)r->d_qk;
    const struct ordo_npz_array array[] = {
        {"q", "<u2", 3, {n_query, n_head, d_qk, 0}, t->q},
        {"kv", "<u2", 2, {(uint64_t)r->n_kv, d_qk, 0, 0}, t->kv},
        {"do", "<u2", 3, {n_query, n_head, (uint64_t)r->d_v, 0}, t->dout},
        {"sink", "<f4", 1, {n_head, 0, 0, 0}, t->sink},
        {"topk_idxs", "<i4", 2, {n_query, (uint64_t)r->topk, 0, 0}, p->idx},
        {"topk_length", "<i4", 1, {n_query, 0, 0, 0}, p->length},
    };

    return ordo_npz_write(path, array, sizeof array / sizeof array[0] - (p->length == NULL), err);
}

static void say(const struct ordo_args *args, const struct ordo_problem *p, const struct ordo_request *r,
                const struct ordo_values *values, const struct ordo_tensors *t)
{
    const char *file = ordo_opt_string(args, "output"), *kind = ordo_input_class_name[values->kind];
    const char *sink = ordo_sink_kind_name[values->sink];
    struct ordo_digest problem = ordo_problem_digest(p), tensors = ordo_tensors_digest(r, t);
    char hex[ORDO_DIGEST_HEX];
    json_t *object;

    if (!args->json) {
        printf("%s: q (%" PRId32 ", %" PRId32 ", %" PRId32 "), kv (%" PRId32 ", %" PRId32 "), ", file, r->n_query,
               r->n_head, r->d_qk, r->n_kv, r->d_qk);
        printf("do (%" PRId32 ", %" PRId32 ", %" PRId32 ") in BF16, sink %s\n", r->n_query, r->n_head, r->d_v, sink);
        printf("%s, seed %" PRIu64 ", values %s\n", kind, values->seed, ordo_digest_hex(&tensors, hex));
        return;
    }
    object = ordo_json_new("ordo.inputs/1");
    ordo_json_text(object, "file", file);
    ordo_json_int(object, "n_query", r->n_query);
    ordo_json_int(object, "topk", r->topk);
    ordo_json_int(object, "n_kv", r->n_kv);
    ordo_json_int(object, "n_head", r->n_head);
    ordo_json_int(object, "d_qk", r->d_qk);
    ordo_json_int(object, "d_v", r->d_v);
    ordo_json_text(object, "class", kind);
    ordo_json_text(object, "sink", sink);
    ordo_json_u64(object, "seed", values->seed);
    ordo_json_digest(object, "problem", &problem);
    ordo_json_digest(object, "values", &tensors);
    ordo_out_json(object);
}

static int run(struct ordo_args *args)
{
    struct ordo_values values = {
        .seed = ordo_opt_u64(args, "seed"),
        .kind = (enum ordo_input_class)ordo_opt_choice(args, "values"),
        .sink = (enum ordo_sink_kind)ordo_opt_choice(args, "sink"),
    };
    struct ordo_problem p = {0};
    struct ordo_tensors t = {0};
    struct ordo_request r = {0};
    struct ordo_err err = {0};
    enum ordo_status status;

    if (ordo_opt_flag(args, "dense"))
        return ordo_inputs_dense(args);
    if (ordo_form_has_file(args, &err) != ORDO_OK)
        return ordo_report_error(args, ORDO_USAGE, &err);
    status = ordo_input_read(args, args->operand[0], &p, &err);
    if (status == ORDO_OK) {
        r = (struct ordo_request){.n_query = p.n_query, .n_kv = p.n_kv, .topk = p.topk,
                                  .n_head = ordo_opt_int(args, "heads"), .d_qk = ordo_opt_int(args, "dqk"),
                                  .d_v = ordo_opt_int(args, "dv")};
        status = ordo_tensors_seed(&r, &values, &t, &err);
    }
    if (status == ORDO_OK)
        status = save(ordo_opt_string(args, "output"), &p, &r, &t, &err);
    if (status == ORDO_OK)
        say(args, &p, &r, &values, &t);
    ordo_tensors_free(&t);
    ordo_problem_free(&p);
    return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, &err);
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT_KV(false),
    ORDO_OPTIONS_SHAPE,
    ORDO_OPTIONS_DENSE_TWIN,
    ORDO_OPTION_SEED,
    {.name = "values", .kind = ORDO_OPT_CHOICE, .metavar = "exact|rough", .preset = "rough",
     .help = "small integers with logits 0, or anything"},
    {.name = "sink", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_CHOICE, .metavar = "seeded|off|inf|huge|mixed",
     .preset = "seeded", .help = "the attention sink: -Inf, +Inf, 2.4e38, by head"},
    {.name = "output", .kind = ORDO_OPT_STRING, .letter = 'o', .required = true, .metavar = "FILE",
     .help = "the .npz to write"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_inputs = {
    .name = "inputs",
    .summary = "write seeded q, kv, do and sink for an index tensor, or dense q, k, v and do, as .npz",
    .operands = "[FILE]",
    .min_operands = 0,
    .max_operands = 1,
    .option = options,
    .detail = "BF16 as uint16, sink as float32; the index tensor goes along as topk_idxs (and topk_length),\n"
              "so every verb takes the .npz as its index file.  --dense: q, k, v and do, which only the shape "
              "fixes.\n",
    .run = run,
};
