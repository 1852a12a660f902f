/* tape_edit.h - E4's small instances recorded, places in their tapes, and edits of them in memory. */
#ifndef ORDO_TESTS_TAPE_EDIT_H
#define ORDO_TESTS_TAPE_EDIT_H

#include "sim/e4.h"
#include "tests/test.h"

static const int32_t IDX[] = {0, 1, 2, -1, 2, 0, -1, -1, 1, -1, 0, 2, -1, 2, 1, 0};
static const struct ordo_cta_shape RELAY = {"relay", 4, 4, 1, 2, 2, 3, 2, 2, 0, ORDO_CTA_RELAY, IDX, 1, 2, 0};
static const struct ordo_cta_shape BULK = {"bulk", 4, 4, 1, 2, 2, 3, 2, 0, 2, ORDO_CTA_RELAY, IDX, 1, 2, 0};
static const int32_t TURNS[] = {0, 1, 1, 0, 0, 1, 1, 0};
static const struct ordo_cta_shape TICKET = {"ticket", 4, 4, 1, 2, 1, 2, 2, 2, 0, ORDO_CTA_TICKET, TURNS, 1, 2, 0};
static const int32_t WAVES[] = {0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1};
static const int32_t FIRST_IDX[] = {0, -1, 1, -1, -1, -1, -1, -1, 1, 0, 0, 1, 1, 0, 0, 1};
static const struct ordo_cta_shape FIRST = {"first", 4, 4, 2, 1, 2, 2, 2, 1, 0, ORDO_CTA_FIRST, FIRST_IDX, 1, 2, 0};
static const struct ordo_cta_shape PERSISTENT = {"waves", 4, 4, 2, 1, 2, 2, 2, 1, 0, ORDO_CTA_RELAY, WAVES, 1, 2, 0};

/* --- places and edits ------------------------------------------------------------------------------------------- */

struct place {
    struct ordo_tape *tape;
    uint32_t i;
};

/* The nth record of the operation in the nth thread of the kind and rank. */
static inline struct place find(struct ordo_cluster_tapes *tapes, enum ordo_thread_kind kind, int32_t rank, int lane,
                         enum ordo_op op, int nth)
{
    for (int32_t t = 0; t < tapes->n_thread; t++) {
        struct ordo_tape *tape = &tapes->thread[t].tape;

        if (tapes->thread[t].kind != kind || tapes->thread[t].rank != rank || lane-- > 0)
            continue;
        for (uint32_t i = 0; i < tape->n; i++)
            if (tape->record[i].op == op && nth-- == 0)
                return (struct place){tape, i};
    }
    fail_msg("no such record");
    return (struct place){NULL, 0};
}

static inline struct ordo_record *at(struct place p)
{
    return &p.tape->record[p.i];
}

static inline void drop(struct place p)
{
    for (uint32_t i = p.i + 1; i < p.tape->n; i++)
        p.tape->record[i - 1] = p.tape->record[i];
    p.tape->n--;
}

static inline void insert(struct place p, struct ordo_record r)
{
    assert_true(p.tape->n < p.tape->size);
    for (uint32_t i = p.tape->n++; i > p.i; i--)
        p.tape->record[i] = p.tape->record[i - 1];
    p.tape->record[p.i] = r;
}

static inline struct ordo_record fence(enum ordo_sem sem, enum ordo_scope scope)
{
    return (struct ordo_record){ORDO_OP_FENCE, sem, scope, ORDO_WIDTH_b32, ORDO_SPACE_NONE,
                                ORDO_DATA_NONE, 0, 0, 0, "planted", 1};
}

static inline struct ordo_cluster_tapes recorded(const struct ordo_cta_shape *shape)
{
    struct ordo_cluster_tapes tapes;

    assert_true(ordo_cluster_tapes_record(&tapes, shape));
    return tapes;
}

/* The rule, and the line unless it is 0. */
static inline void assert_rule(struct ordo_cluster_tapes *tapes, enum ordo_e4_rule rule, int line)
{
    struct ordo_e4_finding f;

    if (ordo_e4_check(tapes, &f) != ordo_e4_rule_info[rule].verdict || f.rule != rule || (line && f.line != line))
        fail_msg("%s at line %d (rank %d, record %d), not %s at %d", ordo_e4_rule_info[f.rule].name, f.line, f.rank,
                 f.record, ordo_e4_rule_info[rule].name, line);
    ordo_cluster_tapes_free(tapes);
}

/* Moves a record of every thread of the kind in rank 1 to the front of another of its tape. */
static inline void move(struct ordo_cluster_tapes *tapes, enum ordo_thread_kind kind, int lane, enum ordo_op op,
                        int nth, enum ordo_op front, int front_nth)
{
    struct place from = find(tapes, kind, 1, lane, op, nth);
    struct ordo_record r = *at(from);

    drop(from);
    insert(find(tapes, kind, 1, lane, front, front_nth), r);
}

#endif
