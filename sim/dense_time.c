/* dense_time.c - the run of a dense schedule; see dense_time.h.
 *
 * Rows count the ranks that have come, as the kernels' semaphores do.  A slot runs ahead as far as its rows let it and
 * then waits in the list of a row; times are sums and maxima along the edges of the task graph, so the order in which
 * slots run does not matter.  A new CTA starts only when nobody can run: whoever waits then waits, in the end, for a CTA
 * that has not started, so the free slot that was free first is the first one free.
 *
 * Rows stand in a ring over heads, from the oldest head that is not done.  A slot that comes to a head beyond the ring
 * is parked until the ring moves on, or grows because nobody can run. */
#include "sim/dense_time.h"

#include "base/size.h"
#include "sim/dense_ticks.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY = -1, FIRST_RING = 4 };

struct row {
    int64_t released;
    int32_t next, waiter; /* the rank whose turn it is; the first slot that waits here */
};

struct slot {
    int64_t cta, item, now, reduced; /* now: products done; reduced: the last reduction done */
    int64_t begin, ready;            /* of the task that waits */
    struct ordo_dense_tile tile[2];
    int n_tile, i_tile;
    int32_t step, steps, query, rank;
    int32_t next;   /* in a list of slots: waiting in a row, runnable, parked */
    bool busy, waits;
};

struct run {
    const struct ordo_dense *d;
    const struct ordo_dense_schedule *schedule;
    const struct ordo_dense_mask *mask;
    const struct ordo_dense_watch *watch;
    struct ordo_dense_ticks ticks;
    bool overlap;
    int64_t items, grid, next_cta;
    struct slot *slot;
    int32_t slots, runnable, parked;
    int32_t *idle, n_idle; /* free slots, a heap: the one that was free first on top */
    struct row *row;   /* ring * n_q */
    int64_t *left;     /* tasks of each head of the ring */
    int64_t base;      /* the oldest head that is not done */
    int64_t ring;
    struct ordo_dense_time *time;
};

static void push(struct run *r, int32_t *list, int32_t s)
{
    r->slot[s].next = *list;
    *list = s;
}

static int32_t pop(struct run *r, int32_t *list)
{
    int32_t s = *list;

    *list = r->slot[s].next;
    return s;
}

/* --- the ring --------------------------------------------------------------------------------------------------- */

static void clear_head(struct run *r, int64_t head)
{
    struct row *row = r->row + head % r->ring * r->mask->n_q;

    for (int32_t q = 0; q < r->mask->n_q; q++)
        row[q] = (struct row){0, 0, NOBODY};
    r->left[head % r->ring] = r->mask->pairs;
}

/* Twice as many heads; false without memory. */
static bool grow(struct run *r)
{
    int64_t old_ring = r->ring, n_q = r->mask->n_q;
    struct row *old = r->row;
    int64_t *old_left = r->left;

    r->ring = old_ring ? 2 * old_ring : FIRST_RING;
    r->row = ordo_alloc((uint64_t)(r->ring * n_q), sizeof *r->row);
    r->left = ordo_alloc((uint64_t)r->ring, sizeof *r->left);
    for (int64_t head = r->base; r->row && r->left && head < r->base + r->ring; head++) {
        clear_head(r, head);
        if (head >= r->base + old_ring)
            continue;
        memcpy(r->row + head % r->ring * n_q, old + head % old_ring * n_q, (size_t)n_q * sizeof *old);
        r->left[head % r->ring] = old_left[head % old_ring];
    }
    free(old);
    free(old_left);
    r->time->rows_held = r->ring * n_q;
    return r->row && r->left;
}

/* All that were parked may try again. */
static void unpark(struct run *r)
{
    while (r->parked != NOBODY)
        push(r, &r->runnable, pop(r, &r->parked));
}

static void task_done(struct run *r, int64_t head)
{
    r->time->done++;
    if (--r->left[head % r->ring] || head != r->base)
        return;
    while (r->base < r->d->launch.heads && r->left[r->base % r->ring] == 0) {
        clear_head(r, r->base); /* for the head that takes its place */
        r->base++;
    }
    unpark(r);
}

/* --- free slots ------------------------------------------------------------------------------------------------- */

static bool before(const struct run *r, int32_t a, int32_t b)
{
    int64_t x = r->slot[a].now, y = r->slot[b].now;

    return x < y || (x == y && a < b);
}

static void put_idle(struct run *r, int32_t s)
{
    int32_t at = r->n_idle++;

    for (; at > 0 && before(r, s, r->idle[(at - 1) / 2]); at = (at - 1) / 2)
        r->idle[at] = r->idle[(at - 1) / 2];
    r->idle[at] = s;
}

static int32_t take_idle(struct run *r)
{
    int32_t top = r->idle[0], last = r->idle[--r->n_idle], at = 0;

    for (int32_t child; (child = 2 * at + 1) < r->n_idle; at = child) {
        child += child + 1 < r->n_idle && before(r, r->idle[child + 1], r->idle[child]);
        if (!before(r, r->idle[child], last))
            break;
        r->idle[at] = r->idle[child];
    }
    r->idle[at] = last;
    return top;
}

/* --- one slot --------------------------------------------------------------------------------------------------- */

/* Goes to the first tile with a task from here on; false at the CTA's end. */
static bool next_tile(struct run *r, struct slot *s)
{
    while (s->step >= s->steps) {
        if (++s->i_tile >= s->n_tile) {
            s->item += r->grid;
            if (s->item >= r->items)
                return false;
            s->n_tile = r->schedule->item(r->d, s->item, s->tile);
            s->i_tile = 0;
        }
        s->step = 0;
        s->steps = ordo_dense_steps(r->mask, s->tile[s->i_tile].kv);
        s->now += s->steps ? r->ticks.start : 0;
    }
    return true;
}

/* Computes the products of the next task. */
static void compute(struct run *r, struct slot *s)
{
    struct ordo_dense_tile tile = s->tile[s->i_tile];
    int64_t cost = r->ticks.c;

    s->query = r->schedule->query(r->d, tile.head, tile.kv, s->step);
    s->rank = r->schedule->rank(r->d, tile.head, s->query, tile.kv);
    ORDO_BUG_ON(s->query < 0 || s->query >= r->mask->n_q);
    if (r->ticks.swing)
        cost += ordo_dense_jitter_ticks(&r->ticks, tile.head, tile.kv, s->query);
    s->begin = s->now;
    s->ready = s->now + cost;
    if (r->overlap && s->ready < s->reduced)
        s->ready = s->reduced; /* the staging buffer is not free before */
    s->waits = true;
}

/* Adds what is ready; wakes who is next in the row. */
static void reduce(struct run *r, struct slot *s, struct row *row)
{
    struct ordo_dense_tile tile = s->tile[s->i_tile];
    int64_t turn = s->rank ? row->released + r->ticks.edge : 0, start = s->ready > turn ? s->ready : turn;
    int64_t stall = start - s->ready, index = s - r->slot;
    int32_t *link = &row->waiter;

    s->reduced = start + r->ticks.r;
    s->now = r->overlap ? start : s->reduced;
    *row = (struct row){s->reduced, row->next + 1, row->waiter};
    r->time->stall += stall;
    r->time->stalls += stall > 0;
    r->time->slot_stall[index] += stall;
    r->time->row_stall[s->query] += stall;
    if (stall > r->time->longest_stall)
        r->time->longest_stall = stall;
    if (s->reduced > r->time->makespan)
        r->time->makespan = s->reduced;
    if (r->watch) {
        struct ordo_dense_event e = {(int32_t)index, s->cta, tile, s->query, s->rank, s->begin, s->ready, start,
                                     s->reduced};

        r->watch->task(r->watch->ctx, &e);
    }
    s->waits = false;
    s->step++;
    while (*link != NOBODY && r->slot[*link].rank != row->next)
        link = &r->slot[*link].next;
    if (*link != NOBODY)
        push(r, &r->runnable, pop(r, link));
    task_done(r, tile.head);
}

/* Runs until the slot waits, is parked or is free. */
static void run_slot(struct run *r, int32_t index)
{
    struct slot *s = &r->slot[index];

    while (s->waits || next_tile(r, s)) {
        struct ordo_dense_tile tile = s->tile[s->i_tile];
        struct row *row;

        if (tile.head >= r->base + r->ring) {
            push(r, &r->parked, index);
            return;
        }
        if (!s->waits)
            compute(r, s);
        row = &r->row[tile.head % r->ring * r->mask->n_q + s->query];
        if (row->next != s->rank) {
            push(r, &row->waiter, index);
            return;
        }
        reduce(r, s, row);
    }
    s->busy = false;
    s->now = s->reduced > s->now ? s->reduced : s->now;
    r->time->slot_end[index] = s->now;
    put_idle(r, index);
}

/* --- all of them ------------------------------------------------------------------------------------------------ */

/* The next CTA goes to the slot that was free first; false if there is none of either. */
static bool start_cta(struct run *r)
{
    int32_t first;
    struct slot *s;

    if (r->next_cta >= r->grid || r->n_idle == 0)
        return false;
    first = take_idle(r);
    s = &r->slot[first];
    s->cta = r->next_cta++;
    s->item = s->cta - r->grid; /* next_tile goes to the CTA's first */
    s->n_tile = s->i_tile = 0;
    s->step = s->steps = 0;
    s->reduced = s->now;
    s->busy = true;
    r->time->started = r->next_cta;
    push(r, &r->runnable, first);
    return true;
}

static enum ordo_status run_all(struct run *r, struct ordo_err *err)
{
    for (;;) {
        while (r->runnable != NOBODY)
            run_slot(r, pop(r, &r->runnable));
        if (r->parked != NOBODY) {
            if (!grow(r))
                return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "rows", "no memory for %lld heads at once",
                                 (long long)r->ring);
            unpark(r);
        } else if (!start_cta(r)) {
            return ORDO_OK;
        }
    }
}

/* Who waits for ever, in the order of slots. */
static enum ordo_status list_blocked(struct run *r, struct ordo_err *err)
{
    struct ordo_dense_time *t = r->time;

    t->blocked = ordo_alloc((uint64_t)r->slots, sizeof *t->blocked);
    if (!t->blocked)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "slots", "no memory");
    for (int32_t i = 0; i < r->slots; i++) {
        const struct slot *s = &r->slot[i];
        struct ordo_dense_tile tile = s->tile[s->i_tile < 2 ? s->i_tile : 0];

        if (s->busy && s->waits)
            t->blocked[t->n_blocked++] = (struct ordo_dense_blocked){
                s->cta, tile, i, s->step, s->query, s->rank,
                r->row[tile.head % r->ring * r->mask->n_q + s->query].next};
    }
    t->hangs = t->done < t->tasks;
    return ORDO_OK;
}

enum ordo_status ordo_dense_time(const struct ordo_dense *d, const struct ordo_dense_model *model,
                                 const struct ordo_dense_watch *watch, struct ordo_dense_time *t,
                                 struct ordo_err *err)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    struct run r = {.d = d, .schedule = d->schedule, .mask = m, .watch = watch, .overlap = model->overlap,
                    .items = d->schedule->items(d), .slots = model->slots, .runnable = NOBODY, .parked = NOBODY,
                    .time = t};
    enum ordo_status status;

    *t = (struct ordo_dense_time){.items = r.items, .tasks = m->pairs * d->launch.heads, .slots = model->slots,
                                  .n_q = m->n_q};
    status = ordo_dense_ticks(model, &d->launch, &r.ticks, err);
    if (status != ORDO_OK)
        return status;
    t->den = r.ticks.den;
    r.grid = model->grid ? model->grid : r.items;
    r.slot = ordo_alloc_zero((uint64_t)r.slots, sizeof *r.slot);
    r.idle = ordo_alloc((uint64_t)r.slots, sizeof *r.idle);
    t->slot_stall = ordo_alloc_zero((uint64_t)r.slots, sizeof *t->slot_stall);
    t->slot_end = ordo_alloc_zero((uint64_t)r.slots, sizeof *t->slot_end);
    t->row_stall = ordo_alloc_zero((uint64_t)m->n_q, sizeof *t->row_stall);
    if (!r.slot || !r.idle || !t->slot_stall || !t->slot_end || !t->row_stall || !grow(&r))
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "slots", "no memory");
    for (int32_t s = 0; s < r.slots && status == ORDO_OK; s++)
        put_idle(&r, s);
    if (status == ORDO_OK)
        status = run_all(&r, err);
    if (status == ORDO_OK)
        status = list_blocked(&r, err);
    free(r.slot);
    free(r.idle);
    free(r.row);
    free(r.left);
    return status;
}

void ordo_dense_time_free(struct ordo_dense_time *t)
{
    free(t->slot_stall);
    free(t->slot_end);
    free(t->row_stall);
    free(t->blocked);
    *t = (struct ordo_dense_time){.hangs = false};
}

struct ordo_rational ordo_dense_makespan(const struct ordo_dense_time *t)
{
    return ordo_rational_of(t->makespan, t->den);
}
