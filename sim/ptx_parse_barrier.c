/* ptx_parse_barrier.c - barriers of a CTA with their numbers, counts and reductions, and those of a cluster. */
#include "sim/ptx_token.h"

/* bar.cta.red.{popc,and,or} r, INSTANCE [, RESOURCE [, COUNT]], {!}v: the last value is reduced. */
static enum ordo_status reduction(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                                  const struct ordo_ptx_qualifiers *q, struct ordo_ptx_op *op)
{
    enum ordo_status status = ordo_ptx_take_destination(in, t, op);
    int n = 0;

    if (q->alu != ORDO_PTX_POPC && q->alu != ORDO_PTX_AND && q->alu != ORDO_PTX_OR)
        return ordo_ptx_refuse(in, op->line, "%s: a barrier reduces by popc, and, or", op->text);
    op->reduces = true;
    op->alu = (enum ordo_ptx_alu)q->alu;
    while (status == ORDO_OK && n < ORDO_PTX_OPERANDS && !op->inverts && (n == 0 || ordo_ptx_is(in, ","))) {
        status = ordo_ptx_take_comma(in, status);
        if (status == ORDO_OK && n > 0 && ordo_ptx_is(in, "!")) {
            op->inverts = true;
            status = ordo_ptx_next(in);
        }
        if (status == ORDO_OK)
            status = ordo_ptx_take_operand(in, t, &op->x[n++]);
    }
    if (status == ORDO_OK && n < 2)
        return ordo_ptx_refuse(in, op->line, "%s: a barrier, and the value that is reduced, are needed", op->text);
    if (status != ORDO_OK)
        return status;
    op->x[ORDO_PTX_OPERANDS - 1] = op->x[n - 1];
    for (int i = n - 1; i < ORDO_PTX_OPERANDS - 1; i++)
        op->x[i] = (struct ordo_ptx_operand){.reg = -1};
    op->counted = n == ORDO_PTX_OPERANDS;
    for (int i = 0; i < ORDO_PTX_OPERANDS - 1; i++)
        if (op->x[i].reg >= 0)
            return ordo_ptx_refuse(in, op->line, "%s: a reduction at a barrier that a register names is not modelled",
                                   op->text);
    return ORDO_OK;
}

/* Counts and ids: bar.cta.{sync,arrive} INSTANCE [, RESOURCE [, COUNT]]. */
static enum ordo_status numbered(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                                 const struct ordo_ptx_qualifiers *q, struct ordo_ptx_op *op)
{
    enum ordo_status status;

    if (q->sem >= 0)
        return ordo_ptx_refuse(in, op->line, "%s: a barrier of a CTA has no order", op->text);
    if (!q->red && (q->seen & (ORDO_PTX_HAS_ALU | ORDO_PTX_HAS_SIZE)))
        return ordo_ptx_refuse(in, op->line, "%s has a word that this instruction does not have", op->text);
    op->size = 0;
    op->kind = q->arrive ? ORDO_PTX_BAR_ARRIVE : ORDO_PTX_BAR_SYNC;
    if (q->red) {
        status = reduction(in, t, q, op);
    } else {
        status = ordo_ptx_take_operand(in, t, &op->x[0]);
        for (int i = 1; status == ORDO_OK && i < 3 && ordo_ptx_is(in, ","); i++) {
            status = ordo_ptx_also(in, t, op, i, status);
            op->counted = i == 2;
        }
    }
    if (status == ORDO_OK && op->counted && op->x[2].reg < 0 && op->x[2].number < 1)
        return ordo_ptx_refuse(in, op->line, "%s: a barrier for %lld threads", op->text, (long long)op->x[2].number);
    return status;
}

enum ordo_status ordo_ptx_parse_barrier(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                                        const struct ordo_ptx_qualifiers *q, struct ordo_ptx_op *op)
{
    int needed = q->arrive ? ORDO_PTX_RELEASE : ORDO_PTX_ACQUIRE;

    if (q->sync + q->arrive + q->wait + q->red != 1 || (q->wait && !q->cluster) || q->scope > ORDO_PTX_CLUSTER ||
        q->read)
        return ordo_ptx_refuse(in, op->line, "%s: this barrier is not modelled", op->text);
    if (!q->cluster)
        return numbered(in, t, q, op);
    if (q->sync || q->red || (q->seen & (ORDO_PTX_HAS_ALU | ORDO_PTX_HAS_SIZE)) ||
        (q->sem >= 0 && q->sem != needed && !(q->arrive && q->sem == ORDO_PTX_RELAXED)))
        return ordo_ptx_refuse(in, op->line, "%s: this barrier is not modelled", op->text);
    op->kind = q->arrive ? ORDO_PTX_CLUSTER_ARRIVE : ORDO_PTX_CLUSTER_WAIT;
    op->sem = (enum ordo_ptx_sem)(q->sem >= 0 ? q->sem : needed);
    return ORDO_OK;
}
