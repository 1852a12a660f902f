/* gen.h - seeded Top-K patterns: the same bytes for the same parameters on every machine.
 *
 * Only integers, and every query draws from a generator of its own, seeded by mixing seed and query.  What the
 * patterns are modelled on: project facts on fuzzing, 5. */
#ifndef ORDO_CORPUS_GEN_H
#define ORDO_CORPUS_GEN_H

#include "corpus/problem.h"

#define ORDO_GEN_KEEP 40 /* default of keep_percent: what neighbouring queries of trained indexers share */

/* X(field, option, smallest, largest, default, metavar, help) */
#define ORDO_GEN_PARAMS(X)                                                                                           \
    X(keep_percent, "keep", 0, 100, ORDO_GEN_KEEP, "PERCENT", "pattern keep: ids shared with the query before")      \
    X(sinks, "sinks", 0, INT32_MAX, 4, "N", "pattern sinks: first rows that every query chooses")                    \
    X(block, "block", 1, INT32_MAX, 64, "ROWS", "pattern blocks: rows that are chosen together")                     \
    X(hot_percent, "hot", 0, 100, 50, "PERCENT", "pattern heavy: ids that fall off as 1 / row")                      \
    X(ratio, "ratio", 1, INT32_MAX, 1, "N", "pattern causal: queries for each further KV row")                       \
    X(docs, "docs", 1, INT32_MAX, 4, "N", "pattern packed: documents")

struct ordo_gen_params {
    int32_t n_query, n_kv, topk;
    uint64_t seed;
#define ORDO_X(field, ...) int32_t field;
    ORDO_GEN_PARAMS(ORDO_X)
#undef ORDO_X
};

/* All defaults; extents and seed zero. */
extern const struct ordo_gen_params ordo_gen_defaults;

struct ordo_draw; /* corpus/gen_impl.h: scratch of a generator */

struct ordo_preset {
    const char *name;
    const char *option; /* the one that it reads beyond the extents, "" for none */
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

/* The same for many small tensors: idx has room for n_query * topk ids, and the scratch grows and is kept.  A fresh
 * one is all zero.  Parameters must be in range. */
struct ordo_gen_space {
    uint64_t *taken;
    int32_t *pool;
    int32_t n_kv; /* room */
};
enum ordo_status ordo_gen_into(struct ordo_gen_space *space, const struct ordo_preset *preset,
                               const struct ordo_gen_params *params, int32_t *idx, struct ordo_err *err);
void ordo_gen_space_free(struct ordo_gen_space *space);

#endif
