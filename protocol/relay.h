/* relay.h - the row relay: one tile of one CTA, by role.
 *
 * A slot lane waits until all lower ranks' bits of its row are clear, lets the reducers add, and clears its own bit.
 * The CTA barriers `go` and `done` pass permission on and collect the reducers' stores, so one release covers all.  A
 * dead slot (row -1) waits for nobody and clears nothing, but takes part in both barriers.
 *
 * The CTA barriers are aligned instructions: all lanes of a warp must come to one together, else it is undefined.  A
 * poll may part them, since each lane leaves it in its own time; hence the warp barrier behind it, as E4 requires. */
#ifndef ORDO_PROTOCOL_RELAY_H
#define ORDO_PROTOCOL_RELAY_H

#include "protocol/index.h"

/* What the threads of a tile agree on: barrier ids and how many threads take part in each. */
struct ordo_handoff {
    int32_t go, done, n_thread;
};

ORDO_ROLE void ordo_relay_slot(ORDO_TAPE ORDO_WORDS mask, int32_t cluster, int32_t rank, int64_t row,
                               struct ordo_handoff hand)
{
    if (row >= 0)
        ORDO_AWAIT_CLEAR(acquire, gpu, u32, mask, ordo_mask_word(row, cluster), ordo_mask_lower(row, cluster, rank));
    ORDO_WARP_SYNC();
    ORDO_BAR_SYNC(hand.go, hand.n_thread);
    ORDO_BAR_SYNC(hand.done, hand.n_thread);
    if (row >= 0)
        ORDO_RED_AND(release, gpu, b32, mask, ordo_mask_word(row, cluster), ~ordo_mask_own(row, cluster, rank));
}

/* One reducer thread: adds its columns first, first + step, ... < d8 of each live row; x holds d8 values a slot. */
ORDO_ROLE void ordo_relay_reduce(ORDO_TAPE ORDO_FLOATS plane, const int64_t *row, int32_t n_row, ORDO_VALUES x,
                                 int32_t d8, int32_t first, int32_t step, struct ordo_handoff hand)
{
    ORDO_BAR_SYNC(hand.go, hand.n_thread);
    for (int32_t i = 0; i < n_row; i++)
        for (int32_t d = first; row[i] >= 0 && d < d8; d += step)
            ORDO_ADD_F32(weak, plane, row[i], d8, d, ORDO_VALUE(x, (int64_t)i * d8 + d));
    ORDO_BAR_SYNC(hand.done, hand.n_thread);
}

/* With bulk copies instead, threads that filled the staging tile by ordinary stores show them to the async proxy. */
ORDO_ROLE void ordo_relay_stage(ORDO_TAPE struct ordo_handoff hand)
{
    ORDO_SHARED_FENCE();
    ORDO_BAR_SYNC(hand.go, hand.n_thread);
    ORDO_BAR_SYNC(hand.done, hand.n_thread);
}

/* And one lane adds whole rows; no other lane of its warp may be about, for the same reason.  The fence orders its
 * copies behind what `go` brought from other CTAs; it waits for completion, not for the source to have been read,
 * before the release may follow. */
ORDO_ROLE void ordo_relay_bulk(ORDO_TAPE ORDO_FLOATS plane, const int64_t *row, int32_t n_row, ORDO_STAGE stage,
                               int32_t d8, struct ordo_handoff hand)
{
    ORDO_BAR_SYNC(hand.go, hand.n_thread);
    ORDO_PROXY_FENCE();
    for (int32_t i = 0; i < n_row; i++)
        if (row[i] >= 0)
            ORDO_BULK_ADD(f32, plane, row[i], d8, stage + (uint32_t)i * (uint32_t)d8 * 4, (uint32_t)d8 * 4);
    ORDO_BULK_COMMIT();
    ORDO_BULK_WAIT(0);
    ORDO_BAR_SYNC(hand.done, hand.n_thread);
}

#endif
