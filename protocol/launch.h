/* launch.h - what surrounds the relay: mask bits, plane starts, the hand-over of a wave, the final fold. */
#ifndef ORDO_PROTOCOL_LAUNCH_H
#define ORDO_PROTOCOL_LAUNCH_H

#include "protocol/index.h"

/* Setup kernel: a live slot sets its rank's bit.  Order does not matter, and the launch edge publishes it. */
ORDO_ROLE void ordo_launch_mark(ORDO_TAPE ORDO_WORDS mask, int32_t cluster, int32_t rank, int64_t row)
{
    if (row >= 0)
        ORDO_RED_OR(relaxed, gpu, b32, mask, ordo_mask_word(row, cluster), ordo_mask_own(row, cluster, rank));
}

/* Plane start by clear: one thread's columns of one row. */
ORDO_ROLE void ordo_launch_clear(ORDO_TAPE ORDO_FLOATS plane, int64_t row, int32_t d8, int32_t first, int32_t step)
{
    for (int32_t d = first; d < d8; d += step)
        ORDO_STORE_F32(weak, plane, row, d8, d, 0.0f);
}

/* Plane start by first writer: it stores where later ones add. */
ORDO_ROLE void ordo_launch_first(ORDO_TAPE ORDO_FLOATS plane, int64_t row, const float *x, int32_t d8, int32_t first,
                                 int32_t step)
{
    for (int32_t d = first; d < d8; d += step)
        ORDO_STORE_F32(weak, plane, row, d8, d, x[d]);
}

/* Between two waves of a persistent cluster: every thread of every CTA of it. */
ORDO_ROLE void ordo_launch_hand_over(ORDO_TAPE_ONLY)
{
    ORDO_CLUSTER_ARRIVE(release);
    ORDO_CLUSTER_WAIT(acquire);
}

#endif
