/* e4.h - E4, side conditions on recorded tapes.
 *
 * A program of the one-run class has one happens-before graph.  E4 builds it from the tapes of one cluster, by
 * program order, barriers and the patterns that PTX lets synchronise, and asks of it what the one-run argument
 * assumes: one owner and one clear a bit, waits that name lower ranks only, and every addition between its wait and
 * its clear.  Nothing is taken from the known shape of the relay, and no line is shared with E1 (one_run.c): a row's
 * bit is computed here as bit row * C + rank of one long string. */
#ifndef ORDO_SIM_E4_H
#define ORDO_SIM_E4_H

#include "sim/tape_cta.h"

enum ordo_e4_verdict { ORDO_E4_HOLDS, ORDO_E4_VIOLATED, ORDO_E4_REFUSED };
extern const char *const ordo_e4_verdict_name[3];

/* X(id, verdict, sentence) */
#define ORDO_E4_RULES(X)                                                                                             \
    X(NONE, HOLDS, "all side conditions hold")                                                                       \
    X(NO_MEMORY, REFUSED, "no memory for the tapes")                                                                 \
    X(CUT, REFUSED, "a tape is cut: its program is not known to its end")                                            \
    X(STRANGE_OP, REFUSED, "touches a synchronisation word by an operation outside the one-run class")               \
    X(SETS_BITS, REFUSED, "sets mask bits during the launch, so waits are not monotone")                             \
    X(TWO_OWNERS, REFUSED, "sets a mask bit that another thread has set")                                            \
    X(TWO_WAITS, REFUSED, "waits a second time for the same row")                                                    \
    X(FENCE_SC, REFUSED, "rests on the order among fence.sc, which this engine does not derive")                     \
    X(WORD_RANGE, VIOLATED, "names a word outside the masks, counters or plane")                                     \
    X(MIXED_WIDTH, VIOLATED, "touches a 32-bit word in another width: a mixed-size race")                            \
    X(WAIT_WEAK, VIOLATED, "polls by a weak load, which races and may be hoisted")                                   \
    X(WAIT_SCOPE, VIOLATED, "polls in a scope that leaves out the other CTAs of the cluster")                        \
    X(WAIT_RELAXED, VIOLATED, "waits without acquire, and no fence of the thread follows")                           \
    X(CLEAR_SCOPE, VIOLATED, "updates a word in a scope that leaves out the other CTAs that do")                     \
    X(CLEAR_RELAXED, VIOLATED, "clears without release, and no fence of the thread precedes")                        \
    X(AND_MASK, VIOLATED, "clears other than exactly one bit")                                                       \
    X(FOREIGN_BIT, VIOLATED, "sets or clears a bit of another rank")                                                 \
    X(UNSET_CLEAR, VIOLATED, "clears a bit that the mask build does not set")                                        \
    X(DOUBLE_CLEAR, VIOLATED, "clears a bit a second time")                                                          \
    X(NEVER_CLEARED, VIOLATED, "sets a bit that no thread clears")                                                   \
    X(LATER_WAIT, VIOLATED, "waits for a position that is not earlier than its own")                                 \
    X(WAIT_ROW, VIOLATED, "waits for bits of more than one row, or of a row that it does not own a bit of")          \
    X(BAR_COUNT, VIOLATED, "passes a barrier whose count is not the number of threads that use it")                  \
    X(BAR_ID, VIOLATED, "passes a barrier other than the two that its CTA was given")                                \
    X(BAR_SEQUENCE, VIOLATED, "does not pass the same barriers in the same order as the others of its CTA")          \
    X(DIVERGED, VIOLATED, "passes an aligned barrier after a poll without bringing its warp together")               \
    X(WARP_SEQUENCE, VIOLATED, "waits for its warp where other lanes of it do not, or do not exist")                 \
    X(CLUSTER_RELAXED, VIOLATED, "passes a cluster barrier without releasing and acquiring: it orders nothing")      \
    X(CLUSTER_SEQUENCE, VIOLATED, "does not pass the same cluster barriers as the others, arrive before wait")       \
    X(CLUSTER_BARRIER, VIOLATED, "passes a cluster barrier before a bit of the wave is cleared")                     \
    X(TICKET, VIOLATED, "does not take one turn: wait for its ticket, then count up by one")                         \
    X(TICKET_NUMBER, VIOLATED, "holds a ticket that another writer holds, or waits for more turns than there are")   \
    X(BULK_OPEN, VIOLATED, "adds in bulk without committing and waiting for completion")                             \
    X(BULK_READ, VIOLATED, "waits for the source of a bulk addition only, not for its completion")                   \
    X(NO_SHARED_FENCE, VIOLATED, "fills the staging tile without a fence to the async proxy before the barrier")     \
    X(CLEAR_VALUE, VIOLATED, "clears an element of the plane to other than +0.0")                                    \
    X(FIRST_VALUE, VIOLATED, "is the first writer of an element and does other than store its value of the column")  \
    X(STARTED_TWICE, VIOLATED, "clears, or stores as first writer, an element a second time")                        \
    X(NOT_STARTED, VIOLATED, "leaves an element of the plane neither cleared nor stored by a first writer")          \
    X(FOLD_TERM, VIOLATED, "folds other than the next plane of the plan's tree, at its own row and column")          \
    X(FOLD_SUM, VIOLATED, "stores other than the sum, from +0.0, of one group of the plan's tree to its place")      \
    X(FOLD_SHORT, VIOLATED, "ends the fold before the plan's tree does")                                             \
    X(CYCLE, VIOLATED, "waits for itself by way of others")                                                          \
    X(MISSING_BIT, VIOLATED, "adds to a row without owning its bit or turn")                                         \
    X(LOST_ADD, VIOLATED, "has a row, by bit, turn or slot, and does not add each of its columns")                   \
    X(DOUBLE_ADD, VIOLATED, "adds to a column a second time, or races with another thread of its CTA")               \
    X(DATA, VIOLATED, "adds other than its slot's value of the column to what it has just loaded from there")        \
    X(NOT_NAMED, VIOLATED, "adds without a wait that names every active lower rank")                                 \
    X(EARLY_ADD, VIOLATED, "adds without happening after its CTA's wait for the row")                                \
    X(EARLY_CLEAR, VIOLATED, "clears without happening after an addition of its CTA to the row")                     \
    X(NO_PROXY_FENCE, VIOLATED, "not derivable: no async proxy fence between an earlier addition and this in bulk")  \
    X(UNORDERED, VIOLATED, "adds without happening after an addition of an earlier position")                        \
    X(SPELLING, VIOLATED, "spells an instruction that PTX does not have, by order, scope or width")

enum ordo_e4_rule {
#define ORDO_X(id, verdict, text) ORDO_E4_##id,
    ORDO_E4_RULES(ORDO_X)
#undef ORDO_X
        ORDO_N_E4_RULES
};

struct ordo_e4_rule_info {
    const char *name;
    enum ordo_e4_verdict verdict;
    const char *text;
};
extern const struct ordo_e4_rule_info ordo_e4_rule_info[ORDO_N_E4_RULES];

/* The first rule that does not hold, with its place; and how much was looked at until then. */
struct ordo_e4_finding {
    enum ordo_e4_rule rule;
    int32_t thread, rank, record; /* -1 where none */
    const char *file;             /* the role header; NULL where none */
    int line;
    const char *other_file;       /* of a rule about two operations, the second: one of the two is wrong; else NULL */
    int other_line;
    uint64_t records, pairs;      /* pairs: (operation, operation) that must be ordered and are; or elements */
};

enum ordo_e4_verdict ordo_e4_check(const struct ordo_cluster_tapes *tapes, struct ordo_e4_finding *finding);

/* One claim: an instance that stands for all of its kind. */
struct ordo_e4_claim {
    const char *name;
    enum ordo_e4_verdict verdict;
    struct ordo_e4_finding finding;
    int32_t cluster, n_thread;
};
enum { ORDO_E4_MAX_CLAIMS = 16 };

struct ordo_e4_protocol {
    enum ordo_e4_verdict verdict; /* the first that is not "holds" */
    int n_claim;
    struct ordo_e4_claim claim[ORDO_E4_MAX_CLAIMS];
};

/* Checks the role headers for a cluster of C CTAs; 1: private shards. */
void ordo_e4_protocol(int32_t cluster, struct ordo_e4_protocol *protocol);

/* The planes of a plan: how many, the rows of one (masks included), columns rounded up to 8. */
struct ordo_e4_planes {
    int32_t n_plane;
    int64_t rows;
    int32_t d8;
};

/* Checks the roles that start and fold planes of these extents, in their first and last row, and adds the claims:
 * each column once, by whatever thread; the fold as sim/fold.h has it.  Their findings' thread is the thread of a
 * row. */
void ordo_e4_launch(const struct ordo_e4_planes *planes, struct ordo_e4_protocol *protocol);

#endif
