/* contract.h - the numeric contract: every choice that moves a bit, enumerated.
 *
 * A plan carries one value for each line; twin, oracle and kernels read them.  The table is the single place: name,
 * value and what it fixes.  Changing a value changes the plan digest, so results of two contracts are never mixed. */
#ifndef ORDO_SIM_CONTRACT_H
#define ORDO_SIM_CONTRACT_H

/* X(name, value) */
#define ORDO_CONTRACT(X)                                                                                             \
    X(qk_k_groups, "ascending-16")         /* S = Q K^T: k-groups of the tensor core, in order of the column */      \
    X(dp_k_groups, "ascending-16")         /* dP = dO V^T */                                                         \
    X(dq_k_groups, "ascending-16")         /* dQ = dS K: contraction over the slots of a tile */                     \
    X(dkv_k_groups, "ascending-16")        /* dKV: dO^T P first, then Q^T dS into the same fragment */               \
    X(tile_walk, "ascending")              /* tiles of 64 slots */                                                   \
    X(scale, "s-by-fma-then-ds")           /* into S by one fma with the folded LSE, and into dS */                  \
    X(bf16_rounds, "p,ds,dq,dkv")          /* where values round to BF16, nearest even */                            \
    X(exp, "ex2.approx.ftz")                                                                                         \
    X(log, "lse-natural-times-log2e")                                                                                \
    X(add, "ieee")                         /* not red-ftz: subnormals are kept */                                    \
    X(plane_start, "zero")                 /* +0.0, not a first store */                                             \
    X(fold, "groups-of-8-from-zero")       /* sim/fold.h */                                                          \
    X(delta_tree, "row-ascending")                                                                                   \
    X(dsink_tree, "32-strided-then-shuffle")

#endif
