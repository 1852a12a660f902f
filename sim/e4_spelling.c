/* e4_spelling.c - E4: which orders, scopes and widths an instruction may have; the rest does not assemble.
 *
 * Source: PTX ISA, the instruction pages of ld, st, red, fence, barrier.cluster, cp.reduce.async.bulk and cp.async.
 * A plain load or store has no scope in its mnemonic (protocol/op.h), so it must be weak. */
#include "sim/e4_impl.h"

enum {
    WEAK = 1 << ORDO_SEM_weak,
    RELAXED = 1 << ORDO_SEM_relaxed,
    ACQUIRE = 1 << ORDO_SEM_acquire,
    RELEASE = 1 << ORDO_SEM_release,
    ACQ_REL = 1 << ORDO_SEM_acq_rel,
    SC = 1 << ORDO_SEM_sc,
    U8 = 1 << ORDO_WIDTH_u8,
    U32 = 1 << ORDO_WIDTH_u32,
    B32 = 1 << ORDO_WIDTH_b32,
    F32 = 1 << ORDO_WIDTH_f32,
};

/* By operation; 0 where the mnemonic has no such part.  Every scope goes with every order here. */
static const struct {
    unsigned sems, widths;
} admitted[ORDO_N_OPS] = {
    [ORDO_OP_AWAIT_CLEAR] = {RELAXED | ACQUIRE, U8 | U32 | B32}, /* into a 32-bit register */
    [ORDO_OP_AWAIT_GE] = {RELAXED | ACQUIRE, U8 | U32 | B32},
    [ORDO_OP_RED_AND] = {RELAXED | RELEASE, B32},
    [ORDO_OP_RED_OR] = {RELAXED | RELEASE, B32},
    [ORDO_OP_RED_ADD] = {RELAXED | RELEASE, U32},
    [ORDO_OP_LOAD] = {WEAK, F32},
    [ORDO_OP_STORE] = {WEAK, F32},
    [ORDO_OP_FENCE] = {ACQ_REL | SC, 0},
    [ORDO_OP_CLUSTER_ARRIVE] = {RELAXED | RELEASE, 0},
    [ORDO_OP_CLUSTER_WAIT] = {ACQUIRE, 0},
    [ORDO_OP_BULK_ADD] = {0, U32 | F32},
    [ORDO_OP_COPY] = {WEAK, 0},
};

bool ordo_e4_spelt(const struct ordo_record *r)
{
    unsigned sems = admitted[r->op].sems, widths = admitted[r->op].widths;

    return (!sems || sems >> r->sem & 1) && (!widths || widths >> r->width & 1);
}

bool ordo_e4_spelling(struct ordo_e4 *e4)
{
    for (uint32_t at = 0; at < e4->n; at++)
        if (!ordo_e4_spelt(ordo_e4_record(e4, at)))
            return ordo_e4_breaks(e4, ORDO_E4_SPELLING, at);
    return true;
}
