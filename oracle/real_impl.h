/* real_impl.h - between the files of the real gradient: MPFR numbers and their errors.
 *
 * Unit: u = 2^-p, p the bits of the pass.  Rounding to nearest is off by at most u |result|, and by nothing where
 * MPFR's ternary value is 0.  A number x carries top >= |x| and err with |x - true| <= err u: plain doubles, whose
 * own roundings and all that is of second order in u are paid for at the end by a factor 1 + 2^-16 (sums of fewer
 * than 2^30 doubles, c u below 2^-60).  What underflows is paid for by ORDO_REAL_FLOOR. */
#ifndef ORDO_ORACLE_REAL_IMPL_H
#define ORDO_ORACLE_REAL_IMPL_H

#include "oracle/real.h"

#include <float.h>
#include <mpfr.h>

enum {
    ORDO_REAL_WIDE = 1280,   /* bits: exact dot products, times scale, minus each other or the sink */
    ORDO_REAL_BF16_BITS = 8  /* what a BF16 factor adds to a product */
};

/* e^x below e^-4000 is taken as 0: times any scale, dP, K and number of terms (2^128 2^287 2^128 2^40 at most) that
 * is below 2^-5000. */
#define ORDO_REAL_SMALL (-4000.0)
#define ORDO_REAL_FLOOR 0x1p-900

struct ordo_real_number {
    mpfr_t x;
    double top, err;
};

/* a b, both not below 0; not 0 unless one of them is, so that an error never vanishes. */
static inline double ordo_real_times(double a, double b)
{
    return a > 0 && b > 0 ? a * b + DBL_TRUE_MIN : 0;
}

/* --- exact dot products (real_dot.c) ---------------------------------------------------------------------------- */

/* x = sum of a[i] b[i], exactly, at ORDO_REAL_WIDE bits; t is scratch.  *top: the sum of |a[i] b[i]|, rounded up.
 * Returns false, x alone, if an operand is Inf or NaN. */
bool ordo_real_dot(mpfr_t x, mpfr_t t, const uint16_t *a, const uint16_t *b, int32_t n);

/* A finite BF16 other than 0 as an MPFR number of 8 bits; limb is its storage. */
void ordo_real_bf16(mpfr_ptr x, mp_limb_t *limb, uint16_t bits);

/* --- one softmax row (real_row.c) ------------------------------------------------------------------------------- */

/* The operands of one row: n slots, slot j with key k[j] (d_qk numbers) and value v[j] (d_v numbers).  Dense
 * attention has such rows too. */
struct ordo_real_operands {
    const uint16_t *q, *dout;
    const uint16_t *const *k, *const *v;
    int32_t n, d_qk, d_v;
    float scale, sink;
};

struct ordo_real_row {
    int32_t capacity;
    mpfr_prec_t bits;
    struct ordo_real_number *p, *dp, *ds; /* per slot */
    struct ordo_real_number share, delta; /* of the sink */
    mpfr_t *dot;                          /* per slot, exact */
    mpfr_t wide, other, reference;        /* scratch, exact */
    mpfr_t z, t;
};

/* Room for rows of up to n slots at that many bits.  Free with ordo_real_row_free, also after a failure. */
enum ordo_status ordo_real_row_make(struct ordo_real_row *r, int32_t n, mpfr_prec_t bits, struct ordo_err *err);
void ordo_real_row_free(struct ordo_real_row *r);

enum ordo_real_kind { ORDO_REAL_FINITE, ORDO_REAL_INERT, ORDO_REAL_UNDEFINED };
/* Fills p, dp, ds, share and delta.  INERT: no slot, or all mass on the sink; UNDEFINED: Inf or NaN among operands.
 */
enum ordo_real_kind ordo_real_row(struct ordo_real_row *r, const struct ordo_real_operands *o);

/* --- sums and their ends (real_sum.c) --------------------------------------------------------------------------- */

/* Open sums of p bits each. */
struct ordo_real_sums {
    mpfr_prec_t bits;
    mpfr_t *x;
    void *limbs;
    double *top, *err; /* err: what the terms bring */
    uint32_t *rounded; /* additions that were not exact */
    uint8_t *undefined;
};

enum ordo_status ordo_real_sums_make(struct ordo_real_sums *s, int64_t n, mpfr_prec_t bits, struct ordo_err *err);
void ordo_real_sums_free(struct ordo_real_sums *s);

/* Sums at .. at + n - 1 += factor b[0 .. n - 1]; t has bits + ORDO_REAL_BF16_BITS bits. */
void ordo_real_add(struct ordo_real_sums *s, int64_t at, mpfr_t t, const struct ordo_real_number *factor,
                   const uint16_t *b, int32_t n);
/* Sum `at` -= a b; t has 2 bits bits. */
void ordo_real_subtract(struct ordo_real_sums *s, int64_t at, mpfr_t t, const struct ordo_real_number *a,
                        const struct ordo_real_number *b);
/* Sum `at` as a result; last: no more bits will come. */
void ordo_real_finish(const struct ordo_real_sums *s, int64_t at, bool last, struct ordo_real *out);

/* --- rounding (real_round.c) ------------------------------------------------------------------------------------ */

/* x rounded once, subnormals and overflow as IEEE 754 has them; what rounds to zero is +0. */
uint32_t ordo_real_fp32(mpfr_srcptr x);
uint16_t ordo_real_bf16_bits(mpfr_srcptr x);
uint16_t ordo_real_fp16_bits(mpfr_srcptr x);

/* Rounds the ball of radius around x; true if all formats are decided.  Undecided ones get the centre's. */
bool ordo_real_round(mpfr_srcptr x, double radius, struct ordo_real *out);

#endif
