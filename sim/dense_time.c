/* dense_time.c - the run of a dense schedule; see dense_time.h.
 *
 * Rows count the ranks that have come, as the kernels' semaphores do.  A slot runs ahead as far as its rows let it
 * and then waits in the list of a row; times are sums and maxima along the edges of the task graph, so the order in
 * which slots run does not matter.  A new CTA starts only when nobody can run: whoever waits then waits, in the end,
 * for a CTA that has not started, so the free slot that was free first is the first one free.
 *
 * Rows stand in a ring over heads, from the oldest head that is not done.  A slot that comes to a head beyond the
 * ring is parked until the ring moves on, or grows because nobody can run. */
#include "sim/dense_run.h"

#include "base/size.h"

#include <stdlib.h>

static void push(struct ordo_dense_run *r, int32_t *list, int32_t s)
{
    r->slot[s].next = *list;
    *list = s;
}

static int32_t pop(struct ordo_dense_run *r, int32_t *list)
{
    int32_t s = *list;

    *list = r->slot[s].next;
    return s;
}

/* --- heads that are done ---------------------------------------------------------------------------------------- */

/* All that were parked may try again. */
static void unpark(struct ordo_dense_run *r)
{
    while (r->parked != ORDO_DENSE_NONE)
        push(r, &r->runnable, pop(r, &r->parked));
}

static void task_done(struct ordo_dense_run *r, int64_t head)
{
    r->time->done++;
    if (--r->left[head % r->ring] || head != r->base)
        return;
    while (r->base < r->d->launch.heads && r->left[r->base % r->ring] == 0) {
        ordo_dense_clear_head(r, r->base); /* for the head that takes its place */
        r->base++;
    }
    unpark(r);
}

/* --- one slot --------------------------------------------------------------------------------------------------- */

/* Goes to the first tile with a task from here on; false at the CTA's end. */
static bool next_tile(struct ordo_dense_run *r, struct ordo_dense_slot *s)
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
static void compute(struct ordo_dense_run *r, struct ordo_dense_slot *s)
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
static void reduce(struct ordo_dense_run *r, struct ordo_dense_slot *s, struct ordo_dense_row *row)
{
    struct ordo_dense_tile tile = s->tile[s->i_tile];
    int64_t turn = s->rank ? row->released + r->ticks.edge : 0, start = s->ready > turn ? s->ready : turn;
    int64_t stall = start - s->ready, index = s - r->slot;
    int32_t *link = &row->waiter;

    s->reduced = start + r->ticks.r;
    s->now = r->overlap ? s->ready : s->reduced;
    *row = (struct ordo_dense_row){s->reduced, row->next + 1, row->waiter};
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
    while (*link != ORDO_DENSE_NONE && r->slot[*link].rank != row->next)
        link = &r->slot[*link].next;
    if (*link != ORDO_DENSE_NONE)
        push(r, &r->runnable, pop(r, link));
    task_done(r, tile.head);
}

/* Runs until the slot waits, is parked or is free. */
static void run_slot(struct ordo_dense_run *r, int32_t index)
{
    struct ordo_dense_slot *s = &r->slot[index];

    while (s->waits || next_tile(r, s)) {
        struct ordo_dense_tile tile = s->tile[s->i_tile];
        struct ordo_dense_row *row;

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
    ordo_dense_put_idle(r, index);
}

/* --- all of them ------------------------------------------------------------------------------------------------ */

/* The next CTA goes to the slot that was free first; false if there is none of either. */
static bool start_cta(struct ordo_dense_run *r)
{
    int32_t first;
    struct ordo_dense_slot *s;

    if (r->next_cta >= r->grid || r->n_idle == 0)
        return false;
    first = ordo_dense_take_idle(r);
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

static enum ordo_status run_all(struct ordo_dense_run *r, struct ordo_err *err)
{
    for (;;) {
        while (r->runnable != ORDO_DENSE_NONE)
            run_slot(r, pop(r, &r->runnable));
        if (r->parked != ORDO_DENSE_NONE) {
            if (!ordo_dense_grow(r))
                return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "rows", "no memory for %lld heads at once",
                                 (long long)r->ring);
            unpark(r);
        } else if (!start_cta(r)) {
            return ORDO_OK;
        }
    }
}

/* Who waits for ever, in the order of slots. */
static enum ordo_status list_blocked(struct ordo_dense_run *r, struct ordo_err *err)
{
    struct ordo_dense_time *t = r->time;

    t->blocked = ordo_alloc((uint64_t)r->slots, sizeof *t->blocked);
    if (!t->blocked)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "slots", "no memory");
    for (int32_t i = 0; i < r->slots; i++) {
        const struct ordo_dense_slot *s = &r->slot[i];
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
    struct ordo_dense_run r = {.d = d, .schedule = d->schedule, .mask = m, .watch = watch, .overlap = model->overlap,
                    .items = d->schedule->items(d), .slots = model->slots, .runnable = ORDO_DENSE_NONE, .parked =
                        ORDO_DENSE_NONE,
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
    if (!r.slot || !r.idle || !t->slot_stall || !t->slot_end || !t->row_stall || !ordo_dense_grow(&r))
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "slots", "no memory");
    for (int32_t s = 0; s < r.slots && status == ORDO_OK; s++)
        ordo_dense_put_idle(&r, s);
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
