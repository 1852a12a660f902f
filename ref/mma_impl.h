/* mma_impl.h - between the files of the tensor core's product: what the vector versions get.
 *
 * Operands are taken apart once, before any arithmetic, and padded with zeros to whole groups of 16 k and blocks of
 * 16 columns.  A number becomes a signed significand, shifted left so that a product is already in units of
 * 2^(exponent - fraction), and an exponent; zero becomes significand 0 with an exponent that no number reaches, and
 * so do Inf and NaN, whose step is then settled by ordo_mma_settle. */
#ifndef ORDO_REF_MMA_IMPL_H
#define ORDO_REF_MMA_IMPL_H

#include "ref/mma.h"

#include <string.h>

/* -DORDO_NO_SIMD leaves the vector versions out, as another CPU would. */
#if defined __x86_64__ && defined __GNUC__ && !defined ORDO_NO_SIMD
#define ORDO_MMA_SIMD 1
#else
#define ORDO_MMA_SIMD 0
#endif

/* In front of the loops over a step's products: gcc -O2 would leave them rolled, clang would not. */
#if defined __GNUC__ && !defined __clang__
#define ORDO_UNROLL _Pragma("GCC unroll 16")
#else
#define ORDO_UNROLL
#endif

enum { ORDO_MMA_LANES = 16, ORDO_MMA_ROWS = 4, ORDO_MMA_NO_EXPONENT = -8192 };

/* Operands taken apart: of a row of A element k at [k], of 16 columns of B element (k, lane) at [16 k + lane]. */
struct ordo_packed {
    int32_t *significand, *exponent; /* a row's significands without their upper 16 bits */
    uint8_t *special;                /* per 16 elements: Inf or NaN among them */
    uint16_t *raw;                   /* the operands themselves */
};

/* Group g of the order. */
static inline int32_t ordo_mma_group(const struct ordo_product *p, int32_t g)
{
    return p->group ? p->group[g] : g;
}

/* Up to ORDO_MMA_ROWS rows side by side, whose steps do not wait for each other, and 16 columns: operands and
 * results. */
struct ordo_packed_tile {
    struct ordo_packed row[ORDO_MMA_ROWS], block;
    int32_t n_row;
    bool bounded; /* whether bound is kept */
    uint32_t c[ORDO_MMA_ROWS][ORDO_MMA_LANES];
    double bound[ORDO_MMA_ROWS][ORDO_MMA_LANES];
};

/* Whether a group of a row meets Inf or NaN. */
static inline bool ordo_mma_known(const struct ordo_packed_tile *tile, int32_t r, int32_t group)
{
    uint64_t word[2]; /* the block's 16 flags of this group */

    memcpy(word, tile->block.special + ORDO_MMA_K * (ptrdiff_t)group, sizeof word);
    return (tile->row[r].special[group] | word[0] | word[1]) != 0;
}

/* raw[0..n), n a multiple of 16, taken apart; significands shifted left by up and masked by keep.  Needs AVX2. */
void ordo_mma_take(const struct ordo_format *format, int32_t up, int32_t keep, size_t n,
                   const struct ordo_packed *out);

/* The whole chain of every element of a tile. */
void ordo_mma_avx2(const struct ordo_mma_model *model, const struct ordo_product *p, struct ordo_packed_tile *tile);
void ordo_mma_avx512(const struct ordo_mma_model *model, const struct ordo_product *p, struct ordo_packed_tile *tile);

/* Where Inf or NaN is among the operands or c of row r, replaces the step's results (and bounds): `before` are the 16
 * accumulators that went in, k the first of `chunk` products. */
void ordo_mma_settle(const struct ordo_format *format, struct ordo_packed_tile *tile, int32_t r, int32_t k,
                     int32_t chunk, const uint32_t *before);

/* The product by packing and one of the two above. */
enum ordo_status ordo_mma_packed(const struct ordo_mma_model *model, enum ordo_isa isa, const struct ordo_product *p,
                                 struct ordo_err *err);

#endif
