/* spearman.c - see spearman.h. */
#include "cli/spearman.h"

#include <math.h>

/* Mean rank of x[i] among n. */
static double rank_of(const double *x, int n, int i)
{
    double below = 0, same = 0;

    for (int k = 0; k < n; k++) {
        below += x[k] < x[i];
        same += x[k] == x[i];
    }
    return below + (same + 1) / 2;
}

double ordo_spearman(const double *x, const double *y, int n)
{
    double mean = (n + 1) / 2.0, xy = 0, xx = 0, yy = 0;

    for (int i = 0; i < n; i++) {
        double a = rank_of(x, n, i) - mean, b = rank_of(y, n, i) - mean;

        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : nan("");
}
