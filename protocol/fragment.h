/* fragment.h - the row relay's additions straight from the tensor core's accumulators, 16 bytes at a time.
 *
 * A warpgroup has the products of 64 slots and 64 columns in 32 accumulators a thread (wgmma, m64n64): of each 16
 * columns, thread t of a quad has four values of each of two rows, and planes keep these four together
 * (ordo_plane_column).  go, any number of add, done are what ordo_relay_reduce is for columns one by one. */
#ifndef ORDO_PROTOCOL_FRAGMENT_H
#define ORDO_PROTOCOL_FRAGMENT_H

#include "protocol/relay.h"

#define ORDO_FRAGMENT_COLUMNS 64

ORDO_ROLE void ordo_fragment_go(ORDO_TAPE struct ordo_handoff hand)
{
    ORDO_BAR_SYNC(hand.go, hand.n_thread);
}

/* x: the thread's accumulators; above and below: the rows of its slots, 16 warp + lane / 4 and 8 more, -1 if dead;
 * first: the first of the 64 columns, a multiple of 64.  All loads come first, to be under way together: no two of
 * them touch one element, since a query names a row once. */
ORDO_ROLE void ordo_fragment_add(ORDO_TAPE ORDO_FLOATS plane, int64_t above, int64_t below, ORDO_VALUES x, int32_t d8,
                                 int32_t first, int32_t lane)
{
    ORDO_VECTORS(v, 8);
    ORDO_UNROLLED
    for (int32_t i = 0; i < 8; i++)
        if ((i < 4 ? above : below) >= 0)
            ORDO_LOAD_V4(weak, v, i, plane, i < 4 ? above : below, d8, first + 16 * (i & 3) + 4 * (lane & 3));
    ORDO_UNROLLED
    for (int32_t i = 0; i < 8; i++)
        if ((i < 4 ? above : below) >= 0)
            ORDO_ADD_V4(weak, v, i, plane, i < 4 ? above : below, d8, first + 16 * (i & 3) + 4 * (lane & 3),
                        ORDO_VALUE(x, 8 * (i & 3) + 2 * (i >> 2)), ORDO_VALUE(x, 8 * (i & 3) + 2 * (i >> 2) + 1),
                        ORDO_VALUE(x, 8 * (i & 3) + 2 * (i >> 2) + 4), ORDO_VALUE(x, 8 * (i & 3) + 2 * (i >> 2) + 5));
}

ORDO_ROLE void ordo_fragment_done(ORDO_TAPE struct ordo_handoff hand)
{
    ORDO_BAR_SYNC(hand.done, hand.n_thread);
}

#endif
