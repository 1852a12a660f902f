/* fp.c - see fp.h. */
#include "ref/fp.h"

const char *const ordo_fp_class_name[5] = {"zero", "subnormal", "normal", "infinite", "nan"};

uint16_t ordo_bf16_round(uint32_t fp32_bits)
{
    uint32_t odd = fp32_bits >> 16 & 1;

    if ((fp32_bits & ~ORDO_FP32_SIGN) > ORDO_FP32_INF)
        return ORDO_BF16_NAN;
    return (uint16_t)((fp32_bits + UINT32_C(0x7fff) + odd) >> 16);
}

const struct ordo_format ordo_format_fp32 = {"fp32", 32, 23, 127, ORDO_FP32_NAN};
const struct ordo_format ordo_format_bf16 = {"bf16", 16, 7, 127, ORDO_BF16_NAN};
const struct ordo_format ordo_format_fp16 = {"fp16", 16, 10, 15, ORDO_FP16_NAN};

/* Exponent field all ones, fraction zero. */
static uint32_t infinity_of(const struct ordo_format *f)
{
    return (UINT32_C(1) << (f->width - 1)) - (UINT32_C(1) << f->fraction);
}

enum ordo_fp_class ordo_class(const struct ordo_format *f, uint32_t bits)
{
    uint32_t magnitude = bits & ((UINT32_C(1) << (f->width - 1)) - 1);

    if (magnitude == 0)
        return ORDO_FP_ZERO;
    if (magnitude < UINT32_C(1) << f->fraction)
        return ORDO_FP_SUBNORMAL;
    if (magnitude < infinity_of(f))
        return ORDO_FP_NORMAL;
    return magnitude == infinity_of(f) ? ORDO_FP_INFINITE : ORDO_FP_NOT_A_NUMBER;
}

enum ordo_fp_class ordo_fp32_class(uint32_t bits)
{
    return ordo_class(&ordo_format_fp32, bits);
}

/* significand / 2^down to nearest, ties to even. */
static uint32_t shift_even(uint32_t significand, int32_t down)
{
    uint32_t kept, rest, half;

    if (down > 24 + 1)
        return 0;
    kept = significand >> down;
    rest = significand - (kept << down);
    half = down > 0 ? UINT32_C(1) << (down - 1) : 0;
    return kept + (down > 0 && (rest > half || (rest == half && (kept & 1))));
}

uint16_t ordo_fp16_round(uint32_t fp32_bits)
{
    uint32_t magnitude = fp32_bits & ~ORDO_FP32_SIGN, sign = fp32_bits >> 16 & 0x8000, e = magnitude >> 23;

    if (magnitude > ORDO_FP32_INF)
        return ORDO_FP16_NAN;
    if (magnitude >= 0x47800000u) /* 2^16 */
        return (uint16_t)(sign | ORDO_FP16_INF);
    if (magnitude >= 0x38800000u) /* 2^-14: drop 13 bits, and exponent fields by 112 */
        return (uint16_t)(sign | ((magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13));
    if (e < 102) /* below 2^-25, half the smallest */
        return (uint16_t)sign;
    return (uint16_t)(sign | shift_even((magnitude & ORDO_FP32_FRACTION) | 0x800000u, 126 - (int32_t)e));
}

uint32_t ordo_round(const struct ordo_format *f, uint32_t fp32_bits)
{
    struct ordo_parts x = ordo_parts(&ordo_format_fp32, fp32_bits);
    enum ordo_fp_class class = ordo_fp32_class(fp32_bits);
    uint32_t sign = (fp32_bits >> 31) << (f->width - 1), magnitude;
    int32_t least = 1 - f->bias, e = x.e < least ? least : x.e;

    if (class == ORDO_FP_NOT_A_NUMBER)
        return f->nan;
    if (class == ORDO_FP_INFINITE || e > f->bias)
        return sign | infinity_of(f);
    /* the leading bit of a normal significand adds the 1 that the field lacks; a carry out of it is right too, and
     * past the largest number gives Inf */
    magnitude = ((uint32_t)(e - least) << f->fraction) + shift_even(x.significand, e - x.e + 23 - f->fraction);
    return sign | magnitude;
}

uint32_t ordo_widen(const struct ordo_format *f, uint32_t bits)
{
    struct ordo_parts x = ordo_parts(f, bits);
    uint32_t sign = x.minus ? ORDO_FP32_SIGN : 0;
    int32_t up;

    switch (ordo_class(f, bits)) {
    case ORDO_FP_NOT_A_NUMBER:
        return ORDO_FP32_NAN;
    case ORDO_FP_INFINITE:
        return sign | ORDO_FP32_INF;
    case ORDO_FP_ZERO:
        return sign;
    default:
        up = __builtin_clz(x.significand) - 8; /* to bit 23 */
        x.e += 23 - f->fraction - up;
        if (x.e < -126) /* subnormal in fp32 too */
            return sign | x.significand << (up + x.e + 126);
        return sign | (((uint32_t)(x.e + 126) << 23) + (x.significand << up));
    }
}

enum ordo_fp_class ordo_bf16_class(uint16_t bits)
{
    return ordo_fp32_class(ordo_bf16_to_fp32_bits(bits));
}
