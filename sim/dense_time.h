/* dense_time.h - a dense schedule timed exactly: critical path, stalls, lower bounds.
 *
 * The model of DASH (arXiv 2601.21824): a task (head, KV tile, query tile) is its products, weight c, then its
 * reduction into dQ, weight r.  A CTA does its tasks one after the other; a reduction waits for the one of the rank
 * before.  The critical path is the makespan of the run in which nobody idles without cause, which is unique.  Times
 * are integers, in ticks of 1/den of the unit of c and r, so sums and comparisons are exact.
 *
 * Beyond the model: `edge`, what a hand-over costs from the end of one reduction to the start of the next one of
 * its row; `start`, what a KV tile costs before its first task; jitter of c; CTAs that take the next item when an
 * SM is free; overlap, in which a task's products begin as the products before are in the staging buffer, while
 * their reduction waits and runs (one buffer: they cannot end before that reduction has). */
#ifndef ORDO_SIM_DENSE_TIME_H
#define ORDO_SIM_DENSE_TIME_H

#include "base/rational.h"
#include "sim/dense.h"

/* X(id, name): x in [-1, 1] */
#define ORDO_DENSE_JITTERS(X)                                                                                        \
    X(UNIFORM, "uniform")       /* all values alike */                                                               \
    X(TRIANGULAR, "triangular") /* the mean of two uniform ones */                                                   \
    X(TWO_POINT, "two-point")   /* -1 or 1 */
enum ordo_dense_jitter {
#define ORDO_X(id, name) ORDO_DENSE_JITTER_##id,
    ORDO_DENSE_JITTERS(ORDO_X)
#undef ORDO_X
        ORDO_N_DENSE_JITTERS
};
extern const char *const ordo_dense_jitter_name[ORDO_N_DENSE_JITTERS];

/* No member is negative.  A task's products cost c * (1 + jitter * x), x drawn from seed and the task; jitter <= 1.
 * slots: CTAs resident at once, that is SMs.  grid: persistent CTAs, CTA g takes items g, g + grid, ...; 0: a CTA an
 * item.  CTAs start in launch order, each on the slot that is free first. */
struct ordo_dense_model {
    struct ordo_rational c, r, edge, start, jitter;
    enum ordo_dense_jitter distribution;
    uint64_t seed;
    int32_t slots, grid;
    bool overlap;
};

struct ordo_dense_event {
    int32_t slot;
    int64_t cta;
    struct ordo_dense_tile tile;
    int32_t query, rank;
    int64_t begin, ready, reduce, end; /* ticks: products from begin to ready, reduction from reduce to end */
};

struct ordo_dense_watch {
    void (*task)(void *ctx, const struct ordo_dense_event *e);
    void *ctx;
};

/* A CTA that waits for ever: it has done `done` tasks of the tile and wants `rank` in a row whose next rank is
 * `next`. */
struct ordo_dense_blocked {
    int64_t cta;
    struct ordo_dense_tile tile;
    int32_t slot, done, query, rank, next;
};

/* Lower bounds that hold for every schedule of the launch, with weights as declared: tasks * (c + r) / slots; the
 * longest KV tile; the longest row, c + adds * r. */
struct ordo_dense_bounds {
    struct ordo_rational work, chain, reduction, most;
};

struct ordo_dense_time {
    bool hangs;
    int64_t den, makespan, stall, longest_stall; /* ticks */
    int64_t items, tasks, done, stalls;          /* counts; done < tasks iff it hangs */
    int64_t started;                             /* CTAs that ran or still wait */
    int32_t slots;
    int64_t *slot_stall, *slot_end;              /* by slot */
    int32_t n_q;
    int64_t *row_stall;                          /* by query tile, over all heads */
    int32_t n_blocked;
    struct ordo_dense_blocked *blocked;
    int64_t rows_held;                           /* most rows in memory at once */
};

/* ORDO_BAD_INPUT when times may leave 64 bits, ORDO_ENVIRONMENT without memory.  watch may be NULL.  Free with
 * ordo_dense_time_free, also after a failure.  Memory: slots and the rows of the heads in flight. */
enum ordo_status ordo_dense_time(const struct ordo_dense *d, const struct ordo_dense_model *model,
                                 const struct ordo_dense_watch *watch, struct ordo_dense_time *time,
                                 struct ordo_err *err);
void ordo_dense_time_free(struct ordo_dense_time *time);

struct ordo_rational ordo_dense_makespan(const struct ordo_dense_time *time);

/* ORDO_BAD_INPUT when a bound leaves 64 bits. */
enum ordo_status ordo_dense_bounds(const struct ordo_dense_launch *launch, const struct ordo_dense_model *model,
                                   struct ordo_dense_bounds *bounds, struct ordo_err *err);

#endif
