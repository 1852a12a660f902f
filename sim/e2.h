/* e2.h - E2, explicit-state exploration: every interleaving of a recorded program, exactly.
 *
 * A state is one position a thread, the bits not yet cleared, how often each plane cell was added to, what each
 * thread knows (its view: which cells' last addition happens before it), counters and words that are not only
 * cleared as the list of their writes, and the scheduler.  An await is a blocking read: a failed poll is no step.
 * Views follow PTX: release and acquire patterns, morally strong by scope, barriers, the async proxy by the strict
 * reading (a bulk copy needs a proxy fence of its own CTA behind what another CTA added).  An addition to a cell
 * whose last addition its thread does not know is a race, and ends the search.
 *
 * What it leaves out, and E3 has: load buffering, and a plain store that takes an earlier place among the writes of
 * its word. */
#ifndef ORDO_SIM_E2_H
#define ORDO_SIM_E2_H

#include "sim/e2_program.h"

/* X(id, name, takes slots) */
#define ORDO_E2_SCHEDULERS(X)                                                                                        \
    X(UNFAIR, "unfair", false)                                                                                       \
    X(OBE, "obe", true)                                                                                              \
    X(WINDOW, "window", true)                                                                                        \
    X(CLUSTER, "cluster", true)                                                                                      \
    X(GRID, "grid", false)                                                                                           \
    X(FAIR, "fair", false)

enum ordo_e2_scheduler {
#define ORDO_X(id, name, slots) ORDO_SCHED_##id,
    ORDO_E2_SCHEDULERS(ORDO_X)
#undef ORDO_X
        ORDO_N_SCHEDS
};
extern const char *const ordo_e2_scheduler_name[ORDO_N_SCHEDS];
extern const bool ordo_e2_scheduler_slots[ORDO_N_SCHEDS];

struct ordo_e2_options {
    bool sc;       /* sequential consistency: no views, so no races, only wrong orders */
    enum ordo_e2_scheduler scheduler;
    int32_t slots; /* CTAs that are resident at once; cluster: rounded down to whole clusters */
    bool fuse;     /* a thread goes on through steps that only it can notice */
    bool persist;  /* one thread alone where its next steps commute with all that others can do first */
    bool symmetry; /* states that differ by a permutation of rows are one; for rows in any order */
    bool project;  /* a clear passes on what is known of its own row only (row independence) */
    bool hunt;     /* keep 128-bit hashes instead of states: may miss states, so it never says proved */
    uint64_t most; /* states, 0: 2^31 */
    bool brief;    /* a violation's second search, for a shortest schedule, ends at 2^15 states, not at 2^22 */
    uint64_t expect; /* states, to size the table once; 0: grow */
};

enum ordo_e2_verdict { ORDO_E2_PROVED, ORDO_E2_VIOLATED, ORDO_E2_NOT_FOUND, ORDO_E2_BUDGET, ORDO_E2_REFUSED };
extern const char *const ordo_e2_verdict_name[5];

/* X(id, name) */
#define ORDO_E2_BADS(X)                                                                                              \
    X(NONE, "none")                                                                                                  \
    X(ORDER, "order violation")                                                                                      \
    X(RACE, "race")                                                                                                  \
    X(RESIDUAL, "residual bit")                                                                                      \
    X(DEADLOCK, "deadlock")

enum ordo_e2_bad {
#define ORDO_X(id, name) ORDO_E2_##id,
    ORDO_E2_BADS(ORDO_X)
#undef ORDO_X
        ORDO_N_E2_BADS
};
extern const char *const ordo_e2_bad_name[ORDO_N_E2_BADS];

/* One step of a schedule: an actor (a thread, a segment of it, a bulk copy), or -1 - u: CTA or cluster u starts; and
 * which write an await reads, 0 where there is no choice. */
struct ordo_e2_move {
    int16_t actor, choice;
};

struct ordo_e2_result {
    enum ordo_e2_verdict verdict;
    enum ordo_e2_bad bad;
    uint64_t states, edges;
    uint32_t depth;   /* levels of the search */
    int32_t bits;     /* of a state: 64 x words */
    uint64_t bytes;   /* of the table of states */
    double seconds;
    char reason[160]; /* refused: why */
    struct ordo_e2_move *move; /* violated: a shortest schedule, the last move does the harm */
    uint32_t n_move;
    bool shortest;    /* over all schedules; else over those that the reductions kept */
};

struct ordo_e2; /* a program made ready */

/* NULL without memory.  What cannot be stated is refused by ordo_e2_explore.  p must outlive it. */
struct ordo_e2 *ordo_e2_make(const struct ordo_e2_program *p, const struct ordo_e2_options *options);
/* Why it cannot be stated, NULL if it can. */
const char *ordo_e2_refused(const struct ordo_e2 *e2);
void ordo_e2_free(struct ordo_e2 *e2);

/* Explores; false without memory.  Breadth first, so the first harm met is one of the nearest.  Free the result. */
bool ordo_e2_explore(const struct ordo_e2 *e2, struct ordo_e2_result *result);
void ordo_e2_result_free(struct ordo_e2_result *result);

/* The program under options, and for a violation a second search without reductions for a shortest schedule, unless
 * that passes 2^22 states, 2^15 if it is to be brief.  False without memory. */
bool ordo_e2_decide(const struct ordo_e2_program *p, const struct ordo_e2_options *options,
                    struct ordo_e2_result *result);

#endif
