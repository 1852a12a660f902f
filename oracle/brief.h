/* brief.h - the oracle's answer for a short sum whose exponents lie near each other: one 128-bit integer.
 *
 * Says exactly what ordo_exact_round and ordo_exact_error say, or nothing.  A tenth of their time for two terms, and
 * small problems have nothing else. */
#ifndef ORDO_ORACLE_BRIEF_H
#define ORDO_ORACLE_BRIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ordo_brief {
    uint32_t fp32; /* the exact sum, rounded once */
    uint16_t bf16;
    double error;  /* |tree - exact sum|, rounded up */
};

enum { ORDO_BRIEF_TERMS = 64, ORDO_BRIEF_BINADES = 94 };

/* False, and *out alone, for more than ORDO_BRIEF_TERMS terms, exponents more than ORDO_BRIEF_BINADES apart, Inf,
 * NaN, or a tree (fp32 bits) that such a sum cannot be compared with in 128 bits. */
bool ordo_brief(const float *term, size_t n, size_t stride, uint32_t tree, struct ordo_brief *out);

#endif
