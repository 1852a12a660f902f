/* ticket.h - a row tile of dQ in a dense schedule: writers take turns by a counter.
 *
 * Writer number t waits until t writers have finished, adds, and counts up.  Counters start at zero. */
#ifndef ORDO_PROTOCOL_TICKET_H
#define ORDO_PROTOCOL_TICKET_H

#include "protocol/relay.h"

ORDO_ROLE void ordo_ticket_turn(ORDO_TAPE ORDO_WORDS counter, int64_t tile, uint32_t ticket, struct ordo_handoff hand)
{
    ORDO_AWAIT_GE(acquire, gpu, u32, counter, tile, ticket);
    ORDO_WARP_SYNC();
    ORDO_BAR_SYNC(hand.go, hand.n_thread);
    ORDO_BAR_SYNC(hand.done, hand.n_thread);
    ORDO_RED_ADD(release, gpu, u32, counter, tile, 1);
}

#endif
