/* mma_step.c - the reference: one fused step of a tensor core, in integers.
 *
 * 1. A NaN operand, Inf * 0, or Infs of both signs among products and c: 0x7fffffff.  Else any Inf: that Inf.
 * 2. Products are exact and not normalised: exponent the sum of the exponents, value in [1, 4).  Subnormal operands
 *    have the smallest exponent and no hidden bit.
 * 3. The largest exponent E is that of the terms that are not zero, and at least the floor.
 * 4. Each term is cut toward zero to a multiple of 2^(E - fraction), the sum is exact.
 * 5. The sum is cut to fp32, gradual underflow included; overflow gives Inf; zero is +0.
 *
 * Sources: Fasi, Higham, Mikaitis, Pranesh (PeerJ CS 7:e330, 2021); Khattak and Mikaitis (arXiv 2512.07004); 3, 5 and
 * the floor as an H200 has them. */
#include "ref/mma.h"

/* Inf or NaN if rule 1 says so, else 0. */
static uint32_t special(const struct ordo_mma_operands *x, int32_t chunk, uint32_t c)
{
    bool nan = ordo_fp32_class(c) == ORDO_FP_NOT_A_NUMBER;
    bool inf[2] = {c == ORDO_FP32_INF, c == (ORDO_FP32_SIGN | ORDO_FP32_INF)};

    for (ptrdiff_t i = 0; i < chunk; i++) {
        uint16_t a = x->a[i * x->a_step], b = x->b[i * x->b_step];
        enum ordo_fp_class of_a = ordo_class(x->format, a), of_b = ordo_class(x->format, b);
        bool either_inf = of_a == ORDO_FP_INFINITE || of_b == ORDO_FP_INFINITE;

        nan |= of_a == ORDO_FP_NOT_A_NUMBER || of_b == ORDO_FP_NOT_A_NUMBER;
        nan |= either_inf && (of_a == ORDO_FP_ZERO || of_b == ORDO_FP_ZERO);
        inf[(a ^ b) >> 15] |= either_inf;
    }
    if (nan || (inf[0] && inf[1]))
        return ORDO_FP32_NAN;
    return inf[0] ? ORDO_FP32_INF : inf[1] ? ORDO_FP32_SIGN | ORDO_FP32_INF : 0;
}

/* sum 2^unit, not 0, cut to fp32. */
static uint32_t cut(int64_t sum, int32_t unit, struct ordo_mma_loss *loss)
{
    uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum), kept;
    int32_t e = unit + 63 - __builtin_clzll(magnitude), last = (e < -126 ? -126 : e) - 23, down = last - unit;
    uint32_t sign = sum < 0 ? ORDO_FP32_SIGN : 0;

    kept = down > 0 ? magnitude >> down : magnitude << -down; /* |down| < 64: the grid is no finer than 2^-160 */
    loss->last = last;
    loss->sum_cut = down > 0 && kept << down != magnitude;
    if (e > 127)
        return sign | ORDO_FP32_INF;
    return kept == 0 ? 0 : sign | (((uint32_t)(last + 149) << 23) + (uint32_t)kept);
}

uint32_t ordo_mma_step(const struct ordo_mma_model *model, const struct ordo_mma_operands *x, uint32_t c,
                       struct ordo_mma_loss *loss)
{
    struct ordo_parts of_c = ordo_parts(&ordo_format_fp32, c);
    int64_t term[ORDO_MMA_K + 1], sum = 0; /* in units of 2^(its exponent - fraction) */
    int32_t exponent[ORDO_MMA_K + 1], e = model->floor, n = model->chunk;
    uint32_t bits = special(x, n, c);

    for (int32_t i = 0; i < n; i++) {
        struct ordo_parts a = ordo_parts(x->format, x->a[i * x->a_step]);
        struct ordo_parts b = ordo_parts(x->format, x->b[i * x->b_step]);

        exponent[i] = a.e + b.e;
        term[i] = ((int64_t)a.significand * b.significand) << (model->fraction - 2 * x->format->fraction);
        term[i] = a.minus != b.minus ? -term[i] : term[i];
    }
    exponent[n] = of_c.e;
    term[n] = (int64_t)of_c.significand << (model->fraction - 23);
    term[n] = of_c.minus ? -term[n] : term[n];
    for (int32_t i = 0; i <= n; i++)
        e = term[i] != 0 && exponent[i] > e ? exponent[i] : e;
    *loss = (struct ordo_mma_loss){.grid = e - model->fraction};
    for (int32_t i = 0; i <= n; i++) {
        int64_t unit = (int64_t)1 << (e - exponent[i] < 0 ? 0 : e - exponent[i] < 40 ? e - exponent[i] : 40);

        loss->n_cut += term[i] % unit != 0;
        sum += term[i] / unit; /* C cuts toward zero */
    }
    return bits != 0 ? bits : sum == 0 ? 0 : cut(sum, loss->grid, loss);
}
