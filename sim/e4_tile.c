/* e4_tile.c - E4: one tile at its size in production, record by record.
 *
 * The small instances (e4_protocol.c) judge how operations are ordered; here are sizes that leave 8, 16 and 32 bits:
 * 64 slots, all threads and columns, rows whose elements lie beyond 2^31, staging places, columns of a query,
 * tickets.  What is expected is stated here in closed form, bits as bit row * C + rank of one long string, and calls
 * no map. */
#include "sim/e4_tile_impl.h"

#include "base/size.h"
#include "protocol/mask.h"
#include "protocol/ticket.h"

#include <stdlib.h>

/* The only i that may have the row. */
static int32_t column_of(int64_t row)
{
    return row == 0        ? 0
           : row > 1 << 30 ? (int32_t)(INT32_MAX - row)
           : row < 3800000 ? (int32_t)((row - 1000) / 7)
                           : (int32_t)((row - 3800000) / 61);
}

/* --- reducers and the bulk lane --------------------------------------------------------------------------------- */

static bool check_addition(struct ordo_e4_tile *t, uint32_t i)
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

static bool check_copy(struct ordo_e4_tile *t, uint32_t i)
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

/* All columns of all slots, by that many threads: each of them a step apart. */
static bool check_reducers(struct ordo_e4_tile *t, int32_t d8, int32_t step)
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

static bool check_bulk(struct ordo_e4_tile *t, int32_t d8)
{
    t->d8 = d8;
    forget(t);
    t->thread = 0;
    t->tape.n = 0;
    ordo_relay_bulk(&t->tape, (struct ordo_mem){ORDO_SPACE_PLANE}, t->row, SLOTS, STAGE, d8, t->hand);
    return check_tape(t, true, check_copy) && check_all_seen(t);
}

/* --- slot lanes, builders, turns -------------------------------------------------------------------------------- */

/* Bit `rank` of the row in its word. */
static bool is_bit(const struct ordo_e4_tile *t, int64_t row, int32_t rank, int64_t word, uint32_t bits)
{
    int64_t bit = row * t->cluster + rank;

    return word == bit / 32 && bits == UINT32_C(1) << bit % 32;
}

static bool check_slot(struct ordo_e4_tile *t, uint32_t i)
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

static bool check_slots(struct ordo_e4_tile *t)
{
    forget(t);
    for (t->thread = 0; t->thread < SLOTS; t->thread++) {
        t->tape.n = 0;
        ordo_relay_slot(&t->tape, (struct ordo_mem){ORDO_SPACE_MASK}, t->cluster, t->rank, t->row[t->thread],
                        t->hand);
        if (!check_tape(t, true, check_slot))
            return false;
        if (t->row[t->thread] >= 0 && !t->seen[t->thread])
            return breaks(t, ORDO_E4_NEVER_CLEARED, UINT32_MAX);
    }
    return true;
}

/* The one bit of a live column of the query. */
static bool check_mark(struct ordo_e4_tile *t, uint32_t i)
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

static bool check_builders(struct ordo_e4_tile *t, int32_t step)
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

static bool check_turn(struct ordo_e4_tile *t, uint32_t i)
{
    const struct ordo_record *r = &t->tape.record[i];

    if (r->index != TURN_OF)
        return breaks(t, ORDO_E4_TICKET, i);
    if (r->op == ORDO_OP_AWAIT_GE)
        return r->value == TICKET || breaks(t, ORDO_E4_TICKET_NUMBER, i);
    return (r->op == ORDO_OP_RED_ADD && r->value == 1) || breaks(t, ORDO_E4_TICKET, i);
}

static bool check_turns(struct ordo_e4_tile *t)
{
    t->thread = 0;
    t->tape.n = 0;
    ordo_ticket_turn(&t->tape, (struct ordo_mem){ORDO_SPACE_COUNTER}, TURN_OF, TICKET, t->hand);
    return check_tape(t, true, check_turn);
}

/* --- all of them ------------------------------------------------------------------------------------------------ */

/* Gives life to each slot that is a multiple, of those that have a row. */
static void fill(struct ordo_e4_tile *t, int32_t multiple)
{
    for (int32_t slot = 0; slot < SLOTS; slot++)
        t->row[slot] = slot % multiple ? -1 : row_of(slot);
}

static bool check_adders(struct ordo_e4_tile *t)
{
    fill(t, 7);
    if (!check_reducers(t, 576, 256) || !check_reducers(t, WIDEST, 96) || !check_bulk(t, WIDEST))
        return false;
    t->row[8] = t->row[0]; /* row 0 is the lower of a fragment's two, under a dead one; of most, both are dead */
    t->row[0] = -1;
    if (!ordo_e4_fragments(t, 512))
        return false;
    fill(t, 1);
    return check_reducers(t, 104, 96) && check_reducers(t, 8, 3) && check_bulk(t, 576) &&
           ordo_e4_fragments(t, 576) && ordo_e4_fragments(t, 512);
}

static bool check_waiters(struct ordo_e4_tile *t, int32_t cluster)
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
    struct ordo_e4_tile t = {.finding = finding, .rank = -1, .hand = {GO, DONE, 2 * SLOTS}};

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
