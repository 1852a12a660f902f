/* live.h - which slots take part.  The one liveness predicate: mask builder, kernels, prover and twin all call it.
 *
 * A slot of the index tensor is live iff its id names a KV row and its column lies inside the row's clamped length.
 * Everything else is dead: it contributes nothing, is not dereferenced and owns no mask bit.  Dead slots may stand
 * anywhere, ids beyond KV and negative lengths are ordinary padding, and a live id may stand at a column >= KV.
 *
 * Readers narrow ids to int32 by saturation, which keeps liveness: an id outside int32 is dead for every KV.
 * C17 and C++17 (nvcc): no _Static_assert, no restrict, no designators in here. */
#ifndef ORDO_PROTOCOL_LIVE_H
#define ORDO_PROTOCOL_LIVE_H

#include "protocol/op.h"

/* min(max(length, 0), topk): how many leading columns of a query may be live. */
ORDO_MAP int32_t ordo_clamp_length(int32_t length, int32_t topk)
{
    return length < 0 ? 0 : length < topk ? length : topk;
}

/* clamped is ordo_clamp_length's result.  Non-zero iff (id, column) is live. */
ORDO_MAP int ordo_slot_live(int32_t id, int32_t n_kv, int32_t column, int32_t clamped)
{
    return id >= 0 && id < n_kv && column < clamped;
}

#endif
