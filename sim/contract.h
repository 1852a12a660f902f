/* contract.h - the numeric contract: every choice that moves a bit, enumerated.
 *
 * A plan carries one; twin, oracle and kernels read it.  Each choice is one member and one line of the table in
 * contract.c: name, value, what it fixes.  A changed value changes the plan's digest, so that results of two
 * contracts are never mixed.  Some choices have one value only: they are said so that nobody has to guess them. */
#ifndef ORDO_SIM_CONTRACT_H
#define ORDO_SIM_CONTRACT_H

#include "protocol/index.h" /* ORDO_TILE, ORDO_HEAD_BLOCK, and who is live */

#include <stdint.h>

enum { ORDO_K_GROUP = 16 }; /* products of one fused step of the tensor core: the unit of a product's order */

/* The groups of k of a product, or the tiles of a row. */
enum ordo_walk { ORDO_ASCENDING, ORDO_DESCENDING };

/* Which of its two products goes first into a dKV fragment; both accumulate in it. */
enum ordo_dkv_first { ORDO_DKV_DO_P, ORDO_DKV_Q_DS };

enum ordo_exp_kind {
    ORDO_EXP_6,  /* base/exp2.h, degree 6 */
    ORDO_EXP_5,  /* degree 5 */
    ORDO_EXP_EX2 /* ex2.approx.ftz.f32 of SM 9.0 (base/ex2_sm90.h) */
};

/* How a contribution is added to a plane, and planes to each other. */
enum ordo_add_kind {
    ORDO_ADD_IEEE,   /* to nearest even, subnormals kept */
    ORDO_ADD_RED_FTZ /* red.global.add.f32: the same, subnormal terms and sums become zeros */
};

struct ordo_contract {
    enum ordo_walk s_groups, dp_groups;  /* S = Q K^T and dP = dO V^T: over the features */
    enum ordo_walk pv_groups, dq_groups; /* O = P V and dQ = dS K: over the slots of a tile */
    enum ordo_walk dkv_groups;           /* dO^T P and Q^T dS: over the heads of a head block */
    enum ordo_walk tile_walk;            /* over the tiles of a query's row: O, dQ, and a row named twice */
    enum ordo_dkv_first dkv_first;
    enum ordo_exp_kind exp;
    enum ordo_add_kind add;
};

/* Of all sparse designs. */
extern const struct ordo_contract ordo_contract_sparse;

/* One choice in words. */
struct ordo_contract_line {
    const char *name, *value;
};

/* Line i of a contract; false past the last. */
int ordo_contract_line(const struct ordo_contract *contract, int i, struct ordo_contract_line *line);

/* The i-th of n groups or tiles in order. */
static inline int32_t ordo_walk_at(enum ordo_walk walk, int32_t n, int32_t i)
{
    return walk == ORDO_ASCENDING ? i : n - 1 - i;
}

#endif
