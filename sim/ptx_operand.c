/* ptx_operand.c - what stands behind the name of an instruction: registers, numbers, and locations with their
 * space. */
#include "sim/ptx_token.h"

/* A register or a number. */
enum ordo_status ordo_ptx_take_operand(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                                       struct ordo_ptx_operand *x)
{
    int reg;

    *x = (struct ordo_ptx_operand){.reg = -1};
    if (in->token.kind != ORDO_PTX_TOKEN_WORD)
        return ordo_ptx_take_number(in, &x->number);
    if (ordo_ptx_find_location(in->p, in->token.text) >= 0)
        return ordo_ptx_refuse(in, in->token.line, "the location '%s' where a value should stand", in->token.text);
    reg = ordo_ptx_register(t, in->token.text);
    if (reg < 0)
        return ordo_ptx_refuse(in, in->token.line, "more than %d registers in a thread", ORDO_PTX_REGS);
    x->reg = (int8_t)reg;
    in->used[t - in->p->thread] |= (uint16_t)(1u << reg);
    return ordo_ptx_next(in);
}

enum ordo_status ordo_ptx_take_destination(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                                           struct ordo_ptx_op *op)
{
    int reg;

    if (in->token.kind != ORDO_PTX_TOKEN_WORD)
        return ordo_ptx_refuse(in, op->line, "%s has '%s' where a register should stand", op->text, in->token.text);
    if (ordo_ptx_find_location(in->p, in->token.text) >= 0)
        return ordo_ptx_refuse(in, in->token.line, "the location '%s' where a register should stand",
                               in->token.text);
    reg = ordo_ptx_register(t, in->token.text);
    if (reg < 0)
        return ordo_ptx_refuse(in, in->token.line, "more than %d registers in a thread", ORDO_PTX_REGS);
    op->dst = (int8_t)reg;
    in->known[t - in->p->thread] |= (uint16_t)(1u << reg);
    return ordo_ptx_next(in);
}

/* x or [x]. */
enum ordo_status ordo_ptx_take_location(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t, struct ordo_ptx_op *op)
{
    bool bracket = ordo_ptx_is(in, "[");
    enum ordo_status status = bracket ? ordo_ptx_next(in) : ORDO_OK;
    int loc;

    if (status != ORDO_OK)
        return status;
    if (in->token.kind != ORDO_PTX_TOKEN_WORD)
        return ordo_ptx_refuse(in, in->token.line, "'%s' where a location should stand", in->token.text);
    if (ordo_ptx_find_register(t, in->token.text) >= 0)
        return ordo_ptx_refuse(in, in->token.line, "the address of %s is the register '%s': not modelled", op->text,
                               in->token.text);
    loc = ordo_ptx_location(in->p, in->token.text);
    if (loc < 0)
        return ordo_ptx_refuse(in, in->token.line, "more than %d locations", ORDO_PTX_LOCATIONS);
    op->loc = (int8_t)loc;
    status = ordo_ptx_next(in);
    return status == ORDO_OK && bracket ? ordo_ptx_expect(in, "]") : status;
}

enum ordo_status ordo_ptx_take_comma(struct ordo_ptx_parser *in, enum ordo_status status)
{
    return status == ORDO_OK ? ordo_ptx_expect(in, ",") : status;
}

/* A further operand after a comma. */
enum ordo_status ordo_ptx_also(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t, struct ordo_ptx_op *op, int i,
                             enum ordo_status status)
{
    status = ordo_ptx_take_comma(in, status);
    return status == ORDO_OK ? ordo_ptx_take_operand(in, t, &op->x[i]) : status;
}

/* What the accesses of location i say of its state space.  A name in .shared::cta is another location in each CTA, so
 * two CTAs that use one are refused: which of them the rest of the program means is not said. */
static enum ordo_status check_space(struct ordo_ptx_parser *in, int i)
{
    struct ordo_ptx_program *p = in->p;
    const struct ordo_ptx_op *global = NULL, *shared = NULL;
    int owner = -1, of_cta = -1;

    for (int t = 0; t < p->n_thread; t++)
        for (int j = 0; j < p->thread[t].n_op; j++) {
            const struct ordo_ptx_op *op = &p->thread[t].op[j];

            if (op->loc < 0 || p->loc[op->loc].place != i)
                continue;
            global = op->space == ORDO_PTX_GLOBAL ? op : global;
            shared = op->space > ORDO_PTX_GLOBAL ? op : shared;
            if (shared && global)
                return ordo_ptx_refuse(in, op->line, "%s is both in global and in shared memory", p->loc[i].name);
            if (op->space == ORDO_PTX_SHARED_CTA) {
                if (of_cta >= 0 && !ordo_ptx_includes(p, ORDO_PTX_CTA, of_cta, t))
                    return ordo_ptx_refuse(in, op->line, "%s is in shared memory of two CTAs: two locations",
                                           p->loc[i].name);
                of_cta = t;
            }
        }
    for (int t = 0; shared && t < p->n_thread; t++)
        for (int j = 0; j < p->thread[t].n_op; j++) {
            const struct ordo_ptx_op *op = &p->thread[t].op[j];

            if (op->loc < 0 || p->loc[op->loc].place != i)
                continue;
            if (owner >= 0 && !ordo_ptx_includes(p, ORDO_PTX_CLUSTER, owner, t))
                return ordo_ptx_refuse(in, op->line, "%s is in shared memory, out of reach of another cluster",
                                       p->loc[i].name);
            owner = t;
        }
    p->loc[i].shared = shared != NULL;
    return ORDO_OK;
}

enum ordo_status ordo_ptx_check_spaces(struct ordo_ptx_parser *in)
{
    enum ordo_status status = ORDO_OK;

    for (int i = 0; status == ORDO_OK && i < in->p->n_loc; i++)
        if (in->p->loc[i].place == i)
            status = check_space(in, i);
    return status;
}
