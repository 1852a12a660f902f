/* dense_optimal.h - all schedules of a few tiles: which are without a stall, which are shortest, which of them need
 * no co-residency.
 *
 * An instance is a number of chains, one CTA each: the KV tiles that it does, one after the other.  Two searches
 * that share no code.  Slots: without a stall and with r > 0 every chain has a task in every slot of length c + r,
 * no two chains are in one row of one head in the same slot, and rows add in the order of slots; so all of them
 * are found slot by slot.  Exhaustion: every order of blocks, of rows inside a block and of contributions to a
 * row, each one timed. */
#ifndef ORDO_SIM_DENSE_OPTIMAL_H
#define ORDO_SIM_DENSE_OPTIMAL_H

#include "sim/dense.h"

#include <stdbool.h>
#include <stdint.h>

enum { ORDO_OPTIMAL_TILES = 6, ORDO_OPTIMAL_SLOTS = ORDO_OPTIMAL_TILES + 1, ORDO_OPTIMAL_HEADS = 2 };

/* A KV tile of a head and the rows that see it, ascending. */
struct ordo_optimal_block {
    int32_t head, kv, n_row;
    int32_t row[ORDO_OPTIMAL_TILES];
};

struct ordo_optimal_chain {
    int32_t n_block;
    struct ordo_optimal_block block[2];
};

struct ordo_optimal_case {
    int32_t n, heads, n_chain; /* n: tiles a side */
    struct ordo_optimal_chain chain[ORDO_OPTIMAL_TILES];
};

/* X(id, name, help) */
#define ORDO_OPTIMAL_KINDS(X)                                                                                        \
    X(FULL, "full", "full mask, one head, a KV tile a chain")                                                        \
    X(FOLDED, "folded", "causal, one head, KV s and KV n-1-s a chain, in either order")                              \
    X(PAIRED, "paired", "causal, two heads, KV s of one and KV n-1-s of the other a chain, in either order")
enum ordo_optimal_kind {
#define ORDO_X(id, name, help) ORDO_OPTIMAL_##id,
    ORDO_OPTIMAL_KINDS(ORDO_X)
#undef ORDO_X
        ORDO_N_OPTIMAL_KINDS
};
extern const char *const ordo_optimal_name[ORDO_N_OPTIMAL_KINDS], *const ordo_optimal_text[ORDO_N_OPTIMAL_KINDS];

/* 2 <= n <= ORDO_OPTIMAL_TILES, even for FOLDED. */
struct ordo_optimal_case ordo_optimal_case_of(enum ordo_optimal_kind kind, int32_t n);

/* at[chain][slot]: head * 64 + KV tile * 8 + row. */
struct ordo_optimal_found {
    uint8_t at[ORDO_OPTIMAL_TILES][2 * ORDO_OPTIMAL_SLOTS];
};

/* What a schedule does there: item i is chain i. */
struct ordo_optimal_found ordo_optimal_found_of(const struct ordo_dense *d, int32_t n_chain);

/* Counts the stall-free schedules and those whose waits between chains are acyclic; the first `most` of the latter go
 * to found.  wanted (may be NULL) is looked for
 * among the stall-free ones. */
struct ordo_optimal_slots {
    uint64_t all, acyclic, wanted;
    int32_t slots; /* of a chain: they all have as many tasks; 0: they do not, and nothing is searched */
    int n_found;
};
struct ordo_optimal_slots ordo_optimal_by_slots(const struct ordo_optimal_case *c,
                                                const struct ordo_optimal_found *wanted,
                                                struct ordo_optimal_found *found, int most);

/* Every schedule timed with integer weights.  The bound is that of work: tasks * (c + r) / chains.  Times -1:
 * none. */
struct ordo_optimal_all {
    uint64_t schedules, hangs;
    uint64_t reach, reach_acyclic; /* those with the least time, and those of them with acyclic waits */
    uint64_t stall_free;
    int64_t least, least_acyclic;
};
/* Above `budget` schedules nothing is timed and schedules is 0. */
struct ordo_optimal_all ordo_optimal_by_exhaustion(const struct ordo_optimal_case *c, int64_t weight_c,
                                                   int64_t weight_r, uint64_t budget);

#endif
