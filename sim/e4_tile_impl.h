/* e4_tile_impl.h - E4: what the checks of a tile at its size in production share: rows, the tape's frame, what was
 * seen. */
#ifndef ORDO_SIM_E4_TILE_IMPL_H
#define ORDO_SIM_E4_TILE_IMPL_H

#include "protocol/relay.h"
#include "sim/e4_impl.h"

#include <string.h>

enum {
    SLOTS = 64,
    WIDEST = 1152, /* columns */
    TOPK = 4160,   /* more than a query has today */
    LENGTH = 4100,
    GO = 6,
    DONE = 13,
    STAGE = 40 * 1024,
    ROOM = 2 * SLOTS * WIDEST + 16,
};

/* A row of slot or column i: dead each fifth; else distinct, small, beyond 2^31 elements, and at the end of int32. */
static inline int32_t row_of(int32_t i)
{
    return i % 5 == 3 ? -1 : i == 0 ? 0 : i % 3 == 0 ? INT32_MAX - i : i % 3 == 1 ? 3800000 + 61 * i : 1000 + 7 * i;
}

struct ordo_e4_tile {
    struct ordo_e4_finding *finding;
    int32_t cluster, rank, d8, thread;
    struct ordo_handoff hand;
    int64_t row[SLOTS];
    struct ordo_tape tape;
    uint8_t *seen; /* slot by slot: its columns; or the columns of a query */
};

static inline bool breaks(struct ordo_e4_tile *t, enum ordo_e4_rule rule, uint32_t i)
{
    struct ordo_e4_finding *f = t->finding;
    uint32_t n = t->tape.n < t->tape.size ? t->tape.n : t->tape.size;

    f->rule = rule;
    f->thread = t->thread;
    f->rank = t->rank;
    if (n == 0)
        return false;
    i = i < n ? i : n - 1;
    f->record = (int32_t)i;
    f->file = t->tape.record[i].file;
    f->line = t->tape.record[i].line;
    return false;
}

/* What a role says of one of its records that touches memory. */
typedef bool check_fn(struct ordo_e4_tile *t, uint32_t i);

/* Both barriers, with their ids and counts, and between and around them what `check` takes. */
static inline bool check_tape(struct ordo_e4_tile *t, bool barriers, check_fn *check)
{
    int32_t passed = 0;

    t->finding->records += t->tape.n;
    if (t->tape.n > t->tape.size)
        return breaks(t, ORDO_E4_CUT, 0);
    for (uint32_t i = 0; i < t->tape.n; i++) {
        const struct ordo_record *r = &t->tape.record[i];

        if (!ordo_e4_spelt(r))
            return breaks(t, ORDO_E4_SPELLING, i);
        if (r->space != ORDO_SPACE_NONE && !check(t, i))
            return false;
        if (r->op != ORDO_OP_BAR_SYNC) /* how the rest orders is for the small instances */
            continue;
        if (r->index != (passed == 0 ? t->hand.go : t->hand.done))
            return breaks(t, ORDO_E4_BAR_ID, i);
        if (r->value != (uint32_t)t->hand.n_thread)
            return breaks(t, ORDO_E4_BAR_COUNT, i);
        passed++;
    }
    return passed == (barriers ? 2 : 0) || breaks(t, ORDO_E4_BAR_SEQUENCE, UINT32_MAX);
}

/* Once; twice breaks the rule. */
static inline bool see(struct ordo_e4_tile *t, uint32_t place, enum ordo_e4_rule rule, uint32_t i)
{
    if (t->seen[place]++)
        return breaks(t, rule, i);
    t->finding->pairs++;
    return true;
}

static inline bool check_all_seen(struct ordo_e4_tile *t)
{
    for (int32_t slot = 0; slot < SLOTS; slot++)
        for (int32_t column = 0; t->row[slot] >= 0 && column < t->d8; column++)
            if (!t->seen[slot * t->d8 + column])
                return breaks(t, ORDO_E4_LOST_ADD, t->tape.n > 1 ? t->tape.n - 2 : 0);
    return true;
}

static inline void forget(struct ordo_e4_tile *t)
{
    memset(t->seen, 0, (size_t)SLOTS * (size_t)t->d8 + TOPK);
}

/* All columns of all live slots by the fragments of two warpgroups (e4_fragment.c), of planes of d8 columns that are
 * relayed, and of the CTA's own. */
bool ordo_e4_fragments(struct ordo_e4_tile *t, int32_t d8);

#endif
