/* mask.h - the mask build: each live slot sets its rank's bit.
 *
 * By one thread of the setup kernel, for the slots first, first + step, ... of one query.  The order of slots,
 * queries and threads does not matter; the masks must be all zero before, and the launch edge publishes them. */
#ifndef ORDO_PROTOCOL_MASK_H
#define ORDO_PROTOCOL_MASK_H

#include "protocol/index.h"

/* idx[0..topk) and length of the query, whose CTA has `rank`; mask: of its plane, wave and head block. */
ORDO_ROLE void ordo_mask_build(ORDO_TAPE ORDO_WORDS mask, const int32_t *idx, int32_t topk, int32_t length,
                               int32_t n_kv, int32_t cluster, int32_t rank, int32_t first, int32_t step)
{
    int32_t clamped = ordo_clamp_length(length, topk);

    for (int32_t column = first; column < topk; column += step)
        if (ordo_slot_live(idx[column], n_kv, column, clamped))
            ORDO_RED_OR(relaxed, gpu, b32, mask, ordo_mask_word(idx[column], cluster),
                        ordo_mask_own(idx[column], cluster, rank));
}

#endif
