/* near_round.c - rounding of an fp64 number to a format, once; and whether an interval admits a result. */
#include "oracle/near.h"

#include <math.h>

double ordo_near_round(enum ordo_near_format format, double x)
{
    static const struct {
        int digits, lowest, largest; /* significant bits; exponents of the smallest subnormal and of the overflow */
    } f[] = {{24, -149, 128}, {8, -133, 128}, {11, -24, 16}};
    int e, last;
    double y;

    if (!isfinite(x) || x == 0)
        return x;
    (void)frexp(x, &e);
    last = e - f[format].digits > f[format].lowest ? e - f[format].digits : f[format].lowest;
    y = ldexp(nearbyint(ldexp(x, -last)), last);
    return fabs(y) < ldexp(1, f[format].largest) ? y : copysign((double)INFINITY, x);
}

bool ordo_near_admits(const struct ordo_near_set *s, int64_t i, enum ordo_near_format format, double got,
                      double *ratio)
{
    double e = s->e[i], low, high, unit;

    if (ratio)
        *ratio = 0;
    if (!isfinite(e))
        return true;
    low = ordo_near_round(format, s->x[i] - e);
    high = ordo_near_round(format, s->x[i] + e);
    unit = fmax(high - s->x[i], s->x[i] - low);
    if (ratio && isfinite(unit) && isfinite(got))
        *ratio = unit > 0 ? fabs(got - s->x[i]) / unit : got == s->x[i] ? 0 : (double)INFINITY;
    else if (ratio)
        *ratio = got >= low && got <= high ? 0 : (double)INFINITY;
    return got >= low && got <= high;
}
