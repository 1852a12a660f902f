/* one_run.h - E1's inside: the shipped role functions, run once, every operation checked as it is made. */
#ifndef ORDO_SIM_ONE_RUN_H
#define ORDO_SIM_ONE_RUN_H

#include "sim/prove.h"
#include "sim/rows_impl.h"

struct ordo_one_run {
    const struct ordo_plan *plan;
    const struct ordo_prove_watch *watch; /* may be NULL */
    const struct ordo_problem *problem;
    struct ordo_proof *proof; /* counts, and the violation that ended the run */
    struct ordo_rows *rows;   /* the accepted additions */
    uint32_t *mask;           /* relay: the words of one plane and launch, all zero between launches */
    int64_t n_word, n_bits;   /* how many words; bits set in them */
};

/* Runs one group (sim/order.h): masks built, ranks ascending, tile by tile.  1 at the first violation. */
int ordo_one_run_group(void *one_run, const struct ordo_worker *worker, int n);

#endif
