/* rational.h - exact fractions of 64-bit integers, for times and bounds that must be equal, not close. */
#ifndef ORDO_BASE_RATIONAL_H
#define ORDO_BASE_RATIONAL_H

#include <stdbool.h>
#include <stdint.h>

/* Invariant: den > 0 and no common divisor. */
struct ordo_rational {
    int64_t num, den;
};

/* num / den in lowest terms; den > 0. */
struct ordo_rational ordo_rational_of(int64_t num, int64_t den);

/* "3", "3/2", "0.25": not negative, at most 9 digits after the point.  False for any other text, or beyond 64
 * bits. */
bool ordo_rational_parse(const char *text, struct ordo_rational *out);

/* -1, 0, 1 as a is below, equal to, above b. */
int ordo_rational_compare(struct ordo_rational a, struct ordo_rational b);

/* a + b, a * b, a / b (b > 0); false, and nothing stored, where a term leaves 64 bits. */
bool ordo_rational_add(struct ordo_rational a, struct ordo_rational b, struct ordo_rational *out);
bool ordo_rational_mul(struct ordo_rational a, struct ordo_rational b, struct ordo_rational *out);
bool ordo_rational_div(struct ordo_rational a, struct ordo_rational b, struct ordo_rational *out);

/* The least common multiple of den and x.den into *den; false beyond 64 bits. */
bool ordo_rational_common(struct ordo_rational x, int64_t *den);

/* For pages; never for a decision. */
static inline double ordo_rational_real(struct ordo_rational x)
{
    return (double)x.num / (double)x.den;
}

/* "3/2", or "3"; returns out. */
enum { ORDO_RATIONAL_TEXT = 48 };
const char *ordo_rational_text(struct ordo_rational x, char out[ORDO_RATIONAL_TEXT]);

#endif
