/* exact.c - see exact.h.
 *
 * Two ways into the same nine chunks:
 *
 *   Many terms: 512 buckets, one for each pattern of sign and exponent, so that a term costs one mask, one OR and one
 *   add, without a branch: bucket[bits >> 23] += fraction + COUNT.  The upper 24 bits of a bucket count its terms;
 *   from the count follow the hidden bits (none for subnormals), and Inf and NaN show up in buckets of their own.
 *   Fractions stay below 2^23, so a bucket holds 2^17 terms before one part runs into the other; blocks are 2^16.
 *   Two tables take turns: terms of one exponent in a row would otherwise wait for each other's store.
 *   Emptying the tables costs as much as a few hundred terms.
 *
 *   Few terms: each significand is shifted straight into its chunk.  That is below 2^55, so a chunk takes
 *   FEW < 2^8 terms before carries must move.  An Inf or NaN sends the block the other way. */
#include "oracle/exact.h"

#include "base/status.h"
#include "ref/fp.h"

#include <math.h>
#include <string.h>

enum { BUCKETS = 512, BANKS = 2, BLOCK = 1 << 16, FEW = 160 };
#define COUNT (UINT64_C(1) << 40)

/* Written out because compilers turn the loop into a string instruction that takes longer than a short sum. */
static inline void clear(int64_t *chunk)
{
    _Static_assert(ORDO_EXACT_CHUNKS == 9, "clear() names each chunk");
    chunk[0] = chunk[1] = chunk[2] = chunk[3] = chunk[4] = chunk[5] = chunk[6] = chunk[7] = chunk[8] = 0;
}

void ordo_exact_init(struct ordo_exact *x)
{
    clear(x->chunk);
    x->n = x->n_plus_inf = x->n_minus_inf = x->n_nan = 0;
}

_Static_assert(-1 >> 1 == -1, "shifting a negative number right must keep its sign");

/* Restores the invariant: what exceeds 32 bits of a chunk, of either sign, belongs to the next. */
static void carry(int64_t *chunk)
{
    for (int i = 0; i + 1 < ORDO_EXACT_CHUNKS; i++) {
        chunk[i + 1] += chunk[i] >> 32;
        chunk[i] &= INT64_C(0xffffffff);
    }
}

/* --- few terms -------------------------------------------------------------------------------------------------- */

static inline void shift_in(int64_t *chunk, uint32_t bits)
{
    uint32_t exponent = bits >> 23 & 0xff, hidden = exponent != 0, place = exponent - hidden;
    int64_t significand = (int64_t)((bits & ORDO_FP32_FRACTION) | hidden << 23) << (place & 31);
    int64_t sign = -(int64_t)(bits >> 31);

    chunk[place >> 5] += (significand ^ sign) - sign;
}

/* The top bit: whether the exponent field is 255. */
static inline uint32_t special(uint32_t bits)
{
    return (bits & ~ORDO_FP32_SIGN) + (UINT32_C(1) << 23);
}

/* Adds n <= FEW terms, or returns false and leaves x alone if one of them is special. */
static bool add_few(struct ordo_exact *x, const float *term, size_t n, size_t stride)
{
    int64_t even[ORDO_EXACT_CHUNKS], odd[ORDO_EXACT_CHUNKS];
    uint32_t seen = 0, bits;
    size_t i = 0;

    clear(even);
    clear(odd);
    for (; i + 2 <= n; i += 2) {
        bits = ordo_fp32_bits(term[i * stride]);
        seen |= special(bits);
        shift_in(even, bits);
        bits = ordo_fp32_bits(term[(i + 1) * stride]);
        seen |= special(bits);
        shift_in(odd, bits);
    }
    if (i < n) {
        bits = ordo_fp32_bits(term[i * stride]);
        seen |= special(bits);
        shift_in(even, bits);
    }
    if (seen & ORDO_FP32_SIGN)
        return false;
    for (int k = 0; k < ORDO_EXACT_CHUNKS; k++)
        x->chunk[k] += even[k] + odd[k];
    carry(x->chunk);
    return true;
}

/* --- many terms ------------------------------------------------------------------------------------------------- */

static void fill(uint64_t bucket[BANKS][BUCKETS], const float *term, size_t n, size_t stride)
{
    size_t i = 0;

    for (; i + BANKS <= n; i += BANKS)
        for (size_t b = 0; b < BANKS; b++) {
            uint32_t bits = ordo_fp32_bits(term[(i + b) * stride]);

            bucket[b][bits >> 23] += (bits & ORDO_FP32_FRACTION) + COUNT;
        }
    for (; i < n; i++) {
        uint32_t bits = ordo_fp32_bits(term[i * stride]);

        bucket[0][bits >> 23] += (bits & ORDO_FP32_FRACTION) + COUNT;
    }
}

/* Adds value * 2^(place - 149), |value| < 2^41, without moving carries. */
static void place_in(int64_t *chunk, int64_t value, uint32_t place)
{
    __int128 shifted = (__int128)value * (INT64_C(1) << (place & 31));

    chunk[place >> 5] += (int64_t)(shifted & UINT32_MAX);
    chunk[(place >> 5) + 1] += (int64_t)(shifted >> 32);
}

/* The sum of the significands of a bucket. */
static int64_t significands(uint64_t bucket, uint32_t exponent)
{
    uint64_t count = exponent ? bucket / COUNT : 0;

    return (int64_t)(bucket % COUNT + (count << 23));
}

/* Cold: only for a block whose buckets 255 or 511 are in use. */
static void count_special(struct ordo_exact *x, const float *term, size_t n, size_t stride)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = ordo_fp32_bits(term[i * stride]);

        x->n_plus_inf += bits == ORDO_FP32_INF;
        x->n_minus_inf += bits == (ORDO_FP32_INF | ORDO_FP32_SIGN);
        x->n_nan += ordo_fp32_class(bits) == ORDO_FP_NOT_A_NUMBER;
    }
}

/* Buckets 255 and 511, Inf and NaN, are left out; returns whether they were in use. */
static bool empty(struct ordo_exact *x, uint64_t bucket[BANKS][BUCKETS])
{
    for (uint32_t e = 0; e < 255; e++) {
        uint64_t plus = bucket[0][e] + bucket[1][e], minus = bucket[0][e + 256] + bucket[1][e + 256];

        if (plus | minus)
            place_in(x->chunk, significands(plus, e) - significands(minus, e), e - (e != 0));
    }
    carry(x->chunk);
    return bucket[0][255] | bucket[1][255] | bucket[0][511] | bucket[1][511];
}

static void add_many(struct ordo_exact *x, const float *term, size_t n, size_t stride)
{
    uint64_t bucket[BANKS][BUCKETS];

    memset(bucket, 0, sizeof bucket);
    fill(bucket, term, n, stride);
    if (empty(x, bucket))
        count_special(x, term, n, stride);
}

void ordo_exact_add(struct ordo_exact *x, const float *term, size_t n, size_t stride)
{
    x->n += n;
    while (n) {
        size_t part = n < BLOCK ? n : BLOCK;

        if (part > FEW || !add_few(x, term, part, stride))
            add_many(x, term, part, stride);
        term += part * stride;
        n -= part;
    }
}

/* --- results ---------------------------------------------------------------------------------------------------- */

bool ordo_exact_special(const struct ordo_exact *x)
{
    return x->n_plus_inf || x->n_minus_inf || x->n_nan;
}

/* Sign and magnitude of chunks that keep the invariant, in one pass. */
static struct ordo_wide widen(const int64_t *chunk)
{
    int64_t sign = chunk[ORDO_EXACT_CHUNKS - 1] >> 63, low, high = 0;
    struct ordo_wide w = {.negative = sign != 0};

    for (int i = 0; i + 1 < ORDO_WIDE_LIMBS; i++) {
        low = (chunk[2 * i] ^ sign) - sign + high;
        high = (chunk[2 * i + 1] ^ sign) - sign + (low >> 32);
        w.limb[i] = (uint64_t)(low & INT64_C(0xffffffff)) | (uint64_t)high << 32;
        high >>= 32;
    }
    w.limb[ORDO_WIDE_LIMBS - 1] = (uint64_t)((chunk[ORDO_EXACT_CHUNKS - 1] ^ sign) - sign + high);
    return w;
}

struct ordo_wide ordo_exact_wide(const struct ordo_exact *x)
{
    ORDO_BUG_ON(ordo_exact_special(x));
    return widen(x->chunk);
}

static uint32_t special_bits(const struct ordo_exact *x)
{
    if (x->n_nan || (x->n_plus_inf && x->n_minus_inf))
        return ORDO_FP32_NAN;
    return x->n_plus_inf ? ORDO_FP32_INF : ORDO_FP32_INF | ORDO_FP32_SIGN;
}

void ordo_exact_round(const struct ordo_exact *x, uint32_t *fp32, uint16_t *bf16)
{
    if (ordo_exact_special(x)) {
        *fp32 = special_bits(x);
        *bf16 = ordo_bf16_round(*fp32);
    } else {
        struct ordo_wide w = widen(x->chunk);

        *fp32 = ordo_wide_fp32(&w);
        *bf16 = ordo_wide_bf16(&w);
    }
}

double ordo_exact_error(const struct ordo_exact *x, uint32_t fp32_bits)
{
    struct ordo_exact rest = *x;
    struct ordo_wide w;

    if (ordo_exact_special(x) || !ordo_fp32_finite(fp32_bits))
        return (double)NAN;
    shift_in(rest.chunk, fp32_bits ^ ORDO_FP32_SIGN);
    carry(rest.chunk);
    w = widen(rest.chunk);
    return ordo_wide_abs_up(&w);
}
