/* near_impl.h - a number in fp64 and how far a kernel's number for it may be off: both travel through one formula.
 *
 * The kernel's number lies in [x - e, x + e] if it makes no more roundings than were written down on the way; what
 * the fp64 centre itself loses is written down too.  Nothing is dropped as of second order: a product's error is
 * (|a| + ea)(|b| + eb) - |a b|.  Products and sums of fp64 numbers that are not BF16 are off by 2^-53 each, far
 * below the fp32 unit that stands beside them; the last step enlarges every bound by 2^-10 for those.
 *
 * An e of Inf or NaN says that a kernel may overflow here: then nothing is claimed. */
#ifndef ORDO_ORACLE_NEAR_IMPL_H
#define ORDO_ORACLE_NEAR_IMPL_H

#include "oracle/near.h"

#include <math.h>

#define NEAR_U24   0x1p-24 /* unit roundoff of fp32 */
#define NEAR_U8    0x1p-8  /* of BF16, which has 8 significant bits */
#define NEAR_EXP2  0x1p-21 /* relative error of any exponential in fp32: twice the special-function unit's */
#define NEAR_LOG2  0x1p-22 /* times 1 + |log2 x| */
#define NEAR_LARGE 0x1.fffffep127

struct near {
    double x, e;
};

static inline struct near near_exact(double x)
{
    return (struct near){x, 0};
}

static inline double near_top(struct near a)
{
    return fabs(a.x) + a.e;
}

static inline struct near near_mul(struct near a, struct near b)
{
    return (struct near){a.x * b.x, near_top(a) * near_top(b) - fabs(a.x) * fabs(b.x) + 0x1p-52 * fabs(a.x * b.x)};
}

static inline struct near near_sub(struct near a, struct near b)
{
    return (struct near){a.x - b.x, a.e + b.e + 0x1p-52 * fabs(a.x - b.x)};
}

/* n roundings to fp32, flushed below 2^-126 where the hardware is told to. */
static inline struct near near_fp32(struct near a, double n)
{
    double top = near_top(a);

    if (top > 0)
        a.e += n * NEAR_U24 * (1 + 0x1p-10) * top + n * 0x1p-126;
    if (!(top <= NEAR_LARGE))
        a.e = (double)INFINITY;
    return a;
}

/* As the factor of a product: real, any BF16 within one rounding; declared, the very BF16 that it rounds to, or,
 * where the interval straddles a boundary, one of its neighbours. */
static inline struct near near_bf16(enum ordo_near_kind kind, struct near a)
{
    double low, high;

    if (kind == ORDO_NEAR_REAL || !isfinite(a.e)) {
        if (near_top(a) > 0)
            a.e += NEAR_U8 * near_top(a) + 0x1p-134;
        return a;
    }
    low = ordo_near_round(ORDO_NEAR_BF16, a.x - a.e);
    high = ordo_near_round(ORDO_NEAR_BF16, a.x + a.e);
    return (struct near){(low + high) / 2, (high - low) / 2};
}

/* e^a by an fp32 exponential whose argument carries a's error; below 2^-126 it may be flushed. */
static inline struct near near_exp(struct near a)
{
    double x = exp(a.x);

    if (a.x + a.e < -104)
        return (struct near){x, x + 0x1p-149};
    return (struct near){x, exp(a.x + a.e + NEAR_EXP2) - x + 0x1p-126};
}

/* What n additions or tensor core products may lose, in any order, of the sum of their |terms|: fp32 additions lose
 * u each; a step of 16 on 25 bits loses 17 2^-25 + 2^-23 = 0.66 u a product, a step of 8 on 24 bits (9 2^-24 +
 * 2^-23) / 8 = 1.4 u. */
static inline double near_loss(double n)
{
    return (1.5 * n + 16) * NEAR_U24;
}

/* A finished sum.  An addition by `red` flushes what goes in and what comes out below 2^-126. */
static inline struct near near_sum(double x, double e, double top, double n)
{
    if (top > 0)
        e += near_loss(n) * (1 + near_loss(n)) * top + n * 0x1p-125;
    if (!(top <= NEAR_LARGE))
        e = (double)INFINITY;
    return (struct near){x, e};
}

/* --- one query and head (near_row.c) ---------------------------------------------------------------------------- */

/* fp64 copies of what a row reads: slot j has key k[j], d_qk columns, and value v[j], d_v columns (here the key's
 * first; dense attention has its own). */
struct near_operands {
    enum ordo_near_kind kind;
    enum ordo_wrong wrong;
    int32_t d_qk, d_v, topk;
    int32_t tile;               /* a forward rescales once a tile, at most */
    double scale, sink;
    const double *q, *dout;
    int32_t n_forward, n;       /* slots that the forward took; that the backward takes */
    const double **forward_k, **forward_v, **k, **v;
    const double *o;            /* declared: the forward's results; else NULL and -Inf */
    double lse;
};

struct near_row {
    struct near *s, *p, *ds; /* per slot of the backward: p and dS as factors */
    double *o, *o_top, *size; /* per column of V: O, its sum of |terms|, the sum of |v| */
    struct near share, delta;
};

/* False for a row that contributes nothing. */
bool ordo_near_row(struct near_row *r, const struct near_operands *o);

#endif
