/* dense.h - dense backward schedules: in which order a KV tile's CTA visits query tiles, and at which place of a
 * query tile's dQ each KV tile adds.
 *
 * A KV tile of one head is a tile of work: its dK and dV stay in registers from its first to its last query tile, so
 * the only sum across CTAs is dQ.  A schedule says four things, by closed forms or by small tables made at launch:
 * how the work is cut into items (one or two tiles, one after the other on one CTA), which item has which number in
 * the grid, query(head, kv, step) and rank(head, query, kv).  Determinism: CTAs add to dQ of a query tile by
 * ascending rank, from 0.  dK and dV are sums in the order of the steps.
 *
 * Sources of the formulas: FlashAttention-3 (ascending, SPT), DASH, arXiv 2601.21824, and its published code
 * (descending, shift, symmetric shift).  Extents are in tiles; the same mask holds for every head. */
#ifndef ORDO_SIM_DENSE_H
#define ORDO_SIM_DENSE_H

#include "sim/dense_mask.h"

/* What is declared before anything runs.  heads: batch * query heads, in the order of the grid.  sms: CTAs that
 * the formulas take to be resident at once; only shift, symmetric shift and general read it.  section: heads that
 * share the slow coordinate of the grid (FlashAttention's head swizzle), 0 or 1 for one head after the other; general
 * then chooses. */
struct ordo_dense_launch {
    const struct ordo_dense_mask *mask;
    int32_t heads, sms, section;
    int32_t c, r; /* weights of a tile's products and of its reduction; only general reads them, 0: 3 and 1 */
};

struct ordo_dense_tile {
    int32_t head, kv;
};

struct ordo_dense;

struct ordo_dense_schedule {
    const char *name, *about;
    int heads_per_item; /* 2 where an item goes through two heads, 2p and 2p + 1 */
    int classes;        /* heads h and h + classes have equal orders, unless waves cut them differently */
    /* Refuses a launch that the formulas do not hold for: ORDO_BAD_INPUT.  NULL: they hold for all. */
    enum ordo_status (*fits)(const struct ordo_dense *d, struct ordo_err *err);
    /* Makes the tables; NULL for closed forms. */
    enum ordo_status (*prepare)(struct ordo_dense *d, struct ordo_err *err);
    int64_t (*items)(const struct ordo_dense *d);
    int (*item)(const struct ordo_dense *d, int64_t item, struct ordo_dense_tile tile[2]); /* returns 1 or 2 */
    /* The query tile of a step, 0 <= step < ordo_dense_steps(mask, kv). */
    int32_t (*query)(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step);
    /* The place among the ordo_dense_adds(mask, query) contributions; the mask must have the pair. */
    int32_t (*rank)(const struct ordo_dense *d, int32_t head, int32_t query, int32_t kv);
};

/* A schedule at a launch.  The mask stays the caller's and must outlive it. */
struct ordo_dense {
    const struct ordo_dense_schedule *schedule;
    struct ordo_dense_launch launch;
    int32_t section; /* of the grid, at least 1 and at most heads: as launched, or as general chose */
    int32_t *query_table, *rank_table; /* of general: by mask->q_start[kv] + step; by q * n_kv + kv.  Else NULL */
    int32_t *place_table;              /* of general: the KV tile of a head's i'th item */
};

extern const struct ordo_dense_schedule ordo_dense_ascending, ordo_dense_descending, ordo_dense_descending_pair,
    ordo_dense_shift, ordo_dense_symmetric, ordo_dense_symmetric_text, ordo_dense_spt, ordo_dense_alternating,
    ordo_dense_general;

/* All of them, NULL-terminated. */
extern const struct ordo_dense_schedule *const ordo_dense_schedules[];
const struct ordo_dense_schedule *ordo_dense_find(const char *name);

/* Fills *d.  ORDO_BAD_INPUT when the launch does not fit the schedule (checked = false leaves that out: for
 * provers that want to say what goes wrong), ORDO_ENVIRONMENT without memory.  Free with ordo_dense_free, also
 * after a failure. */
enum ordo_status ordo_dense_make(const struct ordo_dense_schedule *schedule, const struct ordo_dense_launch *launch,
                                 bool checked, struct ordo_dense *d, struct ordo_err *err);
void ordo_dense_free(struct ordo_dense *d);

/* The KV tiles that add to dQ of a query tile, in the order of their ranks, into kv[ordo_dense_adds(mask, query)].
 * Returns how many, or -1 if the ranks are no permutation. */
int32_t ordo_dense_order(const struct ordo_dense *d, int32_t head, int32_t query, int32_t *kv);

#endif
