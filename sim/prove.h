/* prove.h - E1, the one-run argument on the real tensor; and E4 (sim/e4.h) for the role headers that it runs.
 *
 * Why one run decides all: bits are set before the launch and cleared once by one owner, a wait only asks "are these
 * bits clear?", and control flow depends on no loaded value.  So waits are monotone, steps of different CTAs commute,
 * and every run performs the same events: if one run completes, all do, with the same happens-before graph.  What is
 * left are side conditions on each event, checked here while the run streams past, plane by plane, nothing stored but
 * the accepted additions.  Source: project facts on verification, 3.2. */
#ifndef ORDO_SIM_PROVE_H
#define ORDO_SIM_PROVE_H

#include "sim/duplicates.h"
#include "sim/e4.h"
#include "sim/rows.h"
#include "sim/violation.h"

enum ordo_verdict { ORDO_PROVED, ORDO_VIOLATED, ORDO_REFUSED };
extern const char *const ordo_verdict_name[3];

struct ordo_proof {
    enum ordo_verdict verdict;
    struct ordo_violation violation; /* kind NONE unless violated; OUTSIDE if E4 refuses the role headers */
    const char *protocol;            /* E4's sentence; NULL unless the violation is E4's */
    bool e4;                         /* E4 has spoken too */
    struct ordo_contract_scan scan;  /* duplicates: why a proof is refused */
    char assumption[24];             /* "unfair" or "cluster=8", see below; "" unless proved */
    uint64_t updates;                /* (live query, head block, row) */
    uint64_t rows;                   /* KV rows with a live slot */
    uint64_t accumulators;           /* (plane, row) with a writer */
    uint64_t waits;                  /* updates with a lower active rank in their launch */
    struct ordo_rows *order;         /* the accepted additions; NULL unless proved */
    struct ordo_digest order_digest; /* of them; meaningful only if proved */
};

/* Proves plan on problem.  Status is not OK only without memory or above 2^32 - 1 additions; everything wrong with
 * the order is in proof->verdict.  Free with ordo_proof_free, also after a failure. */
enum ordo_status ordo_prove(const struct ordo_plan *plan, const struct ordo_problem *problem,
                            struct ordo_proof *proof, struct ordo_err *err);
void ordo_proof_free(struct ordo_proof *proof);

/* Is shown the mask words of each group once they are built, before the run. */
struct ordo_prove_watch {
    void (*masks)(void *ctx, const struct ordo_worker *worker, int n, const uint32_t *word, int64_t n_word);
    void *ctx;
};

/* What E4 said of a cluster size, or of planes of these extents. */
struct ordo_prover_e4 {
    bool asked;
    struct ordo_e4_planes planes;
    struct ordo_e4_finding finding; /* rule NONE: all claims hold */
};
enum { ORDO_PROVER_PLANES = 64 };

/* For many small proofs: keeps its tables, and asks E4 once for each cluster size, and once for the extents of planes
 * that it has lately seen.  A fresh one is all zero but watch, which may be NULL. */
struct ordo_prover {
    struct ordo_prove_watch *watch;
    struct ordo_arena arena;
    struct ordo_prover_e4 cluster[ORDO_MAX_CLUSTER + 1];
    struct ordo_prover_e4 launch[ORDO_PROVER_PLANES];
};

/* As ordo_prove, with what E4 has said kept in the prover.  The proof is its own. */
enum ordo_status ordo_prove_by(struct ordo_prover *prover, const struct ordo_plan *plan,
                               const struct ordo_problem *problem, struct ordo_proof *proof, struct ordo_err *err);

/* As ordo_prove, but order_digest is left to ordo_rows_digest, and the proof lives until the prover's next or its
 * end: ordo_proof_free it before that. */
enum ordo_status ordo_prover_prove(struct ordo_prover *prover, const struct ordo_plan *plan,
                                   const struct ordo_problem *problem, struct ordo_proof *proof,
                                   struct ordo_err *err);
void ordo_prover_free(struct ordo_prover *prover);

/* The three claims as the command line prints them; "undecided" where the proof was refused, or ended at a violation
 * that does not break this claim. */
const char *ordo_proof_ordering(const struct ordo_proof *proof); /* total | violated */
const char *ordo_proof_deadlock(const struct ordo_proof *proof); /* free | possible */
const char *ordo_proof_race(const struct ordo_proof *proof);     /* none | found */

/* Who spoke: "E1" or "E1,E4". */
const char *ordo_proof_engines(const struct ordo_proof *proof);

/* Sets the weakest sufficient scheduler: no wait needs nobody ("unfair"); a relay waits inside its cluster, which
 * starts whole ("cluster=C", C slots). */
void ordo_proof_assume(struct ordo_proof *proof, const struct ordo_plan *plan);

#endif
