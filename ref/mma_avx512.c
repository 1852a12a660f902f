/* mma_avx512.c - the tensor core's step for 16 columns at once, one 32-bit lane each.
 *
 * Everything fits 32 bits: a term is below 2^27 (fraction at most 25), so two partial sums of 8 terms stay below 2^30
 * and only the last addition needs a 33rd bit, which is the sum's sign and kept apart. */
#include "ref/mma_impl.h"

#if ORDO_MMA_SIMD
#include <immintrin.h>

#define AVX512        __attribute__((target("avx512f,avx512bw,avx512dq,avx512cd")))
#define AVX512_INLINE static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512dq,avx512cd")))

/* What a step leaves beside the sum, for the bound. */
struct loss {
    __m512i grid, n_cut, last;
    __mmask16 sum_cut;
};

/* An accumulator taken apart: signed significand in units of its exponent less 23, Inf and NaN as zero. */
struct number {
    __m512i significand, exponent;
    __mmask16 minus, special;
};

AVX512_INLINE struct number take(__m512i c)
{
    const __m512i one = _mm512_set1_epi32(1);
    __m512i field = _mm512_and_si512(_mm512_srli_epi32(c, 23), _mm512_set1_epi32(255));
    __m512i fraction = _mm512_and_si512(c, _mm512_set1_epi32(0x7fffff));
    __mmask16 normal = _mm512_test_epi32_mask(field, field);
    __mmask16 special = _mm512_cmpeq_epi32_mask(field, _mm512_set1_epi32(255)), none;
    struct number x;

    x.significand = _mm512_mask_or_epi32(fraction, normal, fraction, _mm512_set1_epi32(0x800000));
    none = _mm512_testn_epi32_mask(x.significand, x.significand) | special;
    x.significand = _mm512_mask_mov_epi32(x.significand, none, _mm512_setzero_si512());
    x.exponent = _mm512_sub_epi32(_mm512_max_epi32(field, one), _mm512_set1_epi32(127));
    x.exponent = _mm512_mask_mov_epi32(x.exponent, none, _mm512_set1_epi32(ORDO_MMA_NO_EXPONENT));
    x.minus = _mm512_movepi32_mask(c);
    x.special = special;
    return x;
}

/* sum += term cut to the grid `down` bits above its unit, with its sign. */
AVX512_INLINE __m512i add(__m512i sum, __m512i magnitude, __mmask16 minus, __m512i down, int bounded, __m512i *n_cut)
{
    __m512i kept = _mm512_srlv_epi32(magnitude, down);

    if (bounded)
        *n_cut = _mm512_mask_add_epi32(*n_cut, _mm512_cmpneq_epi32_mask(_mm512_sllv_epi32(kept, down), magnitude),
                                       *n_cut, _mm512_set1_epi32(1));
    kept = _mm512_mask_sub_epi32(kept, minus, _mm512_setzero_si512(), kept);
    return _mm512_add_epi32(sum, kept);
}

/* low + high, each below 2^31 in magnitude, cut to fp32; its unit is 2^grid. */
AVX512_INLINE __m512i cut(__m512i low, __m512i high, __m512i grid, int bounded, struct loss *loss)
{
    const __m512i zero = _mm512_setzero_si512();
    /* the sign of the sum without its 33rd bit; wrong only for a sum of 0, which has none */
    __m512i half = _mm512_add_epi32(_mm512_srai_epi32(low, 1), _mm512_srai_epi32(high, 1));
    __m512i sum = _mm512_add_epi32(low, high);
    __mmask16 minus = _mm512_movepi32_mask(half);
    __m512i magnitude = _mm512_mask_sub_epi32(sum, minus, zero, sum), up = _mm512_lzcnt_epi32(magnitude);
    __m512i e = _mm512_add_epi32(grid, _mm512_sub_epi32(_mm512_set1_epi32(31), up));
    __m512i field = _mm512_add_epi32(e, _mm512_set1_epi32(126)); /* less one, since the leading bit adds it */
    __m512i down = _mm512_sub_epi32(_mm512_set1_epi32(8), _mm512_min_epi32(field, zero));
    __m512i left = _mm512_sllv_epi32(magnitude, up), kept = _mm512_srlv_epi32(left, down);
    __mmask16 some = _mm512_test_epi32_mask(magnitude, magnitude);
    __m512i bits = _mm512_add_epi32(_mm512_slli_epi32(_mm512_max_epi32(field, zero), 23), kept);

    bits = _mm512_mask_mov_epi32(bits, _mm512_cmpgt_epi32_mask(e, _mm512_set1_epi32(127)),
                                 _mm512_set1_epi32((int32_t)ORDO_FP32_INF));
    bits = _mm512_maskz_mov_epi32(some, bits);
    if (bounded) {
        loss->grid = grid;
        loss->last = _mm512_sub_epi32(_mm512_max_epi32(e, _mm512_set1_epi32(-126)), _mm512_set1_epi32(23));
        loss->sum_cut = some & _mm512_cmpneq_epi32_mask(_mm512_sllv_epi32(kept, down), left);
    }
    return _mm512_mask_or_epi32(bits, minus & _mm512_test_epi32_mask(bits, bits), bits,
                                _mm512_set1_epi32((int32_t)ORDO_FP32_SIGN));
}

AVX512_INLINE __m512i load(const int32_t *at)
{
    return _mm512_loadu_si512(at);
}

/* One step of `chunk` products from k on; Inf and NaN count as zero here. */
AVX512_INLINE __m512i step(const struct ordo_mma_model *model, int chunk, int bounded, const struct ordo_packed *row,
                           const struct ordo_packed *block, ptrdiff_t at, const struct number *c, struct loss *loss)
{
    __m512i e = _mm512_set1_epi32(model->floor), half[2], n_cut = _mm512_setzero_si512();

    half[0] = half[1] = _mm512_setzero_si512();
    ORDO_UNROLL
    for (int k = 0; k < chunk; k++)
        e = _mm512_max_epi32(
            e, _mm512_add_epi32(_mm512_set1_epi32(row->exponent[at + k]), load(block->exponent + 16 * (at + k))));
    e = _mm512_max_epi32(e, c->exponent); /* last: all before it need not wait for the step before */
    ORDO_UNROLL
    for (int k = 0; k < chunk; k++) {
        __m512i product =
            _mm512_madd_epi16(_mm512_set1_epi32(row->significand[at + k]), load(block->significand + 16 * (at + k)));
        __m512i of_row = _mm512_sub_epi32(e, _mm512_set1_epi32(row->exponent[at + k]));

        half[k & 1] = add(half[k & 1], _mm512_abs_epi32(product), _mm512_movepi32_mask(product),
                          _mm512_sub_epi32(of_row, load(block->exponent + 16 * (at + k))), bounded, &n_cut);
    }
    half[0] = add(half[0], _mm512_slli_epi32(c->significand, (unsigned)(model->fraction - 23)), c->minus,
                  _mm512_sub_epi32(e, c->exponent), bounded, &n_cut);
    loss->n_cut = n_cut;
    return cut(half[0], half[1], _mm512_sub_epi32(e, _mm512_set1_epi32(model->fraction)), bounded, loss);
}

/* --- the bound -------------------------------------------------------------------------------------------------- */

AVX512_INLINE __m512d power(__m256i e)
{
    return _mm512_castsi512_pd(
        _mm512_slli_epi64(_mm512_add_epi64(_mm512_cvtepi32_epi64(e), _mm512_set1_epi64(1023)), 52));
}

/* Eight lanes of ordo_mma_bound. */
AVX512_INLINE __m512d raise(__m512d bound, __m256i grid, __m256i n_cut, __m256i last, __mmask8 sum_cut,
                            __mmask8 not_finite)
{
    __m512d terms = _mm512_mul_pd(_mm512_cvtepi32_pd(n_cut), power(grid)),
            sum = _mm512_maskz_mov_pd(sum_cut, power(last));
    __m512d step_bound = _mm512_add_round_pd(terms, sum, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);

    bound = _mm512_add_round_pd(bound, step_bound, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    return _mm512_mask_mov_pd(bound, not_finite, _mm512_castsi512_pd(_mm512_set1_epi64(INT64_C(0x7ff0000000000000))));
}

AVX512_INLINE void raise_all(double *bound, const struct loss *loss, __m512i c)
{
    const __m512i inf = _mm512_set1_epi32((int32_t)ORDO_FP32_INF);
    __mmask16 not_finite = _mm512_cmpeq_epi32_mask(_mm512_and_si512(c, inf), inf);

    _mm512_storeu_pd(bound, raise(_mm512_loadu_pd(bound), _mm512_castsi512_si256(loss->grid),
                                  _mm512_castsi512_si256(loss->n_cut), _mm512_castsi512_si256(loss->last),
                                  (__mmask8)loss->sum_cut, (__mmask8)not_finite));
    _mm512_storeu_pd(bound + 8,
                     raise(_mm512_loadu_pd(bound + 8), _mm512_extracti64x4_epi64(loss->grid, 1),
                           _mm512_extracti64x4_epi64(loss->n_cut, 1), _mm512_extracti64x4_epi64(loss->last, 1),
                           (__mmask8)(loss->sum_cut >> 8), (__mmask8)(not_finite >> 8)));
}

/* --- a chain ---------------------------------------------------------------------------------------------------- */

/* One step of one row. */
AVX512_INLINE void advance(const struct ordo_mma_model *model, int chunk, int bounded, const struct ordo_product *p,
                           struct ordo_packed_tile *tile, int32_t r, int32_t k, int known)
{
    __m512i now = _mm512_loadu_si512(tile->c[r]), next;
    struct number from = take(now);
    struct loss loss;

    next = step(model, chunk, bounded, &tile->row[r], &tile->block, k, &from, &loss);
    _mm512_storeu_si512(tile->c[r], next);
    if (bounded)
        raise_all(tile->bound[r], &loss, next);
    if (known || from.special) {
        uint32_t before[ORDO_MMA_LANES];

        _mm512_storeu_si512(before, now);
        ordo_mma_settle(p->format, tile, r, k, chunk, before);
    }
}

AVX512_INLINE void chain(const struct ordo_mma_model *model, int chunk, int bounded, const struct ordo_product *p,
                         struct ordo_packed_tile *tile)
{
    for (int32_t g = 0; g < p->n_group; g++) { /* ORDER: groups as listed, steps by ascending k */
        int32_t group = ordo_mma_group(p, g);

        for (int32_t k = ORDO_MMA_K * group; k < ORDO_MMA_K * (group + 1); k += chunk)
            for (int32_t r = 0; r < tile->n_row; r++)
                advance(model, chunk, bounded, p, tile, r, k, ordo_mma_known(tile, r, group));
    }
}

AVX512 void ordo_mma_avx512(const struct ordo_mma_model *model, const struct ordo_product *p,
                            struct ordo_packed_tile *tile)
{
    ORDO_BUG_ON(model->fraction > 25);
    if (model->chunk != ORDO_MMA_K) /* the compiler unrolls the usual chunk */
        chain(model, model->chunk, tile->bounded, p, tile);
    else if (tile->bounded)
        chain(model, ORDO_MMA_K, 1, p, tile);
    else
        chain(model, ORDO_MMA_K, 0, p, tile);
}

#else

void ordo_mma_avx512(const struct ordo_mma_model *model, const struct ordo_product *p, struct ordo_packed_tile *tile)
{
    (void)model, (void)p, (void)tile;
    ORDO_BUG_ON(true); /* ordo_isa_has says no */
}

#endif
