/* cmd_truth.c - `ordo truth`: the gradient itself, in real arithmetic, rounded once. */
#include "cli/attend.h"
#include "cli/group.h"
#include "cli/out.h"
#include "cli/truth.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* What there is to say of one output. */
struct facts {
    int64_t n, units, again, near, none;
    double worst; /* the largest condition number of a finite one that is not 0 */
    struct ordo_digest fp32, bf16;
};

static struct facts facts_of(const struct ordo_case_run *c, const struct ordo_real_gradient *g, int output)
{
    const struct ordo_real_set *s = &g->set[output];
    struct facts f = {.n = s->n_unit * s->width, .units = ordo_real_units(&c->attend, output)};
    struct ordo_hasher fp32, bf16;

    ordo_hasher_init(&fp32);
    ordo_hasher_init(&bf16);
    for (int64_t i = 0; i < f.n; i++) {
        const struct ordo_real *r = &s->value[i];

        f.again += r->passes > 1;
        f.near += r->state == ORDO_REAL_NEAR;
        f.none += r->state == ORDO_REAL_NONE;
        if (fabs(r->value) > 0)
            f.worst = fmax(f.worst, r->terms / fabs(r->value));
        ordo_hasher_u32(&fp32, r->fp32);
        ordo_hasher_u32(&bf16, r->bf16);
    }
    f.fp32 = ordo_hasher_done(&fp32);
    f.bf16 = ordo_hasher_done(&bf16);
    return f;
}

static void say(const struct ordo_args *args, const struct ordo_case_run *c, const struct ordo_real_gradient *g)
{
    const char *file = ordo_opt_string(args, "output");

    ordo_case_run_say(args, c);
    printf("computed %" PRIu64 " softmax rows by MPFR %s\n", g->rows, ordo_real_library());
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        struct facts f = facts_of(c, g, i);
        char hex[ORDO_DIGEST_HEX];

        printf("%-8s %" PRId64 " numbers, %s: %" PRId64 " of %" PRId64 " %s\n", ordo_real_name[i], f.n,
               g->set[i].n_unit == f.units ? "whole" : "sampled", g->set[i].n_unit, f.units, ordo_unit_name[i]);
        printf("         %" PRId64 " took more than 113 bits, %" PRId64 " near a boundary, %" PRId64
               " without a real value; condition at most %.3g\n", f.again, f.near, f.none, f.worst);
        printf("         fp32 %s\n", ordo_digest_hex(&f.fp32, hex));
        printf("         bf16 %s\n", ordo_digest_hex(&f.bf16, hex));
    }
    if (file)
        printf("written  %s\n", file);
}

static void say_json(const struct ordo_args *args, const struct ordo_case_run *c, const struct ordo_real_gradient *g)
{
    json_t *o = ordo_json_new("ordo.truth/1");

    ordo_case_run_json(o, args, c);
    ordo_json_u64(o, "softmax_rows", g->rows);
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        struct facts f = facts_of(c, g, i);
        json_t *set = ordo_need(json_object());

        ordo_json_text(set, "extent", g->set[i].n_unit == f.units ? "whole" : "sampled");
        ordo_json_int(set, "units", g->set[i].n_unit);
        ordo_json_int(set, "all_units", f.units);
        ordo_json_int(set, "numbers", f.n);
        ordo_json_int(set, "more_bits", f.again);
        ordo_json_int(set, "near", f.near);
        ordo_json_int(set, "no_real_value", f.none);
        ordo_json_real(set, "condition", f.worst);
        ordo_json_digest(set, "fp32", &f.fp32);
        ordo_json_digest(set, "bf16", &f.bf16);
        ordo_json_set(o, ordo_real_name[i], set);
    }
    ordo_json_text(o, "output", ordo_opt_string(args, "output"));
    ordo_out_json(o);
}

static int run(struct ordo_args *args)
{
    const char *file = ordo_opt_string(args, "output");
    struct ordo_real_gradient g = {0};
    struct ordo_case_run c = {0};
    struct ordo_err err = {0};
    enum ordo_status status = ordo_case_run_read(args, false, &c, &err);

    if (status == ORDO_OK)
        status = ordo_truth_run(args, &c, &g, &err);
    if (status == ORDO_OK && file)
        status = ordo_truth_write(file, &c, &g, &err);
    if (status == ORDO_OK)
        (args->json ? say_json : say)(args, &c, &g);
    ordo_real_free(&g);
    ordo_case_run_free(&c);
    return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, &err);
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT,
    ORDO_OPTIONS_SHAPE,
    ORDO_OPTIONS_VALUES,
    ORDO_OPTION_BUDGET,
    {.name = "output", .kind = ORDO_OPT_STRING, .letter = 'o', .metavar = "FILE", .help = "the .npz to write"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_truth = {
    .name = "truth",
    .summary = "the gradient in real arithmetic, rounded once",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .option = options,
    .detail = "dq, dkv and dsink of the BF16 inputs: softmax and all sums exact to a proved ball, rounded once to\n"
              "fp32 and to BF16.  The .npz has dq and dkv as BF16 (uint16), dsink, dq_fp32 and dkv_fp32 as float32;\n"
              "of a sample also dq_unit (query * heads + head), dkv_unit (KV row), dsink_unit (head), and the\n"
              "arrays hold those units only.\n",
    .run = run,
};
