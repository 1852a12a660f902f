/* real_round.c - from a ball to a number of a format, by one rounding.
 *
 * MPFR's exponents are all but unlimited, so a plain conversion would keep subnormals at full precision or round them
 * twice: the number is rounded to the format's digits, with MPFR's ternary value of that rounding, then put into the
 * format's exponent range and made subnormal, which uses the ternary value to undo a double rounding. */
#include "oracle/real_impl.h"

#include "ref/fp.h"

#include <math.h>

/* emin: exponent of the smallest subnormal as MPFR counts, 2^(emin - 1); emax bounds 2^emax. */
struct range {
    mpfr_prec_t digits;
    mpfr_exp_t emin, emax;
};

static const struct range fp32_range = {24, -148, 128}, bf16_range = {8, -132, 128}, fp16_range = {11, -23, 16};

/* The nearest number of the format, as a double: exact. */
static double nearest(mpfr_srcptr x, const struct range *f)
{
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    double value;
    mpfr_t y;
    int ternary;

    mpfr_init2(y, f->digits);
    ternary = mpfr_set(y, x, MPFR_RNDN);
    ORDO_BUG_ON(mpfr_set_emin(f->emin) || mpfr_set_emax(f->emax));
    ternary = mpfr_check_range(y, ternary, MPFR_RNDN);
    (void)mpfr_subnormalize(y, ternary, MPFR_RNDN);
    ORDO_BUG_ON(mpfr_set_emin(emin) || mpfr_set_emax(emax));
    value = mpfr_zero_p(y) ? 0.0 : mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    return value;
}

uint32_t ordo_real_fp32(mpfr_srcptr x)
{
    return ordo_fp32_bits((float)nearest(x, &fp32_range));
}

uint16_t ordo_real_bf16_bits(mpfr_srcptr x)
{
    return (uint16_t)(ordo_fp32_bits((float)nearest(x, &bf16_range)) >> 16);
}

uint16_t ordo_real_fp16_bits(mpfr_srcptr x)
{
    return (uint16_t)ordo_round(&ordo_format_fp16, ordo_fp32_bits((float)nearest(x, &fp16_range)));
}

/* Whether an end of the ball rounds as the centre did. */
static bool same(mpfr_srcptr end, const struct ordo_real *centre)
{
    return ordo_real_fp32(end) == centre->fp32 && ordo_real_bf16_bits(end) == centre->bf16 &&
           ordo_real_fp16_bits(end) == centre->fp16;
}

bool ordo_real_round(mpfr_srcptr x, double radius, struct ordo_real *out)
{
    bool decided;
    mpfr_t end;

    out->value = mpfr_get_d(x, MPFR_RNDN);
    out->fp32 = ordo_real_fp32(x);
    out->bf16 = ordo_real_bf16_bits(x);
    out->fp16 = ordo_real_fp16_bits(x);
    if (radius == 0)
        return true;
    if (!isfinite(radius))
        return false;
    mpfr_init2(end, mpfr_get_prec(x) + 64);
    (void)mpfr_sub_d(end, x, radius, MPFR_RNDD);
    decided = same(end, out);
    (void)mpfr_add_d(end, x, radius, MPFR_RNDU);
    decided = decided && same(end, out);
    mpfr_clear(end);
    return decided;
}
