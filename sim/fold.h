/* fold.h - the last tree: how the planes of a row become one sum.
 *
 * Groups of eight planes ascending (the last may be short), each summed from +0.0; then the group sums ascending from
 * +0.0.  Planes that nobody wrote hold +0.0 and take part.  Since both levels start from +0.0, no result is -0.0.
 * Source: the two fold kernels of cudnn-frontend #810. */
#ifndef ORDO_SIM_FOLD_H
#define ORDO_SIM_FOLD_H

#include "protocol/index.h"

static inline uint32_t ordo_fold_groups(uint32_t planes)
{
    return (planes + ORDO_FOLD_GROUP - 1) / ORDO_FOLD_GROUP;
}

static inline uint32_t ordo_fold_group(uint32_t plane)
{
    return plane / ORDO_FOLD_GROUP;
}

/* One past the last plane of a group. */
static inline uint32_t ordo_fold_group_end(uint32_t group, uint32_t planes)
{
    uint32_t end = (group + 1) * ORDO_FOLD_GROUP;

    return end < planes ? end : planes;
}

#endif
