/* e4_impl.h - E4's inside: the records of all tapes in one sequence, what is known of each bit, and the graph. */
#ifndef ORDO_SIM_E4_IMPL_H
#define ORDO_SIM_E4_IMPL_H

#include "sim/e4.h"

/* A plane operation of the launch. */
struct ordo_e4_access {
    uint32_t at, done; /* the record; and that of a bulk copy's completion, else the same */
    int64_t place;     /* wave and row: index of the row's bits / cluster */
    int64_t row;
    int32_t rank, column, position; /* column -1: all; position: wave, then rank */
    bool bulk, store, first; /* first: of a first writer */
};

/* Records are numbered thread by thread.  -1 where there is none. */
struct ordo_e4 {
    const struct ordo_cluster_tapes *tapes;
    struct ordo_e4_finding *finding;
    uint32_t n, n_access;
    uint32_t *base;           /* by thread: its first record */
    int32_t *thread_of;       /* by record */
    int32_t *epoch;           /* by record: cluster barriers that its thread has arrived at */
    uint32_t *node;           /* by record: what stands for it in the graph; one for all arrivals of a barrier */
    int64_t rows, places, n_bits; /* rows of a wave, padding included; waves x rows; places x cluster */
    int32_t *set, *clear;     /* by bit */
    int32_t *await;           /* by bit: the wait of the bit's rank for the bit's row */
    int32_t *start;           /* by element of the plane: what clears it or stores to it first */
    struct ordo_e4_access *access;
    uint64_t *before;         /* node x node: happens before */
    uint32_t words;           /* of one row of it */
};

/* Each returns false at the first rule that does not hold, which stands in e4->finding. */
bool ordo_e4_operations(struct ordo_e4 *e4);
bool ordo_e4_arrivals(struct ordo_e4 *e4); /* of each thread alone at cluster barriers */
bool ordo_e4_bits(struct ordo_e4 *e4);
bool ordo_e4_turns(struct ordo_e4 *e4);
bool ordo_e4_barriers(struct ordo_e4 *e4); /* fills node */
bool ordo_e4_bulk(struct ordo_e4 *e4);
bool ordo_e4_graph(struct ordo_e4 *e4); /* fills before */
bool ordo_e4_starts(struct ordo_e4 *e4);
bool ordo_e4_accesses(struct ordo_e4 *e4);
bool ordo_e4_order(struct ordo_e4 *e4);
bool ordo_e4_spelling(struct ordo_e4 *e4);

/* The roles of one tile at its size in production; cluster 1: those that add, only. */
void ordo_e4_tile(int32_t cluster, struct ordo_e4_finding *finding);

/* Whether PTX has the instruction that the record spells. */
bool ordo_e4_spelt(const struct ordo_record *r);

/* Notes the rule and the place, or both places; returns false. */
bool ordo_e4_breaks(struct ordo_e4 *e4, enum ordo_e4_rule rule, int64_t record);
bool ordo_e4_breaks_pair(struct ordo_e4 *e4, enum ordo_e4_rule rule, int64_t record, int64_t other);

/* The same where an operation lacks: names the last one of the rank's thread that adds, or of its first that does
 * not. */
bool ordo_e4_lacks(struct ordo_e4 *e4, enum ordo_e4_rule rule, bool adds, int32_t rank, int64_t other);

static inline const struct ordo_record *ordo_e4_record(const struct ordo_e4 *e4, int64_t at)
{
    int32_t t = e4->thread_of[at];

    return &e4->tapes->thread[t].tape.record[at - e4->base[t]];
}

static inline const struct ordo_thread *ordo_e4_thread(const struct ordo_e4 *e4, int64_t at)
{
    return &e4->tapes->thread[e4->thread_of[at]];
}

/* The row of a plane's element, whose stride is the instance's. */
static inline int64_t ordo_e4_row(const struct ordo_e4 *e4, const struct ordo_record *r)
{
    return r->index / e4->tapes->shape.n_column;
}

/* One past the last record of the thread of `at`. */
static inline uint32_t ordo_e4_end(const struct ordo_e4 *e4, int64_t at)
{
    return e4->base[e4->thread_of[at] + 1];
}

static inline bool ordo_e4_built(const struct ordo_e4 *e4, int64_t at)
{
    return ordo_e4_thread(e4, at)->kind == ORDO_THREAD_BUILD;
}

/* Whether the record is of a wave of first writers. */
static inline bool ordo_e4_first(const struct ordo_e4 *e4, int64_t at)
{
    return e4->tapes->shape.program == ORDO_CTA_FIRST && e4->epoch[at] == 0 &&
           ordo_thread_of_launch(ordo_e4_thread(e4, at)->kind);
}

static inline bool ordo_e4_before(const struct ordo_e4 *e4, uint32_t a, uint32_t b)
{
    uint32_t x = e4->node[a], y = e4->node[b];

    return x != y && e4->before[(uint64_t)y * e4->words + x / 64] >> x % 64 & 1;
}

/* The scope that reaches all who share a word: the ranks of a row are one cluster, those who take tickets are not. */
static inline enum ordo_scope ordo_e4_scope(const struct ordo_e4 *e4)
{
    return e4->tapes->shape.program == ORDO_CTA_TICKET ? ORDO_SCOPE_gpu : ORDO_SCOPE_cluster;
}

static inline bool ordo_e4_is_fence(const struct ordo_e4 *e4, const struct ordo_record *r)
{
    return r->op == ORDO_OP_FENCE && r->sem >= ORDO_SEM_acq_rel && r->scope >= ordo_e4_scope(e4);
}

/* The record from which a clear releases, or to which a wait acquires: itself or a fence of its thread; -1 if none.
 * */
int64_t ordo_e4_release(const struct ordo_e4 *e4, int64_t clear);
int64_t ordo_e4_acquire(const struct ordo_e4 *e4, int64_t await);

#endif
