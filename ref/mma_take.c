/* mma_take.c - operands into significands and exponents, 8 at a time. */
#include "ref/mma_impl.h"

#if ORDO_MMA_SIMD
#include <immintrin.h>

#define AVX2_INLINE static inline __attribute__((always_inline, target("avx2")))

/* Eight operands; which of them are Inf or NaN. */
AVX2_INLINE int take(const struct ordo_format *f, __m128i up, __m256i keep, const uint16_t *raw, int32_t *significand,
                     int32_t *exponent)
{
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi32(1);
    const __m256i hidden = _mm256_set1_epi32(1 << f->fraction),
                  top = _mm256_set1_epi32((1 << (15 - f->fraction)) - 1);
    __m256i bits = _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)raw));
    __m256i field = _mm256_and_si256(_mm256_srl_epi32(bits, _mm_cvtsi32_si128(f->fraction)), top);
    __m256i fraction = _mm256_and_si256(bits, _mm256_sub_epi32(hidden, one));
    __m256i leading = _mm256_andnot_si256(_mm256_cmpeq_epi32(field, zero), hidden);
    __m256i magnitude = _mm256_or_si256(fraction, leading), special = _mm256_cmpeq_epi32(field, top);
    __m256i none = _mm256_or_si256(special, _mm256_cmpeq_epi32(magnitude, zero));
    __m256i number = _mm256_sll_epi32(_mm256_andnot_si256(none, magnitude), up);
    __m256i e = _mm256_sub_epi32(_mm256_max_epi32(field, one), _mm256_set1_epi32(f->bias));

    number = _mm256_sign_epi32(number, _mm256_or_si256(bits, one)); /* sign-extended above */
    _mm256_storeu_si256((__m256i *)(void *)significand, _mm256_and_si256(number, keep));
    _mm256_storeu_si256((__m256i *)(void *)exponent,
                        _mm256_blendv_epi8(e, _mm256_set1_epi32(ORDO_MMA_NO_EXPONENT), none));
    return _mm256_movemask_epi8(special);
}

__attribute__((target("avx2"))) void ordo_mma_take(const struct ordo_format *format, int32_t up, int32_t keep,
                                                   size_t n, const struct ordo_packed *out)
{
    __m128i by = _mm_cvtsi32_si128(up);
    __m256i mask = _mm256_set1_epi32(keep);

    for (size_t i = 0; i < n; i += 16) {
        int special = take(format, by, mask, out->raw + i, out->significand + i, out->exponent + i);

        special |= take(format, by, mask, out->raw + i + 8, out->significand + i + 8, out->exponent + i + 8);
        out->special[i / 16] = special != 0;
    }
}

#else

void ordo_mma_take(const struct ordo_format *format, int32_t up, int32_t keep, size_t n,
                   const struct ordo_packed *out)
{
    (void)format, (void)up, (void)keep, (void)n, (void)out;
    ORDO_BUG_ON(true); /* ordo_isa_has says no */
}

#endif
