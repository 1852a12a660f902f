/* e2_table.h - the set of states met: open addressing over the states themselves, w words each, nothing beside them.
 *
 * Every state has its lowest bit set, so an empty slot is zero.  Below two thirds full; grows fourfold. */
#ifndef ORDO_SIM_E2_TABLE_H
#define ORDO_SIM_E2_TABLE_H

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

struct ordo_e2_table {
    uint64_t *slot;
    uint64_t n, mask; /* states, slots - 1 */
};

static inline __attribute__((always_inline)) uint64_t ordo_e2_hash(const uint64_t *s, int w)
{
    uint64_t h = 0x9E3779B97F4A7C15u;

    for (int i = 0; i < w; i += 2) {
        __uint128_t product = (__uint128_t)(s[i] ^ h) * (s[i + 1] ^ 0xD6E8FEB86659FD93u);

        h = (uint64_t)product ^ (uint64_t)(product >> 64) ^ (h << 1);
    }
    return h * 0x9FB21C651E98DF25u;
}

static inline bool ordo_e2_table_begin(struct ordo_e2_table *t, int w, uint64_t slots)
{
    uint64_t bytes;

    *t = (struct ordo_e2_table){NULL, 0, slots - 1};
    if (!ordo_mul(slots, (uint64_t)w * 8, &bytes) || !(t->slot = ordo_alloc(bytes, 1)))
        return false;
    memset(t->slot, 0, bytes);
    return true;
}

/* Whether the state is new; it is in the set from now on. */
static inline __attribute__((always_inline)) bool ordo_e2_table_put(struct ordo_e2_table *t, int w, const uint64_t *s,
                                                                    uint64_t hash)
{
    for (uint64_t at = hash >> 20 & t->mask;; at = (at + 1) & t->mask) {
        uint64_t *slot = &t->slot[at * (uint64_t)w], differs = 0;

        if (!slot[0]) {
            memcpy(slot, s, (size_t)w * 8);
            t->n++;
            return true;
        }
        for (int i = 0; i < w; i++)
            differs |= slot[i] ^ s[i];
        if (!differs)
            return false;
    }
}

static inline __attribute__((always_inline)) bool ordo_e2_table_grow(struct ordo_e2_table *t, int w)
{
    struct ordo_e2_table old = *t;

    if (t->n * 3 < (t->mask + 1) * 2)
        return true;
    if (!ordo_e2_table_begin(t, w, (old.mask + 1) * 4)) {
        *t = old;
        return false;
    }
    for (uint64_t at = 0; at <= old.mask; at++)
        if (old.slot[at * (uint64_t)w])
            (void)ordo_e2_table_put(t, w, &old.slot[at * (uint64_t)w], ordo_e2_hash(&old.slot[at * (uint64_t)w], w));
    free(old.slot);
    return true;
}

#endif
