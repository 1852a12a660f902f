/* naive_mma.h - one tensor-core step the slow way, and what people believe it to be instead.
 *
 * An emulator of its own, in 64-bit integers, with knobs: set rightly it gives the card's bits, and every other
 * setting must not, or the golden outputs are too weak to tell. */
#ifndef ORDO_TESTS_NAIVE_MMA_H
#define ORDO_TESTS_NAIVE_MMA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct naive_model {
    const char *name;
    int fraction, chunk, floor;
    bool zero_takes_part; /* a zero product's exponent counts for the alignment */
    bool nearest;         /* the sum is rounded to nearest even, not cut */
};

/* What one product or the accumulator is: class first, then (-1)^minus m 2^(e - 14). */
struct naive_term {
    bool nan, inf, minus;
    int64_t m;
    int e;
};

static struct naive_term naive_number(uint32_t bits, int fraction_bits)
{
    int field = (int)(bits >> fraction_bits & 0xff);
    int64_t fraction = bits & ((UINT32_C(1) << fraction_bits) - 1);

    return (struct naive_term){
        .nan = field == 255 && fraction != 0,
        .inf = field == 255 && fraction == 0,
        .minus = bits >> (fraction_bits + 8) & 1,
        .m = field == 0 ? fraction : fraction | INT64_C(1) << fraction_bits,
        .e = (field == 0 ? 1 : field) - 127,
    };
}

static struct naive_term naive_product(uint16_t a, uint16_t b)
{
    struct naive_term x = naive_number(a, 7), y = naive_number(b, 7);

    return (struct naive_term){
        .nan = x.nan || y.nan || (x.inf && !y.inf && y.m == 0) || (y.inf && !x.inf && x.m == 0),
        .inf = x.inf || y.inf,
        .minus = x.minus != y.minus,
        .m = x.m * y.m,
        .e = x.e + y.e,
    };
}

/* |sum| 2^low as fp32, cut or rounded. */
static uint32_t naive_round(int64_t sum, int low, bool nearest)
{
    uint64_t m = (uint64_t)llabs(sum), lost;
    int top = 63 - __builtin_clzll(m), place = top + low - 23; /* exponent of the last place kept */
    int drop;

    if (place < -149)
        place = -149;
    drop = place - low;
    lost = drop <= 0 ? 0 : drop > 62 ? m : m & ((UINT64_C(1) << drop) - 1);
    m = drop <= 0 ? m << -drop : drop > 62 ? 0 : m >> drop;
    if (nearest && drop > 0 && drop <= 62) {
        uint64_t half = UINT64_C(1) << (drop - 1);

        m += lost > half || (lost == half && (m & 1));
    }
    if (m == 0)
        return 0;
    if (m >> 24) {
        m >>= 1;
        place++;
    }
    if (place > 104)
        m = UINT64_C(0x7f800000);
    else if (m >> 23)
        m = ((uint64_t)(place + 149 + 1) << 23) | (m & 0x7fffff);
    return (uint32_t)m | (sum < 0 ? UINT32_C(0x80000000) : 0);
}

static uint32_t naive_chunk(const struct naive_model *model, const uint16_t *a, const uint16_t *b, uint32_t c)
{
    struct naive_term term[17];
    bool nan = false, plus_inf = false, minus_inf = false;
    int n = model->chunk, most = -1000;
    int64_t sum = 0;

    for (int k = 0; k < n; k++)
        term[k] = naive_product(a[k], b[k]);
    term[n] = naive_number(c, 23);
    for (int k = 0; k <= n; k++) {
        nan |= term[k].nan;
        plus_inf |= term[k].inf && !term[k].minus;
        minus_inf |= term[k].inf && term[k].minus;
        if ((term[k].m != 0 || (k < n && model->zero_takes_part)) && term[k].e > most)
            most = term[k].e;
    }
    if (nan || (plus_inf && minus_inf))
        return 0x7fffffff;
    if (plus_inf || minus_inf)
        return plus_inf ? 0x7f800000 : 0xff800000;
    if (most < model->floor)
        most = model->floor;
    for (int k = 0; k <= n; k++) {
        int up = model->fraction - (k < n ? 14 : 23), down = most - term[k].e;
        int64_t m = term[k].m == 0 || down > 60 ? 0 : term[k].m << up >> down;

        sum += term[k].minus ? -m : m;
    }
    return sum == 0 ? 0 : naive_round(sum, most - model->fraction, model->nearest);
}

/* 16 products onto c, the model's chunk at a time. */
static uint32_t naive_step(const struct naive_model *model, const uint16_t *a, const uint16_t *b, uint32_t c)
{
    for (int k = 0; k < 16; k += model->chunk)
        c = naive_chunk(model, a + k, b + k, c);
    return c;
}

#endif
