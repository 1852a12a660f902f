/* compare.h - do two fp32 arrays hold the same bits, and if not, where and by how much.
 *
 * Nothing passes that is not equal as integers: not -0.0 for +0.0, not one NaN for another.  In this order: shapes,
 * then classes (NaN, +Inf, -Inf against anything else), then bits.  Determinism is judged by the count alone; ulps
 * are for the reader. */
#ifndef ORDO_ORACLE_COMPARE_H
#define ORDO_ORACLE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

/* Row-major plane x row x column; an extent that is not needed is 1.  The values are the caller's. */
struct ordo_array {
    const float *value;
    int64_t extent[3];
};

/* One element that differs. */
struct ordo_diff_at {
    int64_t at[3]; /* plane, row, column */
    uint32_t got, want;
    double ulp; /* |got - want| / ulp(want); infinite across classes; 0 for -0.0 against +0.0 and NaN against NaN */
};

struct ordo_diff {
    bool same_shape;
    uint64_t n;       /* elements compared */
    uint64_t n_diff;  /* whose bits differ, those of other class included */
    uint64_t n_class; /* of which one is NaN, +Inf or -Inf and the other is not that */
    struct ordo_diff_at first, worst; /* meaningful if n_diff > 0; worst: the first of the largest ulp */
};

/* Compares got with want.  Arrays of other shape are not compared: n = 0, same_shape = false, not clean. */
struct ordo_diff ordo_compare(const struct ordo_array *got, const struct ordo_array *want);

/* The one question of a gate. */
static inline bool ordo_diff_clean(const struct ordo_diff *d)
{
    return d->same_shape && d->n_diff == 0;
}

/* Goldberg's ulp of fp32 at the exact value x: 2^(e - 23) for 2^e <= |x| < 2^(e + 1), at least 2^-149; 2^-149 at 0.
 * x finite. */
double ordo_ulp(double x);

#endif
