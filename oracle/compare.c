/* compare.c - see compare.h. */
#include "oracle/compare.h"

#include "base/status.h"
#include "ref/fp.h"

#include <math.h>
#include <string.h>

double ordo_ulp(double x)
{
    int exponent;

    ORDO_BUG_ON(!isfinite(x));
    if (fabs(x) < 0x1p-126)
        return 0x1p-149;
    (void)frexp(x, &exponent); /* |x| in [2^(exponent - 1), 2^exponent) */
    return ldexp(1.0, exponent - 24);
}

/* 0 finite, 1 +Inf, 2 -Inf, 3 NaN. */
static int mask_of(uint32_t bits)
{
    if (ordo_fp32_finite(bits))
        return 0;
    if (bits & ORDO_FP32_FRACTION)
        return 3;
    return bits & ORDO_FP32_SIGN ? 2 : 1;
}

static double ulps_between(uint32_t got, uint32_t want)
{
    double a, b;

    if (mask_of(got) != mask_of(want))
        return (double)INFINITY;
    if (mask_of(got))
        return 0;
    a = (double)ordo_fp32(got);
    b = (double)ordo_fp32(want);
    return fabs(a - b) / ordo_ulp(b);
}

static struct ordo_diff_at describe(const struct ordo_array *got, const struct ordo_array *want, int64_t i)
{
    int64_t columns = got->extent[2], rows = got->extent[1];
    struct ordo_diff_at d = {.at = {i / columns / rows, i / columns % rows, i % columns}};

    d.got = ordo_fp32_bits(got->value[i]);
    d.want = ordo_fp32_bits(want->value[i]);
    d.ulp = ulps_between(d.got, d.want);
    return d;
}

static void record(struct ordo_diff *diff, const struct ordo_diff_at *d)
{
    if (diff->n_diff == 0)
        diff->first = diff->worst = *d;
    else if (d->ulp > diff->worst.ulp)
        diff->worst = *d;
    diff->n_diff++;
    diff->n_class += mask_of(d->got) != mask_of(d->want);
}

struct ordo_diff ordo_compare(const struct ordo_array *got, const struct ordo_array *want)
{
    struct ordo_diff diff = {.same_shape = memcmp(got->extent, want->extent, sizeof got->extent) == 0};
    int64_t n = got->extent[0] * got->extent[1] * got->extent[2];

    if (!diff.same_shape)
        return diff;
    diff.n = (uint64_t)n;
    for (int64_t i = 0; i < n; i++)
        if (ordo_fp32_bits(got->value[i]) != ordo_fp32_bits(want->value[i])) {
            struct ordo_diff_at d = describe(got, want, i);

            record(&diff, &d);
        }
    return diff;
}
