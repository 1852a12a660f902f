/* real_dot.c - exact dot products and single BF16 as MPFR sees them. */
#include "oracle/real_impl.h"

#include "oracle/dot.h"

bool ordo_real_dot(mpfr_t x, mpfr_t t, const uint16_t *a, const uint16_t *b, int32_t n)
{
    struct ordo_dot sum = {{0}};

    if (!ordo_dot_add(&sum, a, 1, b, 1, n))
        return false;
    mpfr_set_zero(x, 1);
    for (int i = 0; i < ORDO_DOT_CHUNKS; i++)
        if (sum.chunk[i]) {
            (void)mpfr_set_sj_2exp(t, sum.chunk[i], 32 * i + ORDO_DOT_LOWEST, MPFR_RNDN);
            ORDO_BUG_ON(mpfr_add(x, x, t, MPFR_RNDN) != 0); /* rounded, so not exact */
        }
    return true;
}

void ordo_real_bf16(mpfr_ptr x, mp_limb_t *limb, uint16_t bits)
{
    int32_t field = bits >> 7 & 0xff, hidden = field != 0;
    uint32_t magnitude = (uint32_t)((bits & 0x7f) | hidden << 7);
    int length = 32 - __builtin_clz(magnitude);

    *limb = (mp_limb_t)magnitude << (mp_bits_per_limb - length);
    mpfr_custom_init_set(x, bits >> 15 ? -MPFR_REGULAR_KIND : MPFR_REGULAR_KIND, field + !hidden - 134 + length,
                         ORDO_REAL_BF16_BITS, limb);
}
