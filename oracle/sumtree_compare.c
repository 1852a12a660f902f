/* sumtree_compare.c - where two addition trees part.
 *
 * The terms are numbered anew along tree a, so that each of its sums is an interval; a sum of b is one of a iff it is
 * an interval too, and a has a sum that starts there and is as long. */
#include "oracle/sumtree.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

struct interval {
    uint32_t start, size, node;
};

struct match {
    const struct ordo_sumtree_view *a, *b;
    uint32_t *at, *next;                /* of a's nodes: start of the interval; where its next child starts */
    uint32_t *low, *high;               /* of b's nodes: least and greatest new number */
    uint32_t *of_b, *of_a;              /* the same node in the other tree, or ORDO_NO_NODE */
    struct interval *interval;          /* a's sums, sorted */
    uint32_t n_interval;
};

static int by_interval(const void *x, const void *y)
{
    const struct interval *a = x, *b = y;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

static void lay_out(struct match *m)
{
    const struct ordo_sumtree *t = m->a->tree;

    for (uint32_t i = t->n_node; i-- > 0;) { /* parents before children */
        uint32_t node = m->a->up[i], parent = t->parent[node];

        m->at[node] = m->next[node] = parent == ORDO_NO_NODE ? 0 : m->next[parent];
        if (parent != ORDO_NO_NODE)
            m->next[parent] += m->a->size[node];
        if (node >= t->n_leaf)
            m->interval[m->n_interval++] = (struct interval){m->at[node], m->a->size[node], node};
    }
    qsort(m->interval, m->n_interval, sizeof *m->interval, by_interval);
}

static void find_all(struct match *m)
{
    const struct ordo_sumtree *t = m->b->tree;

    for (uint32_t i = 0; i < t->n_node; i++) {
        uint32_t node = m->b->up[i], parent = t->parent[node], other = node;
        uint32_t *low = &m->low[node], *high = &m->high[node];

        if (node < t->n_leaf) {
            *low = *high = m->at[node];
        } else {
            struct interval want = {*low, m->b->size[node], 0}, *found = NULL;

            if (*high - *low + 1 == want.size)
                found = bsearch(&want, m->interval, m->n_interval, sizeof want, by_interval);
            other = found ? found->node : ORDO_NO_NODE;
        }
        m->of_b[node] = other;
        if (other != ORDO_NO_NODE)
            m->of_a[other] = node;
        if (parent != ORDO_NO_NODE) {
            m->low[parent] = *low < m->low[parent] ? *low : m->low[parent];
            m->high[parent] = *high > m->high[parent] ? *high : m->high[parent];
        }
    }
}

/* The smallest node without a partner, by (size, first); ORDO_NO_NODE if all have one. */
static uint32_t smallest(const struct ordo_sumtree_view *v, const uint32_t *partner)
{
    uint32_t best = ORDO_NO_NODE;

    for (uint32_t i = v->tree->n_leaf; i < v->tree->n_node; i++)
        if (partner[i] == ORDO_NO_NODE && (best == ORDO_NO_NODE || v->size[i] < v->size[best] ||
                                           (v->size[i] == v->size[best] && v->first[i] < v->first[best])))
            best = i;
    return best;
}

static uint32_t largest_child(const struct ordo_sumtree_view *v, uint32_t sum)
{
    uint32_t best = ORDO_NO_NODE;

    for (uint32_t i = 0; i < v->tree->n_node; i++)
        if (v->tree->parent[i] == sum && (best == ORDO_NO_NODE || v->size[i] > v->size[best]))
            best = i;
    return best;
}

static void judge(const struct match *m, struct ordo_sumtree_parting *p)
{
    const struct ordo_sumtree_view *view[2] = {m->a, m->b};
    const uint32_t *partner[2] = {m->of_a, m->of_b};
    uint32_t found[2] = {smallest(m->a, m->of_a), smallest(m->b, m->of_b)};
    int only;

    *p = (struct ordo_sumtree_parting){.equal = found[0] == ORDO_NO_NODE && found[1] == ORDO_NO_NODE};
    if (p->equal)
        return;
    only = found[0] == ORDO_NO_NODE || (found[1] != ORDO_NO_NODE && m->b->size[found[1]] < m->a->size[found[0]]);
    p->only = only;
    p->sum[only] = found[only];
    p->common[only] = largest_child(view[only], found[only]);
    p->common[!only] = partner[only][p->common[only]];
    p->sum[!only] = view[!only]->tree->parent[p->common[!only]];
}

enum ordo_status ordo_sumtree_compare(const struct ordo_sumtree_view *a, const struct ordo_sumtree_view *b,
                                      struct ordo_sumtree_parting *parting, struct ordo_err *err)
{
    uint32_t n_a = a->tree->n_node, n_b = b->tree->n_node;
    struct match m = {
        .a = a, .b = b,
        .at = ordo_alloc(n_a, sizeof *m.at), .next = ordo_alloc(n_a, sizeof *m.next),
        .low = ordo_alloc(n_b, sizeof *m.low), .high = ordo_alloc_zero(n_b, sizeof *m.high),
        .of_a = ordo_alloc(n_a, sizeof *m.of_a), .of_b = ordo_alloc(n_b, sizeof *m.of_b),
        .interval = ordo_alloc(n_a, sizeof *m.interval),
    };
    enum ordo_status status = ORDO_OK;

    ORDO_BUG_ON(a->tree->n_leaf != b->tree->n_leaf);
    if (!m.at || !m.next || !m.low || !m.high || !m.of_a || !m.of_b || !m.interval) {
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to compare trees of %u terms",
                           (unsigned)a->tree->n_leaf);
        goto out;
    }
    memset(m.low, 0xff, n_b * sizeof *m.low);
    memset(m.of_a, 0xff, n_a * sizeof *m.of_a);
    lay_out(&m);
    find_all(&m);
    judge(&m, parting);
out:
    free(m.at);
    free(m.next);
    free(m.low);
    free(m.high);
    free(m.of_a);
    free(m.of_b);
    free(m.interval);
    return status;
}
