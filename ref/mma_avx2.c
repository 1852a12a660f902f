/* mma_avx2.c - the tensor core's step for 8 columns at once, one 32-bit lane each; a block of 16 is done in halves.
 *
 * As in mma_avx512.c two partial sums stay below 2^31.  What AVX2 lacks is done otherwise: the leading bit is found
 * through the exponent of a float, the bound is rounded up through the rest of TwoSum. */
#include "ref/mma_impl.h"

#if ORDO_MMA_SIMD
#include <immintrin.h>

#define AVX2        __attribute__((target("avx2")))
#define AVX2_INLINE static inline __attribute__((always_inline, target("avx2")))

enum { HALF = 8 };

struct loss {
    __m256i grid, n_cut, last, sum_cut; /* the last a mask */
};

/* An accumulator taken apart: significand with the number's sign, shifted to the grid; Inf and NaN as zero. */
struct number {
    __m256i term, exponent, special;
};

AVX2_INLINE __m256i choose(__m256i mask, __m256i yes, __m256i no)
{
    return _mm256_blendv_epi8(no, yes, mask);
}

AVX2_INLINE struct number take(__m256i c, int up)
{
    const __m256i zero = _mm256_setzero_si256(), inf_field = _mm256_set1_epi32(255);
    __m256i field = _mm256_srli_epi32(_mm256_slli_epi32(c, 1), 24);
    __m256i hidden = _mm256_andnot_si256(_mm256_cmpeq_epi32(field, zero), _mm256_set1_epi32(0x800000));
    __m256i magnitude = _mm256_or_si256(_mm256_and_si256(c, _mm256_set1_epi32(0x7fffff)), hidden), none;
    struct number x;

    x.special = _mm256_cmpeq_epi32(field, inf_field);
    none = _mm256_or_si256(x.special, _mm256_cmpeq_epi32(magnitude, zero));
    magnitude = _mm256_slli_epi32(_mm256_andnot_si256(none, magnitude), up);
    x.term = _mm256_sign_epi32(magnitude, _mm256_or_si256(c, _mm256_set1_epi32(1)));
    x.exponent = _mm256_sub_epi32(_mm256_max_epi32(field, _mm256_set1_epi32(1)), _mm256_set1_epi32(127));
    x.exponent = choose(none, _mm256_set1_epi32(ORDO_MMA_NO_EXPONENT), x.exponent);
    return x;
}

/* sum += term cut toward zero to the grid `down` bits above its unit. */
AVX2_INLINE __m256i add(__m256i sum, __m256i term, __m256i down, int bounded, __m256i *n_cut)
{
    __m256i magnitude = _mm256_abs_epi32(term), kept = _mm256_srlv_epi32(magnitude, down);

    if (bounded) { /* a mask is -1 */
        __m256i whole = _mm256_cmpeq_epi32(_mm256_sllv_epi32(kept, down), magnitude);

        *n_cut = _mm256_add_epi32(*n_cut, _mm256_add_epi32(whole, _mm256_set1_epi32(1)));
    }
    return _mm256_add_epi32(sum, _mm256_sign_epi32(kept, term));
}

/* floor(log2) of an unsigned number; 0 for 0.  The bit below the leading one is cleared first, so that no rounding of
 * the conversion can carry. */
AVX2_INLINE __m256i top_bit(__m256i x)
{
    __m256i half = _mm256_srli_epi32(x, 1), lone = _mm256_andnot_si256(_mm256_srli_epi32(half, 1), half);
    __m256i e = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(lone)), 23);

    return _mm256_max_epi32(_mm256_sub_epi32(e, _mm256_set1_epi32(126)), _mm256_setzero_si256());
}

/* low + high, each below 2^31 in magnitude, cut to fp32; its unit is 2^grid. */
AVX2_INLINE __m256i cut(__m256i low, __m256i high, __m256i grid, int bounded, struct loss *loss)
{
    const __m256i zero = _mm256_setzero_si256();
    /* the sign of the sum without its 33rd bit; wrong only for a sum of 0, which has none */
    __m256i minus = _mm256_srai_epi32(_mm256_add_epi32(_mm256_srai_epi32(low, 1), _mm256_srai_epi32(high, 1)), 31);
    __m256i magnitude = _mm256_sub_epi32(_mm256_xor_si256(_mm256_add_epi32(low, high), minus), minus);
    __m256i top = top_bit(magnitude), e = _mm256_add_epi32(grid, top);
    __m256i left = _mm256_sllv_epi32(magnitude, _mm256_sub_epi32(_mm256_set1_epi32(31), top));
    __m256i field = _mm256_add_epi32(e, _mm256_set1_epi32(126)); /* less one, since the leading bit adds it */
    __m256i down = _mm256_sub_epi32(_mm256_set1_epi32(8), _mm256_min_epi32(field, zero));
    __m256i kept = _mm256_srlv_epi32(left, down), none = _mm256_cmpeq_epi32(magnitude, zero);
    __m256i bits = _mm256_add_epi32(_mm256_slli_epi32(_mm256_max_epi32(field, zero), 23), kept), sign;

    bits = choose(_mm256_cmpgt_epi32(e, _mm256_set1_epi32(127)), _mm256_set1_epi32((int32_t)ORDO_FP32_INF), bits);
    bits = _mm256_andnot_si256(none, bits);
    if (bounded) {
        loss->grid = grid;
        loss->last = _mm256_sub_epi32(_mm256_max_epi32(e, _mm256_set1_epi32(-126)), _mm256_set1_epi32(23));
        loss->sum_cut = _mm256_or_si256(none, _mm256_cmpeq_epi32(_mm256_sllv_epi32(kept, down), left));
        loss->sum_cut = _mm256_xor_si256(loss->sum_cut, _mm256_set1_epi32(-1));
    }
    sign = _mm256_andnot_si256(_mm256_cmpeq_epi32(bits, zero), _mm256_slli_epi32(minus, 31));
    return _mm256_or_si256(bits, sign);
}

AVX2_INLINE __m256i load(const int32_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

/* One step of `chunk` products from k on; Inf and NaN count as zero here. */
AVX2_INLINE __m256i step(const struct ordo_mma_model *model, int chunk, int bounded, const struct ordo_packed *row,
                         const struct ordo_packed *block, ptrdiff_t at, int lane, const struct number *c,
                         struct loss *loss)
{
    __m256i e = _mm256_set1_epi32(model->floor), half[2], n_cut = _mm256_setzero_si256();

    half[0] = half[1] = _mm256_setzero_si256();
    ORDO_UNROLL
    for (int k = 0; k < chunk; k++)
        e = _mm256_max_epi32(e, _mm256_add_epi32(_mm256_set1_epi32(row->exponent[at + k]),
                                                 load(block->exponent + 16 * (at + k) + lane)));
    e = _mm256_max_epi32(e, c->exponent); /* last: all before it need not wait for the step before */
    ORDO_UNROLL
    for (int k = 0; k < chunk; k++) {
        __m256i product = _mm256_madd_epi16(_mm256_set1_epi32(row->significand[at + k]),
                                            load(block->significand + 16 * (at + k) + lane));
        __m256i of_row = _mm256_sub_epi32(e, _mm256_set1_epi32(row->exponent[at + k]));
        __m256i down = _mm256_sub_epi32(of_row, load(block->exponent + 16 * (at + k) + lane));

        half[k & 1] = add(half[k & 1], product, down, bounded, &n_cut);
    }
    half[0] = add(half[0], c->term, _mm256_sub_epi32(e, c->exponent), bounded, &n_cut);
    loss->n_cut = n_cut;
    return cut(half[0], half[1], _mm256_sub_epi32(e, _mm256_set1_epi32(model->fraction)), bounded, loss);
}

/* --- the bound -------------------------------------------------------------------------------------------------- */

AVX2_INLINE __m256d power(__m128i e)
{
    return _mm256_castsi256_pd(
        _mm256_slli_epi64(_mm256_add_epi64(_mm256_cvtepi32_epi64(e), _mm256_set1_epi64x(1023)), 52));
}

/* a + b >= 0 rounded up: one more in the last place where the rest is positive. */
AVX2_INLINE __m256d add_up(__m256d a, __m256d b)
{
    __m256d sum = _mm256_add_pd(a, b), of_b = _mm256_sub_pd(sum, a);
    __m256d rest = _mm256_add_pd(_mm256_sub_pd(a, _mm256_sub_pd(sum, of_b)), _mm256_sub_pd(b, of_b));
    __m256d short_of = _mm256_cmp_pd(rest, _mm256_setzero_pd(), _CMP_GT_OQ);

    return _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_castpd_si256(sum), _mm256_castpd_si256(short_of)));
}

/* Four lanes of ordo_mma_bound. */
AVX2_INLINE void raise(double *bound, __m128i grid, __m128i n_cut, __m128i last, __m128i sum_cut, __m128i not_finite)
{
    __m256d inf = _mm256_castsi256_pd(_mm256_set1_epi64x(INT64_C(0x7ff0000000000000)));
    __m256d terms = _mm256_mul_pd(_mm256_cvtepi32_pd(n_cut), power(grid));
    __m256d sum = _mm256_and_pd(_mm256_castsi256_pd(_mm256_cvtepi32_epi64(sum_cut)), power(last));
    __m256d next = add_up(_mm256_loadu_pd(bound), add_up(terms, sum));

    next = _mm256_blendv_pd(next, inf, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(not_finite)));
    _mm256_storeu_pd(bound, next);
}

AVX2_INLINE void raise_all(double *bound, const struct loss *loss, __m256i c)
{
    const __m256i inf = _mm256_set1_epi32((int32_t)ORDO_FP32_INF);
    __m256i not_finite = _mm256_cmpeq_epi32(_mm256_and_si256(c, inf), inf);

    raise(bound, _mm256_castsi256_si128(loss->grid), _mm256_castsi256_si128(loss->n_cut),
          _mm256_castsi256_si128(loss->last), _mm256_castsi256_si128(loss->sum_cut),
          _mm256_castsi256_si128(not_finite));
    raise(bound + 4, _mm256_extracti128_si256(loss->grid, 1), _mm256_extracti128_si256(loss->n_cut, 1),
          _mm256_extracti128_si256(loss->last, 1), _mm256_extracti128_si256(loss->sum_cut, 1),
          _mm256_extracti128_si256(not_finite, 1));
}

/* --- a chain ---------------------------------------------------------------------------------------------------- */

/* One step of one row, all 16 columns. */
AVX2_INLINE void advance(const struct ordo_mma_model *model, int chunk, int bounded, const struct ordo_product *p,
                         struct ordo_packed_tile *tile, int32_t r, int32_t k, int known)
{
    uint32_t before[ORDO_MMA_LANES];

    for (int i = 0; i < ORDO_MMA_LANES; i += HALF) {
        __m256i *c = (__m256i *)(void *)(tile->c[r] + i), now = _mm256_loadu_si256(c), next;
        struct number from = take(now, model->fraction - 23);
        struct loss loss;

        next = step(model, chunk, bounded, &tile->row[r], &tile->block, k, i, &from, &loss);
        if (bounded)
            raise_all(tile->bound[r] + i, &loss, next);
        known |= _mm256_movemask_epi8(from.special);
        _mm256_storeu_si256((__m256i *)(void *)(before + i), now);
        _mm256_storeu_si256(c, next);
    }
    if (known)
        ordo_mma_settle(p->format, tile, r, k, chunk, before);
}

AVX2_INLINE void chain(const struct ordo_mma_model *model, int chunk, int bounded, const struct ordo_product *p,
                       struct ordo_packed_tile *tile)
{
    for (int32_t g = 0; g < p->n_group; g++) { /* ORDER: groups as listed, steps by ascending k */
        int32_t group = ordo_mma_group(p, g);

        for (int32_t k = ORDO_MMA_K * group; k < ORDO_MMA_K * (group + 1); k += chunk)
            for (int32_t r = 0; r < tile->n_row; r++)
                advance(model, chunk, bounded, p, tile, r, k, ordo_mma_known(tile, r, group));
    }
}

AVX2 void ordo_mma_avx2(const struct ordo_mma_model *model, const struct ordo_product *p,
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

void ordo_mma_avx2(const struct ordo_mma_model *model, const struct ordo_product *p, struct ordo_packed_tile *tile)
{
    (void)model, (void)p, (void)tile;
    ORDO_BUG_ON(true); /* ordo_isa_has says no */
}

#endif
