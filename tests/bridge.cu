/* bridge.cu - every role of protocol/ as a kernel of one thread, for tests/bridge.sh, which reads its PTX only.
 *
 * Twice.  Once operands come from outside, so that nothing is folded away, and no loop of more than one turn has a
 * known count, so that none is unrolled: each operation of a role stands once in its kernel.  And once, under
 * fixed_*, all operands are known, so that loops unroll and the PTX shows every address and value as a number.
 * tests/bridge_tape.c records the same roles under the same names. */
#include "protocol/fragment.h"
#include "protocol/launch.h"
#include "protocol/mask.h"
#include "protocol/relay.h"
#include "protocol/ticket.h"
#include "tests/bridge_role.h"

#define KERNEL extern "C" __global__ void
#define AT(type, base) ((type *)(uint64_t)(base))

KERNEL mask_build(uint32_t *mask, const int32_t *idx, int32_t topk, int32_t length, int32_t n_kv, int32_t rank)
{
    ordo_mask_build(mask, idx, topk, length, n_kv, 8, rank, (int32_t)threadIdx.x, (int32_t)blockDim.x);
}

KERNEL relay_slot(uint32_t *mask, int32_t rank, int64_t row, struct ordo_handoff hand)
{
    ordo_relay_slot(mask, 8, rank, row, hand);
}

KERNEL relay_reduce(float *plane, const int64_t *row, const float *x, int32_t d8, struct ordo_handoff hand)
{
    ordo_relay_reduce(plane, row, 1, x, d8, (int32_t)threadIdx.x, (int32_t)blockDim.x, hand);
}

KERNEL fragment(float *plane, int64_t above, int64_t below, const float *x, uint32_t ring, struct ordo_handoff hand)
{
    struct ordo_fragment f = ordo_fragment_of(plane, above, below, ring, 64, 0, (int32_t)threadIdx.x);

    ORDO_FRAGMENT_TILE(true, f, hand, x, chunk, (void)0);
}

KERNEL relay_stage(struct ordo_handoff hand)
{
    ordo_relay_stage(hand);
}

KERNEL relay_bulk(float *plane, const int64_t *row, uint32_t stage, int32_t d8, struct ordo_handoff hand)
{
    ordo_relay_bulk(plane, row, 1, stage, d8, hand);
}

KERNEL ticket_turn(uint32_t *counter, int64_t tile, uint32_t ticket, struct ordo_handoff hand)
{
    ordo_ticket_turn(counter, tile, ticket, hand);
}

KERNEL launch_clear(float *plane, int64_t row, int32_t d8)
{
    ordo_launch_clear(plane, row, d8, (int32_t)threadIdx.x, (int32_t)blockDim.x);
}

KERNEL launch_first(float *plane, int64_t row, const float *x, int32_t d8)
{
    ordo_launch_first(plane, row, x, d8, (int32_t)threadIdx.x, (int32_t)blockDim.x);
}

KERNEL launch_hand_over()
{
    ordo_launch_hand_over();
}

KERNEL launch_fold_sum(float *plane, int64_t row, int64_t plane_rows, int32_t first, int32_t end, int32_t step,
                       int32_t d8)
{
    ordo_launch_fold_sum(plane, row, plane_rows, first, end, step, d8, (int32_t)threadIdx.x);
}

KERNEL bridge_rest(uint32_t *mask, int64_t word, uint32_t bits)
{
    ordo_bridge_rest(mask, word, bits);
}

/* --- all operands known ----------------------------------------------------------------------------------------- */

KERNEL fixed_mask_build()
{
    const int32_t idx[] = ORDO_FIXED_IDX;

    ordo_mask_build(AT(uint32_t, ORDO_FIXED_MASK), idx, 3, 3, 32, 8, 3, 0, 1);
}

KERNEL fixed_relay_slot()
{
    const struct ordo_handoff hand = ORDO_FIXED_HAND;

    ordo_relay_slot(AT(uint32_t, ORDO_FIXED_MASK), 8, 3, 17, hand);
}

KERNEL fixed_relay_reduce()
{
    const struct ordo_handoff hand = ORDO_FIXED_HAND;
    const int64_t row[] = ORDO_FIXED_ROWS;

    ordo_relay_reduce(AT(float, ORDO_FIXED_PLANE), row, 3, AT(float, ORDO_FIXED_VALUES), 6, 1, 3, hand);
}

KERNEL fixed_fragment()
{
    const struct ordo_handoff hand = ORDO_FIXED_HAND;
    float *plane = AT(float, ORDO_FIXED_PLANE);
    const struct ordo_fragment far = ordo_fragment_of(plane, 17, INT64_C(1) << 31, 4096, 576, 0, 6);
    const struct ordo_fragment dead = ordo_fragment_of(plane, -1, 3, 4096, 576, 1, 35);

    ordo_fragment_go(hand);
    ordo_fragment_begin(far);
    ordo_fragment_begin(dead);
    ordo_fragment_add(far, AT(float, ORDO_FIXED_VALUES), 1);
    ordo_fragment_add(dead, AT(float, ORDO_FIXED_VALUES), 3);
    ordo_fragment_done(hand);
}

KERNEL fixed_relay_bulk()
{
    const struct ordo_handoff hand = ORDO_FIXED_HAND;
    const int64_t row[] = ORDO_FIXED_ROWS;

    ordo_relay_bulk(AT(float, ORDO_FIXED_PLANE), row, 3, 1024, 6, hand);
}

KERNEL fixed_ticket_turn()
{
    const struct ordo_handoff hand = ORDO_FIXED_HAND;

    ordo_ticket_turn(AT(uint32_t, ORDO_FIXED_COUNTER), 5, 7, hand);
}

KERNEL fixed_launch_clear()
{
    ordo_launch_clear(AT(float, ORDO_FIXED_PLANE), 17, 6, 1, 3);
}

KERNEL fixed_launch_first()
{
    ordo_launch_first(AT(float, ORDO_FIXED_PLANE), 17, AT(float, ORDO_FIXED_VALUES), 6, 1, 3);
}

KERNEL fixed_launch_fold()
{
    ordo_launch_fold(AT(float, ORDO_FIXED_PLANE), 17, 100, 10, 6, 4);
}

KERNEL fixed_bridge_rest()
{
    ordo_bridge_rest(AT(uint32_t, ORDO_FIXED_MASK), 5, 7);
}
