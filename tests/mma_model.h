/* mma_model.h - the tensor core's step a third time, in doubles, with switches for the models that are wrong.
 *
 * Terms are scaled to the grid and cut by trunc, all exact in double: a product has at most 22 bits, a sum of 17
 * terms at most 33.  Knows neither Inf nor NaN: specials_in says whether a step has them. */
#ifndef ORDO_TESTS_MMA_MODEL_H
#define ORDO_TESTS_MMA_MODEL_H

#include "ref/mma.h"

#include <math.h>

struct model {
    int fraction, chunk, floor;
    bool zero_takes_part; /* a zero product counts with its operands' exponents */
    bool nearest_terms;   /* terms are rounded to nearest, not cut */
    bool nearest_sum;     /* the sum is */
    bool normalised;      /* a product in [2, 4) counts with one more */
    bool minus_zero;      /* negative underflow keeps its sign */
    bool flushed;         /* subnormal operands are zero */
};

static const struct model right_model = {.fraction = 25, .chunk = 16, .floor = -133};

static inline double value_of(const struct ordo_format *f, uint32_t bits)
{
    struct ordo_parts x = ordo_parts(f, bits);

    return ldexp(x.minus ? -(double)x.significand : (double)x.significand, x.e - f->fraction);
}

static inline bool special_bits(const struct ordo_format *f, uint32_t bits)
{
    return ordo_class(f, bits) >= ORDO_FP_INFINITE;
}

/* Whether Inf or NaN is among n products' operands or c. */
static inline bool specials_in(const struct ordo_format *f, const uint16_t *a, const uint16_t *b, int n, uint32_t c)
{
    bool found = special_bits(&ordo_format_fp32, c);

    for (int i = 0; i < n; i++)
        found = found || special_bits(f, a[i]) || special_bits(f, b[i]);
    return found;
}

/* x cut or rounded to fp32. */
static inline uint32_t model_round(const struct model *m, double x)
{
    int e;
    double ulp, cut;
    uint32_t sign = x < 0 ? ORDO_FP32_SIGN : 0;

    if (x == 0)
        return 0;
    (void)frexp(x, &e);
    ulp = ldexp(1, (e - 1 < -126 ? -126 : e - 1) - 23);
    cut = (m->nearest_sum ? nearbyint(x / ulp) : trunc(x / ulp)) * ulp;
    if (fabs(cut) >= 0x1p128)
        return sign | ORDO_FP32_INF;
    return cut == 0 ? (m->minus_zero ? sign : 0) : ordo_fp32_bits((float)cut);
}

/* One step of m->chunk products. */
static inline uint32_t model_step(const struct model *m, const struct ordo_format *f, const uint16_t *a,
                                  const uint16_t *b, uint32_t c)
{
    double term[ORDO_MMA_K + 1], sum = 0;
    int e[ORDO_MMA_K + 1], top = m->floor;

    for (int i = 0; i < m->chunk; i++) {
        struct ordo_parts x = ordo_parts(f, a[i]), y = ordo_parts(f, b[i]);
        bool flush = m->flushed && (ordo_class(f, a[i]) < ORDO_FP_NORMAL || ordo_class(f, b[i]) < ORDO_FP_NORMAL);

        term[i] = flush ? 0 : value_of(f, a[i]) * value_of(f, b[i]);
        e[i] = x.e + y.e + (m->normalised && fabs(term[i]) >= ldexp(2, x.e + y.e));
    }
    term[m->chunk] = value_of(&ordo_format_fp32, c);
    e[m->chunk] = ordo_parts(&ordo_format_fp32, c).e;
    for (int i = 0; i <= m->chunk; i++)
        if ((term[i] != 0 || (m->zero_takes_part && i < m->chunk)) && e[i] > top)
            top = e[i];
    for (int i = 0; i <= m->chunk; i++) {
        double scaled = ldexp(term[i], m->fraction - top);

        sum += m->nearest_terms ? nearbyint(scaled) : trunc(scaled);
    }
    return model_round(m, ldexp(sum, top - m->fraction));
}

/* 16 products, in steps of m->chunk. */
static inline uint32_t model_group(const struct model *m, const struct ordo_format *f, const uint16_t *a,
                                   const uint16_t *b, uint32_t c)
{
    for (int k = 0; k < ORDO_MMA_K; k += m->chunk)
        c = model_step(m, f, a + k, b + k, c);
    return c;
}

/* The wrong models that golden outputs must refuse. */
static const struct {
    const char *name;
    struct model model;
    bool tiny; /* only the families of tiny products tell it, and seldom */
} wrong_models[] = {
    {"24 fraction bits", {.fraction = 24, .chunk = 16, .floor = -133}, false},
    {"26 fraction bits", {.fraction = 26, .chunk = 16, .floor = -133}, false},
    {"steps of 8", {.fraction = 25, .chunk = 8, .floor = -133}, false},
    {"zero takes part", {.fraction = 25, .chunk = 16, .floor = -133, .zero_takes_part = true}, false},
    {"floor -126", {.fraction = 25, .chunk = 16, .floor = -126}, false},
    {"floor -131", {.fraction = 25, .chunk = 16, .floor = -131}, true},
    {"floor -132", {.fraction = 25, .chunk = 16, .floor = -132}, true},
    {"floor -134", {.fraction = 25, .chunk = 16, .floor = -134}, true},
    {"no floor", {.fraction = 25, .chunk = 16, .floor = -400}, true},
    {"terms to nearest", {.fraction = 25, .chunk = 16, .floor = -133, .nearest_terms = true}, false},
    {"sum to nearest", {.fraction = 25, .chunk = 16, .floor = -133, .nearest_sum = true}, false},
    {"products normalised", {.fraction = 25, .chunk = 16, .floor = -133, .normalised = true}, false},
    {"minus zero", {.fraction = 25, .chunk = 16, .floor = -133, .minus_zero = true}, false},
    {"operands flushed", {.fraction = 25, .chunk = 16, .floor = -133, .flushed = true}, false},
};
enum { WRONG_MODELS = sizeof wrong_models / sizeof wrong_models[0] };

#endif
