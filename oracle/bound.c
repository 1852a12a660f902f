/* bound.c - see bound.h. */
#include "oracle/bound.h"

#include "base/status.h"
#include "sim/fold.h"

#include <math.h>

/* Of n operands that are added one by one to +0.0, how many additions may round operand i. */
static inline uint32_t passes(uint32_t i, uint32_t n)
{
    return n - (i ? i : 1);
}

static bool same_plane(const struct ordo_row *row, uint32_t i, uint32_t k)
{
    return row->add[i].plane == row->add[k].plane;
}

static bool same_group(const struct ordo_row *row, uint32_t i, uint32_t k)
{
    return ordo_fold_group(row->add[i].plane) == ordo_fold_group(row->add[k].plane);
}

static uint32_t count_groups(const struct ordo_row *row)
{
    uint32_t n = row->n_add != 0;

    for (uint32_t i = 1; i < row->n_add; i++)
        n += !same_group(row, i, i - 1);
    return n;
}

/* Leaves [first, end) are one plane, operand `at` of the level above; base is what those above it add. */
static void plane_heights(uint32_t first, uint32_t end, uint32_t base, uint32_t *height)
{
    for (uint32_t i = first; i < end; i++)
        height[i] = base + passes(i - first, end - first);
}

/* Leaves [first, end) are one group; base is what the last level adds. */
static void group_heights(const struct ordo_row *row, uint32_t first, uint32_t end, uint32_t base, uint32_t *height)
{
    uint32_t n_plane = 1, at = 0, start = first;

    for (uint32_t i = first + 1; i < end; i++)
        n_plane += !same_plane(row, i, i - 1);
    for (uint32_t i = first + 1; i <= end; i++)
        if (i == end || !same_plane(row, i, i - 1)) {
            plane_heights(start, i, base + passes(at++, n_plane), height);
            start = i;
        }
}

void ordo_bound_heights(const struct ordo_row *row, uint32_t planes, uint32_t *height)
{
    uint32_t n_group = count_groups(row), at = 0, start = 0;

    ORDO_BUG_ON(row->n_add && row->add[row->n_add - 1].plane >= planes);
    for (uint32_t i = 1; i <= row->n_add; i++)
        if (i == row->n_add || !same_group(row, i, i - 1)) {
            group_heights(row, start, i, passes(at++, n_group), height);
            start = i;
        }
}

/* gamma grows with h, so h u / (1 - H u) with the largest height H is not below it: one division for all leaves.
 *
 * Outward: every product h |x| is exact in double (24 + 24 bits) and no term underflows (h |x| u >= 2^-173).  The sum
 * of n non-negative doubles and the four operations after it, each off by a factor of at least 1 - 2^-53, lose
 * a factor of at least (1 - 2^-53)^(n + 4); 1 + (n + 8) 2^-52 more than restores it for every n < 2^50. */
double ordo_bound(const uint32_t *height, const float *term, size_t n, size_t stride)
{
    double weighted = 0, u = 0x1p-24;
    uint32_t highest = 0;

    for (size_t i = 0; i < n; i++) {
        weighted += (double)height[i] * fabs((double)term[i * stride]);
        highest = height[i] > highest ? height[i] : highest;
    }
    if (isnan(weighted))
        return (double)NAN;
    if (highest >= 1u << 24)
        return (double)INFINITY;
    return weighted * u / (1 - (double)highest * u) * (1 + ((double)n + 8) * 0x1p-52);
}
