/* ptx_issue.c - threads issue their events up to what they do not know yet.
 *
 * A loop iteration that ends where it began, with the same live registers and without a visible write, is never part
 * of an execution here: leaving it out only takes orders away, so every outcome of the loop shows without it.  A race
 * of an access inside it does not; then race_open asks for a second search, in which each thread may go through one
 * such iteration (a race has two accesses, and whatever else is left out only orders them).  For liveness such an
 * iteration is the end of a thread that spins. */
#include "sim/ptx_impl.h"

enum step { GOES_ON, STOPS, USELESS };

static enum step cut_for(const struct ordo_ptx_issuer *is, const char *why)
{
    is->q->tally->cut = true;
    is->q->tally->cut_line = is->op->line;
    is->q->tally->cut_why = why;
    return USELESS;
}

static enum step cut(const struct ordo_ptx_issuer *is)
{
    return cut_for(is, NULL);
}

static bool operand_known(const struct ordo_ptx_issuer *is, int i, int64_t *out)
{
    struct ordo_ptx_operand x = is->op->x[i];

    *out = x.number;
    return x.reg < 0 || ordo_ptx_value(is->s, is->run->reg[x.reg], out);
}

static int8_t uses(const struct ordo_ptx_issuer *is, const struct ordo_ptx_event *e)
{
    int8_t n = 0;

    for (int i = 0; i < is->s->n; i++) {
        const struct ordo_ptx_event *o = &is->s->event[i];

        n = (int8_t)(n + (o->kind == ORDO_PTX_ARRIVE && o->thread == is->t && o->cluster == e->cluster &&
                          o->instance == e->instance && o->resource == e->resource));
    }
    return n;
}

/* The thread goes on when all that take part have brought their values. */
static enum step reduce(struct ordo_ptx_issuer *is, const struct ordo_ptx_event *e)
{
    const char *why = NULL;
    int node = -1;

    if (!ordo_ptx_meets_all(is->q->p, is->s, e))
        return STOPS;
    node = ordo_ptx_reduction(is, e, &why);
    if (node < 0)
        return cut_for(is, why);
    is->run->reg[is->op->dst] = (int16_t)node;
    return GOES_ON;
}

static enum step issue_barrier(struct ordo_ptx_issuer *is)
{
    enum ordo_ptx_kind kind = is->op->kind;
    enum step done;
    struct ordo_ptx_event e = ordo_ptx_plain(ORDO_PTX_ARRIVE);

    e.cluster = kind == ORDO_PTX_CLUSTER_ARRIVE || kind == ORDO_PTX_CLUSTER_WAIT;
    e.counted = is->op->counted;
    e.releases = !(kind == ORDO_PTX_CLUSTER_ARRIVE && is->op->sem == ORDO_PTX_RELAXED);
    if (!operand_known(is, 0, &e.instance) || !operand_known(is, 1, &e.resource) || !operand_known(is, 2, &e.count))
        return STOPS;
    if (e.counted && e.count < 1)
        return cut_for(is, "a barrier for fewer than one thread");
    e.nth = uses(is, &e);
    if (is->run->gate == ORDO_PTX_BEFORE) {
        if (is->op->reduces && !ordo_ptx_bring(is, &e))
            return cut(is);
        if (kind != ORDO_PTX_CLUSTER_WAIT && ordo_ptx_add_event(is, e, true) < 0)
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
        if (is->op->reduces && (done = reduce(is, &e)) != GOES_ON)
            return done;
        if (ordo_ptx_add_event(is, e, true) < 0)
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
static bool repeats(const struct ordo_ptx_issuer *is, const struct ordo_ptx_visit *v)
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

/* Whether an access of another thread conflicts with event e and is not morally strong to it, whenever it comes. */
static bool may_race(const struct ordo_ptx_program *p, const struct ordo_ptx_event *e, int t)
{
    for (int i = 0; t != e->thread && i < p->thread[t].n_op; i++) {
        const struct ordo_ptx_op *op = &p->thread[t].op[i];
        const struct ordo_ptx_location *loc = op->loc < 0 ? NULL : &p->loc[op->loc];

        if (!loc || loc->place != e->place || (op->kind == ORDO_PTX_LD && e->kind == ORDO_PTX_READ))
            continue;
        if (!e->strong || op->sem == ORDO_PTX_WEAK || op->proxy != e->proxy || loc->address != e->address ||
            !ordo_ptx_includes(p, e->scope, e->thread, t) || !ordo_ptx_includes(p, op->scope, t, e->thread))
            return true;
    }
    return false;
}

static bool may_any_race(const struct ordo_ptx_issuer *is, uint64_t events)
{
    while (events) {
        const struct ordo_ptx_event *e = &is->s->event[ordo_take(&events)];

        for (int t = 0; e->place >= 0 && t < is->q->p->n_thread; t++)
            if (may_race(is->q->p, e, t))
                return true;
    }
    return false;
}

/* The end of an iteration that changed nothing, at the head of its loop. */
static enum step end_useless(struct ordo_ptx_issuer *is, const struct ordo_ptx_visit *v)
{
    struct ordo_ptx_run *run = is->run;
    uint64_t since = run->issued & ~v->issued;

    is->q->tally->race_open |= may_any_race(is, since);
    if (is->q->liveness) {
        run->end = ORDO_PTX_SPINS;
        run->spin = since;
        return STOPS;
    }
    if (is->q->keeps && !run->kept) {
        run->kept = true;
        run->n_visit = 0; /* what comes is compared with itself only */
        return GOES_ON;
    }
    return USELESS;
}

static enum step visit(struct ordo_ptx_issuer *is)
{
    struct ordo_ptx_run *run = is->run;
    struct ordo_ptx_visit *v;

    for (int i = 0; i < run->n_visit; i++)
        if (repeats(is, &run->visit[i])) {
            enum step done = end_useless(is, &run->visit[i]);

            if (done != GOES_ON)
                return done;
        }
    if (run->n_visit == is->q->visits)
        return cut(is);
    v = &run->visit[run->n_visit++];
    v->pc = run->pc;
    v->effects = run->effects;
    v->issued = run->issued;
    for (int i = 0; i < ORDO_PTX_REGS; i++)
        v->reg[i] = run->reg[i];
    return GOES_ON;
}

static enum step issue_compute(struct ordo_ptx_issuer *is)
{
    int b = ordo_ptx_operand(is, 1), a = is->op->alu == ORDO_PTX_MOV ? b : ordo_ptx_operand(is, 0);
    int node = ordo_ptx_node_compute(is->s, is->op->alu, a, b, b);

    is->run->reg[is->op->dst] = (int16_t)node;
    return node < 0 ? cut(is) : GOES_ON;
}

static enum step branch(struct ordo_ptx_issuer *is)
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

static enum step step(struct ordo_ptx_issuer *is)
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
        done = ordo_ptx_issue_bulk_wait(is) ? GOES_ON : cut(is);
        break;
    default:
        done = ordo_ptx_issue_memory(is) ? GOES_ON : cut(is);
        break;
    }
    run->pc = (int16_t)(run->pc + (done == GOES_ON));
    return done;
}

static enum step issue_thread(struct ordo_ptx_issuer *is)
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
        struct ordo_ptx_issuer is = {q, s, t, &s->run[t], NULL};

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
        if (known && op->reduces && run->gate != ORDO_PTX_BEFORE)
            known = ordo_ptx_is_met(q->p, s, t);
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
