/* run_op.h - a run as a list of operations: what every worker sets, waits for, adds and clears.
 *
 * Text form, one operation a line: `wave head_block plane rank op row`, op one of set wait add clear.  `set` lines
 * are the setup kernel's mask bits, the others are the worker's program.  Meant for small instances: to look at, to
 * send around, and to break on purpose. */
#ifndef ORDO_SIM_RUN_OP_H
#define ORDO_SIM_RUN_OP_H

#include "sim/prove.h"

#include <stdio.h>

/* X(id, name) */
#define ORDO_RUN_OPS(X) X(SET, "set") X(WAIT, "wait") X(ADD, "add") X(CLEAR, "clear")

enum ordo_run_kind {
#define ORDO_X(id, name) ORDO_RUN_##id,
    ORDO_RUN_OPS(ORDO_X)
#undef ORDO_X
        ORDO_N_RUN_OPS
};
extern const char *const ordo_run_op_name[ORDO_N_RUN_OPS];

struct ordo_run_op {
    int32_t wave, head_block, plane, rank;
    enum ordo_run_kind kind;
    int32_t row;
};

enum { ORDO_MAX_RUN_OPS = 1 << 24 };

/* Calls fn for every operation of the plan's run: planes ascending, launches in stream order; for each group first
 * all `set`, then rank by rank, tile by tile all waits, all adds, all clears.  A non-zero result of fn ends the
 * stream and is returned. */
int ordo_run_stream(const struct ordo_plan *plan, const struct ordo_problem *problem,
                    int (*fn)(void *ctx, const struct ordo_run_op *op), void *ctx);

/* Writes the run to path, whole or not at all.  ORDO_USAGE above ORDO_MAX_RUN_OPS operations, ORDO_ENVIRONMENT when
 * it cannot be written. */
enum ordo_status ordo_run_write(const char *path, const struct ordo_plan *plan, const struct ordo_problem *problem,
                                struct ordo_err *err);

/* A run read from a file. */
struct ordo_run_list {
    struct ordo_run_op *op; /* op[i] stood on line i + 1 */
    uint64_t n;
};

/* ORDO_BAD_INPUT names the line.  Free with free(list->op), also after a failure. */
enum ordo_status ordo_run_read(const char *path, struct ordo_run_list *list, struct ordo_err *err);
/* The same from an open file; name is for messages. */
enum ordo_status ordo_run_parse(const char *name, FILE *in, struct ordo_run_list *list, struct ordo_err *err);

/* The first line that is not the plan's. */
struct ordo_run_difference {
    uint64_t line; /* 0: none */
    bool has_expected, has_found;
    struct ordo_run_op expected, found;
};

struct ordo_run_difference ordo_run_compare(const struct ordo_run_list *list, const struct ordo_plan *plan,
                                            const struct ordo_problem *problem);

/* Proves the list instead of the plan's own run: steps all workers of each launch until nobody can step (any order
 * decides, sim/prove.h), checks every step, and compares with the plan's run line by line.  A list that differs is
 * violated even where the difference happens to commute.  Fills proof's verdict, violation and counts. */
enum ordo_status ordo_run_prove(const struct ordo_run_list *list, const struct ordo_plan *plan,
                                const struct ordo_problem *problem, struct ordo_proof *proof,
                                struct ordo_run_difference *difference, struct ordo_err *err);
/* The same for many lists, with what E4 has said kept in the prover. */
enum ordo_status ordo_run_prove_by(struct ordo_prover *prover, const struct ordo_run_list *list,
                                   const struct ordo_plan *plan, const struct ordo_problem *problem,
                                   struct ordo_proof *proof, struct ordo_run_difference *difference,
                                   struct ordo_err *err);

#endif
