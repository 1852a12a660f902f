/* launch.h - what surrounds the relay: plane starts, the hand-over of a wave, the final fold. */
#ifndef ORDO_PROTOCOL_LAUNCH_H
#define ORDO_PROTOCOL_LAUNCH_H

#include "protocol/index.h"

/* Plane start by clear: one thread's columns of one row. */
ORDO_ROLE void ordo_launch_clear(ORDO_TAPE ORDO_FLOATS plane, int64_t row, int32_t d8, int32_t first, int32_t step)
{
    for (int32_t d = first; d < d8; d += step)
        ORDO_STORE_F32(weak, plane, row, d8, d, ORDO_CONSTANT(0.0f));
}

/* Plane start by first writer: it stores where later ones add. */
ORDO_ROLE void ordo_launch_first(ORDO_TAPE ORDO_FLOATS plane, int64_t row, ORDO_VALUES x, int32_t d8, int32_t first,
                                 int32_t step)
{
    for (int32_t d = first; d < d8; d += step)
        ORDO_STORE_F32(weak, plane, row, d8, d, ORDO_VALUE(x, d));
}

/* Between two waves of a persistent cluster: every thread of every CTA of it. */
ORDO_ROLE void ordo_launch_hand_over(ORDO_TAPE_ONLY)
{
    ORDO_CLUSTER_ARRIVE(release);
    ORDO_CLUSTER_WAIT(acquire);
}

/* One sum of the final fold for one column: every step-th plane from first to end of the row, ascending, from +0.0.
 * It goes to the plane `first`, in place.  Planes lie plane_rows rows apart. */
ORDO_ROLE void ordo_launch_fold_sum(ORDO_TAPE ORDO_FLOATS plane, int64_t row, int64_t plane_rows, int32_t first,
                                    int32_t end, int32_t step, int32_t d8, int32_t column)
{
    ORDO_SUM_BEGIN(sum, 0.0f);
    for (int32_t p = first; p < end; p += step)
        ORDO_SUM_F32(weak, sum, plane, (int64_t)p * plane_rows + row, d8, column);
    ORDO_STORE_F32(weak, plane, (int64_t)first * plane_rows + row, d8, column, sum);
}

/* The final fold for one column: the groups, then the group sums (sim/fold.h), which leaves the sum in plane 0. */
ORDO_ROLE void ordo_launch_fold(ORDO_TAPE ORDO_FLOATS plane, int64_t row, int64_t plane_rows, int32_t n_plane,
                                int32_t d8, int32_t column)
{
    for (int32_t first = 0; first < n_plane; first += ORDO_FOLD_GROUP)
        ordo_launch_fold_sum(ORDO_ON plane, row, plane_rows, first,
                             n_plane - first > ORDO_FOLD_GROUP ? first + ORDO_FOLD_GROUP : n_plane, 1, d8, column);
    ordo_launch_fold_sum(ORDO_ON plane, row, plane_rows, 0, n_plane, ORDO_FOLD_GROUP, d8, column);
}

#endif
