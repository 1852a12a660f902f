/* near.h - where a correct kernel's gradient must lie, whatever its order of additions: two kinds of interval.
 *
 *   real      around the gradient in real arithmetic (real.h), for any kernel that keeps P, dS and O in BF16 and all
 *             else in fp32: the declared roundings as one bound each, 2^-8 relative.  Tier T2.
 *   declared  around what the numeric contract declares: given the forward's O and LSE, P and dS are the very BF16
 *             numbers that exact sums round to.  Where the interval of an argument straddles a rounding boundary both
 *             neighbours are admitted.  So only accumulation error is left: tier T1 for outputs alone.
 *
 * Each interval is a theorem about such kernels (near_impl.h has the constants; tests/attention64.h has the model
 * that they come from), computed in fp64.  It is that of the sum before its last rounding: a result of a format is
 * admitted iff it lies between the roundings of both ends.
 *
 * A wrong convention is the same with one thing changed, so that outputs tell which mistake explains them. */
#ifndef ORDO_ORACLE_NEAR_H
#define ORDO_ORACLE_NEAR_H

#include "oracle/attend.h"
#include "oracle/real.h"

enum ordo_near_kind { ORDO_NEAR_REAL, ORDO_NEAR_DECLARED };

enum ordo_near_format { ORDO_NEAR_FP32, ORDO_NEAR_BF16, ORDO_NEAR_FP16 };

/* x rounded to the format to nearest even, once; subnormals and overflow as IEEE 754 has them. */
double ordo_near_round(enum ordo_near_format format, double x);

enum ordo_wrong {
    ORDO_WRONG_NONE,
    ORDO_WRONG_LSE_BASE_2,        /* a natural LSE taken for one in base 2 */
    ORDO_WRONG_LSE_NATURAL,       /* one in base 2 taken for a natural one */
    ORDO_WRONG_SINK_IN_LSE,       /* LSE already has the sink, which then counts twice */
    ORDO_WRONG_SINK_MISSING,      /* the backward's denominator has none */
    ORDO_WRONG_SCALE_TWICE,       /* dS */
    ORDO_WRONG_SCALE_MISSING,     /* dS */
    ORDO_WRONG_LOGIT_SCALE_TWICE, /* s, in the backward */
    ORDO_WRONG_DOUT_TRANSPOSED,   /* dO read as (H, Q, Dv) */
    ORDO_WRONG_DQ_TRANSPOSED,     /* dQ written as (H, Q, Dqk) */
    ORDO_WRONG_K_MISSING,         /* dKV without Q^T dS */
    ORDO_WRONG_V_MISSING,         /* dKV without dO^T P */
    ORDO_WRONG_DUPLICATE_ONCE,
    ORDO_WRONG_LENGTH_IGNORED,       /* forward and backward */
    ORDO_WRONG_LENGTH_IGNORED_BACK,  /* in the backward only */
    ORDO_WRONG_DEAD_TO_ROW_0,        /* an id that names no row taken for 0, forward and backward */
    ORDO_WRONG_DEAD_TO_ROW_0_BACK,   /* in the backward only */
    ORDO_WRONGS
};
/* A short name, "lse-base-2", and a sentence. */
extern const char *const ordo_wrong_name[ORDO_WRONGS], *const ordo_wrong_text[ORDO_WRONGS];

/* The units of one output, and their intervals; as ordo_real_set. */
struct ordo_near_set {
    int64_t n_unit;
    int32_t width;
    int64_t *unit;
    double *x, *e, *top; /* n_unit * width: centre, half width, sum of the |terms| */
    double *n;           /* n_unit: terms */
};

struct ordo_near_gradient {
    struct ordo_near_set set[ORDO_REAL_OUTPUTS];
};

/* As ordo_real_set_make. */
enum ordo_status ordo_near_set_make(struct ordo_near_set *s, const char *name, int32_t width, int64_t n,
                                    const int64_t *unit, struct ordo_err *err);

/* Asks for n units, as ordo_real_want.  Free with ordo_near_free, also after a failure. */
enum ordo_status ordo_near_want(struct ordo_near_gradient *g, const struct ordo_attend *a, int output, int64_t n,
                                const int64_t *unit, struct ordo_err *err);
void ordo_near_free(struct ordo_near_gradient *g);

/* What the forward saved: needed for declared, not read for real. */
struct ordo_near_saved {
    const uint16_t *o; /* BF16 [Q][H][Dv] */
    const float *lse;  /* fp32 [Q][H] */
};

/* Fills x and e of what is wanted; may be called again for another kind or convention.  ORDO_ENVIRONMENT without
 * memory. */
enum ordo_status ordo_near_run(const struct ordo_attend *a, enum ordo_near_kind kind, enum ordo_wrong wrong,
                               const struct ordo_near_saved *saved, struct ordo_near_gradient *g,
                               struct ordo_err *err);

/* Whether a result of that format may stand for element i; the position of its error between 0 and 1, or above, in
 * *ratio (NULL: not asked): 0 where nothing is claimed. */
bool ordo_near_admits(const struct ordo_near_set *s, int64_t i, enum ordo_near_format format, double got,
                      double *ratio);

#endif
