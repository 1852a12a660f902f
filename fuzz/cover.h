/* cover.h - what a campaign has reached: counters that are the same for the same cases.
 *
 * Reached or not: every value of a row's mask bits for each cluster size; which rows of a mask word are live
 * together; which rank came before which, and whether the later had to wait; how long a chain of hand-overs was, and
 * how many of it were still to come at the first poll.  Counted: classes of schedules up to the order of independent
 * steps (Mazurkiewicz traces) with Good and Turing's estimate of what is unseen, and classes of shape and plan.
 * Cases of several threads are logged, and counted in the order of their numbers. */
#ifndef ORDO_FUZZ_COVER_H
#define ORDO_FUZZ_COVER_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { ORDO_COVER_CLUSTERS = 3 }; /* 4, 8, 16 */

/* Kinds that are reached or not.  X(id, name, targets for a cluster of C) */
#define ORDO_COVER_KINDS(X)                                                                                          \
    X(MASKS, "mask values", UINT64_C(1) << c)                                                                        \
    X(NEIGHBOURS, "neighbours in a word", UINT64_C(1) << 32 / c)                                                     \
    X(PAIRS, "ordered pairs", c *(c - 1))                                                                            \
    X(CHAINS, "chains", (c - 1) * c / 2 + c - 1)
enum ordo_cover_kind {
#define ORDO_X(id, ...) ORDO_COVER_##id,
    ORDO_COVER_KINDS(ORDO_X)
#undef ORDO_X
        ORDO_N_COVER_KINDS
};
extern const char *const ordo_cover_name[ORDO_N_COVER_KINDS];

enum { ORDO_COVER_SLOTS = 1 << 20 };

struct ordo_cover_class {
    uint64_t hash; /* 0: free */
    uint32_t n;
};

/* Classes by hash, up to three quarters of ORDO_COVER_SLOTS of them. */
struct ordo_cover_census {
    struct ordo_cover_class *slot;
    uint64_t n_class, n_once, n_draw;
    bool full; /* later new classes were not counted */
};

/* Runs under PCT, where somebody names a lower rank, and what they promise, see ordo_cover_pct. */
struct ordo_cover_pct {
    uint64_t n_run;
    int32_t most_threads;
    uint64_t most_steps;
    double missed; /* chance that a bug which each of these launches has was met by none of the runs; 1 without */
};

/* One thing reached, for a later count: what: a kind, or one of the others; value: target, hash or k; n: of PCT. */
struct ordo_cover_event {
    uint64_t value;
    int32_t n;
    uint8_t what, cluster; /* the cluster's index */
};
enum { ORDO_COVER_TRACE = ORDO_N_COVER_KINDS, ORDO_COVER_SHAPE, ORDO_COVER_PCT };

struct ordo_cover_log {
    struct ordo_cover_event *event;
    uint32_t n, room;
    bool lost; /* no memory for more */
};

struct ordo_cover {
    struct ordo_cover_log *log; /* where what is reached goes, each target once, instead of being counted; or NULL */
    uint64_t *bit[ORDO_N_COVER_KINDS][ORDO_COVER_CLUSTERS];
    uint64_t reached[ORDO_N_COVER_KINDS][ORDO_COVER_CLUSTERS];
    struct ordo_cover_census trace, shape;
    struct ordo_cover_pct pct;
    uint64_t novel; /* grows with each first but that of a trace */
};

/* ORDO_ENVIRONMENT without memory; free with ordo_cover_free, also then. */
enum ordo_status ordo_cover_init(struct ordo_cover *c, struct ordo_err *err);
void ordo_cover_free(struct ordo_cover *c);

uint64_t ordo_cover_targets(enum ordo_cover_kind kind, int32_t cluster);

/* Mask words of one group as built. */
void ordo_cover_masks(struct ordo_cover *c, int32_t cluster, const uint32_t *word, int64_t n_word);
/* One wait: lower: the lower ranks that use the row; found: those whose bit the first poll found set. */
void ordo_cover_wait(struct ordo_cover *c, int32_t cluster, int32_t rank, uint32_t lower, uint32_t found);
void ordo_cover_class(struct ordo_cover *c, struct ordo_cover_census *census, uint64_t hash);

/* A run under PCT with two demotions, of n threads and at most k steps: a bug that three ordering constraints make
 * appear is met with a chance of 1 / (n k^2) at least (see sim/schedule.h). */
void ordo_cover_pct(struct ordo_cover *c, int32_t n, uint64_t k);

/* A counter that only keeps logs, for what runs ahead of the count.  As ordo_cover_init. */
enum ordo_status ordo_cover_init_log(struct ordo_cover *c, struct ordo_err *err);
/* From here on that is in this log, which is emptied first; its events stay the caller's to free.  All zeros is an
 * empty log.  A target that stands in an earlier log of the counter does not come again: logs are counted in their
 * order. */
void ordo_cover_log_start(struct ordo_cover *c, struct ordo_cover_log *log);
/* Counts in c what stands in events [first, end) of the log, as if it were reached now. */
void ordo_cover_count(struct ordo_cover *c, const struct ordo_cover_log *log, uint32_t first, uint32_t end);

/* The estimated chance that the next draw is of a class not seen yet: classes seen once / draws; 1 without draws. */
double ordo_cover_unseen(const struct ordo_cover_census *census);

/* Upper bound, at 95 %, of the share of failing draws when n independent ones have not failed: 3 / n. */
double ordo_cover_rule_of_three(uint64_t n);

#endif
