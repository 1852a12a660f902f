/* ptx_event.c - the events of memory operations and fences, with the values that they carry. */
#include "sim/ptx_impl.h"

int ordo_ptx_add_event(struct ordo_ptx_issuer *is, struct ordo_ptx_event e, bool in_order)
{
    struct ordo_ptx_state *s = is->s;
    uint64_t before = is->run->issued;

    if (s->n == ORDO_PTX_EVENTS)
        return -1;
    e.thread = (int8_t)is->t;
    e.op = is->run->pc;
    s->event[s->n] = e;
    s->from[s->n] = -1;
    s->later[s->n] = 0;
    while (before) {
        int b = ordo_take(&before);

        s->base.row[b] |= ordo_bit(s->n);
        if (in_order)
            s->po.row[b] |= ordo_bit(s->n);
    }
    if (in_order)
        is->run->issued |= ordo_bit(s->n);
    return s->n++;
}

int ordo_ptx_operand(struct ordo_ptx_issuer *is, int i)
{
    struct ordo_ptx_operand x = is->op->x[i];

    return x.reg < 0 ? ordo_ptx_node_number(is->s, x.number) : is->run->reg[x.reg];
}

static struct ordo_ptx_event access(const struct ordo_ptx_issuer *is, enum ordo_ptx_event_kind kind)
{
    const struct ordo_ptx_op *op = is->op;
    const struct ordo_ptx_location *loc = &is->q->p->loc[op->loc];

    return (struct ordo_ptx_event){.kind = kind, .sem = op->sem, .scope = op->scope, .proxy = op->proxy,
                                   .place = loc->place, .address = loc->address, .partner = -1,
                                   .strong = op->sem != ORDO_PTX_WEAK};
}

struct ordo_ptx_event ordo_ptx_plain(enum ordo_ptx_event_kind kind)
{
    return (struct ordo_ptx_event){.kind = kind, .place = -1, .address = -1, .partner = -1, .places = UINT16_MAX};
}

/* A read; -1: no room. */
static int issue_read(struct ordo_ptx_issuer *is, bool in_order)
{
    struct ordo_ptx_event e = access(is, ORDO_PTX_READ);
    int r;

    e.acquires = is->op->kind == ORDO_PTX_LD || is->op->kind == ORDO_PTX_ATOM;
    if (e.sem == ORDO_PTX_RELEASE || e.sem == ORDO_PTX_ACQ_REL)
        e.sem = e.sem == ORDO_PTX_ACQ_REL && e.acquires ? ORDO_PTX_ACQUIRE : ORDO_PTX_RELAXED;
    else if (e.sem == ORDO_PTX_ACQUIRE && !e.acquires)
        e.sem = ORDO_PTX_RELAXED;
    r = ordo_ptx_add_event(is, e, in_order);
    if (r >= 0)
        is->s->event[r].node = (int16_t)ordo_ptx_node_read(is->s, r);
    return r >= 0 && is->s->event[r].node >= 0 ? r : -1;
}

static int issue_write(struct ordo_ptx_issuer *is, int node, bool in_order)
{
    struct ordo_ptx_event e = access(is, ORDO_PTX_WRITE);

    if (node < 0)
        return -1;
    if (e.sem == ORDO_PTX_ACQUIRE || e.sem == ORDO_PTX_ACQ_REL)
        e.sem = e.sem == ORDO_PTX_ACQ_REL ? ORDO_PTX_RELEASE : ORDO_PTX_RELAXED;
    e.node = (int16_t)node;
    e.needs = is->s->node[node].reads | is->run->control;
    return ordo_ptx_add_event(is, e, in_order);
}

/* Both halves of an atomic operation.  cas always writes, as the ISA describes it: on failure what it read. */
static int issue_rmw(struct ordo_ptx_issuer *is, bool in_order)
{
    struct ordo_ptx_state *s = is->s;
    int value = ordo_ptx_operand(is, 1), swap = is->op->alu == ORDO_PTX_CAS ? ordo_ptx_operand(is, 2) : value;
    int r = issue_read(is, in_order), w;

    if (r < 0)
        return -1;
    w = issue_write(is, ordo_ptx_node_compute(s, is->op->alu, s->event[r].node, value, swap), in_order);
    if (w < 0)
        return -1;
    s->event[w].needs |= ordo_bit(r);
    s->event[r].partner = (int8_t)w;
    s->event[w].partner = (int8_t)r;
    if (!in_order) {
        s->base.row[r] |= ordo_bit(w);
        is->run->open |= ordo_bit(r) | ordo_bit(w);
    }
    return r;
}

bool ordo_ptx_issue_bulk_wait(struct ordo_ptx_issuer *is)
{
    struct ordo_ptx_run *run = is->run;
    int done = run->n_group - (is->op->x[0].number > run->n_group ? run->n_group : (int)is->op->x[0].number), f;
    uint64_t set = 0;

    if (is->op->read_only)
        return true;
    for (int i = 0; i < done; i++)
        set |= run->group[i];
    if (!set)
        return true;
    f = ordo_ptx_add_event(is, ordo_ptx_plain(ORDO_PTX_PROXY), true);
    if (f < 0)
        return false;
    is->s->event[f].proxy = ORDO_PTX_ASYNC;
    while (set)
        is->s->base.row[ordo_take(&set)] |= ordo_bit(f);
    return true;
}

bool ordo_ptx_issue_memory(struct ordo_ptx_issuer *is)
{
    struct ordo_ptx_event e = ordo_ptx_plain(ORDO_PTX_BARRIER_FENCE);
    int i = -1;

    switch (is->op->kind) {
    case ORDO_PTX_FENCE:
        e.strong = true;
        e.sem = is->op->sem;
        e.scope = is->op->scope;
        i = ordo_ptx_add_event(is, e, true);
        break;
    case ORDO_PTX_PROXY_FENCE:
        e.kind = ORDO_PTX_PROXY;
        e.proxy = is->op->proxy;
        e.places = ordo_ptx_served(is->q->p, is->op->space);
        i = ordo_ptx_add_event(is, e, true);
        break;
    case ORDO_PTX_LD:
        i = issue_read(is, true);
        break;
    case ORDO_PTX_ST:
        is->run->effects++;
        i = issue_write(is, ordo_ptx_operand(is, 1), true);
        break;
    default:
        is->run->effects = (int16_t)(is->run->effects + (is->op->kind == ORDO_PTX_BULK_RED));
        i = issue_rmw(is, is->op->kind != ORDO_PTX_BULK_RED);
        break;
    }
    if (i < 0)
        return false;
    if (is->op->dst >= 0)
        is->run->reg[is->op->dst] = is->s->event[i].node;
    return true;
}
