/* e2_op.c - operations as steps: what each needs, wants, must find and changes, as masks over a state. */
#include "sim/e2_draft.h"

/* --- operations on the plane ------------------------------------------------------------------------------------ */

/* The thread's next access of a plane from i on, by step, -1 if there is none. */
static int32_t on_plane_from(const struct ordo_e2 *e2, int32_t t, int32_t i, int32_t step)
{
    while (i >= 0 && i < e2->p->thread[t].n_op)
        if (ordo_e2_record_of(e2, t, i)->space == ORDO_SPACE_PLANE)
            return i;
        else
            i += step;
    return -1;
}

/* The store of the addition that operation i is the load or the store of: one element is loaded, and that, plus
 * something, is what the thread stores next.  -1: it is part of no addition. */
static int32_t store_of(const struct ordo_e2 *e2, int32_t t, int32_t i)
{
    bool stores = ordo_e2_record_of(e2, t, i)->op == ORDO_OP_STORE;
    int32_t load = stores ? on_plane_from(e2, t, i - 1, -1) : i;
    int32_t store = stores ? i : on_plane_from(e2, t, i + 1, 1);
    const struct ordo_record *l, *s;

    if (load < 0 || store < 0)
        return -1;
    l = ordo_e2_record_of(e2, t, load);
    s = ordo_e2_record_of(e2, t, store);
    return l->op == ORDO_OP_LOAD && l->data == ORDO_DATA_NONE && s->op == ORDO_OP_STORE && s->index == l->index &&
                   s->data == ORDO_DATA_ADDED
               ? store
               : -1;
}

static void on_plane(struct ordo_draft *d, const struct ordo_record *r)
{
    int32_t t = d->step.thread, cell = ordo_e2_cell_of(d->e2, r, 0);
    int32_t store = store_of(d->e2, t, d->step.op);

    if (cell < 0 || store < 0) {
        (void)ordo_e2_refuse(d->e2, "a plane access that is no addition");
        return;
    }
    /* Without views an order that nobody imposed shows in some runs only. */
    d->step.local = d->step.safe = d->e2->views;
    ordo_draft_has(d, ORDO_E2_MUST, d->e2->cell[cell].count, (uint64_t)ordo_e2_turn_of(d->e2, t, store, cell));
    ordo_draft_has(d, ORDO_E2_MUST, ordo_draft_fact(d, t, cell), 1);
    if (r->op != ORDO_OP_STORE)
        return;
    ordo_draft_adds(d, d->e2->cell[cell].count, 1);
    ordo_draft_forget(d, cell);
    ordo_draft_sets(d, ordo_draft_fact(d, t, cell));
}

void ordo_draft_run_copy(struct ordo_draft *d, int32_t cell)
{
    struct ordo_e2_field count = d->e2->cell[cell].count;

    ordo_draft_has(d, ORDO_E2_MUST, count, (uint64_t)ordo_e2_turn_of(d->e2, d->step.thread, d->step.op, cell));
    ordo_draft_adds(d, count, 1);
}

/* Under sequential consistency the copy is done at once. */
static void issue_copy(struct ordo_draft *d, const struct ordo_record *r)
{
    struct ordo_e2 *e2 = d->e2;

    d->step.local = d->step.safe = e2->views;
    for (int32_t i = 0, c; (c = ordo_e2_cell_of(e2, r, i)) >= 0; i++) {
        ordo_draft_has(d, ORDO_E2_MUST, ordo_draft_fact(d, d->step.thread, e2->n_cell + c), 1);
        ordo_draft_forget(d, c);
        if (e2->o.sc)
            ordo_draft_run_copy(d, c);
    }
    ordo_draft_adds(d, e2->actor[e2->copy_of[d->step.thread][d->step.op]].at, e2->o.sc ? 2 : 1);
}

/* Which commit group of the thread operation i belongs to, counted from 0. */
static int32_t commits_before(const struct ordo_e2 *e2, int32_t t, int32_t i)
{
    int32_t n = 0;

    for (int32_t j = 0; j < i; j++)
        n += ordo_e2_record_of(e2, t, j)->op == ORDO_OP_BULK_COMMIT;
    return n;
}

/* Copies that wait i is the first to wait for are known to the generic proxy from then on. */
static bool completes(const struct ordo_e2 *e2, int32_t t, int32_t i, int32_t copy)
{
    const struct ordo_record *r = ordo_e2_record_of(e2, t, i);

    return r->op == ORDO_OP_BULK_WAIT && copy < i &&
           commits_before(e2, t, copy) < commits_before(e2, t, i) - (int32_t)r->value;
}

static void wait_copies(struct ordo_draft *d)
{
    struct ordo_e2 *e2 = d->e2;
    int32_t t = d->step.thread, i = d->step.op;

    d->step.safe = true;
    for (int32_t copy = 0; copy < i; copy++) {
        const struct ordo_record *r = ordo_e2_record_of(e2, t, copy);
        bool first = true;

        if (r->op != ORDO_OP_BULK_ADD || !completes(e2, t, i, copy))
            continue;
        ordo_draft_has(d, ORDO_E2_NEED, e2->actor[e2->copy_of[t][copy]].at, 2);
        for (int32_t j = 0; j < i; j++)
            first &= !completes(e2, t, j, copy);
        for (int32_t n = 0, c; first && (c = ordo_e2_cell_of(e2, r, n)) >= 0; n++)
            ordo_draft_sets(d, ordo_draft_fact(d, t, c));
    }
}

/* --- fences and barriers ---------------------------------------------------------------------------------------- */

static void fence(struct ordo_draft *d)
{
    struct ordo_e2 *e2 = d->e2;
    int32_t t = d->step.thread, i = d->step.op;
    bool sc = ordo_e2_record_of(e2, t, i)->sem == ORDO_SEM_sc;

    d->step.safe = d->step.local = !sc;
    if (e2->pending[t][i] >= 0)
        ordo_e2_join_views(e2, &e2->view[t], &e2->view[e2->pending[t][i]]);
    for (int32_t u = 0; sc && e2->views && u < e2->p->n_thread; u++)
        for (int32_t j = 0; j < e2->p->thread[u].n_op; j++) {
            const struct ordo_record *r = ordo_e2_record_of(e2, u, j);

            if (r->op == ORDO_OP_FENCE && r->sem == ORDO_SEM_sc && u != t && ordo_e2_strong_pair(e2, t, i, u, j))
                ordo_e2_join_views(e2, &e2->view[t], &e2->view[e2->snapshot[u][j]]);
        }
}

static void arrive(struct ordo_draft *d, const struct ordo_record *r)
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
        ordo_e2_join_views(d->e2, &(struct ordo_e2_view){0, e2->n_fact, barrier->gathered},
                           &e2->view[d->step.thread]);
}

static void cluster_barrier(struct ordo_draft *d, const struct ordo_record *r)
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
        ordo_draft_adds(d, b->count, 1);
        if (r->sem >= ORDO_SEM_release)
            ordo_e2_join_views(e2, &gathered, &e2->view[t]);
        return;
    }
    for (int32_t i = 0; i < d->step.op; i++)
        nth += ordo_e2_record_of(e2, t, i)->op == ORDO_OP_CLUSTER_WAIT;
    ordo_draft_has(d, ORDO_E2_NEED, b->parity, (nth + 1) & 1);
    if (r->sem == ORDO_SEM_acquire || r->sem >= ORDO_SEM_acq_rel)
        ordo_e2_join_views(e2, &e2->view[t], &published);
}

/* --- one operation ---------------------------------------------------------------------------------------------- */

void ordo_draft_op(struct ordo_draft *d, const struct ordo_record *r)
{
    switch (r->op) {
    case ORDO_OP_LOAD:
    case ORDO_OP_STORE:
        if (r->space == ORDO_SPACE_PLANE)
            on_plane(d, r);
        else
            ordo_draft_word(d, r);
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
        ordo_draft_word(d, r);
    }
    if (d->e2->snapshot[d->step.thread][d->step.op] >= 0)
        ordo_e2_join_views(d->e2, &d->e2->view[d->e2->snapshot[d->step.thread][d->step.op]],
                           &d->e2->view[d->step.thread]);
}
