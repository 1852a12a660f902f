/* e2_compile.c - a program's actors as rows of the table of steps; the first state and the last. */
#include "sim/e2_draft.h"

/* --- actors ----------------------------------------------------------------------------------------------------- */

static const struct ordo_e2_unit *unit_of(const struct ordo_e2 *e2, int32_t thread)
{
    const struct ordo_e2_thread *t = &e2->p->thread[thread];

    for (int32_t u = 0; u < e2->n_unit; u++)
        if (!t->setup && e2->unit[u].id == (e2->o.scheduler == ORDO_SCHED_CLUSTER ? t->cluster : t->cta))
            return &e2->unit[u];
    return NULL;
}

/* What the first step of a thread waits for besides: its CTA started, the setup kernel ended. */
static void gate(struct ordo_draft *d)
{
    const struct ordo_e2 *e2 = d->e2;
    const struct ordo_e2_unit *u = unit_of(e2, d->step.thread);

    if (u)
        ordo_draft_has(d, ORDO_E2_NEED, u->started, 1);
    if (e2->p->overlap || e2->p->thread[d->step.thread].setup)
        return;
    for (int32_t a = 0; a < e2->n_actor; a++)
        if (e2->p->thread[e2->actor[a].thread].setup)
            ordo_draft_has(d, ORDO_E2_NEED, e2->actor[a].at, (uint64_t)e2->actor[a].n_position - 1);
}

static void compile_copy(struct ordo_e2 *e2, struct ordo_e2_actor *a, int32_t op)
{
    struct ordo_draft idle = ordo_draft_begin(e2, a->thread, op), run = ordo_draft_begin(e2, a->thread, op),
                      done = ordo_draft_begin(e2, a->thread, -1);

    ordo_draft_end_blocked(&idle, ORDO_E2_WAITING);
    run.step.safe = true;
    run.step.last = true;
    for (int32_t i = 0, c; (c = ordo_e2_cell_of(e2, ordo_e2_record_of(e2, a->thread, op), i)) >= 0; i++)
        ordo_draft_run_copy(&run, c);
    ordo_draft_adds(&run, a->at, 1);
    ordo_draft_end(&run);
    ordo_draft_end_blocked(&done, ORDO_E2_END);
}

static void compile_segment(struct ordo_e2 *e2, struct ordo_e2_actor *a)
{
    const struct ordo_e2_thread *t = &e2->p->thread[a->thread];
    int32_t first = a->segment ? t->end[a->segment - 1] : 0, last = t->end[a->segment] - 1;
    bool many = t->n_segment > 1;
    struct ordo_draft d;

    if (many) {
        d = ordo_draft_begin(e2, a->thread, first);
        d.step.safe = true;
        ordo_draft_has(&d, ORDO_E2_NEED, e2->active[a->thread], 0);
        gate(&d);
        ordo_draft_sets(&d, e2->active[a->thread]);
        ordo_draft_adds(&d, a->at, 1);
        d.step.object = -1;
        ordo_draft_end(&d);
    }
    for (int32_t i = first; i <= last; i++) {
        d = ordo_draft_begin(e2, a->thread, i);
        ordo_draft_op(&d, ordo_e2_record_of(e2, a->thread, i));
        if (i == first && !many)
            gate(&d);
        if (i == last && many)
            ordo_draft_clears(&d, e2->active[a->thread]);
        d.step.last = i == last;
        ordo_draft_adds(&d, a->at, 1);
        if (d.step.kind == ORDO_E2_ARRIVE)
            ordo_draft_adds(&d, e2->barrier[d.step.object].count, 1);
        ordo_draft_end(&d);
        if (d.step.kind == ORDO_E2_ARRIVE) {
            d = ordo_draft_begin(e2, a->thread, i);
            d.step.object = e2->barrier_of[a->thread][i];
            d.step.last = i == last;
            ordo_draft_end_blocked(&d, ORDO_E2_WAITING);
        }
    }
    d = ordo_draft_begin(e2, a->thread, -1);
    ordo_draft_end_blocked(&d, ORDO_E2_END);
}

/* --- the first and the last state ------------------------------------------------------------------------------- */

static void start_state(struct ordo_e2 *e2)
{
    uint64_t *s = e2->init;

    s[0] |= 1;
    for (int32_t t = 0; t < e2->p->n_thread; t++)
        ordo_e2_put(s, ordo_e2_part(&e2->view[t], 0, e2->n_cell * (e2->async ? 2 : 1)), ~UINT64_C(0));
    for (int32_t b = 0; b < e2->n_bit; b++) {
        struct ordo_record r = {.space = ORDO_SPACE_MASK, .index = e2->bit[b].index};

        ordo_e2_put(s, e2->bit[b].field, ordo_e2_initial(e2, &r) >> e2->bit[b].bit & 1);
        e2->residual[e2->bit[b].field.word] |= ordo_e2_bits_of(e2->bit[b].field);
    }
    for (int32_t h = 0; h < e2->n_history; h++) {
        struct ordo_record r = {.space = e2->history[h].space, .index = e2->history[h].index};

        ordo_e2_put(s, e2->history[h].value[0], ordo_e2_compress(&e2->history[h], ordo_e2_initial(e2, &r)));
    }
    ordo_e2_put(s, e2->free_slots, (uint64_t)e2->o.slots);
}

static void note_end(struct ordo_e2 *e2, const struct ordo_e2_actor *a)
{
    struct ordo_e2_unit *u = (struct ordo_e2_unit *)unit_of(e2, a->thread);
    uint64_t want = (uint64_t)a->n_position - 1;

    if (!a->at.width)
        return;
    e2->end_mask[a->at.word] |= ordo_e2_bits_of(a->at);
    e2->end_want[a->at.word] |= want << a->at.shift;
    if (u) {
        u->mask[a->at.word] |= ordo_e2_bits_of(a->at);
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
