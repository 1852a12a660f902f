/* stage.c - see stage.h. */
#include "oracle/stage.h"

#include "oracle/dot.h"
#include "ref/fp.h"

#include <math.h>
#include <mpfr.h>

static void record(struct ordo_stage_tally *t, uint32_t got, double error, double bound, double terms)
{
    t->n++;
    t->n_exact += error == 0;
    if (error > 0 && terms > 0)
        t->worst_relative = fmax(t->worst_relative, error / terms);
    if (error > 0)
        t->worst_ratio = fmax(t->worst_ratio, bound > 0 ? error / bound : (double)INFINITY);
    if (!(error <= bound) && t->n_outside++ == 0) {
        t->got = got;
        t->error = error;
        t->limit = bound;
    }
}

static double of_bf16(uint16_t bits)
{
    return (double)ordo_fp32(ordo_bf16_to_fp32_bits(bits));
}

static void element(struct ordo_stage_tally *t, const struct ordo_stage_product *p, int32_t i, int32_t j)
{
    const uint16_t *a = p->a + i * p->a_row, *b = p->b + j * p->b_column;
    ptrdiff_t at = i * p->c_row + j;
    struct ordo_dot sum = {{0}};
    double terms = 0;

    if (!ordo_dot_add(&sum, a, p->a_k, b, p->b_k, p->k) || !ordo_fp32_finite(p->before[at]) ||
        !ordo_fp32_finite(p->after[at])) {
        t->n_open++;
        return;
    }
    ordo_dot_add_fp32(&sum, p->before[at], false);
    ordo_dot_add_fp32(&sum, p->after[at], true);
    for (int32_t k = 0; k < p->k; k++)
        terms += fabs(of_bf16(a[k * p->a_k]) * of_bf16(b[k * p->b_k]));
    record(t, p->after[at], ordo_dot_abs_up(&sum), p->bound[at], terms + fabs((double)ordo_fp32(p->before[at])));
}

void ordo_stage_product(struct ordo_stage_tally *t, const struct ordo_stage_product *p, int64_t period)
{
    for (int64_t at = 0; at < (int64_t)p->m * p->n; at += period)
        element(t, p, (int32_t)(at / p->n), (int32_t)(at % p->n));
}

/* Products of two fp32 span 2^-298 .. 2^256: 554 bits, and 46 for carries. */
enum { SUM_BITS = 600 };

void ordo_stage_sum(struct ordo_stage_tally *t, const float *a, const float *b, int64_t n, int32_t roundings,
                    float result)
{
    double terms = 0, u = roundings * 0x1p-24, bound, error;
    mpfr_t sum, x;

    for (int64_t i = 0; i < n; i++)
        terms += fabs((double)a[i] * (double)b[i]);
    if (!isfinite(terms) || !isfinite(result)) {
        t->n_open++;
        return;
    }
    mpfr_init2(sum, SUM_BITS);
    mpfr_init2(x, 48);
    (void)mpfr_set_flt(sum, -result, MPFR_RNDN);
    for (int64_t i = 0; i < n; i++) {
        (void)mpfr_set_d(x, (double)a[i] * (double)b[i], MPFR_RNDN); /* 48 bits: exact */
        (void)mpfr_add(sum, sum, x, MPFR_RNDN);
    }
    error = fabs(mpfr_get_d(sum, MPFR_RNDA));
    bound = (u / (1 - u) * terms + (double)n * 0x1p-149) * (1 + ((double)n + 8) * 0x1p-52);
    record(t, ordo_fp32_bits(result), error, bound, terms);
    mpfr_clears(sum, x, (mpfr_ptr)NULL);
}

void ordo_stage_merge(struct ordo_stage_tally *into, const struct ordo_stage_tally *from)
{
    if (into->n_outside == 0 && from->n_outside) {
        into->got = from->got;
        into->error = from->error;
        into->limit = from->limit;
    }
    into->n += from->n;
    into->n_outside += from->n_outside;
    into->n_exact += from->n_exact;
    into->n_open += from->n_open;
    into->worst_ratio = fmax(into->worst_ratio, from->worst_ratio);
    into->worst_relative = fmax(into->worst_relative, from->worst_relative);
}
