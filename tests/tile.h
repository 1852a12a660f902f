/* tile.h - seeded operands of a product, of one of the ten families. */
#ifndef ORDO_TESTS_TILE_H
#define ORDO_TESTS_TILE_H

#include "base/families.h"
#include "ref/mma.h"

#include <stdlib.h>

static const char *const family_name[ORDO_FAMILIES] = ORDO_FAMILY_NAMES;

struct tile {
    int32_t m, n, k;
    uint16_t *a, *b; /* m x k; n x k, B by its columns */
    uint32_t *c;     /* m x n */
    double *bound;
};

static inline void tile_fill(struct tile *t, int family, uint64_t seed)
{
    for (int32_t i = 0; i < t->m; i++)
        for (int32_t k = 0; k < t->k; k++)
            t->a[i * t->k + k] = ordo_family_a(family, seed, (uint32_t)i, (uint32_t)k);
    for (int32_t j = 0; j < t->n; j++)
        for (int32_t k = 0; k < t->k; k++)
            t->b[j * t->k + k] = ordo_family_b(family, seed, (uint32_t)j, (uint32_t)k);
}

/* The accumulators before the first group, and bounds of 0. */
static inline void tile_start(struct tile *t, int family, uint64_t seed)
{
    for (int32_t i = 0; i < t->m; i++)
        for (int32_t j = 0; j < t->n; j++) {
            t->c[i * t->n + j] = ordo_family_c(family, seed, (uint32_t)i, (uint32_t)j);
            t->bound[i * t->n + j] = 0;
        }
}

static inline struct tile tile_new(int32_t m, int32_t n, int32_t k)
{
    return (struct tile){m,
                         n,
                         k,
                         calloc((size_t)m * (size_t)k, sizeof(uint16_t)),
                         calloc((size_t)n * (size_t)k, sizeof(uint16_t)),
                         calloc((size_t)m * (size_t)n, sizeof(uint32_t)),
                         calloc((size_t)m * (size_t)n, sizeof(double))};
}

static inline void tile_free(struct tile *t)
{
    free(t->a);
    free(t->b);
    free(t->c);
    free(t->bound);
}

static inline struct ordo_product tile_product(const struct tile *t, const struct ordo_format *format, bool bounded)
{
    return (struct ordo_product){.format = format,
                                 .m = t->m,
                                 .n = t->n,
                                 .k = t->k,
                                 .a = t->a,
                                 .b = t->b,
                                 .a_row = t->k,
                                 .a_k = 1,
                                 .b_k = 1,
                                 .b_column = t->k,
                                 .c = t->c,
                                 .bound = bounded ? t->bound : NULL,
                                 .c_row = t->n};
}

#endif
