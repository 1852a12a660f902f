/* schedule.h - the shipped relay, executed step by step under a chosen schedule.
 *
 * All threads of one launch of one cluster (a lane a slot, one reducer a CTA) run the recorded role headers; each
 * step is one operation, taken by the thread that the scheduler picks.  Memory is sequentially consistent here: what
 * weak memory adds is for the engines that know it (e4.h, ptx_litmus.h).  Says whether the additions came in the
 * order of ranks, everybody came to an end and no bit was left, and what the schedule reached.
 *
 * Schedulers: a random walk; PCT (Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding
 * bugs", ASPLOS 2010) with two demotions; POS (Yuan et al., "Partial order aware concurrency sampling", CAV 2018);
 * round robin; the lowest ranks starved; whoever has to wait first. */
#ifndef ORDO_SIM_SCHEDULE_H
#define ORDO_SIM_SCHEDULE_H

#include "base/arena.h"
#include "sim/order.h"

#include <stdbool.h>

/* X(id, name) */
#define ORDO_SCHEDULERS(X)                                                                                           \
    X(WALK, "walk") X(PCT, "pct") X(POS, "pos") X(ROBIN, "robin") X(STARVE, "starve") X(WAITER, "waiter")
enum ordo_scheduler {
#define ORDO_X(id, name) ORDO_SCHEDULER_##id,
    ORDO_SCHEDULERS(ORDO_X)
#undef ORDO_X
        ORDO_N_SCHEDULERS
};
extern const char *const ordo_scheduler_name[ORDO_N_SCHEDULERS];

/* X(id, sentence) */
#define ORDO_SCHEDULE_ENDS(X)                                                                                        \
    X(CLEAN, "every addition came in its turn")                                                                      \
    X(ORDER, "adds before a lower rank has added")                                                                   \
    X(STRANGER, "adds to a row that is not its own, or a second time")                                               \
    X(LOST, "ended without an addition that a live slot asks for")                                                   \
    X(RESIDUAL, "ended with a mask bit set")                                                                         \
    X(DEADLOCK, "waits, and nobody can step")                                                                        \
    X(STRANGE_OP, "makes an operation that the relay does not have")
enum ordo_schedule_end {
#define ORDO_X(id, text) ORDO_SCHEDULE_##id,
    ORDO_SCHEDULE_ENDS(ORDO_X)
#undef ORDO_X
        ORDO_N_SCHEDULE_ENDS
};
extern const char *const ordo_schedule_end_text[ORDO_N_SCHEDULE_ENDS];
extern const char *const ordo_schedule_end_name[ORDO_N_SCHEDULE_ENDS];

struct ordo_schedule_outcome {
    enum ordo_schedule_end end;
    int32_t rank, row;      /* -1 where none */
    const char *file;       /* the role header's operation; NULL where none */
    int line;
    int32_t n_thread;
    uint64_t n_wait;        /* polls that name a lower rank */
    uint64_t most_steps;    /* one more than all threads have together: the k of PCT's promise */
    uint64_t steps, trace;  /* trace: of the happens-before relation: which clears each first poll had seen */
};

/* Is told of each wait: which lower ranks use the row, and which of their bits the first poll found set. */
struct ordo_schedule_watch {
    void (*wait)(void *ctx, int32_t cluster, int32_t rank, uint32_t lower, uint32_t found);
    void *ctx;
};

/* Runs the launch of these n workers (sim/order.h) of a relay plan.  watch may be NULL.  The arena is not reset.
 * ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_schedule_run(struct ordo_arena *arena, const struct ordo_plan *plan,
                                   const struct ordo_problem *problem, const struct ordo_worker *worker, int n,
                                   enum ordo_scheduler scheduler, uint64_t seed,
                                   const struct ordo_schedule_watch *watch, struct ordo_schedule_outcome *outcome,
                                   struct ordo_err *err);

#endif
