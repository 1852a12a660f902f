/* dot.c - see dot.h.
 *
 * A product is below 2^16 and shifted by at most 31, so a chunk takes 2^15 of them before carries must move; an fp32
 * significand so shifted is below 2^55. */
#include "oracle/dot.h"

#include "ref/fp.h"

#include <math.h>

/* significand 2^(field - 134), field at least 1. */
struct parts {
    int32_t significand, field;
};

static inline struct parts parts_of(uint16_t bits)
{
    int32_t field = bits >> 7 & 0xff, hidden = field != 0, magnitude = (bits & 0x7f) | hidden << 7;

    return (struct parts){bits >> 15 ? -magnitude : magnitude, field + !hidden};
}

static inline int special(uint16_t bits)
{
    return (bits & ORDO_BF16_INF) == ORDO_BF16_INF;
}

_Static_assert(-1 >> 1 == -1, "shifting a negative number right must keep its sign");

static void carry(int64_t *chunk)
{
    for (int i = 0; i + 1 < ORDO_DOT_CHUNKS; i++) {
        chunk[i + 1] += chunk[i] >> 32;
        chunk[i] &= INT64_C(0xffffffff);
    }
}

bool ordo_dot_add(struct ordo_dot *x, const uint16_t *a, ptrdiff_t a_step, const uint16_t *b, ptrdiff_t b_step,
                  int32_t n)
{
    int bad = 0;

    for (int32_t i = 0; i < n; i++) {
        uint16_t one = a[i * a_step], other = b[i * b_step];
        struct parts of_a = parts_of(one), of_b = parts_of(other);
        int32_t place = of_a.field + of_b.field - 2;

        bad |= special(one) | special(other);
        x->chunk[place >> 5] += (int64_t)(of_a.significand * of_b.significand) * (INT64_C(1) << (place & 31));
        if (i % ORDO_DOT_BLOCK == ORDO_DOT_BLOCK - 1)
            carry(x->chunk);
    }
    return !bad;
}

/* significand 2^(field - 150), field at least 1: place field + 116. */
void ordo_dot_add_fp32(struct ordo_dot *x, uint32_t bits, bool subtract)
{
    struct ordo_parts p = ordo_parts(&ordo_format_fp32, bits);
    int32_t place = p.e - 23 - ORDO_DOT_LOWEST;
    int64_t term = (int64_t)p.significand << (place & 31);

    carry(x->chunk);
    x->chunk[place >> 5] += p.minus != subtract ? -term : term;
}

double ordo_dot_abs_up(const struct ordo_dot *x)
{
    struct ordo_dot y = *x;
    int top = ORDO_DOT_CHUNKS - 1, shift;
    uint64_t high, kept;
    bool lost = false;

    carry(y.chunk);
    if (y.chunk[top] < 0) {
        for (int i = 0; i < ORDO_DOT_CHUNKS; i++)
            y.chunk[i] = -y.chunk[i];
        carry(y.chunk);
    }
    while (top > 1 && y.chunk[top] == 0)
        top--;
    high = (uint64_t)y.chunk[top] << 32 | (uint64_t)y.chunk[top - 1]; /* the last chunk is far below 2^32 */
    for (int i = 0; i < top - 1; i++)
        lost |= y.chunk[i] != 0;
    if (high == 0)
        return 0; /* then top is 1, and nothing lies below */
    shift = 64 - __builtin_clzll(high) - 53;
    shift = shift > 0 ? shift : 0;
    kept = (high >> shift) + (lost || (high & ((UINT64_C(1) << shift) - 1)));
    return ldexp((double)kept, shift + 32 * (top - 1) + ORDO_DOT_LOWEST);
}
