/* e2_draft.c - see e2_draft.h: the masks of a step, and its place in the table. */
#include "sim/e2_draft.h"

#include <stdlib.h>
#include <string.h>

struct ordo_draft ordo_draft_begin(struct ordo_e2 *e2, int32_t thread, int32_t op)
{
    struct ordo_draft d = {.e2 = e2, .step = {.thread = (int16_t)thread, .op = (int16_t)op, .join = e2->n_join}};

    for (int w = 0; w < ORDO_E2_WORDS; w++)
        d.mask[ORDO_E2_KEEP][w] = ~UINT64_C(0);
    return d;
}

/* --- parts of a step -------------------------------------------------------------------------------------------- */

/* kind: NEED or MUST; the field has to have the value. */
void ordo_draft_has(struct ordo_draft *d, enum ordo_e2_mask kind, struct ordo_e2_field f, uint64_t value)
{
    d->mask[kind][f.word] |= ordo_e2_bits_of(f);
    if (f.width)
        d->mask[kind + 1][f.word] |= value << f.shift;
}

void ordo_draft_adds(struct ordo_draft *d, struct ordo_e2_field f, uint64_t n)
{
    if (f.width)
        d->mask[ORDO_E2_ADD][f.word] += n << f.shift;
}

void ordo_draft_clears(struct ordo_draft *d, struct ordo_e2_field f)
{
    d->mask[ORDO_E2_KEEP][f.word] &= ~ordo_e2_bits_of(f);
}

void ordo_draft_sets(struct ordo_draft *d, struct ordo_e2_field f)
{
    d->mask[ORDO_E2_SET][f.word] |= ordo_e2_bits_of(f);
}

struct ordo_e2_field ordo_draft_fact(const struct ordo_draft *d, int32_t view, int32_t which)
{
    return ordo_e2_part(&d->e2->view[view], which, 1);
}

/* Nobody but those who are told later knows the cell's last addition. */
void ordo_draft_forget(struct ordo_draft *d, int32_t cell)
{
    for (int32_t v = 0; v < d->e2->n_view; v++) {
        ordo_draft_clears(d, ordo_draft_fact(d, v, cell));
        if (d->e2->async)
            ordo_draft_clears(d, ordo_draft_fact(d, v, d->e2->n_cell + cell));
    }
}

void ordo_draft_end(struct ordo_draft *d)
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
    d->step.more =
        d->step.n_join || d->step.weak_poll || d->step.kind != ORDO_E2_PLAIN || (d->step.last && e2->n_unit);
    for (int k = 0; k < ORDO_E2_N_MASKS; k++)
        memcpy(&e2->mask[((size_t)e2->n_step * ORDO_E2_N_MASKS + (size_t)k) * (size_t)e2->w], d->mask[k],
               (size_t)e2->w * 8);
    e2->step[e2->n_step++] = d->step;
}

/* A position that is left only by others' doing, or never. */
void ordo_draft_end_blocked(struct ordo_draft *d, enum ordo_e2_kind kind)
{
    d->step.kind = kind;
    d->mask[ORDO_E2_NEED][0] |= 1;
    d->mask[ORDO_E2_WANT][0] &= ~UINT64_C(1);
    ordo_draft_end(d);
}
