/* ref_dense.c - `ordo ref --dense`: the bits of a dense backward under a schedule, and what fixes them. */
#include "base/parallel.h"
#include "cli/dense_twin.h"
#include "cli/out.h"
#include "ref/fp.h"
#include "sim/contract.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- what fixes the bits ---------------------------------------------------------------------------------------- */

/* What the sparse contract says otherwise, and what is not there. */
static const struct ordo_contract_line own[] = {
    {"tile", NULL},         {"head_block", NULL}, {"tile_walk", NULL},
    {"dkv_first", NULL},    {"lse", "natural"},   {"folded_lse", "lse-times-log2e"},
    {"bf16_rounds", "p,ds,o,dq,dk,dv"},           {"dsink_tree", NULL},
    {"plane_start", NULL},  {"fold", NULL},
};

static const struct ordo_contract_line *own_line(const char *name)
{
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        for (const char *a = own[i].name, *b = name; *a == *b; a++, b++)
            if (*a == '\0')
                return &own[i];
    return NULL;
}

void ordo_dense_case_print(const struct ordo_dense_case *c, FILE *out)
{
    const struct ordo_dense_problem *p = &c->problem;
    struct ordo_contract_line line;

    fprintf(out, "dense %" PRId32 " x %" PRId32 " x %" PRId32 " x %" PRId32 " x %" PRId32 " x %" PRId32 " %s\n",
            p->batch, p->q_len, p->kv_len, p->q_heads, p->kv_heads, p->d, p->causal ? "causal" : "full");
    fprintf(out, "tiles %" PRId32 " x %" PRId32 "\n", p->tile_q, p->tile_kv);
    fprintf(out, "schedule %s for %" PRId32 " sms, sections of %" PRId32 "\n", c->schedule.schedule->name,
            c->schedule.launch.sms, c->schedule.launch.section);
    for (int i = 0; ordo_contract_line(&ordo_contract_sparse, i, &line); i++) {
        const struct ordo_contract_line *other = own_line(line.name);

        if (!other || other->value)
            fprintf(out, "%s %s\n", line.name, other ? other->value : line.value);
    }
    fprintf(out, "forward_walk ascending\ndq ranks-ascending-from-zero\ndkv steps-then-heads-from-zero\n");
}

struct ordo_digest ordo_dense_case_digest(const struct ordo_dense_case *c)
{
    struct ordo_hasher h;
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);

    ordo_hasher_init(&h);
    if (f) {
        ordo_dense_case_print(c, f);
        (void)fclose(f);
    }
    ordo_hasher_text(&h, (const char *)ordo_need(text));
    free(text);
    return ordo_hasher_done(&h);
}

/* --- what every dense verb says first --------------------------------------------------------------------------- */

void ordo_dense_case_say(const struct ordo_args *args, const struct ordo_dense_case *c, bool with_order)
{
    const struct ordo_dense_problem *p = &c->problem;
    const char *inputs = ordo_opt_string(args, "inputs");

    printf("dense    batch %" PRId32 ", %" PRId32 " queries x %" PRId32 " KV rows, %" PRId32 " heads on %" PRId32
           ", %" PRId32 " features, %s\n",
           p->batch, p->q_len, p->kv_len, p->q_heads, p->kv_heads, p->d, p->causal ? "causal" : "full");
    if (with_order) {
        struct ordo_digest digest = ordo_dense_case_digest(c);
        char hex[ORDO_DIGEST_HEX];

        printf("order    %s for %" PRId32 " SMs, tiles of %" PRId32 " x %" PRId32 "\n", c->schedule.schedule->name,
               c->schedule.launch.sms, p->tile_q, p->tile_kv);
        printf("         digest %s\n", ordo_digest_hex(&digest, hex));
    }
    if (inputs)
        printf("inputs   %s, scale %.9g\n", inputs, (double)c->scale);
    else
        printf("inputs   %s, seed %" PRIu64 ", scale %.9g\n", ordo_input_class_name[c->values.kind], c->values.seed,
               (double)c->scale);
}

void ordo_dense_case_json(json_t *o, const struct ordo_args *args, const struct ordo_dense_case *c, bool with_order)
{
    ordo_json_text(o, "dense", with_order ? c->schedule.schedule->name : c->problem.causal ? "causal" : "full");
    if (with_order) {
        struct ordo_digest digest = ordo_dense_case_digest(c);

        ordo_json_digest(o, "plan_digest", &digest);
    }
    ordo_json_text(o, "inputs", ordo_opt_string(args, "inputs"));
    if (!ordo_opt_string(args, "inputs")) {
        ordo_json_text(o, "class", ordo_input_class_name[c->values.kind]);
        ordo_json_u64(o, "seed", c->values.seed);
    }
    ordo_json_bits(o, "scale", ordo_fp32_bits(c->scale));
}

/* --- the verb --------------------------------------------------------------------------------------------------- */

static int outputs_of(const struct ordo_args *args)
{
    return ordo_opt_flag(args, "planes") ? ORDO_DENSE_OUTPUTS : ORDO_DENSE_OUTPUT_DQ_FP32;
}

static void say(const struct ordo_args *args, const struct ordo_dense_case *c)
{
    const char *output = ordo_opt_string(args, "output");
    char hex[ORDO_DIGEST_HEX];

    ordo_dense_case_say(args, c, true);
    for (int i = 0; i < outputs_of(args); i++)
        printf("%-8s %-8s %s\n", i ? "" : "bits", ordo_dense_output_name[i], ordo_digest_hex(&c->digest[i], hex));
    if (output)
        printf("written  %s\n", output);
}

static void say_json(const struct ordo_args *args, const struct ordo_dense_case *c)
{
    json_t *o = ordo_json_new("ordo.ref/1"), *digests = ordo_need(json_object());

    ordo_dense_case_json(o, args, c, true);
    for (int i = 0; i < outputs_of(args); i++)
        ordo_json_digest(digests, ordo_dense_output_name[i], &c->digest[i]);
    ordo_json_set(o, "digests", digests);
    ordo_json_text(o, "output", ordo_opt_string(args, "output"));
    ordo_out_json(o);
}

int ordo_ref_dense(struct ordo_args *args)
{
    int n_thread = ordo_opt_given(args, "jobs") ? ordo_opt_int(args, "jobs") : ordo_processors();
    const char *output = ordo_opt_string(args, "output");
    struct ordo_dense_case c = {.scale = 0};
    struct ordo_npz_array array[ORDO_DENSE_OUTPUTS];
    struct ordo_err err = {0};
    enum ordo_status status = ordo_dense_case_take(args, ordo_opt_string(args, "order"), &c, &err);

    if (status == ORDO_OK)
        status = ordo_dense_case_run(&c, n_thread, ordo_opt_flag(args, "planes"), &err);
    if (status == ORDO_OK && output)
        status = ordo_npz_write(output, array, ordo_dense_case_arrays(&c, array), &err);
    if (status == ORDO_OK)
        (args->json ? say_json : say)(args, &c);
    ordo_dense_case_free(&c);
    return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, &err);
}
