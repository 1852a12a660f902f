/* census.h - how far an fp32 function is from the true one, counted over ranges of its inputs.
 *
 * Errors are in Goldberg's ulp at the exact value, binades below the smallest normal counting as that one.  The exact
 * value is taken from the C library's double function, whose error is far below 2^-44; wherever that could change
 * what is counted, MPFR decides. */
#ifndef ORDO_ORACLE_CENSUS_H
#define ORDO_ORACLE_CENSUS_H

#include <stddef.h>
#include <stdint.h>

enum ordo_truth { ORDO_TRUE_EXP2, ORDO_TRUE_LOG2 };

/* A fresh one is all zero. */
struct ordo_census {
    uint64_t n;           /* inputs inside the domain: exp2 [-126, 128), log2 positive and finite */
    uint64_t not_nearest; /* the result is not the correctly rounded one */
    uint64_t above_ulp;   /* it is more than one ulp off */
    uint64_t referee;     /* decisions by MPFR */
    double low, high;     /* the most negative and the most positive error, in ulp */
    uint32_t at_low, at_high;
};

/* The true values at first + i * step, i < n, in double; NaN outside the domain. */
void ordo_census_truth(enum ordo_truth f, uint32_t first, uint32_t step, size_t n, double *truth);
/* Adds n results got[i] for the same inputs. */
void ordo_census_add(enum ordo_truth f, uint32_t first, uint32_t step, size_t n, const double *truth,
                     const uint32_t *got, struct ordo_census *census);

/* The correctly rounded fp32 result, by MPFR alone.  x inside the domain. */
uint32_t ordo_census_nearest(enum ordo_truth f, uint32_t x);

#endif
