/* e2_compile.c - operations to steps: what each needs, wants, must find and changes, as masks over a state. */
#include "sim/e2_impl.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

/* A step under construction; masks by word. */
struct draft {
    struct ordo_e2 *e2;
    struct ordo_e2_step step;
    uint64_t mask[ORDO_E2_N_MASKS][ORDO_E2_WORDS];
};

static const struct ordo_record *record_of(const struct ordo_e2 *e2, int32_t t, int32_t i)
{
    return &e2->p->thread[t].op[i].record;
}

static struct draft begin(struct ordo_e2 *e2, int32_t thread, int32_t op)
{
    struct draft d = {.e2 = e2, .step = {.thread = (int16_t)thread, .op = (int16_t)op, .join = e2->n_join}};

    for (int w = 0; w < ORDO_E2_WORDS; w++)
        d.mask[ORDO_E2_KEEP][w] = ~UINT64_C(0);
    return d;
}

static uint64_t bits_of(struct ordo_e2_field f)
{
    return f.width ? ~UINT64_C(0) >> (64 - f.width) << f.shift : 0;
}

/* --- parts of a step ------------------------------------------------------------------------------------------------ */

/* kind: NEED or MUST; the field has to have the value. */
static void has(struct draft *d, enum ordo_e2_mask kind, struct ordo_e2_field f, uint64_t value)
{
    d->mask[kind][f.word] |= bits_of(f);
    if (f.width)
        d->mask[kind + 1][f.word] |= value << f.shift;
}

static void adds(struct draft *d, struct ordo_e2_field f, uint64_t n)
{
    if (f.width)
        d->mask[ORDO_E2_ADD][f.word] += n << f.shift;
}

static void clears(struct draft *d, struct ordo_e2_field f)
{
    d->mask[ORDO_E2_KEEP][f.word] &= ~bits_of(f);
}

static void sets(struct draft *d, struct ordo_e2_field f)
{
    d->mask[ORDO_E2_SET][f.word] |= bits_of(f);
}

static struct ordo_e2_field fact(const struct draft *d, int32_t view, int32_t which)
{
    return ordo_e2_part(&d->e2->view[view], which, 1);
}

/* Nobody but those who are told later knows the cell's last addition. */
static void forget(struct draft *d, int32_t cell)
{
    for (int32_t v = 0; v < d->e2->n_view; v++) {
        clears(d, fact(d, v, cell));
        if (d->e2->async)
            clears(d, fact(d, v, d->e2->n_cell + cell));
    }
}

static void end(struct draft *d)
{
    struct ordo_e2 *e2 = d->e2;

    if (e2->n_step == e2->step_room) {
        uint32_t room = e2->step_room ? 2 * e2->step_room : 256;
        struct ordo_e2_step *step = realloc(e2->step, room * sizeof *step);
        uint64_t *mask = step ? realloc(e2->mask, (size_t)room * ORDO_E2_N_MASKS * (size_t)e2->w * 8) : NULL;

        e2->step = step ? step : e2->step;
        e2->mask = mask ? mask : e2->mask;
        if (!mask) {
            e2->lacks_memory = true;
            return;
        }
        e2->step_room = room;
    }
    d->step.n_join = d->step.n_join ? d->step.n_join : e2->n_join - d->step.join;
    d->step.more = d->step.n_join || d->step.weak_poll || d->step.kind != ORDO_E2_PLAIN || (d->step.last && e2->n_unit);
    for (int k = 0; k < ORDO_E2_N_MASKS; k++)
        memcpy(&e2->mask[((size_t)e2->n_step * ORDO_E2_N_MASKS + (size_t)k) * (size_t)e2->w], d->mask[k],
               (size_t)e2->w * 8);
    e2->step[e2->n_step++] = d->step;
}

/* A position that is left only by others' doing, or never. */
static void end_blocked(struct draft *d, enum ordo_e2_kind kind)
{
    d->step.kind = kind;
    d->mask[ORDO_E2_NEED][0] |= 1;
    d->mask[ORDO_E2_WANT][0] &= ~UINT64_C(1);
    end(d);
}

/* --- operations on words ------------------------------------------------------------------------------------------- */

static uint32_t compress(const struct ordo_e2_history *h, uint32_t value)
{
    uint32_t out = 0;
    int n = 0;

    if (h->space == ORDO_SPACE_COUNTER)
        return value;
    for (int b = 0; b < 32; b++)
        if (h->tracked >> b & 1)
            out |= (value >> b & 1) << n++;
    return out;
}

static uint8_t write_number(const struct ordo_e2_history *h, int32_t t, int32_t i)
{
    for (int w = 1; w <= h->n_write; w++)
        if (h->thread[w] == t && h->op[w] == i)
            return (uint8_t)w;
    return 0;
}

/* Joins for each write that the await may observe, and whether it may read it directly. */
static void list_reads(struct draft *d, const struct ordo_e2_history *h)
{
    struct ordo_e2 *e2 = d->e2;
    uint32_t n = 2 * (uint32_t)h->n_write + 2, *read = realloc(e2->read, (e2->n_read + n) * sizeof *read);

    if (!read) {
        e2->lacks_memory = true;
        return;
    }
    e2->read = read;
    d->step.reads = e2->n_read;
    read += e2->n_read;
    e2->n_read += n;
    for (int w = 1; w <= h->n_write; w++) {
        read[w - 1] = e2->n_join;
        ordo_e2_acquire(e2, d->step.thread, d->step.op, h->thread[w], h->op[w]);
        read[h->n_write + 1 + w - 1] = ordo_e2_strong_pair(e2, d->step.thread, d->step.op, h->thread[w], h->op[w]);
    }
    read[h->n_write] = e2->n_join;
    d->step.join = e2->n_join;
}

static void on_history(struct draft *d, const struct ordo_record *r, struct ordo_e2_history *h)
{
    struct ordo_e2 *e2 = d->e2;

    d->step.object = (int16_t)(h - e2->history);
    d->step.value = compress(h, r->value);
    d->step.write = write_number(h, d->step.thread, d->step.op);
    if (r->op == ORDO_OP_AWAIT_CLEAR || r->op == ORDO_OP_AWAIT_GE) {
        d->step.kind = ORDO_E2_READ;
        d->step.weak_poll = r->sem == ORDO_SEM_weak && r->value;
        list_reads(d, h);
    } else {
        d->step.kind = r->op == ORDO_OP_LOAD ? ORDO_E2_FETCH : r->op == ORDO_OP_STORE ? ORDO_E2_PUT : ORDO_E2_UPDATE;
    }
}

/* An await that finds all its bits clear has observed each one's clear. */
static void await_bits(struct draft *d, const struct ordo_record *r)
{
    struct ordo_e2 *e2 = d->e2;
    uint32_t waited = 0; /* bits that are ever set; the others' clears need not have come */

    d->step.safe = true;
    for (int32_t b = 0; b < 32; b++) {
        struct ordo_e2_bit *bit = r->value >> b & 1 ? ordo_e2_bit_of(e2, r, b) : NULL;

        if (!bit)
            continue;
        waited |= UINT32_C(1) << b;
        has(d, ORDO_E2_NEED, bit->field, 0);
        d->step.safe &= !(bit->n_set && e2->p->overlap);
    }
    d->step.local = !waited;
    d->step.weak_poll = waited && r->sem == ORDO_SEM_weak;
    for (int32_t u = 0; waited && u < e2->p->n_thread; u++)
        for (int32_t w = 0; w < e2->p->thread[u].n_op; w++) {
            const struct ordo_record *c = record_of(e2, u, w);

            if (c->op == ORDO_OP_RED_AND && c->space == r->space && c->index == r->index && (waited & ~c->value) &&
                ordo_e2_strong_pair(e2, d->step.thread, d->step.op, u, w))
                ordo_e2_acquire(e2, d->step.thread, d->step.op, u, w);
        }
}

static void change_bits(struct draft *d, const struct ordo_record *r)
{
    bool to = r->op == ORDO_OP_RED_OR;

    d->step.safe = true;
    for (int32_t b = 0; b < 32; b++) {
        struct ordo_e2_bit *bit = (r->value >> b & 1) == to ? ordo_e2_bit_of(d->e2, r, b) : NULL;

        if (!bit)
            continue;
        if (to)
            sets(d, bit->field);
        else
            clears(d, bit->field);
        d->step.safe &= !(bit->n_set && d->e2->p->overlap);
    }
}

/* --- operations on the plane ----------------------------------------------------------------------------------------- */

static int32_t next_store(const struct ordo_e2 *e2, int32_t t, int32_t i, int32_t cell)
{
    int32_t n = e2->p->thread[t].n_op;

    while (i < n && !(record_of(e2, t, i)->op == ORDO_OP_STORE && record_of(e2, t, i)->space == ORDO_SPACE_PLANE &&
                      ordo_e2_cell_of(e2, record_of(e2, t, i), 0) == cell))
        i++;
    return i < n ? i : -1;
}

static void on_plane(struct draft *d, const struct ordo_record *r)
{
    int32_t t = d->step.thread, cell = ordo_e2_cell_of(d->e2, r, 0);
    int32_t store = next_store(d->e2, t, d->step.op, cell);

    if (cell < 0 || store < 0 || (r->op == ORDO_OP_STORE && (d->step.op == 0 || r[0].space != ORDO_SPACE_PLANE))) {
        (void)ordo_e2_refuse(d->e2, "a plane access that is no addition");
        return;
    }
    d->step.local = d->step.safe = d->e2->views; /* without views an order that nobody imposed shows in some runs only */
    has(d, ORDO_E2_MUST, d->e2->cell[cell].count, (uint64_t)ordo_e2_turn_of(d->e2, t, store, cell));
    has(d, ORDO_E2_MUST, fact(d, t, cell), 1);
    if (r->op != ORDO_OP_STORE)
        return;
    adds(d, d->e2->cell[cell].count, 1);
    forget(d, cell);
    sets(d, fact(d, t, cell));
}

static void run_copy(struct draft *d, int32_t cell)
{
    struct ordo_e2_field count = d->e2->cell[cell].count;

    has(d, ORDO_E2_MUST, count, (uint64_t)ordo_e2_turn_of(d->e2, d->step.thread, d->step.op, cell));
    adds(d, count, 1);
}

/* Under sequential consistency the copy is done at once. */
static void issue_copy(struct draft *d, const struct ordo_record *r)
{
    struct ordo_e2 *e2 = d->e2;

    d->step.local = d->step.safe = e2->views;
    for (int32_t i = 0, c; (c = ordo_e2_cell_of(e2, r, i)) >= 0; i++) {
        has(d, ORDO_E2_MUST, fact(d, d->step.thread, e2->n_cell + c), 1);
        forget(d, c);
        if (e2->o.sc)
            run_copy(d, c);
    }
    adds(d, e2->actor[e2->copy_of[d->step.thread][d->step.op]].at, e2->o.sc ? 2 : 1);
}

/* Which commit group of the thread operation i belongs to, counted from 0. */
static int32_t commits_before(const struct ordo_e2 *e2, int32_t t, int32_t i)
{
    int32_t n = 0;

    for (int32_t j = 0; j < i; j++)
        n += record_of(e2, t, j)->op == ORDO_OP_BULK_COMMIT;
    return n;
}

/* Copies that wait i is the first to wait for are known to the generic proxy from then on. */
static bool completes(const struct ordo_e2 *e2, int32_t t, int32_t i, int32_t copy)
{
    const struct ordo_record *r = record_of(e2, t, i);

    return r->op == ORDO_OP_BULK_WAIT && copy < i &&
           commits_before(e2, t, copy) < commits_before(e2, t, i) - (int32_t)r->value;
}

static void wait_copies(struct draft *d)
{
    struct ordo_e2 *e2 = d->e2;
    int32_t t = d->step.thread, i = d->step.op;

    d->step.safe = true;
    for (int32_t copy = 0; copy < i; copy++) {
        const struct ordo_record *r = record_of(e2, t, copy);
        bool first = true;

        if (r->op != ORDO_OP_BULK_ADD || !completes(e2, t, i, copy))
            continue;
        has(d, ORDO_E2_NEED, e2->actor[e2->copy_of[t][copy]].at, 2);
        for (int32_t j = 0; j < i; j++)
            first &= !completes(e2, t, j, copy);
        for (int32_t n = 0, c; first && (c = ordo_e2_cell_of(e2, r, n)) >= 0; n++)
            sets(d, fact(d, t, c));
    }
}

/* --- fences and barriers ------------------------------------------------------------------------------------------- */

static void fence(struct draft *d)
{
    struct ordo_e2 *e2 = d->e2;
    int32_t t = d->step.thread, i = d->step.op;
    bool sc = record_of(e2, t, i)->sem == ORDO_SEM_sc;

    d->step.safe = d->step.local = !sc;
    if (e2->pending[t][i] >= 0)
        ordo_e2_join_views(e2, &e2->view[t], &e2->view[e2->pending[t][i]]);
    for (int32_t u = 0; sc && e2->views && u < e2->p->n_thread; u++)
        for (int32_t j = 0; j < e2->p->thread[u].n_op; j++) {
            const struct ordo_record *r = record_of(e2, u, j);

            if (r->op == ORDO_OP_FENCE && r->sem == ORDO_SEM_sc && u != t && ordo_e2_strong_pair(e2, t, i, u, j))
                ordo_e2_join_views(e2, &e2->view[t], &e2->view[e2->snapshot[u][j]]);
        }
}

static void arrive(struct draft *d, const struct ordo_record *r)
{
    const struct ordo_e2 *e2 = d->e2;
    int16_t b = e2->barrier_of[d->step.thread][d->step.op];
    const struct ordo_e2_barrier *barrier = &e2->barrier[b];

    if (r->op == ORDO_OP_WARP_SYNC && barrier->n_user == 1) {
        d->step.safe = d->step.local = true;
        return;
    }
    d->step.kind = ORDO_E2_ARRIVE;
    d->step.object = b;
    d->step.safe = barrier->regular;
    d->step.value = r->op == ORDO_OP_WARP_SYNC ? (uint32_t)barrier->n_user : r->value;
    if (d->step.value > 1 || barrier->n_user > 1)
        ordo_e2_join_views(d->e2, &(struct ordo_e2_view){0, e2->n_fact, barrier->gathered}, &e2->view[d->step.thread]);
}

static void cluster_barrier(struct draft *d, const struct ordo_record *r)
{
    struct ordo_e2 *e2 = d->e2;
    int32_t t = d->step.thread;
    const struct ordo_e2_cluster_barrier *b = &e2->cluster_barrier[e2->barrier_of[t][d->step.op]];
    struct ordo_e2_view gathered = {0, e2->n_fact, b->gathered}, published = {0, e2->n_fact, b->published};
    uint64_t nth = 0;

    d->step.object = e2->barrier_of[t][d->step.op];
    d->step.safe = b->regular;
    if (r->op == ORDO_OP_CLUSTER_ARRIVE) {
        d->step.kind = ORDO_E2_CLUSTER_ARRIVE;
        adds(d, b->count, 1);
        if (r->sem >= ORDO_SEM_release)
            ordo_e2_join_views(e2, &gathered, &e2->view[t]);
        return;
    }
    for (int32_t i = 0; i < d->step.op; i++)
        nth += record_of(e2, t, i)->op == ORDO_OP_CLUSTER_WAIT;
    has(d, ORDO_E2_NEED, b->parity, (nth + 1) & 1);
    if (r->sem == ORDO_SEM_acquire || r->sem >= ORDO_SEM_acq_rel)
        ordo_e2_join_views(e2, &e2->view[t], &published);
}

/* --- one operation --------------------------------------------------------------------------------------------------- */

static void on_word(struct draft *d, const struct ordo_record *r)
{
    struct ordo_e2_history *h = ordo_e2_history_of(d->e2, r);

    if (h)
        on_history(d, r, h);
    else if (r->op == ORDO_OP_AWAIT_CLEAR)
        await_bits(d, r);
    else
        change_bits(d, r);
}

static void draft_op(struct draft *d, const struct ordo_record *r)
{
    switch (r->op) {
    case ORDO_OP_LOAD:
    case ORDO_OP_STORE:
        if (r->space == ORDO_SPACE_PLANE)
            on_plane(d, r);
        else
            on_word(d, r);
        break;
    case ORDO_OP_BAR_SYNC:
    case ORDO_OP_WARP_SYNC:
        arrive(d, r);
        break;
    case ORDO_OP_FENCE:
        fence(d);
        break;
    case ORDO_OP_PROXY_FENCE:
        d->step.safe = d->step.local = true;
        if (d->e2->views && d->e2->async) {
            struct ordo_e2_field v = d->e2->view[d->step.thread].field;
            struct ordo_e2_view known = {0, d->e2->n_cell, v}, async = {0, d->e2->n_cell, v};

            async.field.shift = (uint8_t)(v.shift + d->e2->n_cell);
            ordo_e2_join_views(d->e2, &async, &known);
        }
        break;
    case ORDO_OP_CLUSTER_ARRIVE:
    case ORDO_OP_CLUSTER_WAIT:
        cluster_barrier(d, r);
        break;
    case ORDO_OP_BULK_ADD:
        issue_copy(d, r);
        break;
    case ORDO_OP_BULK_WAIT:
        wait_copies(d);
        break;
    case ORDO_OP_SHARED_FENCE:
    case ORDO_OP_BULK_COMMIT:
    case ORDO_OP_BULK_WAIT_READ:
        d->step.safe = d->step.local = true;
        break;
    default:
        on_word(d, r);
    }
    if (d->e2->snapshot[d->step.thread][d->step.op] >= 0)
        ordo_e2_join_views(d->e2, &d->e2->view[d->e2->snapshot[d->step.thread][d->step.op]],
                           &d->e2->view[d->step.thread]);
}

/* --- actors ---------------------------------------------------------------------------------------------------------- */

static const struct ordo_e2_unit *unit_of(const struct ordo_e2 *e2, int32_t thread)
{
    const struct ordo_e2_thread *t = &e2->p->thread[thread];

    for (int32_t u = 0; u < e2->n_unit; u++)
        if (!t->setup && e2->unit[u].id == (e2->o.scheduler == ORDO_SCHED_CLUSTER ? t->cluster : t->cta))
            return &e2->unit[u];
    return NULL;
}

/* What the first step of a thread waits for besides: its CTA started, the setup kernel ended. */
static void gate(struct draft *d)
{
    const struct ordo_e2 *e2 = d->e2;
    const struct ordo_e2_unit *u = unit_of(e2, d->step.thread);

    if (u)
        has(d, ORDO_E2_NEED, u->started, 1);
    if (e2->p->overlap || e2->p->thread[d->step.thread].setup)
        return;
    for (int32_t a = 0; a < e2->n_actor; a++)
        if (e2->p->thread[e2->actor[a].thread].setup)
            has(d, ORDO_E2_NEED, e2->actor[a].at, (uint64_t)e2->actor[a].n_position - 1);
}

static void compile_copy(struct ordo_e2 *e2, struct ordo_e2_actor *a, int32_t op)
{
    struct draft idle = begin(e2, a->thread, op), run = begin(e2, a->thread, op), done = begin(e2, a->thread, -1);

    end_blocked(&idle, ORDO_E2_WAITING);
    run.step.safe = true;
    run.step.last = true;
    for (int32_t i = 0, c; (c = ordo_e2_cell_of(e2, record_of(e2, a->thread, op), i)) >= 0; i++)
        run_copy(&run, c);
    adds(&run, a->at, 1);
    end(&run);
    end_blocked(&done, ORDO_E2_END);
}

static void compile_segment(struct ordo_e2 *e2, struct ordo_e2_actor *a)
{
    const struct ordo_e2_thread *t = &e2->p->thread[a->thread];
    int32_t first = a->segment ? t->end[a->segment - 1] : 0, last = t->end[a->segment] - 1;
    bool many = t->n_segment > 1;
    struct draft d;

    if (many) {
        d = begin(e2, a->thread, first);
        d.step.safe = true;
        has(&d, ORDO_E2_NEED, e2->active[a->thread], 0);
        gate(&d);
        sets(&d, e2->active[a->thread]);
        adds(&d, a->at, 1);
        d.step.object = -1;
        end(&d);
    }
    for (int32_t i = first; i <= last; i++) {
        d = begin(e2, a->thread, i);
        draft_op(&d, record_of(e2, a->thread, i));
        if (i == first && !many)
            gate(&d);
        if (i == last && many)
            clears(&d, e2->active[a->thread]);
        d.step.last = i == last;
        adds(&d, a->at, 1);
        if (d.step.kind == ORDO_E2_ARRIVE)
            adds(&d, e2->barrier[d.step.object].count, 1);
        end(&d);
        if (d.step.kind == ORDO_E2_ARRIVE) {
            d = begin(e2, a->thread, i);
            d.step.object = e2->barrier_of[a->thread][i];
            d.step.last = i == last;
            end_blocked(&d, ORDO_E2_WAITING);
        }
    }
    d = begin(e2, a->thread, -1);
    end_blocked(&d, ORDO_E2_END);
}

/* --- the first and the last state -------------------------------------------------------------------------------------- */

static void start_state(struct ordo_e2 *e2)
{
    uint64_t *s = e2->init;

    s[0] |= 1;
    for (int32_t t = 0; t < e2->p->n_thread; t++)
        ordo_e2_put(s, ordo_e2_part(&e2->view[t], 0, e2->n_cell * (e2->async ? 2 : 1)), ~UINT64_C(0));
    for (int32_t b = 0; b < e2->n_bit; b++) {
        struct ordo_record r = {.space = ORDO_SPACE_MASK, .index = e2->bit[b].index};

        ordo_e2_put(s, e2->bit[b].field, ordo_e2_initial(e2, &r) >> e2->bit[b].bit & 1);
        e2->residual[e2->bit[b].field.word] |= bits_of(e2->bit[b].field);
    }
    for (int32_t h = 0; h < e2->n_history; h++) {
        struct ordo_record r = {.space = e2->history[h].space, .index = e2->history[h].index};

        ordo_e2_put(s, e2->history[h].value[0], compress(&e2->history[h], ordo_e2_initial(e2, &r)));
    }
    ordo_e2_put(s, e2->free_slots, (uint64_t)e2->o.slots);
}

static void note_end(struct ordo_e2 *e2, const struct ordo_e2_actor *a)
{
    struct ordo_e2_unit *u = (struct ordo_e2_unit *)unit_of(e2, a->thread);
    uint64_t want = (uint64_t)a->n_position - 1;

    if (!a->at.width)
        return;
    e2->end_mask[a->at.word] |= bits_of(a->at);
    e2->end_want[a->at.word] |= want << a->at.shift;
    if (u) {
        u->mask[a->at.word] |= bits_of(a->at);
        u->want[a->at.word] |= want << a->at.shift;
    }
}

void ordo_e2_compile(struct ordo_e2 *e2)
{
    for (int32_t i = 0; i < e2->n_actor && !e2->refused[0]; i++) {
        struct ordo_e2_actor *a = &e2->actor[i];
        int32_t op = 0;

        a->base = e2->n_step;
        while (a->segment < 0 && e2->copy_of[a->thread][op] != i)
            op++;
        if (a->segment < 0)
            compile_copy(e2, a, op);
        else
            compile_segment(e2, a);
        note_end(e2, a);
    }
    start_state(e2);
}
