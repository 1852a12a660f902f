/* real_sum.c - the open sums of a pass: values, what their terms bring, and how often an addition rounded. */
#include "oracle/real_impl.h"

#include "base/size.h"
#include "ref/fp.h"

#include <math.h>
#include <stdlib.h>

enum ordo_status ordo_real_sums_make(struct ordo_real_sums *s, int64_t n, mpfr_prec_t bits, struct ordo_err *err)
{
    uint64_t size = mpfr_custom_get_size(bits), count = (uint64_t)n;

    *s = (struct ordo_real_sums){
        .bits = bits,
        .x = ordo_alloc(count, sizeof *s->x),
        .limbs = ordo_alloc(count, size),
        .top = ordo_alloc_zero(count, sizeof *s->top),
        .err = ordo_alloc_zero(count, sizeof *s->err),
        .rounded = ordo_alloc_zero(count, sizeof *s->rounded),
        .undefined = ordo_alloc_zero(count, sizeof *s->undefined),
    };
    if (!s->x || !s->limbs || !s->top || !s->err || !s->rounded || !s->undefined)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for %lld MPFR sums", (long long)n);
    for (uint64_t i = 0; i < count; i++) {
        void *limb = (char *)s->limbs + i * size;

        mpfr_custom_init(limb, bits);
        mpfr_custom_init_set(s->x[i], MPFR_ZERO_KIND, 0, bits, limb);
    }
    return ORDO_OK;
}

void ordo_real_sums_free(struct ordo_real_sums *s)
{
    free(s->x);
    free(s->limbs);
    free(s->top);
    free(s->err);
    free(s->rounded);
    free(s->undefined);
    *s = (struct ordo_real_sums){0};
}

void ordo_real_add(struct ordo_real_sums *s, int64_t at, mpfr_t t, const struct ordo_real_number *factor,
                   const uint16_t *b, int32_t n)
{
    bool zero = mpfr_zero_p(factor->x) && factor->err == 0;

    for (int32_t d = 0; d < n; d++, at++) {
        mp_limb_t limb;
        mpfr_t x;
        double magnitude = fabs((double)ordo_fp32(ordo_bf16_to_fp32_bits(b[d])));

        if ((b[d] & ORDO_BF16_INF) == ORDO_BF16_INF)
            s->undefined[at] = 1;
        else if (magnitude > 0 && !zero) {
            ordo_real_bf16(x, &limb, b[d]);
            ORDO_BUG_ON(mpfr_mul(t, factor->x, x, MPFR_RNDN) != 0);
            s->rounded[at] += mpfr_add(s->x[at], s->x[at], t, MPFR_RNDN) != 0;
            s->top[at] += ordo_real_times(factor->top, magnitude);
            s->err[at] += ordo_real_times(factor->err, magnitude);
        }
    }
}

void ordo_real_subtract(struct ordo_real_sums *s, int64_t at, mpfr_t t, const struct ordo_real_number *a,
                        const struct ordo_real_number *b)
{
    ORDO_BUG_ON(mpfr_mul(t, a->x, b->x, MPFR_RNDN) != 0);
    s->rounded[at] += mpfr_sub(s->x[at], s->x[at], t, MPFR_RNDN) != 0;
    s->top[at] += ordo_real_times(a->top, b->top);
    s->err[at] += ordo_real_times(a->err, b->top) + ordo_real_times(a->top, b->err);
}

/* A radius of 0 says that nothing ever rounded. */
void ordo_real_finish(const struct ordo_real_sums *s, int64_t at, bool last, struct ordo_real *out)
{
    double radius = (s->err[at] + ordo_real_times(s->rounded[at], s->top[at])) * (1 + 0x1p-16);

    if (s->undefined[at]) {
        *out = (struct ordo_real){.fp32 = ORDO_FP32_NAN, .bf16 = ORDO_BF16_NAN, .fp16 = ORDO_FP16_NAN,
                                  .value = (double)NAN, .terms = (double)NAN, .state = ORDO_REAL_NONE};
        return;
    }
    if (radius > 0)
        radius = ldexp(radius, (int)-s->bits) + ORDO_REAL_FLOOR;
    out->terms = s->top[at] * (1 + 0x1p-16);
    out->state = ordo_real_round(s->x[at], radius, out) ? ORDO_REAL_ROUNDED : last ? ORDO_REAL_NEAR : ORDO_REAL_OPEN;
    out->passes++;
}
