/* census.c - see census.h. */
#include "oracle/census.h"

#include "base/status.h"
#include "ref/fp.h"

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>

/* Doubt: how near, in ulp, an error may be to 1/2 or 1 before the double is not trusted.  2^-44 relative is 2^-20
 * ulp. */
#define DOUBT 0x1p-20
enum { PRECISION = 160 }; /* no fp32 result is that near a midpoint: the nearest differ before 2^-60 */

static bool inside(enum ordo_truth f, uint32_t x)
{
    if (f == ORDO_TRUE_LOG2)
        return x - 1 < ORDO_FP32_INF - 1;
    return x < 0x43000000u || (x >= ORDO_FP32_SIGN && x <= 0xc2fc0000u);
}

void ordo_census_truth(enum ordo_truth f, uint32_t first, uint32_t step, size_t n, double *truth)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t x = first + (uint32_t)i * step;

        truth[i] = !inside(f, x)         ? (double)NAN
                   : f == ORDO_TRUE_EXP2 ? exp2((double)ordo_fp32(x))
                                         : log2((double)ordo_fp32(x));
    }
}

/* Places a power of two: 2^e for the exponents of fp32's ulps. */
static double ulp_at(double value)
{
    union {
        double d;
        uint64_t u;
    } x = {.d = value};
    int64_t e = (int64_t)(x.u >> 52 & 0x7ff) - 1023;

    x.u = (uint64_t)((e < -126 ? -126 : e) - 23 + 1023) << 52;
    return x.d;
}

/* --- the referee ------------------------------------------------------------------------------------------------ */

static void exact(enum ordo_truth f, uint32_t x, mpfr_ptr out)
{
    mpfr_set_flt(out, ordo_fp32(x), MPFR_RNDN);
    if (f == ORDO_TRUE_EXP2)
        (void)mpfr_exp2(out, out, MPFR_RNDN);
    else
        (void)mpfr_log2(out, out, MPFR_RNDN);
}

uint32_t ordo_census_nearest(enum ordo_truth f, uint32_t x)
{
    uint32_t bits;
    mpfr_t y;

    ORDO_BUG_ON(!inside(f, x));
    mpfr_init2(y, PRECISION);
    exact(f, x, y);
    bits = ordo_fp32_bits(mpfr_get_flt(y, MPFR_RNDN));
    mpfr_clear(y);
    return bits;
}

/* The error of a result in ulp, by MPFR, to double precision but on the right side of 1. */
static double error_by_mpfr(enum ordo_truth f, uint32_t x, float got, double ulp)
{
    double error;
    mpfr_t y;

    mpfr_init2(y, PRECISION);
    exact(f, x, y);
    mpfr_d_sub(y, (double)got, y, MPFR_RNDN);
    mpfr_div_d(y, y, ulp, MPFR_RNDN);
    error = mpfr_get_d(y, MPFR_RNDA);
    mpfr_clear(y);
    return error;
}

/* --- counting --------------------------------------------------------------------------------------------------- */

static void add_one(enum ordo_truth f, uint32_t x, double truth, float got, struct ordo_census *census)
{
    float nearest = (float)truth;
    double ulp = ulp_at(truth), error = ((double)got - truth) / ulp, rest = fabs((double)nearest - truth) / ulp;

    if (fabs(rest - 0.5) < DOUBT) {
        nearest = ordo_fp32(ordo_census_nearest(f, x));
        census->referee++;
    }
    if (fabs(fabs(error) - 1.0) < DOUBT) {
        error = error_by_mpfr(f, x, got, ulp);
        census->referee++;
    }
    census->n++;
    census->not_nearest += ordo_fp32_bits(got) != ordo_fp32_bits(nearest);
    census->above_ulp += !(fabs(error) <= 1.0);
    if (!(error >= census->low)) {
        census->low = error;
        census->at_low = x;
    }
    if (!(error <= census->high)) {
        census->high = error;
        census->at_high = x;
    }
}

void ordo_census_add(enum ordo_truth f, uint32_t first, uint32_t step, size_t n, const double *truth,
                     const uint32_t *got, struct ordo_census *census)
{
    for (size_t i = 0; i < n; i++)
        if (inside(f, first + (uint32_t)i * step))
            add_one(f, first + (uint32_t)i * step, truth[i], ordo_fp32(got[i]), census);
}
