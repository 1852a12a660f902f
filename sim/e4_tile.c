/* e4_tile.c - E4: one tile at its size in production, record by record.
 *
 * The small instances (e4_protocol.c) judge how operations are ordered; here are sizes that leave 8, 16 and 32 bits: 64
 * slots, all threads and columns, rows whose elements lie beyond 2^31, staging places, columns of a query, tickets.
 * What is expected is stated here in closed form, bits as bit row * C + rank of one long string, and calls no map. */
#include "sim/e4_impl.h"

#include "base/size.h"
#include "protocol/mask.h"
#include "protocol/ticket.h"

#include <stdlib.h>
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
static int32_t row_of(int32_t i)
{
    return i % 5 == 3 ? -1 : i == 0 ? 0 : i % 3 == 0 ? INT32_MAX - i : i % 3 == 1 ? 3800000 + 61 * i : 1000 + 7 * i;
}

/* The only i that may have the row. */
static int32_t column_of(int64_t row)
{
    return row == 0        ? 0
           : row > 1 << 30 ? (int32_t)(INT32_MAX - row)
           : row < 3800000 ? (int32_t)((row - 1000) / 7)
                           : (int32_t)((row - 3800000) / 61);
}

struct tile {
    struct ordo_e4_finding *finding;
    int32_t cluster, rank, d8, thread;
    struct ordo_handoff hand;
    int64_t row[SLOTS];
    struct ordo_tape tape;
    uint8_t *seen; /* slot by slot: its columns; or the columns of a query */
};

static bool breaks(struct tile *t, enum ordo_e4_rule rule, uint32_t i)
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
typedef bool check_fn(struct tile *t, uint32_t i);

/* Both barriers, with their ids and counts, and between and around them what `check` takes. */
static bool check_tape(struct tile *t, bool barriers, check_fn *check)
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
static bool see(struct tile *t, uint32_t place, enum ordo_e4_rule rule, uint32_t i)
{
    if (t->seen[place]++)
        return breaks(t, rule, i);
    t->finding->pairs++;
    return true;
}

/* --- reducers and the bulk lane --------------------------------------------------------------------------------- */

static bool check_addition(struct tile *t, uint32_t i)
{
    const struct ordo_record *r = &t->tape.record[i];
    uint32_t slot = r->source / (uint32_t)t->d8, column = r->source % (uint32_t)t->d8;

    if (r->op == ORDO_OP_LOAD && i + 1 < t->tape.n && r[1].op == ORDO_OP_STORE)
        return r->index == r[1].index || breaks(t, ORDO_E4_DATA, i);
    if (r->op != ORDO_OP_STORE || i == 0 || r[-1].op != ORDO_OP_LOAD)
        return breaks(t, ORDO_E4_STRANGE_OP, i);
    if (r->data != ORDO_DATA_ADDED || slot >= SLOTS || t->row[slot] < 0 ||
        r->index != t->row[slot] * t->d8 + (int64_t)column)
        return breaks(t, ORDO_E4_DATA, i);
    return see(t, r->source, ORDO_E4_DOUBLE_ADD, i);
}

static bool check_copy(struct tile *t, uint32_t i)
{
    const struct ordo_record *r = &t->tape.record[i];
    uint32_t bytes = 4 * (uint32_t)t->d8, slot = (r->source - STAGE) / bytes;

    if (r->op != ORDO_OP_BULK_ADD)
        return breaks(t, ORDO_E4_STRANGE_OP, i);
    if (r->value != bytes)
        return breaks(t, ORDO_E4_LOST_ADD, i);
    if ((r->source - STAGE) % bytes || slot >= SLOTS || t->row[slot] < 0 || r->index != t->row[slot] * t->d8)
        return breaks(t, ORDO_E4_DATA, i);
    for (int32_t column = 0; column < t->d8; column++)
        if (!see(t, slot * (uint32_t)t->d8 + (uint32_t)column, ORDO_E4_DOUBLE_ADD, i))
            return false;
    return true;
}

static bool check_all_seen(struct tile *t)
{
    for (int32_t slot = 0; slot < SLOTS; slot++)
        for (int32_t column = 0; t->row[slot] >= 0 && column < t->d8; column++)
            if (!t->seen[slot * t->d8 + column])
                return breaks(t, ORDO_E4_LOST_ADD, t->tape.n > 1 ? t->tape.n - 2 : 0);
    return true;
}

static void forget(struct tile *t)
{
    memset(t->seen, 0, (size_t)SLOTS * (size_t)t->d8 + TOPK);
}

/* All columns of all slots, by that many threads: each of them a step apart. */
static bool check_reducers(struct tile *t, int32_t d8, int32_t step)
{
    const struct ordo_mem plane = {ORDO_SPACE_PLANE};
    const struct ordo_unread x = {0};

    t->d8 = d8;
    forget(t);
    t->hand.n_thread = step + SLOTS;
    for (t->thread = 0; t->thread < step; t->thread++) {
        t->tape.n = 0;
        ordo_relay_reduce(&t->tape, plane, t->row, SLOTS, x, d8, t->thread, step, t->hand);
        if (!check_tape(t, true, check_addition))
            return false;
    }
    return check_all_seen(t);
}

static bool check_bulk(struct tile *t, int32_t d8)
{
    t->d8 = d8;
    forget(t);
    t->thread = 0;
    t->tape.n = 0;
    ordo_relay_bulk(&t->tape, (struct ordo_mem){ORDO_SPACE_PLANE}, t->row, SLOTS, STAGE, d8, t->hand);
    return check_tape(t, true, check_copy) && check_all_seen(t);
}

/* --- slot lanes, builders, turns ---------------------------------------------------------------------------------- */

/* Bit `rank` of the row in its word. */
static bool is_bit(const struct tile *t, int64_t row, int32_t rank, int64_t word, uint32_t bits)
{
    int64_t bit = row * t->cluster + rank;

    return word == bit / 32 && bits == UINT32_C(1) << bit % 32;
}

static bool check_slot(struct tile *t, uint32_t i)
{
    const struct ordo_record *r = &t->tape.record[i];
    int64_t row = t->row[t->thread], first = row * t->cluster;
    uint32_t lower = 0;

    for (int64_t bit = first; bit < first + t->rank; bit++)
        lower |= UINT32_C(1) << bit % 32;
    if (r->op == ORDO_OP_AWAIT_CLEAR)
        return (row >= 0 && r->index == first / 32 && r->value == lower) || breaks(t, ORDO_E4_WAIT_ROW, i);
    if (r->op != ORDO_OP_RED_AND)
        return breaks(t, ORDO_E4_STRANGE_OP, i);
    if (row < 0 || !is_bit(t, row, t->rank, r->index, ~r->value))
        return breaks(t, ORDO_E4_FOREIGN_BIT, i);
    return see(t, (uint32_t)t->thread, ORDO_E4_DOUBLE_CLEAR, i);
}

static bool check_slots(struct tile *t)
{
    forget(t);
    for (t->thread = 0; t->thread < SLOTS; t->thread++) {
        t->tape.n = 0;
        ordo_relay_slot(&t->tape, (struct ordo_mem){ORDO_SPACE_MASK}, t->cluster, t->rank, t->row[t->thread], t->hand);
        if (!check_tape(t, true, check_slot))
            return false;
        if (t->row[t->thread] >= 0 && !t->seen[t->thread])
            return breaks(t, ORDO_E4_NEVER_CLEARED, UINT32_MAX);
    }
    return true;
}

/* The one bit of a live column of the query. */
static bool check_mark(struct tile *t, uint32_t i)
{
    const struct ordo_record *r = &t->tape.record[i];
    int64_t row;
    int32_t column;

    if (r->op != ORDO_OP_RED_OR)
        return breaks(t, ORDO_E4_STRANGE_OP, i);
    row = (r->index * 32 + (r->value ? __builtin_ctz(r->value) : 0)) / t->cluster;
    column = column_of(row);
    if (column < 0 || column >= LENGTH || row_of(column) != row || !is_bit(t, row, t->rank, r->index, r->value))
        return breaks(t, ORDO_E4_FOREIGN_BIT, i);
    return see(t, (uint32_t)column, ORDO_E4_TWO_OWNERS, i);
}

static bool check_builders(struct tile *t, int32_t step)
{
    int32_t idx[TOPK];

    for (int32_t column = 0; column < TOPK; column++)
        idx[column] = row_of(column);
    forget(t);
    for (t->thread = 0; t->thread < step; t->thread++) {
        t->tape.n = 0;
        ordo_mask_build(&t->tape, (struct ordo_mem){ORDO_SPACE_MASK}, idx, TOPK, LENGTH, INT32_MAX, t->cluster,
                        t->rank, t->thread, step);
        if (!check_tape(t, false, check_mark))
            return false;
    }
    for (int32_t column = 0; column < LENGTH; column++)
        if (idx[column] >= 0 && !t->seen[column])
            return breaks(t, ORDO_E4_UNSET_CLEAR, 0);
    return true;
}

enum { TICKET = 70003 };
static const int64_t TURN_OF = (INT64_C(1) << 33) + 5; /* a row tile of dQ */

static bool check_turn(struct tile *t, uint32_t i)
{
    const struct ordo_record *r = &t->tape.record[i];

    if (r->index != TURN_OF)
        return breaks(t, ORDO_E4_TICKET, i);
    if (r->op == ORDO_OP_AWAIT_GE)
        return r->value == TICKET || breaks(t, ORDO_E4_TICKET_NUMBER, i);
    return (r->op == ORDO_OP_RED_ADD && r->value == 1) || breaks(t, ORDO_E4_TICKET, i);
}

static bool check_turns(struct tile *t)
{
    t->thread = 0;
    t->tape.n = 0;
    ordo_ticket_turn(&t->tape, (struct ordo_mem){ORDO_SPACE_COUNTER}, TURN_OF, TICKET, t->hand);
    return check_tape(t, true, check_turn);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* Gives life to each slot that is a multiple, of those that have a row. */
static void fill(struct tile *t, int32_t multiple)
{
    for (int32_t slot = 0; slot < SLOTS; slot++)
        t->row[slot] = slot % multiple ? -1 : row_of(slot);
}

static bool check_adders(struct tile *t)
{
    fill(t, 7);
    if (!check_reducers(t, 576, 256) || !check_reducers(t, WIDEST, 96) || !check_bulk(t, WIDEST))
        return false;
    fill(t, 1);
    return check_reducers(t, 104, 96) && check_reducers(t, 8, 3) && check_bulk(t, 576);
}

static bool check_waiters(struct tile *t, int32_t cluster)
{
    t->cluster = cluster;
    t->d8 = 1; /* a place for each slot or column */
    for (t->rank = 0; t->rank < cluster; t->rank++)
        if (!check_slots(t))
            return false;
    t->rank = cluster - 1;
    return check_builders(t, 128) && check_turns(t);
}

void ordo_e4_tile(int32_t cluster, struct ordo_e4_finding *finding)
{
    struct tile t = {.finding = finding, .rank = -1, .hand = {GO, DONE, 2 * SLOTS}};

    *finding = (struct ordo_e4_finding){.rule = ORDO_E4_NONE, .thread = -1, .rank = -1, .record = -1};
    t.tape.size = ROOM;
    t.tape.record = ordo_alloc(ROOM, sizeof *t.tape.record);
    t.seen = ordo_alloc(SLOTS * WIDEST + TOPK, 1);
    if (!t.tape.record || !t.seen)
        finding->rule = ORDO_E4_NO_MEMORY;
    else
        (void)(check_adders(&t) && (cluster == 1 || check_waiters(&t, cluster)));
    free(t.tape.record);
    free(t.seen);
}
