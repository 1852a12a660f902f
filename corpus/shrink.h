/* shrink.h - a smaller case that fails the same way.
 *
 * Passes in the order of the project facts on fuzzing, 1.4, again and again until none helps: waves, queries,
 * columns, distinct rows, lanes (with wave width and cluster), the extent of KV, head blocks; then what remains is
 * made plain: ids sorted and numbered by first use, lengths gone, dead slots -1, seeds 0.  What "the same way" is,
 * the predicate says. */
#ifndef ORDO_CORPUS_SHRINK_H
#define ORDO_CORPUS_SHRINK_H

#include "corpus/case.h"

struct ordo_shrink {
    /* Whether the candidate still fails the same way.  It may change nothing of it. */
    bool (*still)(void *ctx, const struct ordo_case *candidate);
    void *ctx;
    uint32_t n_seed;      /* value seeds to try on each candidate, where values are what fails; 0: its own only */
    uint64_t tries, most; /* candidates asked so far, and at most (0: 10,000) */
};

/* Replaces *c, which fails, by the smallest found; interrupted or not, *c always fails.  ORDO_ENVIRONMENT without
 * memory: *c is then what it had become. */
enum ordo_status ordo_shrink_case(struct ordo_shrink *shrink, struct ordo_case *c, struct ordo_err *err);

#endif
