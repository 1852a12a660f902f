/* inputs_dense.c - `ordo inputs --dense`: seeded q, k, v and dO of dense attention as one .npz. */
#include "cli/dense_twin.h"
#include "cli/out.h"
#include "corpus/npz_write.h"

#include <inttypes.h>

static enum ordo_status save(const char *path, const struct ordo_dense_case *c, struct ordo_err *err)
{
    const struct ordo_dense_tensors *t = &c->tensors;
    struct ordo_npz_array array[] = {{.name = "q", .data = t->q}, {.name = "k", .data = t->k},
                                     {.name = "v", .data = t->v}, {.name = "do", .data = t->dout}};
    static const enum ordo_dense_output as[] = {ORDO_DENSE_OUTPUT_DQ, ORDO_DENSE_OUTPUT_DK, ORDO_DENSE_OUTPUT_DV,
                                                ORDO_DENSE_OUTPUT_DQ};

    for (int i = 0; i < 4; i++) {
        array[i].descr = "<u2";
        array[i].n_dim = ordo_dense_output_dims(&c->problem, as[i], array[i].dim);
    }
    return ordo_npz_write(path, array, 4, err);
}

static void say(const struct ordo_args *args, const struct ordo_dense_case *c)
{
    const struct ordo_dense_problem *p = &c->problem;
    const char *file = ordo_opt_string(args, "output"), *kind = ordo_input_class_name[c->values.kind];
    json_t *o;

    if (!args->json) {
        printf("%s: q, do (%" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32 "), ", file, p->batch, p->q_len,
               p->q_heads, p->d);
        printf("k, v (%" PRId32 ", %" PRId32 ", %" PRId32 ", %" PRId32 ") in BF16\n%s, seed %" PRIu64 "\n", p->batch,
               p->kv_len, p->kv_heads, p->d, kind, c->values.seed);
        return;
    }
    o = ordo_json_new("ordo.inputs/1");
    ordo_json_text(o, "file", file);
    ordo_json_int(o, "batch", p->batch);
    ordo_json_int(o, "q_len", p->q_len);
    ordo_json_int(o, "kv_len", p->kv_len);
    ordo_json_int(o, "n_head", p->q_heads);
    ordo_json_int(o, "kv_heads", p->kv_heads);
    ordo_json_int(o, "head_dim", p->d);
    ordo_json_text(o, "class", kind);
    ordo_json_u64(o, "seed", c->values.seed);
    ordo_out_json(o);
}

int ordo_inputs_dense(struct ordo_args *args)
{
    struct ordo_dense_case c = {.scale = 0};
    struct ordo_err err = {0};
    enum ordo_status status = ordo_dense_case_problem(args, &c, &err);

    if (status == ORDO_OK)
        status = ordo_dense_case_seed(&c, &err);
    if (status == ORDO_OK)
        status = save(ordo_opt_string(args, "output"), &c, &err);
    if (status == ORDO_OK)
        say(args, &c);
    ordo_dense_case_free(&c);
    return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, &err);
}
