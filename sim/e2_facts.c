/* e2_facts.c - what a program touches: plane cells and whose turn it is there, mask bits, words that need a history.
 *
 * A mask word is a set of independent bits iff the launch writes it by atomics alone, each pair of them morally
 * strong, and by clears alone, one a bit.  Then its writes are one chain, a poll that finds a bit clear has observed
 * that bit's clear, and what other rows' clears add only lengthens the chain: leaving that out makes fewer things
 * known, never more.  Any other word, and every counter, is the list of its writes. */
#include "sim/e2_impl.h"

#include <stdlib.h>
#include <string.h>

static bool is_word(const struct ordo_record *r)
{
    return r->space == ORDO_SPACE_MASK || r->space == ORDO_SPACE_COUNTER;
}

static bool is_update(const struct ordo_record *r)
{
    return r->op == ORDO_OP_RED_AND || r->op == ORDO_OP_RED_OR || r->op == ORDO_OP_RED_ADD;
}

static bool is_write(const struct ordo_record *r)
{
    return is_word(r) && (is_update(r) || r->op == ORDO_OP_STORE);
}

static bool is_add(const struct ordo_record *r)
{
    return r->space == ORDO_SPACE_PLANE && (r->op == ORDO_OP_STORE || r->op == ORDO_OP_BULK_ADD);
}

static const struct ordo_record *record_of(const struct ordo_e2 *e2, int32_t t, int32_t i)
{
    return &e2->p->thread[t].op[i].record;
}

static bool includes(const struct ordo_e2_thread *t, const struct ordo_record *r, const struct ordo_e2_thread *u)
{
    return r->sem != ORDO_SEM_weak &&
           (r->scope >= ORDO_SCOPE_gpu || (r->scope == ORDO_SCOPE_cta ? t->cta == u->cta : t->cluster == u->cluster));
}

bool ordo_e2_strong_pair(const struct ordo_e2 *e2, int32_t t, int32_t a, int32_t u, int32_t b)
{
    const struct ordo_e2_thread *tt = &e2->p->thread[t], *tu = &e2->p->thread[u];

    return t == u || (includes(tt, record_of(e2, t, a), tu) && includes(tu, record_of(e2, u, b), tt));
}

/* --- cells ------------------------------------------------------------------------------------------------------ */

int32_t ordo_e2_cell_of(const struct ordo_e2 *e2, const struct ordo_record *r, int32_t nth)
{
    struct ordo_e2_place at = ordo_e2_place_of(r, e2->p->n_column);

    for (int32_t c = 0; c < e2->n_cell && nth < at.n; c++)
        if (e2->cell[c].element == at.first + nth)
            return c;
    return -1;
}

static void add_cells(struct ordo_e2 *e2, const struct ordo_record *r)
{
    struct ordo_e2_place at = ordo_e2_place_of(r, e2->p->n_column);

    if (r->op == ORDO_OP_BULK_ADD && r->value % sizeof(float))
        (void)ordo_e2_refuse(e2, "a bulk copy that cuts an element");
    for (int32_t i = 0; i < at.n; i++) {
        int32_t c = ordo_e2_cell_of(e2, r, i);

        if (c < 0) {
            if (e2->n_cell == ORDO_E2_CELLS) {
                (void)ordo_e2_refuse(e2, "more plane cells than E2 takes");
                return;
            }
            c = e2->n_cell++;
            e2->cell[c].element = at.first + i;
        }
        e2->cell[c].n_add++;
    }
}

static int by_element(const void *a, const void *b)
{
    const struct ordo_e2_cell *x = a, *y = b;

    return (x->element > y->element) - (x->element < y->element);
}

static bool touches(const struct ordo_e2 *e2, const struct ordo_record *r, int32_t cell)
{
    struct ordo_e2_place at = ordo_e2_place_of(r, e2->p->n_column);
    int64_t element = e2->cell[cell].element;

    return is_add(r) && at.first <= element && element < at.first + at.n;
}

int32_t ordo_e2_turn_of(const struct ordo_e2 *e2, int32_t thread, int32_t op, int32_t cell)
{
    const struct ordo_e2_thread *me = &e2->p->thread[thread];
    int32_t before = 0;

    for (int32_t t = 0; t < e2->p->n_thread; t++) {
        const struct ordo_e2_thread *u = &e2->p->thread[t];

        for (int32_t i = 0; i < u->n_op; i++) {
            int64_t mine = ((int64_t)me->op[op].wave << 32) + me->key,
                    other = ((int64_t)u->op[i].wave << 32) + u->key;

            if (touches(e2, &u->op[i].record, cell))
                before += other < mine || (other == mine && (t < thread || (t == thread && i < op)));
        }
    }
    return before;
}

/* --- words ------------------------------------------------------------------------------------------------------ */

static bool same_word(const struct ordo_record *a, const struct ordo_record *b)
{
    return a->space == b->space && a->index == b->index;
}

/* Whether the launch only clears bits of r's word, each at one place, by atomics that are all morally strong with
 * each other. */
static bool only_cleared(const struct ordo_e2 *e2, const struct ordo_record *r)
{
    const struct ordo_e2_program *p = e2->p;

    for (int32_t t = 0; t < p->n_thread; t++)
        for (int32_t i = 0; i < p->thread[t].n_op; i++) {
            const struct ordo_record *a = record_of(e2, t, i);

            if (p->thread[t].setup || !same_word(a, r) || a->op == ORDO_OP_AWAIT_CLEAR)
                continue;
            if (a->op != ORDO_OP_RED_AND)
                return false;
            for (int32_t u = 0; u < p->n_thread; u++)
                for (int32_t j = 0; j < p->thread[u].n_op; j++)
                    if (!p->thread[u].setup && same_word(record_of(e2, u, j), r) && is_write(record_of(e2, u, j)) &&
                        (!ordo_e2_strong_pair(e2, t, i, u, j) ||
                         (&p->thread[u].op[j].record != a && ~a->value & ~record_of(e2, u, j)->value)))
                        return false;
        }
    return r->space == ORDO_SPACE_MASK;
}

struct ordo_e2_history *ordo_e2_history_of(struct ordo_e2 *e2, const struct ordo_record *r)
{
    for (int32_t h = 0; h < e2->n_history; h++)
        if (e2->history[h].space == r->space && e2->history[h].index == r->index)
            return &e2->history[h];
    return NULL;
}

static uint32_t mentioned(const struct ordo_record *r)
{
    return r->op == ORDO_OP_RED_AND || r->op == ORDO_OP_STORE ? ~r->value : r->value;
}

uint32_t ordo_e2_initial(const struct ordo_e2 *e2, const struct ordo_record *r)
{
    for (int32_t i = 0; i < e2->p->n_word; i++)
        if (e2->p->word[i].space == r->space && e2->p->word[i].index == r->index)
            return e2->p->word[i].value;
    return 0;
}

static void add_history(struct ordo_e2 *e2, const struct ordo_record *r)
{
    struct ordo_e2_history *h;
    const struct ordo_e2_program *p = e2->p;

    if (ordo_e2_history_of(e2, r))
        return;
    if (e2->n_history == ORDO_E2_HISTORIES) {
        (void)ordo_e2_refuse(e2, "more words that are not only cleared than E2 takes");
        return;
    }
    h = &e2->history[e2->n_history++];
    *h = (struct ordo_e2_history){.space = r->space, .index = r->index};
    h->tracked = ordo_e2_initial(e2, r);
    for (int32_t t = 0; t < p->n_thread; t++)
        for (int32_t i = 0; i < p->thread[t].n_op; i++) {
            const struct ordo_record *a = record_of(e2, t, i);

            if (!same_word(a, r))
                continue;
            h->tracked |= a->op == ORDO_OP_LOAD ? 0 : mentioned(a);
            if (!is_write(a))
                continue;
            if (p->thread[t].setup || h->n_write == ORDO_E2_WRITES - 1) {
                (void)ordo_e2_refuse(e2, p->thread[t].setup
                                             ? "the setup kernel writes a word that is not only cleared"
                                             : "more writes of one word than E2 takes");
                return;
            }
            h->thread[++h->n_write] = (int16_t)t;
            h->op[h->n_write] = (int16_t)i;
        }
    for (int a = 1; a <= h->n_write; a++)
        for (int b = 1; b <= h->n_write; b++)
            h->link[a][b] = is_update(record_of(e2, h->thread[b], h->op[b])) &&
                            ordo_e2_strong_pair(e2, h->thread[a], h->op[a], h->thread[b], h->op[b]);
}

struct ordo_e2_bit *ordo_e2_bit_of(struct ordo_e2 *e2, const struct ordo_record *r, int32_t bit)
{
    for (int32_t i = 0; i < e2->n_bit; i++)
        if (e2->bit[i].index == r->index && e2->bit[i].bit == bit)
            return &e2->bit[i];
    return NULL;
}

/* Bits of the word that are ever set. */
static void add_bits(struct ordo_e2 *e2, const struct ordo_record *r, uint32_t value)
{
    for (int32_t b = 0; b < 32; b++)
        if (value >> b & 1 && !ordo_e2_bit_of(e2, r, b)) {
            if (e2->n_bit == ORDO_E2_ACTORS) {
                (void)ordo_e2_refuse(e2, "more mask bits than E2 takes");
                return;
            }
            e2->bit[e2->n_bit++] = (struct ordo_e2_bit){.index = r->index, .bit = b};
        }
}

static void count_bits(struct ordo_e2 *e2, const struct ordo_record *r)
{
    for (int32_t b = 0; b < 32; b++) {
        struct ordo_e2_bit *bit = ordo_e2_bit_of(e2, r, b);

        if (bit && r->op == ORDO_OP_RED_OR)
            bit->n_set += (int32_t)(r->value >> b & 1);
    }
}

void ordo_e2_survey(struct ordo_e2 *e2)
{
    const struct ordo_e2_program *p = e2->p;

    for (int32_t t = 0; t < p->n_thread; t++)
        for (int32_t i = 0; i < p->thread[t].n_op; i++) {
            const struct ordo_record *r = record_of(e2, t, i);

            if (is_add(r))
                add_cells(e2, r);
            if (is_word(r) && r->width == ORDO_WIDTH_u8)
                (void)ordo_e2_refuse(e2, "a byte access of a word is a mixed-size race, which E4 convicts");
            if (is_word(r) && !p->thread[t].setup && !only_cleared(e2, r))
                add_history(e2, r);
        }
    qsort(e2->cell, (size_t)e2->n_cell, sizeof e2->cell[0], by_element);
    for (int32_t i = 0; i < p->n_word; i++) {
        struct ordo_record r = {.space = p->word[i].space, .index = p->word[i].index};

        if (!ordo_e2_history_of(e2, &r))
            add_bits(e2, &r, p->word[i].value);
    }
    for (int pass = 0; pass < 2; pass++)
        for (int32_t t = 0; t < p->n_thread; t++)
            for (int32_t i = 0; i < p->thread[t].n_op; i++) {
                const struct ordo_record *r = record_of(e2, t, i);

                if (r->space != ORDO_SPACE_MASK || !is_write(r) || ordo_e2_history_of(e2, r))
                    continue;
                if (pass == 0 && r->op == ORDO_OP_RED_OR)
                    add_bits(e2, r, r->value);
                if (pass == 1)
                    count_bits(e2, r);
            }
}
