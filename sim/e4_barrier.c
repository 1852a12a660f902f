/* e4_barrier.c - E4: barriers of a CTA and of the cluster: the same ones for all, with the right counts. */
#include "sim/e4_impl.h"

/* --- a CTA ----------------------------------------------------------------------------------------------------- */

static bool of_launch(const struct ordo_thread *t, int32_t rank)
{
    return ordo_thread_of_launch(t->kind) && (rank < 0 || t->rank == rank);
}

/* The thread's next record of the kind at or after `at`; its end if there is none. */
static uint32_t next_of(const struct ordo_e4 *e4, int32_t t, uint32_t at, enum ordo_op op)
{
    while (at < e4->base[t + 1] && ordo_e4_record(e4, at)->op != op)
        at++;
    return at;
}

static bool uses(const struct ordo_e4 *e4, int32_t t, int64_t id)
{
    for (uint32_t at = e4->base[t]; at < e4->base[t + 1]; at++)
        if (ordo_e4_record(e4, at)->op == ORDO_OP_BAR_SYNC && ordo_e4_record(e4, at)->index == id)
            return true;
    return false;
}

static bool check_count(struct ordo_e4 *e4, uint32_t at, int32_t rank)
{
    const struct ordo_record *r = ordo_e4_record(e4, at);
    uint32_t n = 0;

    for (int32_t t = 0; t < e4->tapes->n_thread; t++)
        n += of_launch(&e4->tapes->thread[t], rank) && uses(e4, t, r->index);
    if (r->index != e4->tapes->shape.go && r->index != e4->tapes->shape.done)
        return ordo_e4_breaks(e4, ORDO_E4_BAR_ID, at);
    return n == r->value || ordo_e4_breaks(e4, ORDO_E4_BAR_COUNT, at);
}

/* The thread's last record; `none` if its tape is empty. */
static uint32_t last_of(const struct ordo_e4 *e4, int32_t t, uint32_t none)
{
    return e4->base[t] < e4->base[t + 1] ? e4->base[t + 1] - 1 : none;
}

/* Walks two threads' barriers side by side; those of `t` are then the nodes of `first`. */
static bool match(struct ordo_e4 *e4, int32_t first, int32_t t, enum ordo_op op, enum ordo_e4_rule rule)
{
    uint32_t a = next_of(e4, first, e4->base[first], op), b = next_of(e4, t, e4->base[t], op);

    while (a < e4->base[first + 1] && b < e4->base[t + 1]) {
        if (ordo_e4_record(e4, a)->index != ordo_e4_record(e4, b)->index)
            return ordo_e4_breaks_pair(e4, rule, b, a);
        if (op == ORDO_OP_BAR_SYNC || op == ORDO_OP_CLUSTER_WAIT)
            e4->node[b] = a;
        a = next_of(e4, first, a + 1, op);
        b = next_of(e4, t, b + 1, op);
    }
    if (b < e4->base[t + 1]) /* the other has ended */
        return ordo_e4_breaks_pair(e4, rule, b, last_of(e4, first, b));
    return a == e4->base[first + 1] || ordo_e4_breaks_pair(e4, rule, a, last_of(e4, t, a));
}

/* A poll may part the lanes of a warp, and the barriers are aligned ones: each wants the whole warp at it. */
static bool check_together(struct ordo_e4 *e4, int32_t t)
{
    bool parted = false;

    for (uint32_t at = e4->base[t]; at < e4->base[t + 1]; at++) {
        enum ordo_op op = ordo_e4_record(e4, at)->op;

        if (op == ORDO_OP_AWAIT_CLEAR || op == ORDO_OP_AWAIT_GE)
            parted = true;
        if (op == ORDO_OP_WARP_SYNC)
            parted = false;
        if (parted && (op == ORDO_OP_BAR_SYNC || op == ORDO_OP_CLUSTER_ARRIVE || op == ORDO_OP_CLUSTER_WAIT))
            return ordo_e4_breaks(e4, ORDO_E4_DIVERGED, at);
    }
    return true;
}

static bool check_cta(struct ordo_e4 *e4, int32_t rank)
{
    int32_t first = -1;

    for (int32_t t = 0; t < e4->tapes->n_thread; t++) {
        if (!of_launch(&e4->tapes->thread[t], rank))
            continue;
        first = first < 0 ? t : first;
        if (!check_together(e4, t))
            return false;
        if (!match(e4, first, t, ORDO_OP_BAR_SYNC, ORDO_E4_BAR_SEQUENCE))
            return false;
        for (uint32_t at = e4->base[t]; at < e4->base[t + 1]; at++)
            if (ordo_e4_record(e4, at)->op == ORDO_OP_BAR_SYNC && !check_count(e4, at, rank))
                return false;
    }
    return true;
}

/* --- a warp ---------------------------------------------------------------------------------------------------- */

/* The thread's next barrier of its CTA or warp at or after `at`. */
static uint32_t next_together(const struct ordo_e4 *e4, int32_t t, uint32_t at)
{
    uint32_t bar = next_of(e4, t, at, ORDO_OP_BAR_SYNC), warp = next_of(e4, t, at, ORDO_OP_WARP_SYNC);

    return bar < warp ? bar : warp;
}

/* Two lanes of a warp, which is whole at a warp barrier: the same ones between the same barriers of the CTA. */
static bool match_lanes(struct ordo_e4 *e4, int32_t first, int32_t t)
{
    uint32_t a = next_together(e4, first, e4->base[first]), b = next_together(e4, t, e4->base[t]);

    while (a < e4->base[first + 1] && b < e4->base[t + 1] && ordo_e4_record(e4, a)->op == ordo_e4_record(e4, b)->op) {
        a = next_together(e4, first, a + 1);
        b = next_together(e4, t, b + 1);
    }
    if (a < e4->base[first + 1] && ordo_e4_record(e4, a)->op == ORDO_OP_WARP_SYNC)
        return ordo_e4_breaks_pair(e4, ORDO_E4_WARP_SEQUENCE, a, b < e4->base[t + 1] ? b : last_of(e4, t, a));
    if (b < e4->base[t + 1] && ordo_e4_record(e4, b)->op == ORDO_OP_WARP_SYNC)
        return ordo_e4_breaks_pair(e4, ORDO_E4_WARP_SEQUENCE, b,
                                   a < e4->base[first + 1] ? a : last_of(e4, first, b));
    return true;
}

/* The threads of a kind and rank are lanes of one warp; a bulk lane is alone in its own. */
static bool check_warps(struct ordo_e4 *e4, int32_t t)
{
    const struct ordo_thread *thread = e4->tapes->thread;
    int32_t first = t;
    uint32_t alone;

    while (first > 0 && thread[first - 1].kind == thread[t].kind && thread[first - 1].rank == thread[t].rank)
        first--;
    alone = thread[t].kind == ORDO_THREAD_BULK ? next_of(e4, t, e4->base[t], ORDO_OP_WARP_SYNC) : e4->base[t + 1];
    if (alone < e4->base[t + 1])
        return ordo_e4_breaks(e4, ORDO_E4_WARP_SEQUENCE, alone);
    return match_lanes(e4, first, t);
}

/* --- the cluster ----------------------------------------------------------------------------------------------- */

static bool check_arrivals(struct ordo_e4 *e4, int32_t t)
{
    bool arrived = false;
    uint32_t arrival = 0;

    for (uint32_t at = e4->base[t]; at < e4->base[t + 1]; at++) {
        const struct ordo_record *r = ordo_e4_record(e4, at);
        enum ordo_op op = r->op;

        if ((op == ORDO_OP_CLUSTER_ARRIVE && r->sem != ORDO_SEM_release) ||
            (op == ORDO_OP_CLUSTER_WAIT && r->sem != ORDO_SEM_acquire))
            return ordo_e4_breaks(e4, ORDO_E4_CLUSTER_RELAXED, at);
        if ((op == ORDO_OP_CLUSTER_ARRIVE && arrived) || (op == ORDO_OP_CLUSTER_WAIT && !arrived))
            return ordo_e4_breaks(e4, ORDO_E4_CLUSTER_SEQUENCE, at);
        arrival = op == ORDO_OP_CLUSTER_ARRIVE ? at : arrival;
        arrived = op == ORDO_OP_CLUSTER_ARRIVE || (arrived && op != ORDO_OP_CLUSTER_WAIT);
    }
    return !arrived || ordo_e4_breaks(e4, ORDO_E4_CLUSTER_SEQUENCE, arrival);
}

bool ordo_e4_arrivals(struct ordo_e4 *e4)
{
    for (int32_t t = 0; t < e4->tapes->n_thread; t++)
        if (of_launch(&e4->tapes->thread[t], -1) && !check_arrivals(e4, t))
            return false;
    return true;
}

static bool check_cluster(struct ordo_e4 *e4, int32_t t, int32_t *first)
{
    if (!of_launch(&e4->tapes->thread[t], -1))
        return true;
    *first = *first < 0 ? t : *first;
    return match(e4, *first, t, ORDO_OP_CLUSTER_ARRIVE, ORDO_E4_CLUSTER_SEQUENCE) &&
           match(e4, *first, t, ORDO_OP_CLUSTER_WAIT, ORDO_E4_CLUSTER_SEQUENCE);
}

bool ordo_e4_barriers(struct ordo_e4 *e4)
{
    int32_t first = -1;

    for (int32_t rank = 0; rank < e4->tapes->shape.n_rank; rank++)
        if (!check_cta(e4, rank))
            return false;
    for (int32_t t = 0; t < e4->tapes->n_thread; t++)
        if (!check_warps(e4, t))
            return false;
    for (int32_t t = 0; t < e4->tapes->n_thread; t++)
        if (!check_cluster(e4, t, &first))
            return false;
    return true;
}
