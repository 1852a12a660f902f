/* sumtree.c - see sumtree.h: making trees, and their canonical form. */
#include "oracle/sumtree.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

static enum ordo_status no_memory(uint32_t n, struct ordo_err *err)
{
    return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for a tree of %u terms", (unsigned)n);
}

/* --- making ----------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_sumtree_make(uint32_t n_leaf, struct ordo_sumtree *t, struct ordo_err *err)
{
    *t = (struct ordo_sumtree){n_leaf, n_leaf, ordo_alloc(2 * (uint64_t)n_leaf, sizeof *t->parent)};
    if (!t->parent)
        return no_memory(n_leaf, err);
    memset(t->parent, 0xff, 2 * (size_t)n_leaf * sizeof *t->parent);
    return ORDO_OK;
}

void ordo_sumtree_free(struct ordo_sumtree *t)
{
    free(t->parent);
    *t = (struct ordo_sumtree){0};
}

uint32_t ordo_sumtree_sum(struct ordo_sumtree *t)
{
    ORDO_BUG_ON(t->n_node >= 2 * t->n_leaf);
    return t->n_node++;
}

uint32_t ordo_sumtree_join(struct ordo_sumtree *t, const uint32_t *node, uint32_t n)
{
    uint32_t there = 0, last = ORDO_NO_NODE, sum;

    for (uint32_t i = 0; i < n; i++)
        if (node[i] != ORDO_NO_NODE) {
            last = node[i];
            there++;
        }
    if (there < 2)
        return last;
    sum = ordo_sumtree_sum(t);
    for (uint32_t i = 0; i < n; i++)
        if (node[i] != ORDO_NO_NODE)
            t->parent[node[i]] = sum;
    return sum;
}

/* --- looking ---------------------------------------------------------------------------------------------------- */

/* Children before parents: a node is listed once all its children are, `waiting` counts those that are not. */
static void list_up(const struct ordo_sumtree_view *v, uint32_t *waiting)
{
    const struct ordo_sumtree *t = v->tree;
    uint32_t n = t->n_leaf;

    for (uint32_t i = 0; i < t->n_node; i++)
        if (t->parent[i] != ORDO_NO_NODE)
            waiting[t->parent[i]]++;
    for (uint32_t i = 0; i < n; i++) {
        v->up[i] = i;
        v->size[i] = 1;
        v->first[i] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = v->up[i], parent = t->parent[node];

        if (parent == ORDO_NO_NODE)
            continue;
        v->size[parent] += v->size[node];
        v->first[parent] = v->first[node] < v->first[parent] ? v->first[node] : v->first[parent];
        if (--waiting[parent] == 0)
            v->up[n++] = parent;
    }
    ORDO_BUG_ON(n != t->n_node || v->size[v->up[n - 1]] != t->n_leaf); /* one root */
}

enum ordo_status ordo_sumtree_view(const struct ordo_sumtree *t, struct ordo_sumtree_view *v, struct ordo_err *err)
{
    uint32_t *waiting = ordo_alloc_zero(t->n_node, sizeof *waiting);

    *v = (struct ordo_sumtree_view){
        .tree = t,
        .up = ordo_alloc(t->n_node, sizeof *v->up),
        .size = ordo_alloc_zero(t->n_node, sizeof *v->size),
        .first = ordo_alloc(t->n_node, sizeof *v->first),
    };
    if (!waiting || !v->up || !v->size || !v->first) {
        free(waiting);
        return no_memory(t->n_leaf, err);
    }
    memset(v->first, 0xff, t->n_node * sizeof *v->first);
    list_up(v, waiting);
    free(waiting);
    return ORDO_OK;
}

void ordo_sumtree_view_free(struct ordo_sumtree_view *v)
{
    free(v->up);
    free(v->size);
    free(v->first);
    *v = (struct ordo_sumtree_view){0};
}

uint32_t ordo_sumtree_meet(const struct ordo_sumtree_view *v, uint32_t a, uint32_t b)
{
    const uint32_t *parent = v->tree->parent;

    while (a != b) /* the smaller of two sums that are not the same cannot hold the other */
        if (v->size[a] <= v->size[b] && parent[a] != ORDO_NO_NODE)
            a = parent[a];
        else
            b = parent[b];
    return v->size[a];
}

struct named {
    uint32_t first, size, node;
};

static int by_name(const void *x, const void *y)
{
    const struct named *a = x, *b = y;

    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

enum ordo_status ordo_sumtree_digest(const struct ordo_sumtree_view *v, struct ordo_digest *d, struct ordo_err *err)
{
    const struct ordo_sumtree *t = v->tree;
    struct named *list = ordo_alloc(t->n_node, sizeof *list);
    struct ordo_hasher h;

    if (!list)
        return no_memory(t->n_leaf, err);
    for (uint32_t i = 0; i < t->n_node; i++)
        list[i] = (struct named){v->first[i], v->size[i], i};
    qsort(list + t->n_leaf, t->n_node - t->n_leaf, sizeof *list, by_name);
    ordo_hasher_init(&h);
    ordo_hasher_text(&h, "ordo-sumtree/1\n");
    ordo_hasher_u32(&h, t->n_leaf);
    for (uint32_t i = 0; i < t->n_node; i++) {
        uint32_t parent = t->parent[list[i].node];

        ordo_hasher_u32(&h, parent == ORDO_NO_NODE ? UINT32_MAX : v->first[parent]);
        ordo_hasher_u32(&h, parent == ORDO_NO_NODE ? UINT32_MAX : v->size[parent]);
    }
    *d = ordo_hasher_done(&h);
    free(list);
    return ORDO_OK;
}
