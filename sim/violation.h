/* violation.h - what can be wrong with an order, as a table: name, sentence, which of the three claims it breaks. */
#ifndef ORDO_SIM_VIOLATION_H
#define ORDO_SIM_VIOLATION_H

#include "sim/order.h"

#include <stdbool.h>

/* X(id, breaks order, breaks progress, breaks race freedom, sentence) */
#define ORDO_VIOLATIONS(X)                                                                                           \
    X(NONE, 0, 0, 0, "nothing is wrong")                                                                             \
    X(MISSING_BIT, 1, 0, 1, "adds without owning a mask bit: its successors do not wait for it")                     \
    X(EXTRA_BIT, 0, 1, 0, "owns a mask bit that it never clears: its successors wait for ever")                      \
    X(BLOCKED, 0, 1, 0, "waits for a lower rank's bit that nobody clears")                                           \
    X(NO_WAIT, 1, 0, 1, "adds without having waited for the lower ranks")                                            \
    X(WEAK_WAIT, 1, 0, 1, "waits by a load that is no 32-bit acquire over the cluster")                             \
    X(WEAK_CLEAR, 1, 0, 1, "clears by an operation that is no 32-bit release over the cluster")                      \
    X(EARLY_CLEAR, 1, 0, 1, "clears its bit before it has added")                                                    \
    X(DOUBLE_ADD, 1, 0, 0, "adds a second time")                                                                     \
    X(DOUBLE_CLEAR, 1, 0, 1, "clears a bit that is not set")                                                         \
    X(LOST_ADD, 1, 0, 0, "never adds a contribution that its live slot asks for")                                    \
    X(STRANGER, 1, 0, 0, "touches a row that none of its live slots names")                                          \
    X(DESCENDING, 1, 0, 0, "adds after a later (wave, head block, rank) has added to the same plane and row")        \
    X(SHARED_PLANE, 1, 0, 1, "shares plane and launch with another writer of the row, and nothing orders the two")   \
    X(WRONG_PLANE, 1, 0, 1, "works on a plane, rank or query that the plan does not give it")                        \
    X(LEAF, 1, 0, 0, "numbers its contribution other than by its query and head block")                              \
    X(NOT_THE_PROGRAM, 1, 0, 0, "does not follow its program: wait, add and clear of its live slots, tile by tile")  \
    X(PROTOCOL, 1, 1, 1, "the role headers break a side condition")                                                  \
    X(OUTSIDE, 0, 0, 0, "the role headers are outside the class of programs that one run decides")

enum ordo_violation_kind {
#define ORDO_X(id, o, d, r, text) ORDO_VIOLATION_##id,
    ORDO_VIOLATIONS(ORDO_X)
#undef ORDO_X
        ORDO_N_VIOLATIONS
};

struct ordo_violation_info {
    const char *name; /* "MISSING_BIT" */
    bool ordering, deadlock, race;
    const char *text;
};
extern const struct ordo_violation_info ordo_violation_info[ORDO_N_VIOLATIONS];

/* The first broken rule, with its place. */
struct ordo_violation {
    enum ordo_violation_kind kind;
    struct ordo_worker worker;
    int32_t row;
    uint64_t line;           /* of a run file; 0 otherwise */
    const char *source_file; /* the protocol header whose operation broke the rule; NULL if none did */
    int source_line;
};

#endif
