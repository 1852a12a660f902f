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

enum ordo_fp_class ordo_fp32_class(uint32_t bits)
{
    uint32_t magnitude = bits & ~ORDO_FP32_SIGN;

    if (magnitude == 0)
        return ORDO_FP_ZERO;
    if (magnitude <= ORDO_FP32_FRACTION)
        return ORDO_FP_SUBNORMAL;
    if (magnitude < ORDO_FP32_INF)
        return ORDO_FP_NORMAL;
    return magnitude == ORDO_FP32_INF ? ORDO_FP_INFINITE : ORDO_FP_NOT_A_NUMBER;
}

enum ordo_fp_class ordo_bf16_class(uint16_t bits)
{
    return ordo_fp32_class(ordo_bf16_to_fp32_bits(bits));
}
