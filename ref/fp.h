/* fp.h - number formats: fp32, BF16 and FP16 as integers, and the classes that comparisons need.
 *
 * Numbers are compared, stored and printed as bits.  What a GPU and this code must agree on is done with integers
 * here, so that no compiler flag and no x87 or FTZ mode can change it. */
#ifndef ORDO_REF_FP_H
#define ORDO_REF_FP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ORDO_FP32_SIGN     UINT32_C(0x80000000)
#define ORDO_FP32_INF      UINT32_C(0x7f800000)
#define ORDO_FP32_NAN      UINT32_C(0x7fffffff) /* what GPU arithmetic returns for every NaN */
#define ORDO_FP32_FRACTION UINT32_C(0x007fffff)
#define ORDO_BF16_INF      UINT16_C(0x7f80)
#define ORDO_BF16_NAN      UINT16_C(0x7fff) /* cvt.rn.bf16.f32 of every NaN */
#define ORDO_FP16_INF      UINT16_C(0x7c00)
#define ORDO_FP16_NAN      UINT16_C(0x7fff) /* cvt.rn.f16.f32 of every NaN (PTX ISA, cvt) */

enum ordo_fp_class { ORDO_FP_ZERO, ORDO_FP_SUBNORMAL, ORDO_FP_NORMAL, ORDO_FP_INFINITE, ORDO_FP_NOT_A_NUMBER };
extern const char *const ordo_fp_class_name[5];

static inline uint32_t ordo_fp32_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float ordo_fp32(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline bool ordo_fp32_finite(uint32_t bits)
{
    return (bits & ORDO_FP32_INF) != ORDO_FP32_INF;
}

/* BF16 is the upper half of fp32, so this is exact. */
static inline uint32_t ordo_bf16_to_fp32_bits(uint16_t bits)
{
    return (uint32_t)bits << 16;
}

/* To nearest, ties to even; large values round to Inf, subnormals are kept, every NaN becomes ORDO_BF16_NAN.
 * Equal to cvt.rn.bf16.f32 on all 2^32 inputs. */
uint16_t ordo_bf16_round(uint32_t fp32_bits);

/* The same to FP16; equal to cvt.rn.f16.f32. */
uint16_t ordo_fp16_round(uint32_t fp32_bits);

enum ordo_fp_class ordo_fp32_class(uint32_t bits);
enum ordo_fp_class ordo_bf16_class(uint16_t bits);

/* --- formats as data -------------------------------------------------------------------------------------------- */

/* A binary format of IEEE 754's kind: sign, exponent field, fraction. */
struct ordo_format {
    const char *name;
    int32_t width, fraction, bias; /* bits in all, bits of the fraction, exponent field of 1.0 */
    uint32_t nan;                  /* the one NaN that a GPU makes */
};
extern const struct ordo_format ordo_format_fp32, ordo_format_bf16, ordo_format_fp16;

/* A finite number: (-1)^minus significand 2^(e - fraction).  e is at least the smallest exponent, so a subnormal's is
 * that, and its significand lacks the leading bit. */
struct ordo_parts {
    int32_t e;
    uint32_t significand;
    bool minus;
};

/* bits: of a finite number. */
static inline struct ordo_parts ordo_parts(const struct ordo_format *f, uint32_t bits)
{
    uint32_t hidden = UINT32_C(1) << f->fraction;
    uint32_t field = (bits & ~(UINT32_C(1) << (f->width - 1))) >> f->fraction;

    return (struct ordo_parts){
        .e = (int32_t)(field ? field : 1) - f->bias,
        .significand = (bits & (hidden - 1)) | (field ? hidden : 0),
        .minus = bits >> (f->width - 1) & 1,
    };
}

/* Exponent of Goldberg's ulp of a finite number: that of its last place. */
static inline int32_t ordo_ulp_exponent(const struct ordo_format *f, uint32_t bits)
{
    return ordo_parts(f, bits).e - f->fraction;
}

enum ordo_fp_class ordo_class(const struct ordo_format *f, uint32_t bits);

/* fp32 to f, to nearest, ties to even; large values round to Inf, subnormals are kept, every NaN becomes f->nan.  The
 * same as the two above, in a general form. */
uint32_t ordo_round(const struct ordo_format *f, uint32_t fp32_bits);

/* BF16 or FP16 to fp32, which holds all of them; every NaN becomes ORDO_FP32_NAN. */
uint32_t ordo_widen(const struct ordo_format *f, uint32_t bits);

#endif
