/* real_row.c - one row of the softmax and its gradient in p bits, with errors.
 *
 * Arguments of exp are differences to the row's largest logit (or the sink), formed exactly and rounded once, so that
 * logits of 2^200 lose nothing that smaller ones keep. */
#include "oracle/real_impl.h"

#include "base/size.h"
#include "ref/fp.h"

#include <math.h>
#include <stdlib.h>

/* --- memory ----------------------------------------------------------------------------------------------------- */

static struct ordo_real_number *numbers(int32_t n, mpfr_prec_t bits)
{
    struct ordo_real_number *x = ordo_alloc((uint64_t)n, sizeof *x);

    for (int32_t j = 0; x && j < n; j++)
        mpfr_init2(x[j].x, bits);
    return x;
}

enum ordo_status ordo_real_row_make(struct ordo_real_row *r, int32_t n, mpfr_prec_t bits, struct ordo_err *err)
{
    *r = (struct ordo_real_row){.capacity = n, .bits = bits};
    mpfr_inits2(bits, r->share.x, r->delta.x, r->z, r->t, (mpfr_ptr)NULL);
    mpfr_inits2(ORDO_REAL_WIDE, r->wide, r->other, r->reference, (mpfr_ptr)NULL);
    r->p = numbers(n, bits);
    r->dp = numbers(n, bits);
    r->ds = numbers(n, bits);
    r->dot = ordo_alloc((uint64_t)n, sizeof *r->dot);
    for (int32_t j = 0; r->dot && j < n; j++)
        mpfr_init2(r->dot[j], ORDO_REAL_WIDE);
    if (!r->p || !r->dp || !r->ds || !r->dot)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for a softmax row of %d slots", (int)n);
    return ORDO_OK;
}

void ordo_real_row_free(struct ordo_real_row *r)
{
    if (!r->bits)
        return;
    for (int32_t j = 0; j < r->capacity; j++) {
        if (r->p)
            mpfr_clear(r->p[j].x);
        if (r->dp)
            mpfr_clear(r->dp[j].x);
        if (r->ds)
            mpfr_clear(r->ds[j].x);
        if (r->dot)
            mpfr_clear(r->dot[j]);
    }
    free(r->p);
    free(r->dp);
    free(r->ds);
    free(r->dot);
    mpfr_clears(r->share.x, r->delta.x, r->z, r->t, r->wide, r->other, r->reference, (mpfr_ptr)NULL);
    *r = (struct ordo_real_row){0};
}

/* --- P ---------------------------------------------------------------------------------------------------------- */

static double top_of(mpfr_srcptr x)
{
    return fabs(mpfr_get_d(x, MPFR_RNDA));
}

/* out = e^(wide - reference), err relative: |argument| for its one rounding, 1 for exp's.  wide is spent. */
static void exp_of(struct ordo_real_row *r, struct ordo_real_number *out)
{
    int exact;
    double argument;

    ORDO_BUG_ON(mpfr_sub(r->wide, r->wide, r->reference, MPFR_RNDN) != 0);
    exact = mpfr_set(r->t, r->wide, MPFR_RNDN);
    argument = mpfr_get_d(r->t, MPFR_RNDA);
    out->err = exact == 0 ? 0 : -argument;
    if (argument < ORDO_REAL_SMALL) {
        mpfr_set_zero(out->x, 1);
        out->err = 1;
    } else if (mpfr_exp(out->x, r->t, MPFR_RNDN) != 0) {
        out->err += 1;
    }
}

/* scale dot[j], exactly, into r->wide. */
static void logit(struct ordo_real_row *r, const struct ordo_real_operands *o, int32_t j)
{
    (void)mpfr_set_flt(r->other, o->scale, MPFR_RNDN);
    ORDO_BUG_ON(mpfr_mul(r->wide, r->dot[j], r->other, MPFR_RNDN) != 0);
}

static void find_reference(struct ordo_real_row *r, const struct ordo_real_operands *o)
{
    int32_t most = 0;

    for (int32_t j = 1; j < o->n; j++)
        if (mpfr_cmp(r->dot[j], r->dot[most]) > 0)
            most = j;
    logit(r, o, most);
    (void)mpfr_set(r->reference, r->wide, MPFR_RNDN);
    if (o->sink > -HUGE_VALF) {
        (void)mpfr_set_flt(r->other, o->sink, MPFR_RNDN);
        if (mpfr_cmp(r->other, r->reference) > 0)
            (void)mpfr_set(r->reference, r->other, MPFR_RNDN);
    }
}

/* x /= z: err becomes absolute. */
static void divide(const struct ordo_real_row *r, struct ordo_real_number *x, double err_z)
{
    int exact = mpfr_div(x->x, x->x, r->z, MPFR_RNDN);

    x->top = x->err > 0 ? fmax(top_of(x->x), DBL_TRUE_MIN) : top_of(x->x); /* a 0 that is not one */
    x->err = ordo_real_times(x->err + err_z + (exact != 0), x->top);
}

static void softmax(struct ordo_real_row *r, const struct ordo_real_operands *o)
{
    double worst = 0, rounded = 0;

    find_reference(r, o);
    mpfr_set_zero(r->z, 1);
    mpfr_set_zero(r->share.x, 1);
    r->share.err = 0;
    for (int32_t j = 0; j < o->n; j++) {
        logit(r, o, j);
        exp_of(r, &r->p[j]);
        rounded += mpfr_add(r->z, r->z, r->p[j].x, MPFR_RNDN) != 0;
        worst = fmax(worst, r->p[j].err);
    }
    if (o->sink > -HUGE_VALF) {
        (void)mpfr_set_flt(r->wide, o->sink, MPFR_RNDN);
        exp_of(r, &r->share);
        rounded += mpfr_add(r->z, r->z, r->share.x, MPFR_RNDN) != 0;
        worst = fmax(worst, r->share.err);
    }
    for (int32_t j = 0; j < o->n; j++)
        divide(r, &r->p[j], worst + rounded);
    divide(r, &r->share, worst + rounded);
}

/* --- dP, delta, dS ---------------------------------------------------------------------------------------------- */

/* a times b into x, rounded. */
static void multiply(struct ordo_real_number *x, const struct ordo_real_number *a, const struct ordo_real_number *b)
{
    int exact = mpfr_mul(x->x, a->x, b->x, MPFR_RNDN);

    x->top = ordo_real_times(a->top, b->top);
    x->err = ordo_real_times(a->err, b->top) + ordo_real_times(a->top, b->err) + (exact != 0) * x->top;
}

static bool make_delta(struct ordo_real_row *r, const struct ordo_real_operands *o)
{
    double rounded = 0;

    mpfr_set_zero(r->delta.x, 1);
    r->delta.top = r->delta.err = 0;
    for (int32_t j = 0; j < o->n; j++) {
        struct ordo_real_number *dp = &r->dp[j], *term = &r->ds[j]; /* ds[j] is free until later */

        if (!ordo_real_dot(r->wide, r->other, o->dout, o->v[j], o->d_v))
            return false;
        dp->err = mpfr_set(dp->x, r->wide, MPFR_RNDN) != 0;
        dp->top = top_of(dp->x);
        dp->err *= dp->top;
        multiply(term, &r->p[j], dp);
        rounded += mpfr_add(r->delta.x, r->delta.x, term->x, MPFR_RNDN) != 0;
        r->delta.top += term->top;
        r->delta.err += term->err;
    }
    r->delta.err += ordo_real_times(rounded, r->delta.top);
    return true;
}

static void make_ds(struct ordo_real_row *r, const struct ordo_real_operands *o)
{
    struct ordo_real_number difference, scaled;

    mpfr_inits2(r->bits, difference.x, scaled.x, (mpfr_ptr)NULL);
    for (int32_t j = 0; j < o->n; j++) {
        struct ordo_real_number *dp = &r->dp[j], *p = &r->p[j];
        int exact = mpfr_sub(difference.x, dp->x, r->delta.x, MPFR_RNDN);

        difference.top = top_of(difference.x);
        difference.err = dp->err + r->delta.err + (exact != 0) * difference.top;
        exact = mpfr_mul_d(scaled.x, p->x, (double)o->scale, MPFR_RNDN);
        scaled.top = top_of(scaled.x);
        scaled.err = ordo_real_times(p->err, (double)o->scale) + (exact != 0) * scaled.top;
        multiply(&r->ds[j], &scaled, &difference);
    }
    mpfr_clears(difference.x, scaled.x, (mpfr_ptr)NULL);
}

enum ordo_real_kind ordo_real_row(struct ordo_real_row *r, const struct ordo_real_operands *o)
{
    ORDO_BUG_ON(o->n > r->capacity);
    if (o->n == 0 || o->sink == HUGE_VALF)
        return ORDO_REAL_INERT;
    for (int32_t j = 0; j < o->n; j++)
        if (!ordo_real_dot(r->dot[j], r->other, o->q, o->k[j], o->d_qk))
            return ORDO_REAL_UNDEFINED;
    if (isnan(o->sink))
        return ORDO_REAL_UNDEFINED;
    softmax(r, o);
    if (!make_delta(r, o))
        return ORDO_REAL_UNDEFINED;
    make_ds(r, o);
    return ORDO_REAL_FINITE;
}
