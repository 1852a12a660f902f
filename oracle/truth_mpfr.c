/* truth_mpfr.c - see truth_mpfr.h. */
#include "oracle/truth_mpfr.h"

#include "base/size.h"
#include "ref/fp.h"

#include <mpfr.h>
#include <stdlib.h>

/* fp32 spans 2^-149 .. 2^127 with 24 bits, 277 bits in all; 40 more for the carries of 2^40 terms. */
enum { SUM_BITS = 320 };

/* A format as MPFR sees it: emin is the exponent of its smallest subnormal 2^(emin - 1), emax bounds 2^emax. */
struct format {
    mpfr_prec_t digits;
    mpfr_exp_t emin, emax;
};

static const struct format fp32_format = {24, -148, 128};
static const struct format bf16_format = {8, -132, 128};

struct ordo_truth {
    size_t capacity;
    mpfr_t *term;   /* capacity numbers of 24 bits, initialised */
    mpfr_ptr *list; /* their addresses, as mpfr_sum wants them */
    mpfr_t sum, fp32, bf16;
};

struct ordo_truth *ordo_truth_new(void)
{
    struct ordo_truth *t = ordo_alloc_zero(1, sizeof *t);

    if (!t)
        return NULL;
    mpfr_init2(t->sum, SUM_BITS);
    mpfr_init2(t->fp32, fp32_format.digits);
    mpfr_init2(t->bf16, bf16_format.digits);
    return t;
}

static void drop_terms(struct ordo_truth *t)
{
    for (size_t i = 0; i < t->capacity; i++)
        mpfr_clear(t->term[i]);
    free(t->term);
    free(t->list);
    t->term = NULL;
    t->list = NULL;
    t->capacity = 0;
}

void ordo_truth_free(struct ordo_truth *t)
{
    if (!t)
        return;
    drop_terms(t);
    mpfr_clears(t->sum, t->fp32, t->bf16, (mpfr_ptr)NULL);
    free(t);
    mpfr_free_cache();
}

static enum ordo_status reserve(struct ordo_truth *t, size_t n, struct ordo_err *err)
{
    size_t capacity = n + n / 2 + 64;

    if (n <= t->capacity)
        return ORDO_OK;
    drop_terms(t);
    t->term = ordo_alloc(capacity, sizeof *t->term);
    t->list = ordo_alloc(capacity, sizeof *t->list);
    if (!t->term || !t->list) {
        drop_terms(t);
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "terms", "no memory for %zu MPFR numbers", capacity);
    }
    for (; t->capacity < capacity; t->capacity++) {
        mpfr_init2(t->term[t->capacity], fp32_format.digits);
        t->list[t->capacity] = t->term[t->capacity];
    }
    return ORDO_OK;
}

/* One rounding of x to the format; x is exact and has more digits than out. */
static void round_once(mpfr_ptr out, mpfr_srcptr x, const struct format *f)
{
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    int ternary = mpfr_set(out, x, MPFR_RNDN);

    ORDO_BUG_ON(mpfr_set_emin(f->emin) || mpfr_set_emax(f->emax));
    ternary = mpfr_check_range(out, ternary, MPFR_RNDN);
    (void)mpfr_subnormalize(out, ternary, MPFR_RNDN);
    ORDO_BUG_ON(mpfr_set_emin(emin) || mpfr_set_emax(emax));
    if (mpfr_zero_p(x))
        mpfr_set_zero(out, 1);
}

/* Exact: x fits fp32. */
static uint32_t bits_of(mpfr_srcptr x)
{
    return mpfr_nan_p(x) ? ORDO_FP32_NAN : ordo_fp32_bits(mpfr_get_flt(x, MPFR_RNDN));
}

enum ordo_status ordo_truth_sum(struct ordo_truth *t, const float *term, size_t n, size_t stride,
                                struct ordo_truth_bits *out, struct ordo_err *err)
{
    enum ordo_status status = reserve(t, n, err);

    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        (void)mpfr_set_flt(t->term[i], term[i * stride], MPFR_RNDN);
    ORDO_BUG_ON(mpfr_sum(t->sum, t->list, n, MPFR_RNDN) != 0); /* rounded, so not exact */
    round_once(t->fp32, t->sum, &fp32_format);
    round_once(t->bf16, t->sum, &bf16_format);
    out->fp32 = bits_of(t->fp32);
    out->bf16 = mpfr_nan_p(t->bf16) ? ORDO_BF16_NAN : (uint16_t)(bits_of(t->bf16) >> 16);
    return ORDO_OK;
}

const char *ordo_truth_library(void)
{
    return mpfr_get_version();
}
