/* dense_prove.h - is a dense schedule's dQ order fixed, does every CTA come to an end, and what do the bits hang on?
 *
 * Four questions, each decided on the schedule as launched.  Cover: every tile with pairs is in one item, its steps
 * visit each query tile that sees it once, and the ranks of each row are a permutation, so the order is total and a
 * wait for rank - 1 is a wait for one addition.  Waits: whether CTAs can be sorted so that each waits only for
 * earlier ones, over tiles (one KV tile of one head) and over items (what stays on one CTA).  Progress: whether the
 * run comes to an end on the launch, and how many CTAs must be resident at least.  Signatures: how many different
 * (row order, dQ order) the heads have, and whether another SM count gives others.
 *
 * Progress needs one run: a step never disables another, and with more CTAs done never fewer have started, so all
 * interleavings of a launch end alike.  For the same reason more slots never hurt, and the least number is found
 * by halving. */
#ifndef ORDO_SIM_DENSE_PROVE_H
#define ORDO_SIM_DENSE_PROVE_H

#include "base/digest.h"
#include "sim/dense_time.h"

/* X(id, sentence) */
#define ORDO_DENSE_FAULTS(X)                                                                                         \
    X(NONE, "no fault")                                                                                              \
    X(NO_ITEM, "is in no item, so nobody takes its turn in the rows that see it")                                    \
    X(TWO_ITEMS, "is in two items")                                                                                  \
    X(QUERY_RANGE, "visits a query tile that there is not")                                                          \
    X(QUERY_MASKED, "visits a query tile that does not see it")                                                      \
    X(QUERY_TWICE, "visits a query tile twice")                                                                      \
    X(RANK_RANGE, "has a rank beyond the contributions of the row")                                                  \
    X(RANK_TWICE, "has the rank of another KV tile")
enum ordo_dense_fault {
#define ORDO_X(id, text) ORDO_DENSE_FAULT_##id,
    ORDO_DENSE_FAULTS(ORDO_X)
#undef ORDO_X
        ORDO_N_DENSE_FAULTS
};
extern const char *const ordo_dense_fault_text[ORDO_N_DENSE_FAULTS];

/* Where: query, rank, adds (contributions of the row) and other (a KV tile) are -1 where they say nothing. */
struct ordo_dense_conviction {
    enum ordo_dense_fault fault;
    struct ordo_dense_tile tile;
    int32_t query, rank, adds, other;
};

/* A wait cycle, or nothing (n = 0): nodes are KV tiles of `head`, or items; each waits for the next, the last for the
 * first.  Of a longer one only the first nodes are kept. */
enum { ORDO_DENSE_MOST_CYCLE = 16 };
struct ordo_dense_cycle {
    int32_t n, head;
    int64_t node[ORDO_DENSE_MOST_CYCLE];
};

struct ordo_dense_signatures {
    int64_t all;   /* different ones over all heads */
    int64_t most;  /* at most within a class (heads h, h + classes, ...) */
    int classes;
    bool by_sms;   /* another SM count gives a head another one */
    int32_t other_sms; /* the one that did, or 0 */
};

struct ordo_dense_proof {
    struct ordo_dense_conviction conviction;
    struct ordo_dense_cycle tiles, items;
    bool finishes;
    int64_t least; /* CTAs that must be resident: 0 if no number suffices */
    struct ordo_dense_time run; /* on the launch; not run (tasks = 0) when a visit is at fault */
    struct ordo_dense_signatures signatures;
};

/* The four questions.  model: of the machine; weights only matter for proof->run.  ORDO_ENVIRONMENT without
 * memory.  Free with ordo_dense_proof_free, also after a failure. */
enum ordo_status ordo_dense_prove(const struct ordo_dense *d, const struct ordo_dense_model *model,
                                  struct ordo_dense_proof *proof, struct ordo_err *err);
void ordo_dense_proof_free(struct ordo_dense_proof *proof);

/* Total order and progress on this launch. */
bool ordo_dense_proved(const struct ordo_dense_proof *proof);

/* The parts. */
enum ordo_status ordo_dense_check_cover(const struct ordo_dense *d, struct ordo_dense_conviction *conviction,
                                        struct ordo_err *err);
/* Only after a clean cover.  over_items: nodes are items, else tiles. */
enum ordo_status ordo_dense_wait_cycle(const struct ordo_dense *d, bool over_items, struct ordo_dense_cycle *cycle,
                                       struct ordo_err *err);
enum ordo_status ordo_dense_least_slots(const struct ordo_dense *d, const struct ordo_dense_model *model,
                                        int64_t *least, struct ordo_err *err);
enum ordo_status ordo_dense_count_signatures(const struct ordo_dense *d, struct ordo_dense_signatures *s,
                                             struct ordo_err *err);
/* The item of each tile, by head * n_kv + kv, -1 for none; the caller frees.  NULL without memory. */
int64_t *ordo_dense_item_of(const struct ordo_dense *d);
/* BLAKE2b-256 of a head's orders: little-endian uint32, for each KV tile its query tiles by step, then for each query
 * tile the rank of each KV tile that it sees. */
struct ordo_digest ordo_dense_signature(const struct ordo_dense *d, int32_t head);

#endif
