/* bridge.cu - every role of protocol/ as a kernel of one thread, for tests/bridge.sh, which reads its PTX only.
 *
 * Operands come from outside, so that nothing is folded away, and no loop of more than one turn has a known count, so
 * that none is unrolled: each operation of a role stands once in its kernel.  tests/bridge_tape.c records the same
 * roles under the same names. */
#include "protocol/launch.h"
#include "protocol/mask.h"
#include "protocol/relay.h"
#include "protocol/ticket.h"
#include "tests/bridge_role.h"

#define KERNEL extern "C" __global__ void

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

KERNEL launch_fold(float *plane, int64_t row, int64_t plane_rows, int32_t first, int32_t end, int32_t step,
                   int32_t d8)
{
    ordo_launch_fold(plane, row, plane_rows, first, end, step, d8, (int32_t)threadIdx.x);
}

KERNEL bridge_rest(uint32_t *mask, int64_t word, uint32_t bits)
{
    ordo_bridge_rest(mask, word, bits);
}
