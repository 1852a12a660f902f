/* mask.h - the mask build: each live slot sets its rank's bit.
 *
 * On the device the setup kernel does this with atomicOr, so the order of slots and queries does not matter; here the
 * same walk runs on the CPU.  The mask of one (plane, wave, head block) must be all zero before. */
#ifndef ORDO_PROTOCOL_MASK_H
#define ORDO_PROTOCOL_MASK_H

#include "protocol/index.h"

/* Sets the bits of one query: idx[0..topk), its length and rank; word is the mask of its plane, wave and head block.
 * Returns the number of bits that were set, live slots whose bit was set already (duplicate ids) not counted. */
ORDO_MAP int32_t ordo_mask_build(uint32_t *word, const int32_t *idx, int32_t topk, int32_t length, int32_t n_kv,
                                 int32_t cluster, int32_t rank)
{
    int32_t clamped = ordo_clamp_length(length, topk);
    int32_t n_set = 0;

    for (int32_t column = 0; column < topk; column++)
        if (ordo_slot_live(idx[column], n_kv, column, clamped)) {
            uint32_t *w = word + ordo_mask_word(idx[column], cluster);
            uint32_t own = ordo_mask_own(idx[column], cluster, rank);

            n_set += !(*w & own);
            *w |= own;
        }
    return n_set;
}

#endif
