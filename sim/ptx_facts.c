/* ptx_facts.c - what a program says before it runs: heads of loops, live registers, places still to be written. */
#include "sim/ptx_impl.h"

static uint16_t reg_bit(struct ordo_ptx_operand x)
{
    unsigned bit = x.reg < 0 ? 0 : 1u << x.reg;

    return (uint16_t)bit;
}

static uint16_t shown(const struct ordo_ptx_final *f, int thread)
{
    uint16_t set = 0;

    for (int i = 0; i < f->n; i++)
        if (f->term[i].kind == ORDO_PTX_TERM_REG && f->term[i].thread == thread)
            set |= (uint16_t)(1u << f->term[i].reg);
    return set;
}

static uint16_t shown_places(const struct ordo_ptx_program *p, const struct ordo_ptx_final *f)
{
    uint16_t set = 0;

    for (int i = 0; i < f->n; i++)
        if (f->term[i].kind == ORDO_PTX_TERM_LOC)
            set |= (uint16_t)(1u << p->loc[f->term[i].loc].place);
    return set;
}

/* Registers live before op, from those live after it. */
static uint16_t before(const struct ordo_ptx_op *op, uint16_t live)
{
    if (op->dst >= 0)
        live &= (uint16_t) ~(1u << op->dst);
    for (int i = 0; i < ORDO_PTX_OPERANDS; i++)
        live |= reg_bit(op->x[i]);
    return live;
}

static uint16_t writes(const struct ordo_ptx_program *p, const struct ordo_ptx_op *op)
{
    unsigned bit = op->loc < 0 || op->kind == ORDO_PTX_LD ? 0 : 1u << p->loc[op->loc].place;

    return (uint16_t)bit;
}

static void flow(const struct ordo_ptx_program *p, int t, bool liveness, struct ordo_ptx_facts *f)
{
    const struct ordo_ptx_thread *th = &p->thread[t];
    bool changed = true;

    f->live[t][th->n_op] = liveness ? 0 : shown(&p->final, t) | shown(&p->filter, t);
    while (changed) {
        changed = false;
        for (int i = th->n_op - 1; i >= 0; i--) {
            const struct ordo_ptx_op *op = &th->op[i];
            bool jumps = op->kind == ORDO_PTX_GOTO || op->kind == ORDO_PTX_BRANCH;
            uint16_t live = op->kind == ORDO_PTX_GOTO ? 0 : f->live[t][i + 1];
            uint16_t write = op->kind == ORDO_PTX_GOTO ? 0 : f->may_write[t][i + 1];

            if (jumps) {
                live |= f->live[t][op->target];
                write |= f->may_write[t][op->target];
            }
            live = before(op, live);
            write |= writes(p, op);
            changed |= live != f->live[t][i] || write != f->may_write[t][i];
            f->live[t][i] = live;
            f->may_write[t][i] = write;
        }
    }
}

void ordo_ptx_facts(const struct ordo_ptx_program *p, bool liveness, struct ordo_ptx_facts *f)
{
    *f = (struct ordo_ptx_facts){.shown = shown_places(p, &p->final) | shown_places(p, &p->filter)};
    ordo_ptx_alike(p, f);
    for (int t = 0; t < p->n_thread; t++) {
        for (int i = 0; i < p->thread[t].n_op; i++) {
            const struct ordo_ptx_op *op = &p->thread[t].op[i];

            if ((op->kind == ORDO_PTX_GOTO || op->kind == ORDO_PTX_BRANCH) && op->target <= i)
                f->head[t][op->target] = true;
        }
        flow(p, t, liveness, f);
    }
}
