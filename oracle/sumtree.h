/* sumtree.h - an addition tree as data: which terms meet in which sum, and nothing about left and right.
 *
 * Nodes [0, n_leaf) are the terms, the others sums of two or more nodes: a rounded addition has two children, a fused
 * step of a tensor core as many as it adds.  A sum that starts from +0.0 does not show its start, and a sum of one
 * node is that node.  So two trees are equal iff the same sets of terms are sums in both. */
#ifndef ORDO_ORACLE_SUMTREE_H
#define ORDO_ORACLE_SUMTREE_H

#include "base/digest.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define ORDO_NO_NODE UINT32_MAX

/* parent[i] of node i < n_node, ORDO_NO_NODE for the root.  Owned. */
struct ordo_sumtree {
    uint32_t n_leaf, n_node;
    uint32_t *parent;
};

/* n_leaf terms, no sum yet.  ORDO_ENVIRONMENT without memory.  Free with ordo_sumtree_free, also after a failure. */
enum ordo_status ordo_sumtree_make(uint32_t n_leaf, struct ordo_sumtree *t, struct ordo_err *err);
void ordo_sumtree_free(struct ordo_sumtree *t);

/* A fresh sum, of which the caller makes at least two nodes children. */
uint32_t ordo_sumtree_sum(struct ordo_sumtree *t);
/* The sum of n nodes, those that are ORDO_NO_NODE (+0.0) left out; what is left of fewer than two is no new node. */
uint32_t ordo_sumtree_join(struct ordo_sumtree *t, const uint32_t *node, uint32_t n);

/* What the functions below read; made of a whole tree (one root), freed by ordo_sumtree_view_free.  Arrays have
 * n_node entries: `up` lists all nodes, children before their parents; `size` counts a node's terms and `first` is
 * its lowest, which together name a node. */
struct ordo_sumtree_view {
    const struct ordo_sumtree *tree;
    uint32_t *up, *size, *first;
};
enum ordo_status ordo_sumtree_view(const struct ordo_sumtree *t, struct ordo_sumtree_view *v, struct ordo_err *err);
void ordo_sumtree_view_free(struct ordo_sumtree_view *v);

/* Terms of the smallest sum that holds two different ones. */
uint32_t ordo_sumtree_meet(const struct ordo_sumtree_view *v, uint32_t a, uint32_t b);

/* BLAKE2b-256 of "ordo-sumtree/1\n", then as little-endian uint32 n_leaf; then of the terms ascending, and of the
 * sums by ascending (first, size), `first` and `size` of the parent (the root's: 0xFFFFFFFF twice). */
enum ordo_status ordo_sumtree_digest(const struct ordo_sumtree_view *v, struct ordo_digest *d, struct ordo_err *err);

/* Where two trees over the same terms part: the smallest set of terms that is a sum in one of them only.  Of the two
 * additions, sum[0] in tree a and sum[1] in b, one is that sum and the other is what takes up its largest child,
 * which both trees have: common[0] in a, common[1] in b. */
struct ordo_sumtree_parting {
    bool equal;
    int only; /* 0: that set is a sum in a alone, 1: in b alone */
    uint32_t sum[2], common[2];
};
enum ordo_status ordo_sumtree_compare(const struct ordo_sumtree_view *a, const struct ordo_sumtree_view *b,
                                      struct ordo_sumtree_parting *parting, struct ordo_err *err);

#endif
