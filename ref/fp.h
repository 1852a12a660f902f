/* fp.h - number formats: fp32 and BF16 as integers, and the classes that comparisons need.
 *
 * Numbers are compared, stored and printed as bits.  What a GPU and this code must agree on is done with integers
 * here, so that no compiler flag and no x87 or FTZ mode can change it. */
#ifndef ORDO_REF_FP_H
#define ORDO_REF_FP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ORDO_FP32_SIGN UINT32_C(0x80000000)
#define ORDO_FP32_INF UINT32_C(0x7f800000)
#define ORDO_FP32_NAN UINT32_C(0x7fffffff)  /* what GPU arithmetic returns for every NaN */
#define ORDO_FP32_FRACTION UINT32_C(0x007fffff)
#define ORDO_BF16_INF UINT16_C(0x7f80)
#define ORDO_BF16_NAN UINT16_C(0x7fff)      /* cvt.rn.bf16.f32 of every NaN */

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

enum ordo_fp_class ordo_fp32_class(uint32_t bits);
enum ordo_fp_class ordo_bf16_class(uint16_t bits);

#endif
