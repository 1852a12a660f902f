/* tier.c - see tier.h. */
#include "oracle/tier.h"

#include "ref/fp.h"

#include <math.h>

const char *const ordo_near_format_name[3] = {"fp32", "bf16", "fp16"};

double ordo_actual_value(const struct ordo_actual *a, int64_t i)
{
    if (a->format == ORDO_NEAR_FP32 || a->narrow)
        return (double)((const float *)a->data)[i];
    if (a->format == ORDO_NEAR_BF16)
        return (double)ordo_fp32(ordo_bf16_to_fp32_bits(((const uint16_t *)a->data)[i]));
    return (double)ordo_fp32(ordo_widen(&ordo_format_fp16, ((const uint16_t *)a->data)[i]));
}

uint32_t ordo_actual_bits(const struct ordo_actual *a, int64_t i)
{
    if (a->format == ORDO_NEAR_FP32)
        return ordo_fp32_bits(((const float *)a->data)[i]);
    return a->narrow ? ordo_fp32_bits(((const float *)a->data)[i]) >> 16 : ((const uint16_t *)a->data)[i];
}

uint32_t ordo_format_bits(enum ordo_near_format format, uint32_t bits)
{
    return format == ORDO_NEAR_FP32   ? bits
           : format == ORDO_NEAR_BF16 ? ordo_bf16_round(bits)
                                      : ordo_round(&ordo_format_fp16, bits);
}

/* x, a number of the format, encoded. */
static uint32_t encode(enum ordo_near_format format, double x)
{
    return ordo_format_bits(format, ordo_fp32_bits((float)x));
}

double ordo_format_ulp(enum ordo_near_format format, double x)
{
    static const struct {
        int digits, lowest;
    } f[] = {{24, -149}, {8, -133}, {11, -24}};
    int e;

    if (!isfinite(x))
        return (double)NAN;
    if (x == 0)
        return ldexp(1, f[format].lowest);
    (void)frexp(x, &e);
    return ldexp(1, e - f[format].digits > f[format].lowest ? e - f[format].digits : f[format].lowest);
}

/* 0 finite, 1 +Inf, 2 -Inf, 3 NaN. */
static int class_of(double x)
{
    return isnan(x) ? 3 : isinf(x) ? (x > 0 ? 1 : 2) : 0;
}

static void record(struct ordo_tier *t, const struct ordo_tier_at *at, bool bad, double size)
{
    t->n++;
    if (bad) {
        if (t->n_bad++ == 0)
            t->first = *at;
        t->n_class += class_of(at->got) != class_of(at->want);
    }
    if (!t->has_worst || size > (t->worst.ratio > 0 ? t->worst.ratio : 0)) {
        t->worst = *at;
        t->worst.ratio = size;
        t->has_worst = true;
    }
}

static void measure(struct ordo_tier_at *at, enum ordo_near_format format, double terms)
{
    double error = fabs(at->got - at->want);

    at->ulp = class_of(at->got) == class_of(at->want) ? error / ordo_format_ulp(format, at->want) : (double)INFINITY;
    if (class_of(at->got) && class_of(at->got) == class_of(at->want))
        at->ulp = 0;
    at->condition = fabs(at->want) > 0 ? terms / fabs(at->want) : (double)INFINITY;
    at->relative = terms > 0 ? error / terms : 0;
}

void ordo_tier_bits(const struct ordo_actual *got, const struct ordo_actual *want, struct ordo_tier *t)
{
    *t = (struct ordo_tier){0};
    for (int64_t i = 0; i < got->n; i++) {
        struct ordo_tier_at at = {.element = i, .got_bits = ordo_actual_bits(got, i),
                                  .want_bits = ordo_actual_bits(want, i)};

        t->n++;
        if (at.got_bits == at.want_bits)
            continue;
        t->n--; /* record counts it */
        at.got = ordo_actual_value(got, i);
        at.want = ordo_actual_value(want, i);
        measure(&at, got->format, fabs(at.want));
        record(t, &at, true, isnan(at.ulp) ? (double)INFINITY : at.ulp);
    }
}

void ordo_tier_interval(const struct ordo_actual *got, const struct ordo_near_set *s, struct ordo_tier *t)
{
    *t = (struct ordo_tier){0};
    for (int64_t k = 0; k < s->n_unit * s->width; k++) {
        int64_t i = s->unit[k / s->width] * s->width + k % s->width;
        struct ordo_tier_at at = {.element = i, .got = ordo_actual_value(got, i), .want = s->x[k], .bound = s->e[k],
                                  .got_bits = ordo_actual_bits(got, i)};
        bool inside = ordo_near_admits(s, k, got->format, at.got, &at.ratio);

        t->n_open += !(s->e[k] < HUGE_VAL);
        at.want_bits = encode(got->format, ordo_near_round(got->format, at.want));
        measure(&at, got->format, s->top[k]);
        record(t, &at, !inside, inside ? fmin(at.ratio, 1) : fmax(at.ratio, 1));
    }
}

void ordo_tier_dead(const struct ordo_actual *got, int32_t width, int64_t n, const int64_t *unit,
                    struct ordo_tier *t)
{
    for (int64_t k = 0; k < n * width; k++) {
        int64_t i = unit[k / width] * width + k % width;
        struct ordo_tier_at at = {.element = i, .got = ordo_actual_value(got, i),
                                  .got_bits = ordo_actual_bits(got, i)};

        measure(&at, got->format, 0);
        if (at.got == 0)
            t->n++;
        else
            record(t, &at, true, (double)INFINITY);
    }
}

static uint32_t truth_bits(const struct ordo_real *r, enum ordo_near_format format)
{
    return format == ORDO_NEAR_FP32 ? r->fp32 : format == ORDO_NEAR_BF16 ? r->bf16 : r->fp16;
}

/* A zero has no sign here. */
static bool same(uint32_t a, uint32_t b, enum ordo_near_format format)
{
    uint32_t sign = format == ORDO_NEAR_FP32 ? ORDO_FP32_SIGN : 0x8000;

    return a == b || ((a | b) & ~sign) == 0;
}

void ordo_tier_real(const struct ordo_actual *got, const struct ordo_real_set *real, const struct ordo_near_set *s,
                    struct ordo_tier *t)
{
    *t = (struct ordo_tier){0};
    for (int64_t k = 0; k < real->n_unit * real->width; k++) {
        int64_t i = real->unit[k / real->width] * real->width + k % real->width;
        const struct ordo_real *r = &real->value[k];
        struct ordo_tier_at at = {.element = i, .got = ordo_actual_value(got, i), .want = r->value, .bound = s->e[k],
                                  .got_bits = ordo_actual_bits(got, i), .want_bits = truth_bits(r, got->format)};
        bool inside;

        if (r->state == ORDO_REAL_NONE)
            continue;
        inside = ordo_near_admits(s, k, got->format, at.got, &at.ratio);
        t->n_open += !(s->e[k] < HUGE_VAL);
        t->n_nearest += same(at.got_bits, at.want_bits, got->format);
        measure(&at, got->format, r->terms);
        record(t, &at, !inside, at.relative);
    }
}
