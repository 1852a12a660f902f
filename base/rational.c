/* rational.c - see rational.h. */
#include "base/rational.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>

static __int128 gcd(__int128 a, __int128 b)
{
    if (a < 0)
        a = -a;
    while (b) {
        __int128 rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* den > 0. */
static bool reduced(__int128 num, __int128 den, struct ordo_rational *out)
{
    __int128 common = gcd(num, den);

    num /= common;
    den /= common;
    if (num > INT64_MAX || num < INT64_MIN || den > INT64_MAX)
        return false;
    *out = (struct ordo_rational){(int64_t)num, (int64_t)den};
    return true;
}

struct ordo_rational ordo_rational_of(int64_t num, int64_t den)
{
    struct ordo_rational x;

    ORDO_BUG_ON(den <= 0 || !reduced(num, den, &x));
    return x;
}

/* Decimal digits from *text into *x; false without a digit or beyond 64 bits. */
static bool digits(const char **text, int64_t *x, int *count)
{
    for (*count = 0; **text >= '0' && **text <= '9'; ++*text, ++*count)
        if (__builtin_mul_overflow(*x, 10, x) || __builtin_add_overflow(*x, **text - '0', x))
            return false;
    return *count > 0;
}

bool ordo_rational_parse(const char *text, struct ordo_rational *out)
{
    int64_t num = 0, den = 1;
    int count;

    if (!digits(&text, &num, &count))
        return false;
    if (*text == '.') {
        text++;
        if (!digits(&text, &num, &count) || count > 9)
            return false;
        while (count--)
            den *= 10;
    } else if (*text == '/') {
        text++;
        den = 0;
        if (!digits(&text, &den, &count) || den == 0)
            return false;
    }
    return *text == '\0' && reduced(num, den, out);
}

int ordo_rational_compare(struct ordo_rational a, struct ordo_rational b)
{
    __int128 left = (__int128)a.num * b.den, right = (__int128)b.num * a.den;

    return (left > right) - (left < right);
}

bool ordo_rational_add(struct ordo_rational a, struct ordo_rational b, struct ordo_rational *out)
{
    return reduced((__int128)a.num * b.den + (__int128)b.num * a.den, (__int128)a.den * b.den, out);
}

bool ordo_rational_mul(struct ordo_rational a, struct ordo_rational b, struct ordo_rational *out)
{
    return reduced((__int128)a.num * b.num, (__int128)a.den * b.den, out);
}

bool ordo_rational_div(struct ordo_rational a, struct ordo_rational b, struct ordo_rational *out)
{
    ORDO_BUG_ON(b.num <= 0);
    return reduced((__int128)a.num * b.den, (__int128)a.den * b.num, out);
}

bool ordo_rational_common(struct ordo_rational x, int64_t *den)
{
    __int128 common = (__int128)*den / gcd(*den, x.den) * x.den;

    if (common > INT64_MAX)
        return false;
    *den = (int64_t)common;
    return true;
}

const char *ordo_rational_text(struct ordo_rational x, char out[ORDO_RATIONAL_TEXT])
{
    if (x.den == 1)
        (void)snprintf(out, ORDO_RATIONAL_TEXT, "%" PRId64, x.num);
    else
        (void)snprintf(out, ORDO_RATIONAL_TEXT, "%" PRId64 "/%" PRId64, x.num, x.den);
    return out;
}
