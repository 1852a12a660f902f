/* stage.h - O2, stage by stage: each sum of a kernel against the exact sum of that stage's own rounded inputs.
 *
 * Only so is the distance accumulation error alone, with a bound that is a theorem: one stage further a slightly
 * different S rounds some P the other way, which no bound of the last stage covers.  Nothing here knows a tensor
 * core: the running bound comes with the product. */
#ifndef ORDO_ORACLE_STAGE_H
#define ORDO_ORACLE_STAGE_H

#include <stddef.h>
#include <stdint.h>

/* C[m][n] += A[m][k] B[k][n]: element (i, k) of A at a[i a_row + k a_k], (k, j) of B at b[k b_k + j b_column];
 * before, after (fp32 bits) and bound row-major with c_row elements a row. */
struct ordo_stage_product {
    int32_t m, n, k;
    const uint16_t *a, *b;
    ptrdiff_t a_row, a_k, b_k, b_column, c_row;
    const uint32_t *before, *after;
    const double *bound;
};

/* What was judged of one stage.  A fresh one is all zero. */
struct ordo_stage_tally {
    uint64_t n, n_outside, n_exact; /* sums; outside the bound; without any error */
    uint64_t n_open;                /* sums with Inf or NaN: there is no exact value */
    double worst_ratio;             /* largest error / bound */
    double worst_relative;          /* largest error / sum of |terms| */
    uint32_t got;                   /* of the first outside: the result, */
    double error, limit;            /* its error and its bound */
};

/* Judges every period-th element (row-major order), beginning with the first. */
void ordo_stage_product(struct ordo_stage_tally *t, const struct ordo_stage_product *p, int64_t period);

/* sum of a[i] b[i] in fp32, i < n, of which each term passes at most `roundings` additions or fused operations. */

void ordo_stage_sum(struct ordo_stage_tally *t, const float *a, const float *b, int64_t n, int32_t roundings,
                    float result);

void ordo_stage_merge(struct ordo_stage_tally *into, const struct ordo_stage_tally *from);

#endif
