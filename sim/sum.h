/* sum.h - the sums of the backward pass, by their terms: what an element of dKV, dQ or dSink, a delta or a dP adds
 * up.
 *
 *   dkv       a KV row, a column below Dv: of every writer's CTA each head's p dO (role v), then each head's dS q (k)
 *   dkv-tail  a KV row, a column from Dv on: the second only
 *   dq        a query and head: dS kv of each live slot
 *   dsink     a head: each live query's share times -delta
 *   delta     a query and head: o dO of each column
 *   dp        a query and head, one slot: dO v of each column
 *
 * Who adds to a KV row, and in which order, is the proved order's (sim/rows.h); everything else is here. */
#ifndef ORDO_SIM_SUM_H
#define ORDO_SIM_SUM_H

#include "base/status.h"
#include "corpus/problem.h"
#include "sim/plan.h"
#include "sim/rows.h"

#include <stdbool.h>

enum ordo_sum_kind {
    ORDO_SUM_DKV,
    ORDO_SUM_DKV_TAIL,
    ORDO_SUM_DQ,
    ORDO_SUM_DSINK,
    ORDO_SUM_DELTA,
    ORDO_SUM_DP,
    ORDO_SUM_KINDS
};
extern const char *const ordo_sum_kind_name[ORDO_SUM_KINDS];

enum { ORDO_ALL_HEADS = -1 };

struct ordo_sum_request {
    enum ordo_sum_kind kind;
    int32_t query, head; /* head: ORDO_ALL_HEADS where they are taken to add alike (dsink, delta, dp) */
    bool blocks;         /* dkv: one term a CTA, role v of its first head */
};

/* One term.  What does not apply is 0. */
struct ordo_term {
    int32_t query, head;
    int32_t place; /* dq: the slot; delta, dp: the column */
    int32_t kv;    /* dq, dp: the KV row of the slot */
    uint32_t add;  /* dkv: its place in the row's order */
    char role;     /* dkv: 'v' or 'k' */
};

struct ordo_sum {
    struct ordo_sum_request request;
    struct ordo_row row; /* dkv: the row and its proved order, which stay the caller's */
    uint32_t n_term;
    struct ordo_term *term; /* owned; numbered as the default contract adds them */
};

/* row: of dkv and dkv-tail, else NULL.  ORDO_USAGE where the plan has no such query, head or tail; ORDO_BAD_INPUT for
 * a sum of fewer than two terms; ORDO_ENVIRONMENT without memory.  Free with ordo_sum_free. */
enum ordo_status ordo_sum_make(const struct ordo_plan *plan, const struct ordo_problem *problem,
                               const struct ordo_sum_request *request, const struct ordo_row *row,
                               struct ordo_sum *sum, struct ordo_err *err);
void ordo_sum_free(struct ordo_sum *sum);

/* A term's name: q24.h0.v5 (query, head block, role and head), q24.h0 with `blocks`, t3.s200 (tile, slot), q17
 * (query), d40 (column).  Returns out. */
enum { ORDO_TERM_NAME = 48 };
char *ordo_sum_name(const struct ordo_sum *sum, uint32_t i, char out[ORDO_TERM_NAME]);

#endif
