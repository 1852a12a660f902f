/* planned.c - see planned.h: chains of steps, lanes joined by offsets, planes folded in groups. */
#include "oracle/planned.h"

#include "base/size.h"
#include "sim/contract.h"

#include <stdlib.h>

enum { FOLD_GROUP = 8, LANES = 32, LANE_COLUMNS = 8 }; /* the contract's fold, delta_tree and dsink_tree */

/* A term and when it is added: those of one step are one fused addition, with the accumulator. */
struct timed {
    uint64_t step;
    uint32_t term;
};

static int by_step(const void *x, const void *y)
{
    const struct timed *a = x, *b = y;

    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return (a->term > b->term) - (a->term < b->term);
}

/* The accumulator after n timed terms, from +0.0; node: room for n + 1. */
static uint32_t chain(struct ordo_sumtree *t, struct timed *timed, uint32_t n, uint32_t *node)
{
    uint32_t acc = ORDO_NO_NODE;

    qsort(timed, n, sizeof *timed, by_step);
    for (uint32_t i = 0; i < n;) {
        uint32_t k = 0;
        uint64_t step = timed[i].step;

        node[k++] = acc;
        for (; i < n && timed[i].step == step; i++)
            node[k++] = timed[i].term;
        acc = ordo_sumtree_join(t, node, k);
    }
    return acc;
}

static uint32_t add(struct ordo_sumtree *t, uint32_t a, uint32_t b)
{
    return ordo_sumtree_join(t, (const uint32_t[]){a, b}, 2);
}

/* Lane sums to one, offsets 16, 8, 4, 2, 1. */
static void join_lanes(struct ordo_sumtree *t, uint32_t lane[LANES])
{
    for (uint32_t offset = LANES / 2; offset > 0; offset /= 2)
        for (uint32_t i = 0; i < offset; i++)
            lane[i] = add(t, lane[i], lane[i + offset]);
}

static uint64_t in_order(enum ordo_walk walk, uint64_t i)
{
    return walk == ORDO_ASCENDING ? i : UINT32_MAX - i;
}

/* --- when a term is added --------------------------------------------------------------------------------------- */

/* Inside a CTA's contribution: the first product's heads in groups, then the second's. */
static uint64_t dkv_step(const struct ordo_contract *c, const struct ordo_term *term)
{
    uint64_t group = (uint64_t)(term->head % ORDO_HEAD_BLOCK / ORDO_K_GROUP);
    bool second = (term->role == 'v') == (c->dkv_first == ORDO_DKV_Q_DS);

    return (uint64_t)second << 32 | in_order(c->dkv_groups, group);
}

static uint64_t dq_step(const struct ordo_contract *c, const struct ordo_term *term)
{
    uint64_t tile = (uint64_t)(term->place / ORDO_TILE), group = (uint64_t)(term->place % ORDO_TILE / ORDO_K_GROUP);

    return in_order(c->tile_walk, tile) << 32 | in_order(c->dq_groups, group);
}

static uint64_t dp_step(const struct ordo_contract *c, const struct ordo_term *term)
{
    return in_order(c->dp_groups, (uint64_t)(term->place / ORDO_K_GROUP));
}

/* --- the sums --------------------------------------------------------------------------------------------------- */

struct scratch {
    struct timed *timed;
    uint32_t *node;
};

typedef uint64_t step_fn(const struct ordo_contract *c, const struct ordo_term *term);

/* Terms [first, end) as one chain. */
static uint32_t chain_of(const struct ordo_plan *plan, const struct ordo_sum *sum, step_fn *step, uint32_t first,
                         uint32_t end, const struct scratch *s, struct ordo_sumtree *t)
{
    for (uint32_t i = first; i < end; i++)
        s->timed[i - first] = (struct timed){step(plan->contract, &sum->term[i]), i};
    return chain(t, s->timed, end - first, s->node);
}

/* Contributions onto planes, planes onto groups of eight, those onto the sum: each ascending, each from +0.0. */
static void plan_dkv(const struct ordo_plan *plan, const struct ordo_sum *sum, const struct scratch *s,
                     struct ordo_sumtree *t)
{
    const struct ordo_add *to = sum->row.add;
    uint32_t plane = ORDO_NO_NODE, group = ORDO_NO_NODE, total = ORDO_NO_NODE;

    for (uint32_t i = 0; i < sum->n_term;) {
        uint32_t first = i, here = sum->term[i].add, last = here + 1 == sum->row.n_add;

        while (i < sum->n_term && sum->term[i].add == here)
            i++;
        plane = add(t, plane, chain_of(plan, sum, dkv_step, first, i, s, t));
        if (!last && to[here + 1].plane == to[here].plane)
            continue;
        group = add(t, group, plane);
        plane = ORDO_NO_NODE;
        if (!last && to[here + 1].plane / FOLD_GROUP == to[here].plane / FOLD_GROUP)
            continue;
        total = add(t, total, group);
        group = ORDO_NO_NODE;
    }
}

static void plan_dq(const struct ordo_plan *plan, const struct ordo_sum *sum, const struct scratch *s,
                    struct ordo_sumtree *t)
{
    (void)chain_of(plan, sum, dq_step, 0, sum->n_term, s, t);
}

static void plan_dp(const struct ordo_plan *plan, const struct ordo_sum *sum, const struct scratch *s,
                    struct ordo_sumtree *t)
{
    (void)chain_of(plan, sum, dp_step, 0, sum->n_term, s, t);
}

/* dSink: lane q mod 32, q ascending; delta: lane (d / 8) mod 32, d ascending; one term at a time. */
static void plan_lanes(const struct ordo_plan *plan, const struct ordo_sum *sum, const struct scratch *s,
                       struct ordo_sumtree *t)
{
    int32_t run = sum->request.kind == ORDO_SUM_DELTA ? LANE_COLUMNS : 1;
    uint32_t lane[LANES];

    (void)plan;
    for (int32_t l = 0; l < LANES; l++) {
        uint32_t n = 0;

        for (uint32_t i = 0; i < sum->n_term; i++)
            if (sum->term[i].place / run % LANES == l)
                s->timed[n++] = (struct timed){(uint64_t)sum->term[i].place, i};
        lane[l] = chain(t, s->timed, n, s->node);
    }
    join_lanes(t, lane);
}

enum ordo_status ordo_planned_tree(const struct ordo_plan *plan, const struct ordo_sum *sum, struct ordo_sumtree *t,
                                   struct ordo_err *err)
{
    static void (*const make[ORDO_SUM_KINDS])(const struct ordo_plan *, const struct ordo_sum *,
                                              const struct scratch *, struct ordo_sumtree *) = {
        plan_dkv, plan_dkv, plan_dq, plan_lanes, plan_lanes, plan_dp,
    };
    struct scratch s = {ordo_alloc(sum->n_term, sizeof *s.timed),
                        ordo_alloc((uint64_t)sum->n_term + 1, sizeof *s.node)};
    enum ordo_status status = ordo_sumtree_make(sum->n_term, t, err);

    if (status == ORDO_OK && (!s.timed || !s.node))
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to plan a sum of %u terms",
                           (unsigned)sum->n_term);
    if (status == ORDO_OK)
        make[sum->request.kind](plan, sum, &s, t);
    free(s.timed);
    free(s.node);
    return status;
}
