/* gen.h - seeded Top-K patterns: the same bytes for the same parameters on every machine.
 *
 * Only integers, and every query draws from a generator of its own, seeded by mixing seed and query. */
#ifndef ORDO_CORPUS_GEN_H
#define ORDO_CORPUS_GEN_H

#include "corpus/problem.h"

#define ORDO_GEN_KEEP 40 /* default of keep_percent: what neighbouring queries of trained indexers share */

struct ordo_gen_params {
    int32_t n_query, n_kv, topk;
    int32_t keep_percent; /* 0 to 100, for the preset that reads it */
    uint64_t seed;
};

struct ordo_draw; /* scratch of a generator */

struct ordo_preset {
    const char *name;
    const char *params; /* the options that it reads beyond the extents, for the help */
    const char *what;
    /* Fills row with the first min(topk, n_kv) slots of a query; before is the row of query - 1, NULL for query 0. */
    void (*fn)(struct ordo_draw *draw, int32_t query, const int32_t *before, int32_t *row);
};

/* NULL if there is none of that name, or fewer. */
const struct ordo_preset *ordo_preset_find(const char *name);
const struct ordo_preset *ordo_preset_at(size_t i);

/* Fills *out, which the caller frees; without lengths.  Where topk > n_kv the surplus slots at the end are -1.
 * ORDO_USAGE for a parameter out of range, ORDO_ENVIRONMENT without memory; *out is then zero. */
enum ordo_status ordo_gen(const struct ordo_preset *preset, const struct ordo_gen_params *params,
                          struct ordo_problem *out, struct ordo_err *err);

#endif
