/* fnv.h - FNV-1a-64 over 32-bit words: the digest of golden outputs, cheap enough for a GPU thread.
 *
 * Not the textbook's bytes: a whole word is xored in at a time.  Long outputs are digested in blocks of 65,536 words,
 * each from ORDO_FNV_START, so that blocks can be made in any order by anyone; the digest of the whole is the same
 * over the blocks' digests, two words each, low word first.  A last short block is a block.
 *
 * It tells honest runs apart, no more.  What must withstand an adversary has digest.h. */
#ifndef ORDO_BASE_FNV_H
#define ORDO_BASE_FNV_H

#include "base/both.h"

#include <stdint.h>

#define ORDO_FNV_START UINT64_C(1469598103934665603)
#define ORDO_FNV_BLOCK 65536

ORDO_BOTH uint64_t ordo_fnv_word(uint64_t h, uint32_t word)
{
    return (h ^ word) * UINT64_C(1099511628211);
}

/* A finished block into the digest of the whole. */
ORDO_BOTH uint64_t ordo_fnv_block(uint64_t whole, uint64_t block)
{
    return ordo_fnv_word(ordo_fnv_word(whole, (uint32_t)block), (uint32_t)(block >> 32));
}

#endif
