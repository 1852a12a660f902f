/* ptx_liveness.c - what machines over values (ptx_live.h) say where the enumeration of executions came to no end. */
#include "sim/ptx_live.h"

bool ordo_ptx_end_is_reachable(const struct ordo_ptx_thread *th)
{
    uint64_t met = 1, todo = th->n_op ? 1 : 0;

    if (th->n_op == 0)
        return true;
    while (todo) {
        int i = ordo_take(&todo), next[2] = {i + 1, i + 1};
        const struct ordo_ptx_op *op = &th->op[i];

        if (op->kind == ORDO_PTX_GOTO)
            next[0] = next[1] = op->target;
        if (op->kind == ORDO_PTX_BRANCH)
            next[1] = op->target;
        for (int j = 0; j < 2; j++) {
            if (next[j] == th->n_op)
                return true;
            todo |= ordo_bit(next[j]) & ~met;
            met |= ordo_bit(next[j]);
        }
    }
    return false;
}

/* Reads and writes are of one proxy and a name for each place: what ptx_limit.c needs. */
static bool plain(const struct ordo_ptx_program *p)
{
    for (int i = 0; i < p->n_loc; i++)
        if (p->loc[i].place != i)
            return false;
    for (int t = 0; t < p->n_thread; t++)
        for (int i = 0; i < p->thread[t].n_op; i++)
            if (p->thread[t].op[i].loc >= 0 && p->thread[t].op[i].proxy != ORDO_PTX_GENERIC)
                return false;
    return true;
}

bool ordo_ptx_always_strong(const struct ordo_ptx_program *p, const struct ordo_ptx_op *a, int t,
                            const struct ordo_ptx_op *b, int u)
{
    return a->sem != ORDO_PTX_WEAK && b->sem != ORDO_PTX_WEAK && ordo_ptx_includes(p, a->scope, t, u) &&
           ordo_ptx_includes(p, b->scope, u, t);
}

enum ordo_ptx_answer ordo_ptx_always_ends(const struct ordo_ptx_program *p, struct ordo_ptx_circle *circle)
{
    struct ordo_ptx_machine m;

    for (int t = 0; t < p->n_thread; t++) {
        circle->no_end[t] = !ordo_ptx_end_is_reachable(&p->thread[t]);
        circle->any_no_end |= circle->no_end[t];
    }
    circle->found = circle->any_no_end;
    if (circle->found)
        return ORDO_PTX_NO;
    if (!ordo_ptx_machine(p, &m))
        return ORDO_PTX_UNKNOWN;
    if (ordo_ptx_fair_circle(&m, circle) == ORDO_PTX_YES)
        return ORDO_PTX_NO;
    if (!plain(p))
        return ORDO_PTX_UNKNOWN;
    return ordo_ptx_limit(&m) == ORDO_PTX_NO ? ORDO_PTX_YES : ORDO_PTX_UNKNOWN;
}
