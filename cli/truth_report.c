/* truth_report.c - what there is to say of real gradients: how much was computed, how hard it was, digests. */
#include "cli/out.h"
#include "cli/truth.h"

#include <inttypes.h>
#include <math.h>

/* What there is to say of one output. */
struct facts {
    int64_t n, again, near, none;
    double worst; /* the largest condition number of a finite one that is not 0 */
    struct ordo_digest fp32, bf16;
};

static struct facts facts_of(const struct ordo_real_set *s)
{
    struct facts f = {.n = s->n_unit * s->width};
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

void ordo_truth_say(const struct ordo_truth_output output[ORDO_REAL_OUTPUTS], uint64_t rows)
{
    printf("computed %" PRIu64 " softmax rows by MPFR %s\n", rows, ordo_real_library());
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        const struct ordo_truth_output *o = &output[i];
        struct facts f = facts_of(o->set);
        char hex[ORDO_DIGEST_HEX];

        printf("%-8s %" PRId64 " numbers, %s: %" PRId64 " of %" PRId64 " %s\n", o->name, f.n,
               o->set->n_unit == o->all ? "whole" : "sampled", o->set->n_unit, o->all, o->unit_name);
        printf("         %" PRId64 " took more than 113 bits, %" PRId64 " near a boundary, %" PRId64
               " without a real value; condition at most %.3g\n", f.again, f.near, f.none, f.worst);
        printf("         fp32 %s\n", ordo_digest_hex(&f.fp32, hex));
        printf("         bf16 %s\n", ordo_digest_hex(&f.bf16, hex));
    }
}

void ordo_truth_json(json_t *o, const struct ordo_truth_output output[ORDO_REAL_OUTPUTS])
{
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        struct facts f = facts_of(output[i].set);
        json_t *set = ordo_need(json_object());

        ordo_json_text(set, "extent", output[i].set->n_unit == output[i].all ? "whole" : "sampled");
        ordo_json_int(set, "units", output[i].set->n_unit);
        ordo_json_int(set, "all_units", output[i].all);
        ordo_json_int(set, "numbers", f.n);
        ordo_json_int(set, "more_bits", f.again);
        ordo_json_int(set, "near", f.near);
        ordo_json_int(set, "no_real_value", f.none);
        ordo_json_real(set, "condition", f.worst);
        ordo_json_digest(set, "fp32", &f.fp32);
        ordo_json_digest(set, "bf16", &f.bf16);
        ordo_json_set(o, output[i].name, set);
    }
}
