/* fragment.h - the row relay's additions straight from the tensor core's accumulators, 16 bytes at a time.
 *
 * Two warpgroups share a tile: each adds half of the columns of its 64 slots, so that the rows are handed on in half
 * the time.  A warpgroup has the products of 64 slots and 64 columns in 32 accumulators a thread (wgmma, m64n64): of
 * each 16 columns, thread t of a quad has four values of each of two rows, and planes keep these four together
 * (ordo_plane_column).  A tile (ORDO_FRAGMENT_TILE) is what ordo_relay_reduce is for columns one by one.
 *
 * What stands in the plane comes through a ring in shared memory, 16 bytes a thread and turn: a copy needs no
 * register while it is under way, and as many are as there are turns.  Each thread waits for its own copies alone,
 * and adds to what it has copied itself; that no two touch one element, while they are under way, is since a query
 * names a row once. */
#ifndef ORDO_PROTOCOL_FRAGMENT_H
#define ORDO_PROTOCOL_FRAGMENT_H

#include "protocol/relay.h"

#define ORDO_FRAGMENT_COLUMNS 64
#define ORDO_FRAGMENT_GROUPS 2    /* warpgroups of a tile */
#define ORDO_FRAGMENT_THREADS 128 /* of one */
#define ORDO_FRAGMENT_TURNS 11    /* what an SM's shared memory has room for (kernels/dsa_second.cuh) */

/* The first 64 columns that are the group's, counted in such; of group ORDO_FRAGMENT_GROUPS: how many a row has. */
ORDO_MAP int32_t ordo_fragment_chunk(int32_t group, int32_t d8)
{
    return (d8 / ORDO_FRAGMENT_COLUMNS * group + ORDO_FRAGMENT_GROUPS - 1) / ORDO_FRAGMENT_GROUPS;
}

/* Where the group's ring begins, in bytes; of group ORDO_FRAGMENT_GROUPS: where they end. */
ORDO_MAP uint32_t ordo_fragment_ring(int32_t group)
{
    return (uint32_t)group * (16 * ORDO_FRAGMENT_TURNS * ORDO_FRAGMENT_THREADS);
}

/* Where the turn of copy number `quad` stands in a thread's ring, in bytes. */
ORDO_MAP uint32_t ordo_fragment_turn(int32_t quad)
{
    return (uint32_t)(quad % ORDO_FRAGMENT_TURNS) * (16 * ORDO_FRAGMENT_THREADS);
}

/* A thread's part in a tile.  above and below: the rows of its slots, 16 warp + lane / 4 and 8 more, -1 if dead;
 * upper and lower: its first columns there; n_quad: how many times four columns are its own. */
struct ordo_fragment {
    int64_t above, below;
    ORDO_PLACE upper;
    ORDO_PLACE lower;
    ORDO_STAGE ring;
    int32_t n_quad;
};

/* ring: where that of group 0 begins, the others behind it; thread: of the group. */
ORDO_ROLE struct ordo_fragment ordo_fragment_of(ORDO_FLOATS plane, int64_t above, int64_t below, ORDO_STAGE ring,
                                                int32_t d8, int32_t group, int32_t thread)
{
    int32_t chunk = ordo_fragment_chunk(group, d8);
    int32_t column = ORDO_FRAGMENT_COLUMNS * chunk + 4 * (thread & 3);
    struct ordo_fragment f = {above, below, ORDO_PLACE_OF(plane, above < 0 ? 0 : above, d8, column),
                              ORDO_PLACE_OF(plane, below < 0 ? 0 : below, d8, column),
                              ring + ordo_fragment_ring(group) + (uint32_t)thread * 16,
                              8 * (ordo_fragment_chunk(group + 1, d8) - chunk)};

    return f;
}

ORDO_ROLE void ordo_fragment_go(ORDO_TAPE struct ordo_handoff hand)
{
    ORDO_BAR_SYNC(hand.go, hand.n_thread);
}

/* Copies number `quad` of the thread into its turn: eight for each 64 columns, of the upper row and the lower in
 * turn. A group of copies each time, empty behind the last. */
ORDO_ROLE void ordo_fragment_fetch(ORDO_TAPE struct ordo_fragment f, int32_t quad)
{
    if (quad < f.n_quad)
        ORDO_COPY_V4(((quad & 1) != 0 ? f.below : f.above) >= 0, f.ring + ordo_fragment_turn(quad),
                     (quad & 1) != 0 ? f.lower : f.upper, 8 * (quad & ~1));
    ORDO_COPY_COMMIT();
}

ORDO_ROLE void ordo_fragment_begin(ORDO_TAPE struct ordo_fragment f)
{
    ORDO_UNROLLED
    for (int32_t quad = 0; quad < ORDO_FRAGMENT_TURNS; quad++)
        ordo_fragment_fetch(ORDO_ON f, quad);
}

/* x: the thread's accumulators of 64 columns, number `chunk` of the group's.  Two leave the ring, two others are
 * fetched. */
ORDO_ROLE void ordo_fragment_add(ORDO_TAPE struct ordo_fragment f, ORDO_VALUES x, int32_t chunk)
{
    ORDO_UNROLLED
    for (int32_t i = 0; i < 8; i += 2) {
        int32_t quad = 8 * chunk + i;

        ORDO_COPY_WAIT(ORDO_FRAGMENT_TURNS - 2);
        ORDO_ADD_2V4(weak, 8 * quad, f.above >= 0, f.ring + ordo_fragment_turn(quad), f.upper,
                     ORDO_VALUE(x, 4 * i), ORDO_VALUE(x, 4 * i + 1), ORDO_VALUE(x, 4 * i + 4),
                     ORDO_VALUE(x, 4 * i + 5), f.below >= 0, f.ring + ordo_fragment_turn(quad + 1), f.lower,
                     ORDO_VALUE(x, 4 * i + 2), ORDO_VALUE(x, 4 * i + 3), ORDO_VALUE(x, 4 * i + 6),
                     ORDO_VALUE(x, 4 * i + 7));
        ordo_fragment_fetch(ORDO_ON f, quad + ORDO_FRAGMENT_TURNS);
        ordo_fragment_fetch(ORDO_ON f, quad + 1 + ORDO_FRAGMENT_TURNS);
    }
}

ORDO_ROLE void ordo_fragment_done(ORDO_TAPE struct ordo_handoff hand)
{
    ORDO_BAR_SYNC(hand.done, hand.n_thread);
}

/* A tile of the thread's, as kernels and prover go through it.  The statement behind `chunk`, which names 64 columns
 * of the group's in turn, puts their products into x.  relayed: the plane is not the CTA's own. */
#define ORDO_FRAGMENT_TILE(relayed, f, hand, x, chunk, ...)                                                          \
    do {                                                                                                             \
        if (relayed)                                                                                                 \
            ordo_fragment_go(ORDO_ON hand);                                                                          \
        ordo_fragment_begin(ORDO_ON f);                                                                              \
        ORDO_UNROLLED                                                                                                \
        for (int32_t chunk = 0; chunk < (f).n_quad / 8; chunk++) {                                                   \
            __VA_ARGS__;                                                                                             \
            ordo_fragment_add(ORDO_ON f, x, chunk);                                                                  \
        }                                                                                                            \
        if (relayed)                                                                                                 \
            ordo_fragment_done(ORDO_ON hand);                                                                        \
    } while (0)

#endif
