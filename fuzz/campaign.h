/* campaign.h - many cases, a funnel, and what came out.
 *
 * Every drawn case runs through all that can judge it (fuzz/trial.h), one of eight under a random schedule too.  A
 * swarm that reaches something new ends with its larger case, which is passed over otherwise, unless it is the first
 * asked for: so every case is drawn again from its number alone.  A finding is shrunk at once and kept
 * once a signature.  Cases depend on seed and number alone; the clock only says how many there are, and threads only
 * run ahead of what is counted in order (fuzz/ahead.h). */
#ifndef ORDO_FUZZ_CAMPAIGN_H
#define ORDO_FUZZ_CAMPAIGN_H

#include "fuzz/draw.h"
#include "fuzz/trial.h"

#include <signal.h>

enum { ORDO_MAX_FINDINGS = 32, ORDO_REPLAY_SCHEDULES = 16, ORDO_SCHEDULE_EVERY = 8 };

struct ordo_campaign_finding {
    struct ordo_finding finding;
    char alias[ORDO_CASE_RULE]; /* the signature that the drawn case had, nearly always the same */
    struct ordo_case shrunk;    /* owned */
    uint64_t number;         /* of the first case */
    uint64_t n;              /* cases that ended so */
    double seconds;          /* from the start until it was seen first */
};

struct ordo_campaign {
    /* asked */
    uint64_t seed, first;                       /* number of the first case */
    uint64_t n_case;                            /* 0: until the time ends */
    double seconds;                             /* 0: until the cases end */
    int32_t stop_after;                         /* findings; 0: never */
    int32_t n_thread;                           /* 0 or 1: this one.  Changes nothing but the time */
    const volatile sig_atomic_t *interrupted;   /* may be NULL: ends after the case at hand */
    /* One more judge, asked about cases that all others pass: fills *f, or leaves it; may be NULL.  Asked by several
     * threads at once, if there are several. */
    void (*judge)(void *ctx, const struct ordo_case *c, struct ordo_finding *f);
    void (*found)(void *ctx, const struct ordo_campaign_finding *f); /* once it is shrunk; may be NULL */
    void *ctx;
    /* so far */
    uint64_t n_done, n_schedule;
    uint64_t n_larger; /* of n_done */
    double elapsed;
    bool was_interrupted;
    struct ordo_cover cover;
    int32_t n_finding;
    uint64_t n_dropped; /* cases with signatures beyond ORDO_MAX_FINDINGS */
    struct ordo_campaign_finding finding[ORDO_MAX_FINDINGS];
};

/* Runs it; fills what is below "so far".  Free with ordo_campaign_free, also after a failure. */
enum ordo_status ordo_campaign_run(struct ordo_campaign *c, struct ordo_err *err);
void ordo_campaign_free(struct ordo_campaign *c);

/* Replays a case with ORDO_REPLAY_SCHEDULES schedules on each launch. */
enum ordo_status ordo_replay_case(const struct ordo_case *c, struct ordo_trial_result *r, struct ordo_err *err);

/* Shrinks a case that has this outcome (fuzz/trial.h).  The numbers that it promises were those of the whole: the
 * smaller case promises none. */
enum ordo_status ordo_shrink_finding(struct ordo_case *c, const char *outcome,
                                     const volatile sig_atomic_t *interrupted, uint64_t *tries, struct ordo_err *err);

/* The number of the thread's case at hand, for a handler that must say where the program died. */
extern _Thread_local volatile uint64_t ordo_campaign_at;

/* Cases a second of processor time: the benchmark's tiny case (Q = 8, Top-K 8, KV = 32, C = 8), seeded ids, one
 * input class. */
struct ordo_campaign_rate {
    double tiny, tiny_scheduled, swarm;
};
enum ordo_status ordo_campaign_bench(uint64_t seed, struct ordo_campaign_rate *rate, struct ordo_err *err);

#endif
