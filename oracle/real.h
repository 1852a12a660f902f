/* real.h - the gradient itself: what the formulas of attend.h give in real arithmetic, rounded once.
 *
 * No step rounds to any of the kernel's formats: P is the true softmax, O and delta are never stored.  Dot products
 * of BF16 are exact integers; from the first exp on every number is an MPFR number of p bits with a rigorous bound of
 * its error, counted in units of 2^-p (real_impl.h).  A result is done when both ends of its ball round to the same
 * number in fp32, FP16 and BF16; whatever is not is done again with more bits: 113, 200, 320 (Ziv's method).  Each
 * format is rounded from the ball, never from another format.
 *
 * A step that MPFR reports as exact (ternary value 0) adds nothing to a bound, so a sum that is exactly half-way
 * between two numbers is known to be and goes to the even one.  What 320 bits cannot separate is marked: it is within
 * 2^-200 of its terms' sum from a boundary, and either neighbour may be right.
 *
 * A result that rounds to zero is +0: the oracle makes no claim about its sign. */
#ifndef ORDO_ORACLE_REAL_H
#define ORDO_ORACLE_REAL_H

#include "base/status.h"
#include "oracle/attend.h"

enum ordo_real_state {
    ORDO_REAL_OPEN,    /* not computed, or not yet known */
    ORDO_REAL_ROUNDED, /* correctly rounded to every format */
    ORDO_REAL_NEAR,    /* 320 bits do not decide some format: the nearest of the centre stands there */
    ORDO_REAL_NONE     /* Inf or NaN among the operands: no real number */
};

struct ordo_real {
    double value; /* the nearest double to the centre */
    double terms; /* the sum of the |terms|, rounded up: terms / |value| is the condition number */
    uint32_t fp32;
    uint16_t bf16, fp16;
    uint8_t state;
    uint8_t passes; /* 1: 113 bits did */
};

/* Results of one output, unit after unit: a unit of dQ is (query, head), number query * H + head; of dKV a KV row; of
 * dSink a head.  width: Dqk, Dqk, 1. */
struct ordo_real_set {
    int64_t n_unit;
    int32_t width;
    int64_t *unit; /* ascending */
    struct ordo_real *value; /* n_unit * width */
};

enum { ORDO_REAL_DQ, ORDO_REAL_DKV, ORDO_REAL_DSINK, ORDO_REAL_OUTPUTS };
extern const char *const ordo_real_name[ORDO_REAL_OUTPUTS]; /* "dq", "dkv", "dsink" */

/* Which units are wanted goes in, their values come out.  A set without units costs nothing. */
struct ordo_real_gradient {
    struct ordo_real_set set[ORDO_REAL_OUTPUTS];
    uint64_t rows; /* softmax rows computed, over all passes */
};

/* Version of MPFR. */
const char *ordo_real_library(void);

/* How many units an output has. */
int64_t ordo_real_units(const struct ordo_attend *a, int output);

/* Room for n units of that many elements (copied, ascending; NULL: the first n), of an output of that name.
 * ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_real_set_make(struct ordo_real_set *s, const char *name, int32_t width, int64_t n,
                                    const int64_t *unit, struct ordo_err *err);

/* Asks for n units of an output (copied, ascending); unit NULL: the first n.  ORDO_ENVIRONMENT without memory.  Free
 * the gradient with ordo_real_free, also after a failure. */
enum ordo_status ordo_real_want(struct ordo_real_gradient *g, const struct ordo_attend *a, int output, int64_t n,
                                const int64_t *unit, struct ordo_err *err);
void ordo_real_free(struct ordo_real_gradient *g);

/* Computes what is wanted.  ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_real_run(const struct ordo_attend *a, struct ordo_real_gradient *g, struct ordo_err *err);

#endif
