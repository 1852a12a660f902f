/* near64.h - a number in fp64, and how far a kernel's number for it may be off: both travel through the same formula.
 *
 * x is what the formula says, computed in fp64 as if there were no kernel; e never flows into x.  The kernel's number
 * lies in [x - e, x + e], if it makes no more roundings than were written down on the way.  Nothing is dropped as of
 * second order: a product's error is (|a| + ea)(|b| + eb) - |a b|, which is exact.
 *
 * An exact zero (x = e = 0) stays one: what contributes nothing must contribute nothing. */
#ifndef ORDO_TESTS_NEAR64_H
#define ORDO_TESTS_NEAR64_H

#include <math.h>

/* Unit roundoffs to nearest, 2^-p for p significant bits: p = 8 in BF16, 24 in fp32.  Below the normal range the
 * error is at most half the smallest number. */
#define NEAR64_BF16       0x1p-8
#define NEAR64_FP32       0x1p-24
#define NEAR64_BF16_FLOOR 0x1p-134
#define NEAR64_FP32_FLOOR 0x1p-150

/* One step of the tensor core, 16 products and the accumulator cut to a grid of 2^(E - 25), the sum cut to fp32:
 * |error| <= L 2^(E - 25) + 2^(e_r - 23).  L <= 17 terms; 2^E is at most the largest |term|, 2^e_r at most |result|,
 * and both are at most M, the sum of all |terms| of the whole chain: (17 + 4) 2^-25 M a step.  E counts as -133 or
 * more and the last place as 2^-149 or more, which adds less than 2^-148 a step. */
#define NEAR64_STEP       (21 * 0x1p-25)
#define NEAR64_STEP_FLOOR 0x1p-148

/* exp2 and log2 in fp32: relative error of 2^x at most two units of 2^-23, result below 2^-126 flushed; log2 within
 * 2^-22 (1 + |log2 x|).  The special-function unit's exp2 has 2^-22.71, the degree 5 polynomial 1.97 ulp. */
#define NEAR64_EXP2 0x1p-22
#define NEAR64_LOG2 0x1p-22

struct near64 {
    double x, e;
};

static inline struct near64 near64_exact(double x)
{
    return (struct near64){x, 0};
}

/* The largest |number| that the kernel may have. */
static inline double near64_top(struct near64 a)
{
    return fabs(a.x) + a.e;
}

static inline struct near64 near64_mul(struct near64 a, struct near64 b)
{
    return (struct near64){a.x * b.x, near64_top(a) * near64_top(b) - fabs(a.x * b.x)};
}

static inline struct near64 near64_sub(struct near64 a, struct near64 b)
{
    return (struct near64){a.x - b.x, a.e + b.e};
}

/* n roundings to a format with that unit and floor. */
static inline struct near64 near64_round(struct near64 a, double n, double unit, double floor)
{
    if (near64_top(a) > 0)
        a.e += n * unit / (1 - n * unit) * near64_top(a) + n * floor;
    return a;
}

static inline struct near64 near64_bf16(struct near64 a)
{
    return near64_round(a, 1, NEAR64_BF16, NEAR64_BF16_FLOOR);
}

static inline struct near64 near64_fp32(struct near64 a, double n)
{
    return near64_round(a, n, NEAR64_FP32, NEAR64_FP32_FLOOR);
}

/* e^a, computed as an exp2 whose argument carries a's error.  Below 2^-150 the kernel's is 0; what is flushed above
 * that is less than 2^-126. */
static inline struct near64 near64_exp(struct near64 a)
{
    double x = exp(a.x);

    if (a.x + a.e < -104)
        return (struct near64){x, x};
    return (struct near64){x, exp(a.x + a.e + NEAR64_EXP2) - x + 0x1p-126};
}

/* A sum of products: x, the error that its terms bring, the sum of the largest |terms| that the kernel may add. */
struct sum64 {
    double x, e, top;
};

static inline void sum64_add(struct sum64 *s, struct near64 a, struct near64 b)
{
    double top = near64_top(a) * near64_top(b);

    s->x += a.x * b.x;
    s->e += top - fabs(a.x * b.x);
    s->top += top;
}

/* The sum as a chain of `steps` steps of the tensor core and `adds` fp32 additions, in any order and tree. */
static inline struct near64 sum64_done(const struct sum64 *s, double steps, double adds)
{
    double n = steps * NEAR64_STEP + adds * NEAR64_FP32;
    double floor = s->top > 0 ? steps * NEAR64_STEP_FLOOR + adds * NEAR64_FP32_FLOOR : 0;

    return (struct near64){s->x, s->e + n / (1 - n) * s->top + floor};
}

#endif
