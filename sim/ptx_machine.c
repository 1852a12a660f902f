/* ptx_machine.c - one thread as a machine: what it computes between accesses, and what an access does. */
#include "sim/ptx_live.h"

#include <string.h>

enum { LONGEST = 1 << 12 }; /* local instructions between two accesses */

static bool is_barrier(enum ordo_ptx_kind kind)
{
    return kind == ORDO_PTX_BAR_SYNC || kind == ORDO_PTX_BAR_ARRIVE || kind == ORDO_PTX_CLUSTER_ARRIVE ||
           kind == ORDO_PTX_CLUSTER_WAIT;
}

/* A place is observed if a value read from it may be used. */
static void observe(struct ordo_ptx_machine *m, int t, int i)
{
    const struct ordo_ptx_op *op = &m->p->thread[t].op[i];

    if (op->loc >= 0 && op->dst >= 0 && (m->facts.live[t][i + 1] >> op->dst) & 1)
        m->observed |= (uint16_t)(1u << m->p->loc[op->loc].place);
}

/* Places that thread t only reads, by weak loads.  Without an acquire or a fence no write of another thread precedes
 * such a load in causality, so it may miss all of them. */
static uint16_t stale(const struct ordo_ptx_program *p, int t)
{
    unsigned set = UINT16_MAX;

    for (int i = 0; i < p->thread[t].n_op; i++) {
        const struct ordo_ptx_op *op = &p->thread[t].op[i];

        if (op->kind == ORDO_PTX_FENCE || op->sem == ORDO_PTX_ACQUIRE || op->sem == ORDO_PTX_ACQ_REL)
            return 0;
        if (op->loc >= 0 && (op->kind != ORDO_PTX_LD || op->sem != ORDO_PTX_WEAK))
            set &= ~(1u << p->loc[op->loc].place);
    }
    return (uint16_t)set;
}

bool ordo_ptx_machine(const struct ordo_ptx_program *p, struct ordo_ptx_machine *m)
{
    m->p = p;
    m->observed = 0;
    ordo_ptx_facts(p, true, &m->facts);
    for (int t = 0; t < p->n_thread; t++) {
        m->stale[t] = stale(p, t);
        for (int i = 0; i < p->thread[t].n_op; i++) {
            if (is_barrier(p->thread[t].op[i].kind))
                return false;
            observe(m, t, i);
        }
    }
    return true;
}

static bool is_step(const struct ordo_ptx_machine *m, const struct ordo_ptx_op *op)
{
    return op->loc >= 0 && (m->observed >> m->p->loc[op->loc].place) & 1;
}

const struct ordo_ptx_op *ordo_ptx_stands_at(const struct ordo_ptx_machine *m, int t, const struct ordo_ptx_local *l)
{
    const struct ordo_ptx_thread *th = &m->p->thread[t];

    return l->pc == ORDO_PTX_ROUND || l->pc == th->n_op ? NULL : &th->op[l->pc];
}

static int64_t operand(const struct ordo_ptx_op *op, int i, const struct ordo_ptx_local *l)
{
    return op->x[i].reg < 0 ? op->x[i].number : l->reg[op->x[i].reg];
}

static void run_local(const struct ordo_ptx_op *op, struct ordo_ptx_local *l)
{
    bool jumps = op->kind == ORDO_PTX_GOTO || (op->kind == ORDO_PTX_BRANCH &&
                 ordo_ptx_compare(op->compare, operand(op, 0, l), operand(op, 1, l)));

    if (op->dst >= 0) /* what is not computed comes from a place that nobody observes */
        l->reg[op->dst] = op->kind != ORDO_PTX_ALU
                              ? 0 : ordo_ptx_compute(op->alu, operand(op, 0, l), operand(op, 1, l), 0);
    l->pc = jumps ? op->target : (int16_t)(l->pc + 1);
}

static void forget_dead(const struct ordo_ptx_machine *m, int t, struct ordo_ptx_local *l)
{
    unsigned live = l->pc == ORDO_PTX_ROUND ? 0 : m->facts.live[t][l->pc];

    for (int i = 0; i < ORDO_PTX_REGS; i++)
        if (!((live >> i) & 1))
            l->reg[i] = 0;
}

bool ordo_ptx_settle(const struct ordo_ptx_machine *m, int t, struct ordo_ptx_local *l)
{
    const struct ordo_ptx_thread *th = &m->p->thread[t];
    struct ordo_ptx_local mark = *l;

    for (int n = 1; n <= LONGEST; n++) {
        forget_dead(m, t, l);
        if (l->pc == th->n_op || is_step(m, &th->op[l->pc]))
            return true;
        run_local(&th->op[l->pc], l);
        forget_dead(m, t, l);
        if (l->pc == mark.pc && memcmp(l->reg, mark.reg, sizeof mark.reg) == 0) {
            l->pc = ORDO_PTX_ROUND;
            forget_dead(m, t, l);
            return true;
        }
        if ((n & (n - 1)) == 0)
            mark = *l;
    }
    return false;
}

bool ordo_ptx_local_start(const struct ordo_ptx_machine *m, int t, struct ordo_ptx_local *l)
{
    *l = (struct ordo_ptx_local){.pc = 0};
    memcpy(l->reg, m->p->thread[t].start, sizeof l->reg);
    return ordo_ptx_settle(m, t, l);
}

bool ordo_ptx_access(const struct ordo_ptx_machine *m, int t, struct ordo_ptx_local *l, int64_t old,
                     struct ordo_ptx_access *a)
{
    const struct ordo_ptx_op *op = &m->p->thread[t].op[l->pc];

    *a = (struct ordo_ptx_access){.place = m->p->loc[op->loc].place, .read = old, .reads = op->kind != ORDO_PTX_ST,
                                  .writes = op->kind != ORDO_PTX_LD};
    a->written = !a->reads ? operand(op, 1, l) : ordo_ptx_compute(op->alu, old, operand(op, 1, l), operand(op, 2, l));
    if (op->dst >= 0)
        l->reg[op->dst] = old;
    l->pc++;
    return ordo_ptx_settle(m, t, l);
}
