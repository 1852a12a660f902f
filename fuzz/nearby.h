/* near.h - a problem of many KV rows as one of few, for a machine that keeps a word for every row.
 *
 * Only granules of eight rows that some id names are kept, in their order: eight rows are a whole number of mask
 * words for every cluster size, so which rows share a word stays as it is.  Ids that are no row stay what they are,
 * and lengths too: what is alive is alive, and who writes what in which order does not change. */
#ifndef ORDO_FUZZ_NEARBY_H
#define ORDO_FUZZ_NEARBY_H

#include "base/arena.h"
#include "corpus/problem.h"

struct ordo_nearby {
    struct ordo_problem problem; /* its ids are the arena's, its lengths those of the problem it was made from */
    const int32_t *granule;      /* which eight KV rows each eight of it are, ascending */
};

/* ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_nearby_make(struct ordo_arena *arena, const struct ordo_problem *p, struct ordo_nearby *near,
                                struct ordo_err *err);
/* The row that `row` stands for. */
int32_t ordo_nearby_row(const struct ordo_nearby *near, int32_t row);

#endif
