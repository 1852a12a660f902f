/* ptx_reduction.c - bar.cta.red: a value from all that take part, once they have arrived.
 *
 * Each brings whether its operand is true, and goes on with their number, conjunction or disjunction.  The ISA calls
 * it unpredictable when others take part in the same use of the barrier, so that is refused, as is a barrier that
 * more threads name than it counts: whose values it takes is open then. */
#include "sim/ptx_impl.h"

bool ordo_ptx_bring(struct ordo_ptx_issuer *is, struct ordo_ptx_event *e)
{
    int node = ordo_ptx_operand(is, ORDO_PTX_OPERANDS - 1);

    node = ordo_ptx_node_compute(is->s, ORDO_PTX_POPC, node, node, node);
    if (is->op->inverts) {
        int one = ordo_ptx_node_number(is->s, 1);

        node = ordo_ptx_node_compute(is->s, ORDO_PTX_XOR, node, one, one);
    }
    e->reduces = true;
    e->alu = is->op->alu;
    e->node = (int16_t)node;
    return node >= 0;
}

int ordo_ptx_reduction(struct ordo_ptx_issuer *is, const struct ordo_ptx_event *e, const char **why)
{
    struct ordo_ptx_state *s = is->s;
    enum ordo_ptx_alu by = is->op->alu == ORDO_PTX_POPC ? ORDO_PTX_ADD : is->op->alu;
    int node = ordo_ptx_node_number(s, is->op->alu == ORDO_PTX_AND);

    if (e->counted && ordo_ptx_named_by(is->q->p, e) > e->count) {
        *why = "a reduction at a barrier that more threads name than it counts";
        return -1;
    }
    for (int i = 0; i < s->n; i++) {
        const struct ordo_ptx_event *a = &s->event[i];

        if (a->kind != ORDO_PTX_ARRIVE || !ordo_ptx_same_barrier(is->q->p, a, e))
            continue;
        if (!a->reduces || a->alu != is->op->alu) {
            *why = "a reduction and something else meet at one barrier, where the ISA leaves the result open";
            return -1;
        }
        node = ordo_ptx_node_compute(s, by, node, a->node, a->node);
    }
    return node;
}
