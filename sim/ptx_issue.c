/* ptx_issue.c - threads issue their events up to what they do not know yet.
 *
 * A loop iteration that ends where it began, with the same live registers and without a visible write, is never part
 * of an execution here: leaving it out only takes orders away, so every outcome and every race of the loop shows
 * without it.  For liveness such an iteration is the end of a thread that spins. */
#include "sim/ptx_impl.h"

enum step { GOES_ON, STOPS, USELESS };

/* A thread while it issues. */
struct issuer {
    const struct ordo_ptx_search *q;
    struct ordo_ptx_state *s;
    int t;
    struct ordo_ptx_run *run;
    const struct ordo_ptx_op *op;
};

static enum step cut(const struct issuer *is)
{
    is->q->tally->cut = true;
    is->q->tally->cut_line = is->op->line;
    return USELESS;
}

/* Adds an event after what the thread has issued; in_order: and before what it will issue.  -1: no room. */
static int add(struct issuer *is, struct ordo_ptx_event e, bool in_order)
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

static int operand(struct issuer *is, int i)
{
    struct ordo_ptx_operand x = is->op->x[i];

    return x.reg < 0 ? ordo_ptx_node_number(is->s, x.number) : is->run->reg[x.reg];
}

static bool operand_known(const struct issuer *is, int i, int64_t *out)
{
    struct ordo_ptx_operand x = is->op->x[i];

    *out = x.number;
    return x.reg < 0 || ordo_ptx_value(is->s, is->run->reg[x.reg], out);
}

static struct ordo_ptx_event access(const struct issuer *is, enum ordo_ptx_event_kind kind)
{
    const struct ordo_ptx_op *op = is->op;
    const struct ordo_ptx_location *loc = &is->q->p->loc[op->loc];

    return (struct ordo_ptx_event){.kind = kind, .sem = op->sem, .scope = op->scope, .proxy = op->proxy,
                                   .place = loc->place, .address = loc->address, .partner = -1,
                                   .strong = op->sem != ORDO_PTX_WEAK};
}

static struct ordo_ptx_event plain(enum ordo_ptx_event_kind kind)
{
    return (struct ordo_ptx_event){.kind = kind, .place = -1, .address = -1, .partner = -1};
}

/* A read; -1: no room. */
static int issue_read(struct issuer *is, bool in_order)
{
    struct ordo_ptx_event e = access(is, ORDO_PTX_READ);
    int r;

    e.acquires = is->op->kind == ORDO_PTX_LD || is->op->kind == ORDO_PTX_ATOM;
    if (e.sem == ORDO_PTX_RELEASE || e.sem == ORDO_PTX_ACQ_REL)
        e.sem = e.sem == ORDO_PTX_ACQ_REL && e.acquires ? ORDO_PTX_ACQUIRE : ORDO_PTX_RELAXED;
    else if (e.sem == ORDO_PTX_ACQUIRE && !e.acquires)
        e.sem = ORDO_PTX_RELAXED;
    r = add(is, e, in_order);
    if (r >= 0)
        is->s->event[r].node = (int16_t)ordo_ptx_node_read(is->s, r);
    return r >= 0 && is->s->event[r].node >= 0 ? r : -1;
}

static int issue_write(struct issuer *is, int node, bool in_order)
{
    struct ordo_ptx_event e = access(is, ORDO_PTX_WRITE);

    if (node < 0)
        return -1;
    if (e.sem == ORDO_PTX_ACQUIRE || e.sem == ORDO_PTX_ACQ_REL)
        e.sem = e.sem == ORDO_PTX_ACQ_REL ? ORDO_PTX_RELEASE : ORDO_PTX_RELAXED;
    e.node = (int16_t)node;
    e.needs = is->s->node[node].reads | is->run->control;
    return add(is, e, in_order);
}

/* Both halves of an atomic operation.  cas always writes, as the ISA describes it: on failure what it read. */
static int issue_rmw(struct issuer *is, bool in_order)
{
    struct ordo_ptx_state *s = is->s;
    int value = operand(is, 1), swap = is->op->alu == ORDO_PTX_CAS ? operand(is, 2) : value;
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

/* wait_group N: all committed groups but the last N have been done; without .read their writes are visible here. */
static bool issue_bulk_wait(struct issuer *is)
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
    f = add(is, plain(ORDO_PTX_PROXY), true);
    if (f < 0)
        return false;
    is->s->event[f].proxy = ORDO_PTX_ASYNC;
    while (set)
        is->s->base.row[ordo_take(&set)] |= ordo_bit(f);
    return true;
}

static int8_t uses(const struct issuer *is, const struct ordo_ptx_event *e)
{
    int8_t n = 0;

    for (int i = 0; i < is->s->n; i++) {
        const struct ordo_ptx_event *o = &is->s->event[i];

        n = (int8_t)(n + (o->kind == ORDO_PTX_ARRIVE && o->thread == is->t && o->cluster == e->cluster &&
                          o->instance == e->instance && o->resource == e->resource));
    }
    return n;
}

static enum step issue_barrier(struct issuer *is)
{
    enum ordo_ptx_kind kind = is->op->kind;
    struct ordo_ptx_event e = plain(ORDO_PTX_ARRIVE);

    e.cluster = kind == ORDO_PTX_CLUSTER_ARRIVE || kind == ORDO_PTX_CLUSTER_WAIT;
    e.counted = is->op->counted;
    e.releases = !(kind == ORDO_PTX_CLUSTER_ARRIVE && is->op->sem == ORDO_PTX_RELAXED);
    if (!operand_known(is, 0, &e.instance) || !operand_known(is, 1, &e.resource) || !operand_known(is, 2, &e.count))
        return STOPS;
    e.nth = uses(is, &e);
    if (is->run->gate == ORDO_PTX_BEFORE) {
        if (kind != ORDO_PTX_CLUSTER_WAIT && add(is, e, true) < 0)
            return cut(is);
        is->run->effects++;
        is->run->gate = is->q->liveness ? ORDO_PTX_AT : ORDO_PTX_PASSES;
        e.nth = uses(is, &e);
    }
    if (kind != ORDO_PTX_BAR_ARRIVE && kind != ORDO_PTX_CLUSTER_ARRIVE) {
        if (is->run->gate == ORDO_PTX_AT)
            return STOPS;
        e.kind = ORDO_PTX_WAIT;
        e.nth--;
        if (add(is, e, true) < 0)
            return cut(is);
    }
    is->run->gate = ORDO_PTX_BEFORE;
    return GOES_ON;
}

static bool same_value(const struct ordo_ptx_state *s, int a, int b)
{
    int64_t x, y;

    return a == b || (ordo_ptx_value(s, a, &x) && ordo_ptx_value(s, b, &y) && x == y);
}

/* Nothing has changed since the visit, for anyone who could tell. */
static bool repeats(const struct issuer *is, const struct ordo_ptx_visit *v)
{
    const struct ordo_ptx_run *run = is->run;
    uint64_t since = run->issued & ~v->issued;
    uint16_t live = is->q->facts.live[is->t][run->pc];

    if (v->pc != run->pc || v->effects != run->effects)
        return false;
    while (since) {
        const struct ordo_ptx_event *e = &is->s->event[ordo_take(&since)];

        if (e->kind == ORDO_PTX_WRITE && !same_value(is->s, e->node, is->s->event[e->partner].node))
            return false;
    }
    for (int i = 0; i < ORDO_PTX_REGS; i++)
        if ((live >> i) & 1 && !same_value(is->s, v->reg[i], run->reg[i]))
            return false;
    return true;
}

static enum step visit(struct issuer *is)
{
    struct ordo_ptx_run *run = is->run;
    struct ordo_ptx_visit *v;

    for (int i = 0; i < run->n_visit; i++)
        if (repeats(is, &run->visit[i])) {
            if (!is->q->liveness)
                return USELESS;
            run->end = ORDO_PTX_SPINS;
            run->spin = run->issued & ~run->visit[i].issued;
            return STOPS;
        }
    if (run->n_visit == ORDO_PTX_VISITS)
        return cut(is);
    v = &run->visit[run->n_visit++];
    v->pc = run->pc;
    v->effects = run->effects;
    v->issued = run->issued;
    for (int i = 0; i < ORDO_PTX_REGS; i++)
        v->reg[i] = run->reg[i];
    return GOES_ON;
}

static enum step issue_compute(struct issuer *is)
{
    int b = operand(is, 1), a = is->op->alu == ORDO_PTX_MOV ? b : operand(is, 0);
    int node = ordo_ptx_node_compute(is->s, is->op->alu, a, b, b);

    is->run->reg[is->op->dst] = (int16_t)node;
    return node < 0 ? cut(is) : GOES_ON;
}

/* The event of a fence or the events of an access. */
static enum step issue_memory(struct issuer *is)
{
    struct ordo_ptx_event e = plain(ORDO_PTX_BARRIER_FENCE);
    int i = -1;

    switch (is->op->kind) {
    case ORDO_PTX_FENCE:
        e.strong = true;
        e.sem = is->op->sem;
        e.scope = is->op->scope;
        i = add(is, e, true);
        break;
    case ORDO_PTX_PROXY_FENCE:
        e.kind = ORDO_PTX_PROXY;
        e.proxy = is->op->proxy;
        i = add(is, e, true);
        break;
    case ORDO_PTX_LD:
        i = issue_read(is, true);
        break;
    case ORDO_PTX_ST:
        is->run->effects++;
        i = issue_write(is, operand(is, 1), true);
        break;
    default:
        is->run->effects = (int16_t)(is->run->effects + (is->op->kind == ORDO_PTX_BULK_RED));
        i = issue_rmw(is, is->op->kind != ORDO_PTX_BULK_RED);
        break;
    }
    if (i < 0)
        return cut(is);
    if (is->op->dst >= 0)
        is->run->reg[is->op->dst] = is->s->event[i].node;
    return GOES_ON;
}

static enum step branch(struct issuer *is)
{
    int64_t a, b;

    if (!operand_known(is, 0, &a) || !operand_known(is, 1, &b))
        return STOPS;
    for (int i = 0; i < 2; i++)
        if (is->op->x[i].reg >= 0)
            is->run->control |= is->s->node[is->run->reg[is->op->x[i].reg]].reads;
    is->run->pc = ordo_ptx_compare(is->op->compare, a, b) ? is->op->target : (int16_t)(is->run->pc + 1);
    return GOES_ON;
}

static enum step step(struct issuer *is)
{
    struct ordo_ptx_run *run = is->run;
    enum step done = GOES_ON;

    switch (is->op->kind) {
    case ORDO_PTX_GOTO:
        run->pc = is->op->target;
        return GOES_ON;
    case ORDO_PTX_BRANCH:
        return branch(is);
    case ORDO_PTX_ALU:
        done = issue_compute(is);
        break;
    case ORDO_PTX_BAR_SYNC:
    case ORDO_PTX_BAR_ARRIVE:
    case ORDO_PTX_CLUSTER_ARRIVE:
    case ORDO_PTX_CLUSTER_WAIT:
        done = issue_barrier(is);
        break;
    case ORDO_PTX_BULK_COMMIT:
        if (run->n_group == ORDO_PTX_GROUPS)
            return cut(is);
        run->group[run->n_group++] = run->open;
        run->open = 0;
        run->effects++;
        break;
    case ORDO_PTX_BULK_WAIT:
        done = issue_bulk_wait(is) ? GOES_ON : cut(is);
        break;
    default:
        done = issue_memory(is);
        break;
    }
    run->pc = (int16_t)(run->pc + (done == GOES_ON));
    return done;
}

static enum step issue_thread(struct issuer *is)
{
    const struct ordo_ptx_thread *th = &is->q->p->thread[is->t];
    enum step done = GOES_ON;

    while (done == GOES_ON && is->run->end == ORDO_PTX_RUNNING) {
        if (is->run->pc == th->n_op) {
            is->run->end = ORDO_PTX_DONE;
            break;
        }
        is->op = &th->op[is->run->pc];
        if (is->q->facts.head[is->t][is->run->pc] && !is->run->visited)
            done = visit(is);
        is->run->visited = true;
        if (done == GOES_ON)
            done = step(is);
        if (done == GOES_ON)
            is->run->visited = false;
    }
    return done;
}

bool ordo_ptx_issue(const struct ordo_ptx_search *q, struct ordo_ptx_state *s)
{
    for (int t = 0; t < q->p->n_thread; t++) {
        struct issuer is = {q, s, t, &s->run[t], NULL};

        if (issue_thread(&is) == USELESS)
            return false;
    }
    return true;
}

bool ordo_ptx_can_issue(const struct ordo_ptx_search *q, const struct ordo_ptx_state *s)
{
    for (int t = 0; t < q->p->n_thread; t++) {
        const struct ordo_ptx_run *run = &s->run[t];
        const struct ordo_ptx_op *op = &q->p->thread[t].op[run->pc];
        bool known = run->end == ORDO_PTX_RUNNING;
        int64_t value;

        for (int i = 0; known && i < 3; i++)
            known = op->x[i].reg < 0 || ordo_ptx_value(s, run->reg[op->x[i].reg], &value);
        if (known)
            return true;
    }
    return false;
}

void ordo_ptx_start(const struct ordo_ptx_search *q, struct ordo_ptx_state *s)
{
    *s = (struct ordo_ptx_state){0};
    for (int i = 0; i < q->p->n_loc; i++)
        if (q->p->loc[i].place == i) {
            s->event[s->n] = (struct ordo_ptx_event){.kind = ORDO_PTX_WRITE, .thread = -1, .place = (int8_t)i,
                                                     .address = (int8_t)i, .partner = -1, .op = -1};
            s->event[s->n].node = (int16_t)ordo_ptx_node_number(s, q->p->loc[i].start);
            s->from[s->n++] = -1;
        }
    for (int t = 0; t < q->p->n_thread; t++)
        for (int i = 0; i < q->p->thread[t].n_reg; i++)
            s->run[t].reg[i] = (int16_t)ordo_ptx_node_number(s, q->p->thread[t].start[i]);
}
