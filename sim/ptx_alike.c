/* ptx_alike.c - threads of one program text that can change places: executions differ by who is who.
 *
 * Every such thread makes one write, by the same strong operation, before any jump.  These writes are in coherence
 * order, so of the executions that differ by who is who exactly one has them in the order of the threads.  Only that
 * one is followed, and counts for all. */
#include "sim/ptx_impl.h"

#include <string.h>

static bool same_operand(const struct ordo_ptx_operand *a, const struct ordo_ptx_operand *b)
{
    return a->reg == b->reg && a->number == b->number;
}

static bool same_op(const struct ordo_ptx_op *a, const struct ordo_ptx_op *b)
{
    for (int i = 0; i < ORDO_PTX_OPERANDS; i++)
        if (!same_operand(&a->x[i], &b->x[i]))
            return false;
    return a->kind == b->kind && a->sem == b->sem && a->scope == b->scope && a->proxy == b->proxy &&
           a->alu == b->alu && a->compare == b->compare && a->loc == b->loc && a->dst == b->dst &&
           a->read_only == b->read_only && a->space == b->space && a->target == b->target && a->size == b->size;
}

static bool same_text(const struct ordo_ptx_thread *a, const struct ordo_ptx_thread *b)
{
    if (a->n_op != b->n_op || memcmp(a->start, b->start, sizeof a->start) != 0)
        return false;
    for (int i = 0; i < a->n_op; i++)
        if (!same_op(&a->op[i], &b->op[i]))
            return false;
    return true;
}

/* Every other thread stands to both as it stands to one. */
static bool same_position(const struct ordo_ptx_program *p, int t, int u)
{
    for (int v = 0; v < p->n_thread; v++)
        for (int scope = ORDO_PTX_CTA; v != t && v != u && scope <= ORDO_PTX_SYS; scope++)
            if (ordo_ptx_includes(p, (enum ordo_ptx_scope)scope, t, v) !=
                ordo_ptx_includes(p, (enum ordo_ptx_scope)scope, u, v))
                return false;
    return true;
}

static bool is_named(const struct ordo_ptx_final *f, int t)
{
    for (int i = 0; i < f->n; i++)
        if (f->term[i].kind == ORDO_PTX_TERM_REG && f->term[i].thread == t)
            return true;
    return false;
}

/* The first strong write that the thread always makes; -1: none before a jump or a barrier. */
static int16_t first_write(const struct ordo_ptx_thread *th)
{
    for (int16_t i = 0; i < th->n_op; i++) {
        const struct ordo_ptx_op *op = &th->op[i];

        if (op->kind >= ORDO_PTX_BAR_SYNC && op->kind != ORDO_PTX_ALU)
            return -1;
        if ((op->kind == ORDO_PTX_ST || op->kind == ORDO_PTX_ATOM || op->kind == ORDO_PTX_RED) &&
            op->sem != ORDO_PTX_WEAK)
            return i;
    }
    return -1;
}

/* Who meets whom at a barrier, and what asynchronous operations do, is not looked at. */
static bool has_more_than_memory(const struct ordo_ptx_program *p)
{
    for (int t = 0; t < p->n_thread; t++)
        for (int i = 0; i < p->thread[t].n_op; i++)
            if (p->thread[t].op[i].kind >= ORDO_PTX_BAR_SYNC && p->thread[t].op[i].kind < ORDO_PTX_ALU)
                return true;
    return false;
}

static bool alike(const struct ordo_ptx_program *p, const struct ordo_ptx_facts *f, int t, int u)
{
    int16_t i = f->ordered_by[t];

    return i >= 0 && f->ordered_by[u] == i && same_text(&p->thread[t], &p->thread[u]) && same_position(p, t, u) &&
           ordo_ptx_includes(p, p->thread[t].op[i].scope, t, u);
}

void ordo_ptx_alike(const struct ordo_ptx_program *p, struct ordo_ptx_facts *f)
{
    uint64_t place[ORDO_PTX_THREADS]; /* in its row, from 1 */

    f->orders = 1;
    memset(f->alike, -1, sizeof f->alike);
    for (int t = 0; t < p->n_thread; t++) {
        bool named = is_named(&p->final, t) || is_named(&p->filter, t) || has_more_than_memory(p);

        f->ordered_by[t] = named ? -1 : first_write(&p->thread[t]);
        place[t] = 1;
        for (int u = t - 1; u >= 0 && f->alike[t] < 0; u--)
            if (alike(p, f, u, t)) {
                f->alike[t] = (int8_t)u;
                place[t] = place[u] + 1;
                f->orders *= place[t];
            }
    }
}

/* The write of thread t by which it is ordered. */
static int ordering_write(const struct ordo_ptx_facts *f, const struct ordo_ptx_state *s, int t)
{
    for (int i = 0; i < s->n; i++)
        if (s->event[i].kind == ORDO_PTX_WRITE && s->event[i].thread == t && s->event[i].op == f->ordered_by[t])
            return i;
    return -1;
}

void ordo_ptx_take_turns(const struct ordo_ptx_facts *f, struct ordo_ptx_skeleton *k)
{
    for (int t = 0; f->orders > 1 && t < ORDO_PTX_THREADS; t++) {
        int a = f->alike[t] < 0 ? -1 : ordering_write(f, k->s, f->alike[t]);
        int b = a < 0 ? -1 : ordering_write(f, k->s, t);

        if (b >= 0)
            k->turn.row[a] |= ordo_bit(b);
    }
}
