/* expect.h - what must come out, said again by other means: for the fuzzer to compare with.
 *
 * Liveness, lanes, planes, keys, mask bits and the fold are written out here from their definitions and call nothing
 * of protocol/, sim/'s walk or ref/.  Made for small problems.  Tables are dense in the KV rows up to 2^24 of them,
 * and beyond in the rows of those granules of eight that some live slot names, ascending, as sim/domain.h has it. */
#ifndef ORDO_FUZZ_EXPECT_H
#define ORDO_FUZZ_EXPECT_H

#include "base/arena.h"
#include "corpus/problem.h"
#include "sim/order.h"
#include "sim/rows.h"

#include <stdbool.h>

struct ordo_expected {
    uint64_t live, duplicates, updates, touched, waits;
    int32_t dead_queries;
    uint32_t n;            /* rows of the tables */
    int32_t *granule;      /* which eight KV rows each eight of them are; NULL: those themselves */
    uint32_t *start;       /* of each table row's additions; n + 1 */
    struct ordo_add *add;  /* by row, plane, wave, head block, rank */
};

/* Fills *e for the extents, wave, cluster and heads of the plan; lists lie in the arena, and are absent (NULL) when
 * there are duplicates.  ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_expect(struct ordo_arena *arena, const struct ordo_plan *plan, const struct ordo_problem *p,
                             struct ordo_expected *e, struct ordo_err *err);

/* Whether the shipped predicate says of every slot what the definition says; where not, *query is one.  Asked first:
 * a wrong clamp sends everybody else past the row. */
bool ordo_expect_live(const struct ordo_problem *p, int32_t *query);

/* Whether the shipped fold has groups of eight planes, the last short. */
bool ordo_expect_fold(int32_t planes);

/* The first KV row whose proved additions are others, or -1. */
int32_t ordo_expect_order(const struct ordo_expected *e, const struct ordo_rows *rows);

/* The first KV row whose mask bits are others once the group's masks are built, or -1; n_kv where the number of words
 * is another.  Bit (table row, rank) is bit row * C + rank of one long string. */
int32_t ordo_expect_masks(const struct ordo_expected *e, const struct ordo_plan *plan,
                          const struct ordo_problem *p, const struct ordo_worker *worker, int n, const uint32_t *word,
                          int64_t n_word);

/* The sum of a row's terms, `planes` planes one after another, each from +0.0, written or not; then the fold. */
void ordo_expect_sum(const struct ordo_row *row, int32_t planes, const float *term, int32_t width, float *out);

#endif
