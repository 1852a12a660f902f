/* dense_keys.h - two ways to order the tasks of any block mask, for dense_general.c.
 *
 * Each fills key[mask->q_start[kv] + i] for the i'th query tile that sees KV tile kv: a tile visits by ascending
 * key, a row adds by ascending key.  Keys differ within a tile and within a row. */
#ifndef ORDO_SIM_DENSE_KEYS_H
#define ORDO_SIM_DENSE_KEYS_H

#include "sim/dense_mask.h"

/* Edge colouring of tiles by rows with as many colours as the largest degree (König's theorem): tasks of one
 * colour are in different rows, so with all tiles resident nobody takes longer than colours * (c + r).  place[i]
 * is the tile that starts i'th; those of later waves of `width` tiles come after the earlier waves in every row.
 * False without memory. */
bool ordo_dense_keys_colour(const struct ordo_dense_mask *m, const int32_t *place, int32_t width, int64_t *key);

/* List scheduling in time on `width` SMs: whoever is free first, and has most left, goes on to the row in which it
 * can add first, and among those to the row that still wants most.  c and r as in the launch.  False without
 * memory. */
bool ordo_dense_keys_list(const struct ordo_dense_mask *m, const int32_t *place, int32_t width, int32_t c,
                          int32_t r, int64_t *key);

#endif
