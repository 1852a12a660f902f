/* index.h - the index maps of a wave: who is which lane, rank and plane, and where a mask bit lies.
 *
 * A wave holds W lanes (CTAs), lane i works on query wave * W + i.  C consecutive lanes are one cluster; a cluster
 * owns one plane.  Private shards are the case C = 1: every lane owns its plane.
 *
 * Masks (cluster relay): per plane, wave and head block one bit for each (KV row, rank), packed so that one 32-bit
 * word holds 32 / C rows: C = 4 -> 8 rows x 4 bits, C = 8 -> 4 x 8, C = 16 -> 2 x 16.
 *
 * All packing arithmetic of the project stands in this file.  Offsets are 64-bit: with 128 planes of 576 columns a
 * 32-bit element index overflows at 29,128 rows. */
#ifndef ORDO_PROTOCOL_INDEX_H
#define ORDO_PROTOCOL_INDEX_H

#include "protocol/live.h"

#define ORDO_TILE 64       /* slots that a CTA gathers at a time */
#define ORDO_HEAD_BLOCK 64 /* heads of one CTA: MMA M */
#define ORDO_FOLD_GROUP 8  /* planes summed to one group */

/* --- lanes ----------------------------------------------------------------------------------------------------- */

ORDO_MAP int32_t ordo_lane_wave(int32_t query, int32_t wave_width)
{
    return query / wave_width;
}

ORDO_MAP int32_t ordo_lane_of(int32_t query, int32_t wave_width)
{
    return query % wave_width;
}

ORDO_MAP int32_t ordo_lane_rank(int32_t lane, int32_t cluster)
{
    return lane % cluster;
}

ORDO_MAP int32_t ordo_lane_plane(int32_t lane, int32_t cluster)
{
    return lane / cluster;
}

/* The query of (wave, plane, rank), or -1 for a surplus lane of the tail wave: such a lane owns no bit and adds
 * nothing.  64-bit inside, since the last wave may reach past 2^31. */
ORDO_MAP int64_t ordo_lane_query(int32_t wave, int32_t wave_width, int32_t plane, int32_t cluster, int32_t rank,
                                 int32_t n_query)
{
    return (int64_t)wave * wave_width + (int64_t)plane * cluster + rank < n_query
               ? (int64_t)wave * wave_width + (int64_t)plane * cluster + rank
               : -1;
}

/* --- mask words ------------------------------------------------------------------------------------------------- */

ORDO_MAP int32_t ordo_mask_rows_per_word(int32_t cluster)
{
    return 32 / cluster;
}

/* Word of a KV row inside the mask of one (plane, wave, head block). */
ORDO_MAP int64_t ordo_mask_word(int64_t row, int32_t cluster)
{
    return row / ordo_mask_rows_per_word(cluster);
}

/* Lowest bit of the row inside its word. */
ORDO_MAP int32_t ordo_mask_shift(int64_t row, int32_t cluster)
{
    return (int32_t)(row % ordo_mask_rows_per_word(cluster)) * cluster;
}

/* The bit that `rank` sets and clears. */
ORDO_MAP uint32_t ordo_mask_own(int64_t row, int32_t cluster, int32_t rank)
{
    return (UINT32_C(1) << rank) << ordo_mask_shift(row, cluster);
}

/* The bits that `rank` waits for: all lower ranks of the same row. */
ORDO_MAP uint32_t ordo_mask_lower(int64_t row, int32_t cluster, int32_t rank)
{
    return ((UINT32_C(1) << rank) - 1) << ordo_mask_shift(row, cluster);
}

/* Words of one (plane, wave, head block); kv8 is KV rounded up to a multiple of 8. */
ORDO_MAP int64_t ordo_mask_words(int64_t kv8, int32_t cluster)
{
    return kv8 / ordo_mask_rows_per_word(cluster);
}

/* --- planes ----------------------------------------------------------------------------------------------------- */

/* Element (plane, row, column) of the FP32 planes; plane_rows counts a plane's mask rows too, d8 is D rounded up. */
ORDO_MAP int64_t ordo_plane_element(int32_t plane, int64_t plane_rows, int64_t row, int32_t d8, int32_t column)
{
    return ((int64_t)plane * plane_rows + row) * d8 + column;
}

/* Where column d of a row stands in a plane that tensor core fragments are added to.  Of each 16 columns a thread of
 * a fragment has 2t, 2t + 1, 2t + 8, 2t + 9: here they are neighbours, so that it moves 16 bytes at a time.  A last
 * half group stays as it is. */
ORDO_MAP int32_t ordo_plane_column(int32_t d, int32_t d8)
{
    return (d | 15) < d8 ? (d & ~15) | (d & 6) << 1 | (d & 8) >> 2 | (d & 1) : d;
}

/* The leaf number of a contribution: unique per (query, head block). */
ORDO_MAP uint32_t ordo_leaf(uint32_t query, uint32_t head_block, uint32_t n_head_block)
{
    return query * n_head_block + head_block;
}

#endif
