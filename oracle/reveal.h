/* reveal.h - the addition tree of a box that can only be asked for sums.
 *
 * A probe puts +M on one term and -M on another, M so large that any unit added to it is lost, and 1 on others: what
 * comes back is how many units were added outside the smallest sum that holds both masks.  (FPRev, USENIX ATC 2025;
 * here with M = 2^60, exact in BF16, and units only where they can tell something.)
 *
 * One term, the pivot, against all others of a set lists the sums above it and which terms each of them takes up;
 * these sets are asked again, each alone.  So a set costs its size - 1 for every pivot, and a term is in as many
 * sets as the ways from the pivots to it turn off: a chain whose first term is the pivot costs n - 1 probes and a
 * balanced binary tree n log2(n) / 2.  f terms that meet in one fused step cost f (f - 1) / 2, which no pair probe
 * can better: any two of them could have met before.  Together: at most n log2 n for binary trees, plus n (f - 1) /
 * 2 for steps of f leaves.  The first pivot is the set's lowest term, so whoever numbers terms in the order he
 * expects pays least; where that turns out badly (a chain walked backwards) the next are drawn, which costs about
 * twice that.  Sets that do not depend on each other are asked in one round; what is left of a fused step after its
 * first pivot is asked for all its pairs at once.
 *
 * What this shows holds for these inputs: a box that branches on values may add others otherwise. */
#ifndef ORDO_ORACLE_REVEAL_H
#define ORDO_ORACLE_REVEAL_H

#include "base/status.h"
#include "oracle/sumtree.h"

#include <stdint.h>

/* What a term may be, as BF16: 0, 1, M = 2^60, -M. */
#define ORDO_REVEAL_ONE   UINT16_C(0x3f80)
#define ORDO_REVEAL_MASK  UINT16_C(0x5d80)
#define ORDO_REVEAL_MINUS UINT16_C(0xdd80)

/* Sums n_vector <= capacity vectors of terms, value[n_vector][n_leaf], into sum[n_vector].  exact: counts up to it
 * come back exactly (256 through BF16, 2^24 through fp32); a run may set it once it has seen what the box returns. */
struct ordo_reveal_box {
    uint32_t n_leaf, capacity, exact;
    enum ordo_status (*run)(struct ordo_reveal_box *box, const uint16_t *value, uint32_t n_vector, float *sum,
                            struct ordo_err *err);
    void *ctx;
};

enum ordo_reveal_verdict {
    ORDO_REVEAL_TREE,    /* found, and random pairs agree with it */
    ORDO_REVEAL_TERM,    /* a unit on `term[0]` alone does not come back as 1 */
    ORDO_REVEAL_UNITS,   /* `want` units on terms from term[0] to term[1] do not add up */
    ORDO_REVEAL_NO_TREE  /* masks on term[0], term[1] leave a count that fits no tree with what the others gave */
};

struct ordo_reveal {
    enum ordo_reveal_verdict verdict;
    struct ordo_sumtree tree;       /* whole only with ORDO_REVEAL_TREE */
    uint64_t pairs, vectors, runs;  /* probes; vectors they needed; calls of the box */
    uint64_t checks;                /* of the pairs: drawn, to check the tree */
    uint32_t term[2];
    float got, want;                /* want < 0: any count that would fit */
};

enum { ORDO_REVEAL_CHECKS = 64 };

/* Asks the box.  seed draws pivots and the pairs at the end.  Fails as the box fails, or without memory.  Free with
 * ordo_reveal_free, also after a failure. */
enum ordo_status ordo_reveal(struct ordo_reveal_box *box, uint64_t seed, struct ordo_reveal *out,
                             struct ordo_err *err);
void ordo_reveal_free(struct ordo_reveal *out);

#endif
