/* real_dot.c - exact dot products of BF16, as integers; and one BF16 as MPFR sees it.
 *
 * A product of two BF16 is a 16-bit integer times 2^(place - 266), place in [0, 506].  chunk[i] counts 2^(32 i - 266);
 * a product adds less than 2^47 to its chunk, so 2^15 products fit before carries must move. */
#include "oracle/real_impl.h"

#include "ref/fp.h"

#include <string.h>

enum { CHUNKS = 18, BLOCK = 1 << 15, LOWEST = -266 };

/* significand 2^(field - 134), field at least 1. */
struct parts {
    int32_t significand, field;
};

static inline struct parts parts_of(uint16_t bits)
{
    int32_t field = bits >> 7 & 0xff, hidden = field != 0, magnitude = (bits & 0x7f) | hidden << 7;

    return (struct parts){bits >> 15 ? -magnitude : magnitude, field + !hidden};
}

static inline bool special(uint16_t bits)
{
    return (bits & ORDO_BF16_INF) == ORDO_BF16_INF;
}

static void carry(int64_t *chunk)
{
    for (int i = 0; i + 1 < CHUNKS; i++) {
        chunk[i + 1] += chunk[i] >> 32;
        chunk[i] &= INT64_C(0xffffffff);
    }
}

bool ordo_real_dot(mpfr_t x, mpfr_t t, const uint16_t *a, const uint16_t *b, int32_t n)
{
    int64_t chunk[CHUNKS] = {0};
    bool bad = false;

    for (int32_t i = 0; i < n; i++) {
        struct parts of_a = parts_of(a[i]), of_b = parts_of(b[i]);
        int32_t place = of_a.field + of_b.field - 2;

        bad |= special(a[i]) | special(b[i]);
        chunk[place >> 5] += (int64_t)(of_a.significand * of_b.significand) * (INT64_C(1) << (place & 31));
        if (i % BLOCK == BLOCK - 1)
            carry(chunk);
    }
    if (bad)
        return false;
    mpfr_set_zero(x, 1);
    for (int i = 0; i < CHUNKS; i++)
        if (chunk[i]) {
            (void)mpfr_set_sj_2exp(t, chunk[i], 32 * i + LOWEST, MPFR_RNDN);
            ORDO_BUG_ON(mpfr_add(x, x, t, MPFR_RNDN) != 0); /* rounded, so not exact */
        }
    return true;
}

void ordo_real_bf16(mpfr_ptr x, mp_limb_t *limb, uint16_t bits)
{
    struct parts p = parts_of(bits);
    uint32_t magnitude = (uint32_t)(p.significand < 0 ? -p.significand : p.significand);
    int length = 32 - __builtin_clz(magnitude);

    *limb = (mp_limb_t)magnitude << (mp_bits_per_limb - length);
    mpfr_custom_init_set(x, p.significand < 0 ? -MPFR_REGULAR_KIND : MPFR_REGULAR_KIND, p.field - 134 + length,
                         ORDO_REAL_BF16_BITS, limb);
}
