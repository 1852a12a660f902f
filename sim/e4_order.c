/* e4_order.c - E4: plane operations: each column once, between wait and clear, after earlier positions. */
#include "sim/e4_impl.h"

/* --- bulk copies ----------------------------------------------------------------------------------------------- */

/* The record at which a bulk copy is complete and visible to its thread; -1 if none is. */
static int64_t completion(const struct ordo_e4 *e4, uint32_t at)
{
    bool committed = false;

    for (int64_t i = at + 1; i < ordo_e4_end(e4, at); i++) {
        const struct ordo_record *r = ordo_e4_record(e4, i);

        committed = committed || r->op == ORDO_OP_BULK_COMMIT;
        if (committed && r->op == ORDO_OP_BULK_WAIT && r->value == 0)
            return i;
    }
    return -1;
}

/* Why a bulk copy is not complete in time: a wait for its source that was taken for one, a wait that leaves it open,
 * or a barrier that goes first. */
static bool unfinished(struct ordo_e4 *e4, uint32_t at)
{
    for (uint32_t i = at; i < ordo_e4_end(e4, at); i++) {
        enum ordo_op op = ordo_e4_record(e4, i)->op;

        if (op == ORDO_OP_BULK_WAIT_READ)
            return ordo_e4_breaks(e4, ORDO_E4_BULK_READ, i);
        if (op == ORDO_OP_BULK_WAIT || op == ORDO_OP_BAR_SYNC)
            return ordo_e4_breaks_pair(e4, ORDO_E4_BULK_OPEN, at, i);
    }
    return ordo_e4_breaks(e4, ORDO_E4_BULK_OPEN, at);
}

/* Between the stager's barriers number n - 1 and n there is a fence. */
static bool check_stager(struct ordo_e4 *e4, int32_t t, uint32_t n)
{
    bool fenced = false;

    for (uint32_t at = e4->base[t]; at < e4->base[t + 1]; at++) {
        enum ordo_op op = ordo_e4_record(e4, at)->op;

        fenced = fenced || op == ORDO_OP_SHARED_FENCE;
        if (op != ORDO_OP_BAR_SYNC)
            continue;
        if (--n == 0)
            return fenced || ordo_e4_breaks(e4, ORDO_E4_NO_SHARED_FENCE, at);
        fenced = false;
    }
    return true;
}

static bool check_stage(struct ordo_e4 *e4, uint32_t at)
{
    uint32_t n = 0;

    for (uint32_t i = e4->base[e4->thread_of[at]]; i < at; i++)
        n += ordo_e4_record(e4, i)->op == ORDO_OP_BAR_SYNC;
    for (int32_t t = 0; t < e4->tapes->n_thread; t++) {
        const struct ordo_thread *s = &e4->tapes->thread[t];

        if (s->kind != ORDO_THREAD_STAGER || s->rank != ordo_e4_thread(e4, at)->rank)
            continue;
        if (n == 0)
            return ordo_e4_breaks(e4, ORDO_E4_NO_SHARED_FENCE, at);
        if (!check_stager(e4, t, n))
            return false;
    }
    return true;
}

bool ordo_e4_bulk(struct ordo_e4 *e4)
{
    for (uint32_t at = 0; at < e4->n; at++)
        if (ordo_e4_record(e4, at)->op == ORDO_OP_BULK_ADD) {
            if (completion(e4, at) < 0)
                return unfinished(e4, at);
            if (!check_stage(e4, at))
                return false;
        }
    return true;
}

/* --- what is added --------------------------------------------------------------------------------------------- */

/* The values lie slot by slot: what is added is the element of a slot of the tile that names the row; by a thread
 * that has just loaded that element, or in bulk from the slot's place in the staging tile. */
static bool right_data(const struct ordo_e4 *e4, uint32_t at)
{
    const struct ordo_record *r = ordo_e4_record(e4, at);
    const struct ordo_cta_shape *s = &e4->tapes->shape;
    bool bulk = r->op == ORDO_OP_BULK_ADD;
    uint32_t staged = r->source - s->stage; /* below it: far beyond */
    uint32_t from = bulk ? staged / 4 : r->source, column = (uint32_t)(r->index % s->n_column);
    uint32_t slot = from / (uint32_t)s->n_column;

    if (slot >= (uint32_t)s->n_slot || from % (uint32_t)s->n_column != column || (bulk && staged % 4))
        return false;
    if (r->data != (bulk ? ORDO_DATA_OPAQUE : ORDO_DATA_ADDED))
        return false;
    if (!bulk && (at == e4->base[e4->thread_of[at]] || ordo_e4_record(e4, at - 1)->op != ORDO_OP_LOAD ||
                  ordo_e4_record(e4, at - 1)->index != r->index))
        return false;
    for (int32_t tile = 0; tile < s->n_tile; tile++)
        if (ordo_tile_of(s, e4->epoch[at], ordo_e4_thread(e4, at)->rank, tile)[slot] == ordo_e4_row(e4, r))
            return true;
    return false;
}

static bool collect(struct ordo_e4 *e4, uint32_t at)
{
    const struct ordo_record *r = ordo_e4_record(e4, at);
    const struct ordo_cta_shape *s = &e4->tapes->shape;
    bool bulk = r->op == ORDO_OP_BULK_ADD;
    int32_t rank = ordo_e4_thread(e4, at)->rank, column = (int32_t)(r->index % s->n_column);
    bool first = ordo_e4_first(e4, at);
    int64_t row = ordo_e4_row(e4, r), place = e4->epoch[at] * e4->rows + row;

    if (place >= e4->places)
        return ordo_e4_breaks(e4, ORDO_E4_CLUSTER_BARRIER, at);
    if (!first && s->cluster > 1 && e4->set[place * s->cluster + rank] < 0)
        return ordo_e4_breaks(e4, ORDO_E4_MISSING_BIT, at);
    if (bulk && (column != 0 || r->value != 4 * (uint32_t)s->n_column))
        return ordo_e4_breaks(e4, ORDO_E4_LOST_ADD, at);
    if (!first && r->op != ORDO_OP_LOAD && !right_data(e4, at))
        return ordo_e4_breaks(e4, ORDO_E4_DATA, at);
    e4->access[e4->n_access++] = (struct ordo_e4_access){
        at, bulk ? (uint32_t)completion(e4, at) : at, place, row, rank, bulk ? -1 : column,
        e4->epoch[at] * s->n_rank + rank, bulk, r->op != ORDO_OP_LOAD, first};
    return true;
}

static bool overlap(const struct ordo_e4_access *a, const struct ordo_e4_access *b)
{
    return a->row == b->row && (a->column < 0 || b->column < 0 || a->column == b->column);
}

/* Columns that the access's CTA adds to its row. */
static bool check_columns(struct ordo_e4 *e4, const struct ordo_e4_access *a)
{
    int32_t n = 0;

    for (uint32_t i = 0; i < e4->n_access; i++) {
        const struct ordo_e4_access *b = &e4->access[i];

        if (b->row != a->row || b->position != a->position)
            continue;
        if (a < b && overlap(a, b) && ((a->store && b->store) || e4->thread_of[a->at] != e4->thread_of[b->at]))
            return ordo_e4_breaks_pair(e4, ORDO_E4_DOUBLE_ADD, b->at, a->at);
        n += !b->store ? 0 : b->bulk ? e4->tapes->shape.n_column : 1;
    }
    return n >= e4->tapes->shape.n_column || ordo_e4_breaks(e4, ORDO_E4_LOST_ADD, a->at);
}

bool ordo_e4_accesses(struct ordo_e4 *e4)
{
    for (uint32_t at = 0; at < e4->n; at++)
        if (ordo_e4_record(e4, at)->space == ORDO_SPACE_PLANE &&
            ordo_thread_of_launch(ordo_e4_thread(e4, at)->kind) && !collect(e4, at))
            return false;
    for (uint32_t i = 0; i < e4->n_access; i++)
        if (!check_columns(e4, &e4->access[i]))
            return false;
    for (int64_t bit = 0; bit < e4->n_bits; bit++) {
        bool added = e4->set[bit] < 0;

        for (uint32_t i = 0; !added && i < e4->n_access; i++)
            added = e4->access[i].place * e4->tapes->shape.cluster + e4->access[i].rank == bit;
        if (!added)
            return ordo_e4_lacks(e4, ORDO_E4_LOST_ADD, true, (int32_t)(bit % e4->tapes->shape.cluster), e4->set[bit]);
    }
    return true;
}

/* --- in which order -------------------------------------------------------------------------------------------- */

static bool names(const struct ordo_e4 *e4, int32_t await, int64_t bit)
{
    const struct ordo_record *r = ordo_e4_record(e4, await);

    return r->op == ORDO_OP_AWAIT_GE || (r->index == bit / 32 && r->value >> bit % 32 & 1);
}

/* Between the wait and the clear of its row. */
static bool check_inside(struct ordo_e4 *e4, const struct ordo_e4_access *a)
{
    int64_t first = a->place * e4->tapes->shape.cluster, own = first + a->rank;
    int64_t release = ordo_e4_release(e4, e4->clear[own]);
    int32_t await = e4->await[own];

    for (int64_t bit = first; bit < own; bit++) {
        if (e4->set[bit] < 0)
            continue;
        if (await < 0 || !names(e4, await, bit))
            return ordo_e4_breaks_pair(e4, ORDO_E4_NOT_NAMED, await < 0 ? e4->clear[own] : await, a->at);
        if (!ordo_e4_before(e4, (uint32_t)ordo_e4_acquire(e4, await), a->at))
            return ordo_e4_breaks_pair(e4, ORDO_E4_EARLY_ADD, a->at, await);
        e4->finding->pairs++;
    }
    if (release < 0) /* nobody waits for it */
        release = e4->clear[own];
    if (!ordo_e4_before(e4, a->done, (uint32_t)release))
        return a->bulk && !ordo_e4_before(e4, a->done, (uint32_t)e4->clear[own])
                   ? unfinished(e4, a->at)
                   : ordo_e4_breaks_pair(e4, ORDO_E4_EARLY_CLEAR, e4->clear[own], a->at);
    e4->finding->pairs++;
    return true;
}

/* Whether a fence to the async proxy lies on a path from a to b. */
static bool fenced(const struct ordo_e4 *e4, uint32_t a, uint32_t b)
{
    for (uint32_t at = 0; at < e4->n; at++)
        if (ordo_e4_record(e4, at)->op == ORDO_OP_PROXY_FENCE && ordo_e4_before(e4, a, at) &&
            ordo_e4_before(e4, at, b))
            return true;
    return false;
}

static bool check_pair(struct ordo_e4 *e4, const struct ordo_e4_access *a, const struct ordo_e4_access *b)
{
    if (a->position >= b->position || !overlap(a, b))
        return true;
    if (!ordo_e4_before(e4, a->done, b->at))
        return ordo_e4_breaks_pair(e4, ORDO_E4_UNORDERED, b->at, a->at);
    if (b->bulk && !fenced(e4, a->done, b->at))
        return ordo_e4_breaks_pair(e4, ORDO_E4_NO_PROXY_FENCE, b->at, a->at);
    e4->finding->pairs++;
    return true;
}

bool ordo_e4_order(struct ordo_e4 *e4)
{
    for (uint32_t i = 0; e4->tapes->shape.cluster > 1 && i < e4->n_access; i++)
        if (!e4->access[i].first && !check_inside(e4, &e4->access[i]))
            return false;
    for (uint32_t i = 0; i < e4->n_access; i++)
        for (uint32_t j = 0; j < e4->n_access; j++)
            if (!check_pair(e4, &e4->access[i], &e4->access[j]))
                return false;
    return true;
}
