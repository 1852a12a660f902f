/* dense_run.h - the state of a dense run, which dense_time.c and dense_ring.c share. */
#ifndef ORDO_SIM_DENSE_RUN_H
#define ORDO_SIM_DENSE_RUN_H

#include "sim/dense_ticks.h"

enum { ORDO_DENSE_NONE = -1 };

struct ordo_dense_row {
    int64_t released;
    int32_t next, waiter; /* the rank whose turn it is; the first slot that waits here */
};

struct ordo_dense_slot {
    int64_t cta, item, now, reduced; /* now: products done; reduced: the last reduction done */
    int64_t begin, ready;            /* of the task that waits */
    struct ordo_dense_tile tile[2];
    int n_tile, i_tile;
    int32_t step, steps, query, rank;
    int32_t next;   /* in a list of slots: waiting in a row, runnable, parked */
    bool busy, waits;
};

struct ordo_dense_run {
    const struct ordo_dense *d;
    const struct ordo_dense_schedule *schedule;
    const struct ordo_dense_mask *mask;
    const struct ordo_dense_watch *watch;
    struct ordo_dense_ticks ticks;
    bool overlap;
    int64_t items, grid, next_cta;
    struct ordo_dense_slot *slot;
    int32_t slots, runnable, parked;
    int32_t *idle, n_idle; /* free slots, a heap: the one that was free first on top */
    struct ordo_dense_row *row;   /* ring * n_q */
    int64_t *left;     /* tasks of each head of the ring */
    int64_t base;      /* the oldest head that is not done */
    int64_t ring;
    struct ordo_dense_time *time;
};

/* Makes the rows of a head fresh. */
void ordo_dense_clear_head(struct ordo_dense_run *r, int64_t head);
/* Room for twice as many heads; false without memory. */
bool ordo_dense_grow(struct ordo_dense_run *r);

/* Slots that are free, and the one that was free first. */
void ordo_dense_put_idle(struct ordo_dense_run *r, int32_t slot);
int32_t ordo_dense_take_idle(struct ordo_dense_run *r);

#endif
