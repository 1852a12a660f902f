/* evaluate.h - the planned trees evaluated on one input class, and judged: what `ordo check` says about values. */
#ifndef ORDO_CLI_EVALUATE_H
#define ORDO_CLI_EVALUATE_H

#include "oracle/judge.h"
#include "ref/contribution.h"
#include "sim/prove.h"

enum { ORDO_SAMPLED_ROWS = 16 };

struct ordo_sampled_value {
    int32_t row, column;
    uint32_t bits;
};

struct ordo_evaluation {
    struct ordo_inputs inputs;
    bool must_be_exact; /* the exact class, and no row is too long for it */
    /* BLAKE2b-256 over little-endian uint32: for each live row ascending its number, then the bits of its columns. */
    struct ordo_digest bits_digest;
    struct ordo_oracle_summary oracle;
    uint32_t n_sampled; /* elements of evenly spaced rows, for the results database */
    struct ordo_sampled_value *sampled;
};

/* Evaluates and judges every row of a proved order.  ORDO_ENVIRONMENT without memory.  Free with
 * ordo_evaluation_free, also after a failure. */
enum ordo_status ordo_evaluate(const struct ordo_plan *plan, const struct ordo_proof *proof,
                               const struct ordo_inputs *inputs, struct ordo_evaluation *e, struct ordo_err *err);
void ordo_evaluation_free(struct ordo_evaluation *e);

#endif
