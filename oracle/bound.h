/* bound.h - how far a row's fp32 sum can be from the exact sum, from the shape of its tree alone.
 *
 * Addition i of the tree returns (a + b)(1 + d) with |d| <= u = 2^-24; this holds for subnormal results too, since
 * fp32 addition is exact there.  A leaf that passes h additions arrives as x (1 + d1)...(1 + dh), hence
 *
 *     |tree - exact| <= sum over leaves of |x| gamma(h),   gamma(h) = h u / (1 - h u)    (Higham, ASNA 2002, ch. 3-4)
 *
 * A theorem, not a statistic: correct fp32 code never leaves it.  It supposes that nothing overflows; an overflowed
 * sum is Inf and lies outside any bound, which is right.
 *
 * Heights come from the row's list and the fold's rule, not from the code that evaluates the tree.  Additions to +0.0
 * are exact and not counted: the first leaf of a plane, the first written plane of a group, the first written group,
 * and all planes that nobody wrote. */
#ifndef ORDO_ORACLE_BOUND_H
#define ORDO_ORACLE_BOUND_H

#include "sim/rows.h"

#include <stdbool.h>
#include <stddef.h>

/* height[i], i < row->n_add: the additions that may round leaf i's way to the result. */
void ordo_bound_heights(const struct ordo_row *row, uint32_t planes, uint32_t *height);

/* The bound for term[0], term[stride], ... (n terms) with their heights, rounded up.  Infinite if a height reaches
 * 2^24, where gamma ends; NaN if a term is NaN. */
double ordo_bound(const uint32_t *height, const float *term, size_t n, size_t stride);

/* Whether an error stays inside.  NaN never does, whichever of the two it is. */
static inline bool ordo_bound_holds(double error, double bound)
{
    return error <= bound;
}

#endif
