/* e2_word.c - operations on mask words and counters as steps: bits that are only cleared, or lists of writes. */
#include "sim/e2_draft.h"

#include <stdlib.h>

uint32_t ordo_e2_compress(const struct ordo_e2_history *h, uint32_t value)
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
static void list_reads(struct ordo_draft *d, const struct ordo_e2_history *h)
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

static void on_history(struct ordo_draft *d, const struct ordo_record *r, struct ordo_e2_history *h)
{
    struct ordo_e2 *e2 = d->e2;

    d->step.object = (int16_t)(h - e2->history);
    d->step.value = ordo_e2_compress(h, r->value);
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
static void await_bits(struct ordo_draft *d, const struct ordo_record *r)
{
    struct ordo_e2 *e2 = d->e2;
    uint32_t waited = 0; /* bits that are ever set; the others' clears need not have come */

    d->step.safe = true;
    for (int32_t b = 0; b < 32; b++) {
        struct ordo_e2_bit *bit = r->value >> b & 1 ? ordo_e2_bit_of(e2, r, b) : NULL;

        if (!bit)
            continue;
        waited |= UINT32_C(1) << b;
        ordo_draft_has(d, ORDO_E2_NEED, bit->field, 0);
        d->step.safe &= !(bit->n_set && e2->p->overlap);
    }
    d->step.local = !waited;
    d->step.weak_poll = waited && r->sem == ORDO_SEM_weak;
    for (int32_t u = 0; waited && u < e2->p->n_thread; u++)
        for (int32_t w = 0; w < e2->p->thread[u].n_op; w++) {
            const struct ordo_record *c = ordo_e2_record_of(e2, u, w);

            if (c->op == ORDO_OP_RED_AND && c->space == r->space && c->index == r->index && (waited & ~c->value) &&
                ordo_e2_strong_pair(e2, d->step.thread, d->step.op, u, w))
                ordo_e2_acquire(e2, d->step.thread, d->step.op, u, w);
        }
}

static void change_bits(struct ordo_draft *d, const struct ordo_record *r)
{
    bool to = r->op == ORDO_OP_RED_OR;

    d->step.safe = true;
    for (int32_t b = 0; b < 32; b++) {
        struct ordo_e2_bit *bit = (r->value >> b & 1) == to ? ordo_e2_bit_of(d->e2, r, b) : NULL;

        if (!bit)
            continue;
        if (to)
            ordo_draft_sets(d, bit->field);
        else
            ordo_draft_clears(d, bit->field);
        d->step.safe &= !(bit->n_set && d->e2->p->overlap);
    }
}

void ordo_draft_word(struct ordo_draft *d, const struct ordo_record *r)
{
    struct ordo_e2_history *h = ordo_e2_history_of(d->e2, r);

    if (h)
        on_history(d, r, h);
    else if (r->op == ORDO_OP_AWAIT_CLEAR)
        await_bits(d, r);
    else
        change_bits(d, r);
}
