/* families.h - the ten input families on which tensor-core models are told apart.
 *
 * The same integers on every machine and under nvcc: an element is a function of (family, seed, operand, line, k).
 * A is M x K, B is given by its columns (N x K), both BF16; C is M x N in fp32.  So a tile of any shape and chain
 * length has its inputs, and no element depends on the shape.
 *
 *   raw        all bits random, Inf and NaN as they come
 *   narrow     exponents within 8 binades, any significand: ordinary data, on which nearly all models agree
 *   cancel     k and k + 1 cancel, often but for the last bit
 *   tiny-c     products between 2^-160 and 2^-122, few significand bits, c among them: the floor of the alignment
 *   tiny       the same and c = +0 or -0
 *   zeros      zeros whose partner is huge, beside small products
 *   overflow   products and c around 2^127
 *   special    narrow, with Inf, NaN, zeros, the largest and the smallest numbers mixed in
 *   softmax    A in [0, 1] over 60 binades, as P is; B of ordinary size
 *   subnormal  A mostly subnormal, B anything down to subnormal */
#ifndef ORDO_BASE_FAMILIES_H
#define ORDO_BASE_FAMILIES_H

#include "base/rng.h"

enum ordo_family {
    ORDO_FAMILY_RAW,
    ORDO_FAMILY_NARROW,
    ORDO_FAMILY_CANCEL,
    ORDO_FAMILY_TINY_C,
    ORDO_FAMILY_TINY,
    ORDO_FAMILY_ZEROS,
    ORDO_FAMILY_OVERFLOW,
    ORDO_FAMILY_SPECIAL,
    ORDO_FAMILY_SOFTMAX,
    ORDO_FAMILY_SUBNORMAL,
    ORDO_FAMILIES
};

/* Their names in golden files, in the order of the enumeration. */
#define ORDO_FAMILY_NAMES                                                                                            \
    {                                                                                                                \
        "raw", "narrow", "cancel", "tiny-c", "tiny", "zeros", "overflow", "special", "softmax", "subnormal"          \
    }

/* --- random words ----------------------------------------------------------------------------------------------- */

/* The word of an element: operand 0 is A, 1 is B, 2 is C, 3 what a whole column of k shares. */
ORDO_BOTH uint64_t ordo_family_word(int family, uint64_t seed, uint32_t operand, uint32_t line, uint32_t k)
{
    uint64_t number = (uint64_t)operand + 4u * (uint64_t)family + 1u;
    uint64_t stream = ordo_mix(seed + UINT64_C(0x9e3779b97f4a7c15) * number);

    return ordo_mix(stream + ((uint64_t)line << 32 | k));
}

/* A BF16 with a random sign (bit 63) and fraction (bits 48..54), exponent field low + [0, span). */
ORDO_BOTH uint32_t ordo_family_bf16(uint64_t word, uint32_t low, uint32_t span)
{
    return (uint32_t)(word >> 48 & 0x807fu) | (low + (uint32_t)(word & 0xffffu) % span) << 7;
}

/* The same in fp32: sign bit 63, fraction bits 32..54. */
ORDO_BOTH uint32_t ordo_family_fp32(uint64_t word, uint32_t low, uint32_t span)
{
    return (uint32_t)(word >> 32 & 0x807fffffu) | (low + (uint32_t)(word & 0xffffu) % span) << 23;
}

/* --- the families ----------------------------------------------------------------------------------------------- */

/* Few significand bits and many zeros, so that a sum often lies next to a representable number. */
ORDO_BOTH uint32_t ordo_family_tiny(uint64_t word, uint64_t line_word)
{
    uint32_t kept = 0xff80u | (0x7fu & 0x7fu << (word >> 24 & 7u));

    if ((word >> 16 & 7u) > (line_word & 7u))
        return (uint32_t)(word >> 48 & 0x8000u);
    return ordo_family_bf16(word, 47, 19) & kept;
}

/* Which of A (1) or B (2) is zero at this k while the other is huge; 0: both are small. */
ORDO_BOTH uint32_t ordo_family_side(uint64_t shared, uint32_t operand, uint64_t word)
{
    uint32_t side = (uint32_t)(shared % 4u); /* 3 is a second 0 */

    if (side != 1 && side != 2)
        return ordo_family_bf16(word, 97, 20);
    return side == operand + 1 ? (uint32_t)(word >> 48 & 0x8000u) : ordo_family_bf16(word, 227, 28);
}

/* One of 64 each: Inf, NaN, zero, the largest, the smallest; else narrow. */
ORDO_BOTH uint32_t ordo_family_mixed(uint64_t word)
{
    uint32_t sign = (uint32_t)(word >> 48 & 0x8000u);

    switch (word >> 24 & 63u) {
    case 0:
        return sign | 0x7f80u;
    case 1:
        return sign | 0x7f81u | (uint32_t)(word >> 48 & 0x7fu);
    case 2:
        return sign;
    case 3:
        return sign | 0x7f7fu;
    case 4:
        return sign | 1u;
    default:
        return ordo_family_bf16(word, 123, 8);
    }
}

/* At odd k the number of even k, A's negated, in one of eight with its last bit flipped. */
ORDO_BOTH uint32_t ordo_family_cancel(int family, uint64_t seed, uint32_t operand, uint32_t line, uint32_t k)
{
    uint32_t even = ordo_family_bf16(ordo_family_word(family, seed, operand, line, k & ~1u), 120, 16);

    if ((k & 1u) == 0)
        return even;
    return even ^ (operand ? 0u : 0x8000u) ^ ((ordo_family_word(family, seed, operand, line, k) & 7u) == 0u);
}

/* P: three in four within 8 binades below 1, the others within 60. */
ORDO_BOTH uint32_t ordo_family_p(uint64_t word)
{
    return 0x7fffu & ((word >> 24 & 3u) ? ordo_family_bf16(word, 119, 8) : ordo_family_bf16(word, 67, 60));
}

/* A (operand 0) or B (1) at (line, k). */
ORDO_BOTH uint16_t ordo_family_ab(int family, uint64_t seed, uint32_t operand, uint32_t line, uint32_t k)
{
    uint64_t word = ordo_family_word(family, seed, operand, line, k);

    switch (family) {
    case ORDO_FAMILY_RAW:
        return (uint16_t)word;
    case ORDO_FAMILY_NARROW:
        return (uint16_t)ordo_family_bf16(word, 123, 8);
    case ORDO_FAMILY_CANCEL:
        return (uint16_t)ordo_family_cancel(family, seed, operand, line, k);
    case ORDO_FAMILY_TINY_C:
    case ORDO_FAMILY_TINY:
        return (uint16_t)ordo_family_tiny(word, ordo_family_word(family, seed, 3, line, operand));
    case ORDO_FAMILY_ZEROS:
        return (uint16_t)ordo_family_side(ordo_family_word(family, seed, 3, 0, k), operand, word);
    case ORDO_FAMILY_OVERFLOW:
        return (uint16_t)ordo_family_bf16(word, 186, 6);
    case ORDO_FAMILY_SPECIAL:
        return (uint16_t)ordo_family_mixed(word);
    case ORDO_FAMILY_SOFTMAX:
        return (uint16_t)(operand ? ordo_family_bf16(word, 120, 10) : ordo_family_p(word));
    default:
        if (operand == 0)
            return (uint16_t)ordo_family_bf16(word, 0, (word >> 24 & 3u) ? 1 : 8);
        return (uint16_t)((word >> 24 & 3u) ? ordo_family_bf16(word, 110, 145) : ordo_family_bf16(word, 0, 4));
    }
}

ORDO_BOTH uint16_t ordo_family_a(int family, uint64_t seed, uint32_t row, uint32_t k)
{
    return ordo_family_ab(family, seed, 0, row, k);
}

ORDO_BOTH uint16_t ordo_family_b(int family, uint64_t seed, uint32_t column, uint32_t k)
{
    return ordo_family_ab(family, seed, 1, column, k);
}

/* The accumulator before the first group. */
ORDO_BOTH uint32_t ordo_family_c(int family, uint64_t seed, uint32_t row, uint32_t column)
{
    uint64_t word = ordo_family_word(family, seed, 2, row, column);

    switch (family) {
    case ORDO_FAMILY_RAW:
        return (uint32_t)word;
    case ORDO_FAMILY_NARROW:
        return ordo_family_fp32(word, 121, 12);
    case ORDO_FAMILY_CANCEL:
        return ordo_family_fp32(word, 96, 44);
    case ORDO_FAMILY_TINY_C: /* 2^-149 .. 2^-114 */
        return ordo_family_fp32(word, 0, (word >> 24 & 1u) ? 1 : 13);
    case ORDO_FAMILY_TINY:
        return (uint32_t)(word >> 32 & 0x80000000u);
    case ORDO_FAMILY_ZEROS:
        return (word >> 24 & 1u) ? ordo_family_fp32(word, 67, 40) : (uint32_t)(word >> 32 & 0x80000000u);
    case ORDO_FAMILY_OVERFLOW:
        return ordo_family_fp32(word, 247, 8);
    case ORDO_FAMILY_SPECIAL:
        return ordo_family_mixed(word) << 16;
    case ORDO_FAMILY_SOFTMAX:
        return ordo_family_fp32(word, 119, 12);
    default:
        return ordo_family_fp32(word, 0, (word >> 24 & 1u) ? 1 : 100);
    }
}

#endif
