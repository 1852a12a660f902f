/* e4_bits.c - E4: each operation alone, then each bit and each turn: who sets, waits for and clears it. */
#include "sim/e4_impl.h"

/* --- operations ------------------------------------------------------------------------------------------------ */

static bool is_await(const struct ordo_record *r)
{
    return r->op == ORDO_OP_AWAIT_CLEAR || r->op == ORDO_OP_AWAIT_GE;
}

/* Widths, scopes and orders of an operation on a mask word or counter. */
static bool check_word(struct ordo_e4 *e4, uint32_t at)
{
    const struct ordo_record *r = ordo_e4_record(e4, at);
    bool mask = r->space == ORDO_SPACE_MASK, build = ordo_e4_built(e4, at);
    enum ordo_op wait = mask ? ORDO_OP_AWAIT_CLEAR : ORDO_OP_AWAIT_GE;
    enum ordo_op update = mask ? ORDO_OP_RED_AND : ORDO_OP_RED_ADD;

    if (r->index < 0 || r->index >= (mask ? e4->tapes->wave_words * e4->tapes->shape.n_wave : e4->rows))
        return ordo_e4_breaks(e4, ORDO_E4_WORD_RANGE, at);
    if (r->op == ORDO_OP_RED_OR && !build)
        return ordo_e4_breaks(e4, ORDO_E4_SETS_BITS, at);
    if (build ? r->op != ORDO_OP_RED_OR || !mask : r->op != wait && r->op != update)
        return ordo_e4_breaks(e4, ORDO_E4_STRANGE_OP, at);
    if (r->width != ORDO_WIDTH_u32 && r->width != ORDO_WIDTH_b32)
        return ordo_e4_breaks(e4, ORDO_E4_MIXED_WIDTH, at);
    if (is_await(r) && r->sem == ORDO_SEM_weak)
        return ordo_e4_breaks(e4, ORDO_E4_WAIT_WEAK, at);
    if (r->scope < (build ? ORDO_SCOPE_gpu : ordo_e4_scope(e4))) /* builders of a word share no cluster */
        return ordo_e4_breaks(e4, is_await(r) ? ORDO_E4_WAIT_SCOPE : ORDO_E4_CLEAR_SCOPE, at);
    return true;
}

static bool has_sc(const struct ordo_e4 *e4, int32_t rank)
{
    for (uint32_t at = 0; at < e4->n; at++)
        if (ordo_e4_thread(e4, at)->rank == rank && ordo_e4_is_fence(e4, ordo_e4_record(e4, at)) &&
            ordo_e4_record(e4, at)->sem == ORDO_SEM_sc)
            return true;
    return false;
}

/* fence.sc on both sides, not in the thread that clears, may order too: R14 and not R13. */
static bool may_rest_on_sc(const struct ordo_e4 *e4, uint32_t clear)
{
    int32_t rank = ordo_e4_thread(e4, clear)->rank;

    for (uint32_t at = 0; at < e4->n; at++)
        if (is_await(ordo_e4_record(e4, at)) && ordo_e4_thread(e4, at)->rank != rank &&
            !has_sc(e4, ordo_e4_thread(e4, at)->rank))
            return false;
    return has_sc(e4, rank);
}

/* Whether some thread waits for what the operation clears or counts. */
static bool awaited(const struct ordo_e4 *e4, const struct ordo_record *clear)
{
    for (uint32_t at = 0; at < e4->n; at++) {
        const struct ordo_record *r = ordo_e4_record(e4, at);

        if (is_await(r) && r->space == clear->space && r->index == clear->index &&
            (r->op == ORDO_OP_AWAIT_GE || r->value & ~clear->value))
            return true;
    }
    return false;
}

static bool check_pattern(struct ordo_e4 *e4, uint32_t at)
{
    const struct ordo_record *r = ordo_e4_record(e4, at);

    if (is_await(r) && ordo_e4_acquire(e4, at) < 0)
        return ordo_e4_breaks(e4, ORDO_E4_WAIT_RELAXED, at);
    if ((r->op == ORDO_OP_RED_AND || r->op == ORDO_OP_RED_ADD) && ordo_e4_release(e4, at) < 0 && awaited(e4, r))
        return ordo_e4_breaks(e4, may_rest_on_sc(e4, at) ? ORDO_E4_FENCE_SC : ORDO_E4_CLEAR_RELAXED, at);
    return true;
}

static bool check_operation(struct ordo_e4 *e4, uint32_t at)
{
    const struct ordo_record *r = ordo_e4_record(e4, at);
    bool update = r->op == ORDO_OP_LOAD || r->op == ORDO_OP_STORE || r->op == ORDO_OP_BULK_ADD;

    if (ordo_e4_thread(e4, at)->kind == ORDO_THREAD_CLEAR && (r->space != ORDO_SPACE_PLANE || r->op != ORDO_OP_STORE))
        return ordo_e4_breaks(e4, ORDO_E4_STRANGE_OP, at);
    if (r->space == ORDO_SPACE_MASK || r->space == ORDO_SPACE_COUNTER)
        return check_word(e4, at) && check_pattern(e4, at);
    if (r->space == ORDO_SPACE_NONE ? update : !update || ordo_e4_built(e4, at))
        return ordo_e4_breaks(e4, ORDO_E4_STRANGE_OP, at);
    if (update && (r->index < 0 || ordo_e4_row(e4, r) >= e4->tapes->shape.n_row))
        return ordo_e4_breaks(e4, ORDO_E4_WORD_RANGE, at);
    if (update && r->width != ORDO_WIDTH_f32)
        return ordo_e4_breaks(e4, ORDO_E4_MIXED_WIDTH, at);
    return true;
}

bool ordo_e4_operations(struct ordo_e4 *e4)
{
    for (uint32_t at = 0; at < e4->n; at++)
        if (!check_operation(e4, at))
            return false;
    return true;
}

/* --- bits ------------------------------------------------------------------------------------------------------ */

static bool set_bit(struct ordo_e4 *e4, int64_t bit, uint32_t at)
{
    int32_t rank = (int32_t)(bit % e4->tapes->shape.cluster);

    if (rank != ordo_e4_thread(e4, at)->rank || bit / e4->tapes->shape.cluster % e4->rows >= e4->tapes->shape.n_row)
        return ordo_e4_breaks(e4, ORDO_E4_FOREIGN_BIT, at);
    if (e4->set[bit] >= 0)
        return ordo_e4_breaks_pair(e4, ORDO_E4_TWO_OWNERS, at, e4->set[bit]);
    e4->set[bit] = (int32_t)at;
    return true;
}

static bool clear_bit(struct ordo_e4 *e4, int64_t bit, uint32_t at)
{
    if (e4->set[bit] < 0)
        return ordo_e4_breaks(e4, ORDO_E4_UNSET_CLEAR, at);
    if (bit % e4->tapes->shape.cluster != ordo_e4_thread(e4, at)->rank)
        return ordo_e4_breaks(e4, ORDO_E4_FOREIGN_BIT, at);
    if (e4->clear[bit] >= 0)
        return ordo_e4_breaks_pair(e4, ORDO_E4_DOUBLE_CLEAR, at, e4->clear[bit]);
    if (e4->epoch[at] != bit / e4->tapes->shape.cluster / e4->rows)
        return ordo_e4_breaks(e4, ORDO_E4_CLUSTER_BARRIER, at);
    e4->clear[bit] = (int32_t)at;
    return true;
}

/* One bit of a wait, which may be set or not: the position must be earlier, the row one of its own. */
static bool await_bit(struct ordo_e4 *e4, int64_t bit, uint32_t at)
{
    int32_t cluster = e4->tapes->shape.cluster, rank = ordo_e4_thread(e4, at)->rank;
    int64_t own = bit / cluster * cluster + rank;

    if (bit / cluster / e4->rows != e4->epoch[at] || bit % cluster >= rank)
        return ordo_e4_breaks(e4, ORDO_E4_LATER_WAIT, at);
    if (e4->set[own] < 0)
        return ordo_e4_breaks(e4, ORDO_E4_WAIT_ROW, at);
    if (e4->await[own] >= 0 && e4->await[own] != (int32_t)at)
        return ordo_e4_breaks(e4, ORDO_E4_TWO_WAITS, at);
    e4->await[own] = (int32_t)at;
    return true;
}

/* Calls one for each bit that the operation names. */
static bool each_bit(struct ordo_e4 *e4, enum ordo_op op, bool (*one)(struct ordo_e4 *, int64_t, uint32_t))
{
    for (uint32_t at = 0; at < e4->n; at++) {
        const struct ordo_record *r = ordo_e4_record(e4, at);
        uint32_t bits = op == ORDO_OP_RED_AND ? ~r->value : r->value;
        int64_t row = -1;

        if (r->op != op)
            continue;
        if (op != ORDO_OP_AWAIT_CLEAR && __builtin_popcount(bits) != 1)
            return ordo_e4_breaks(e4, ORDO_E4_AND_MASK, at);
        for (; bits; bits &= bits - 1) {
            int64_t bit = r->index * 32 + __builtin_ctz(bits);

            if (row >= 0 && row != bit / e4->tapes->shape.cluster)
                return ordo_e4_breaks(e4, ORDO_E4_WAIT_ROW, at);
            row = bit / e4->tapes->shape.cluster;
            if (!one(e4, bit, at))
                return false;
        }
    }
    return true;
}

bool ordo_e4_bits(struct ordo_e4 *e4)
{
    if (!each_bit(e4, ORDO_OP_RED_OR, set_bit) || !each_bit(e4, ORDO_OP_RED_AND, clear_bit))
        return false;
    for (int64_t bit = 0; bit < e4->n_bits; bit++)
        if (e4->set[bit] >= 0 && e4->clear[bit] < 0)
            return ordo_e4_lacks(e4, ORDO_E4_NEVER_CLEARED, false, (int32_t)(bit % e4->tapes->shape.cluster),
                                 e4->set[bit]);
    return each_bit(e4, ORDO_OP_AWAIT_CLEAR, await_bit);
}

/* --- turns ----------------------------------------------------------------------------------------------------- */

/* A wait for a ticket, and the one count of its thread that follows: they take the place of a bit. */
static bool take_turn(struct ordo_e4 *e4, uint32_t at)
{
    int64_t tile = ordo_e4_record(e4, at)->index, next = -1;
    int64_t own = tile * e4->tapes->shape.cluster + ordo_e4_thread(e4, at)->rank;

    for (uint32_t i = e4->base[e4->thread_of[at]]; i < ordo_e4_end(e4, at); i++) {
        const struct ordo_record *r = ordo_e4_record(e4, i);

        if (r->op != ORDO_OP_RED_ADD || r->index != tile)
            continue;
        if (next >= 0 || i < at || r->value != 1)
            return ordo_e4_breaks(e4, ORDO_E4_TICKET, i);
        next = i;
    }
    if (next < 0 || e4->set[own] >= 0)
        return ordo_e4_breaks(e4, ORDO_E4_TICKET, at);
    e4->set[own] = e4->await[own] = (int32_t)at;
    e4->clear[own] = (int32_t)next;
    return true;
}

/* The tickets of a counter are 0 .. n - 1, in the order of ranks. */
static bool check_numbers(struct ordo_e4 *e4, int64_t tile)
{
    uint32_t n = 0;

    for (int32_t rank = 0; rank < e4->tapes->shape.cluster; rank++) {
        int32_t at = e4->set[tile * e4->tapes->shape.cluster + rank];

        if (at >= 0 && ordo_e4_record(e4, at)->value != n++)
            return ordo_e4_breaks(e4, ORDO_E4_TICKET_NUMBER, at);
    }
    return true;
}

bool ordo_e4_turns(struct ordo_e4 *e4)
{
    if (e4->tapes->shape.program != ORDO_CTA_TICKET)
        return true;
    for (uint32_t at = 0; at < e4->n; at++)
        if (ordo_e4_record(e4, at)->op == ORDO_OP_AWAIT_GE && !take_turn(e4, at))
            return false;
    for (uint32_t at = 0; at < e4->n; at++) { /* a count without a wait */
        const struct ordo_record *r = ordo_e4_record(e4, at);

        if (r->op == ORDO_OP_RED_ADD &&
            e4->clear[r->index * e4->tapes->shape.cluster + ordo_e4_thread(e4, at)->rank] != (int32_t)at)
            return ordo_e4_breaks(e4, ORDO_E4_TICKET, at);
    }
    for (int64_t tile = 0; tile < e4->rows; tile++)
        if (!check_numbers(e4, tile))
            return false;
    return true;
}
