/* e2_symmetry.c - rows that are alike when ranks take them in any order: of the states that differ by a permutation
 * of such rows, one is kept.
 *
 * Everything that a state says of a row lies in bits that correspond to those of every other row: segments'
 * positions, mask bits, counts and facts of its cells, snapshots of its clears.  That the rows are alike is not
 * assumed but checked: exchanging row 0 with any other must turn the table of steps into itself; else nothing is
 * reduced. */
#include "sim/e2_impl.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = ORDO_E2_MAX_SEGMENTS, MOST_BITS = 128 };

struct rows {
    struct ordo_e2 *e2;
    int64_t row[MOST_ROWS];
    int32_t n, bit[MOST_ROWS][MOST_BITS], n_bit[MOST_ROWS];
};

static const struct ordo_record *record_of(const struct ordo_e2 *e2, int32_t t, int32_t i)
{
    return &e2->p->thread[t].op[i].record;
}

/* The row that a segment adds to, -1 if there is not one and only one. */
static int64_t row_of(const struct ordo_e2 *e2, const struct ordo_e2_thread *t, int32_t segment)
{
    int64_t row = -1;

    for (int32_t i = segment ? t->end[segment - 1] : 0; i < t->end[segment]; i++)
        if (t->op[i].record.space == ORDO_SPACE_PLANE) {
            int64_t r = ordo_e2_place_of(&t->op[i].record, e2->p->n_column).row;

            if (row >= 0 && r != row)
                return -1;
            row = r;
        }
    return row;
}

static bool add_field(struct rows *r, int32_t k, struct ordo_e2_field f)
{
    for (int b = 0; b < f.width; b++) {
        if (r->n_bit[k] == MOST_BITS)
            return false;
        r->bit[k][r->n_bit[k]++] = f.word * 64 + f.shift + b;
    }
    return true;
}

/* All bits of row k, in an order that is the same for every row. */
static bool add_row(struct rows *r, int32_t k)
{
    struct ordo_e2 *e2 = r->e2;
    bool ok = true;

    for (int32_t t = 0; t < e2->p->n_thread; t++)
        for (int32_t a = e2->first_actor[t]; a < e2->first_actor[t + 1]; a++) {
            const struct ordo_e2_thread *th = &e2->p->thread[t];
            int32_t g = e2->actor[a].segment;

            if (row_of(e2, th, g) != r->row[k])
                continue;
            ok &= add_field(r, k, e2->actor[a].at);
            for (int32_t i = g ? th->end[g - 1] : 0; i < th->end[g]; i++) {
                for (int32_t b = 0; b < 32 && record_of(e2, t, i)->op == ORDO_OP_RED_AND; b++) {
                    struct ordo_e2_bit *bit = ordo_e2_bit_of(e2, record_of(e2, t, i), b);

                    ok &= !bit || record_of(e2, t, i)->value >> b & 1 || add_field(r, k, bit->field);
                }
                ok &= e2->snapshot[t][i] < 0 || add_field(r, k, e2->view[e2->snapshot[t][i]].field);
            }
        }
    for (int32_t c = 0; c < e2->n_cell; c++) {
        if (e2->cell[c].element / e2->p->n_column != r->row[k])
            continue;
        ok &= add_field(r, k, e2->cell[c].count);
        for (int32_t t = 0; t < e2->p->n_thread; t++)
            ok &= add_field(r, k, ordo_e2_part(&e2->view[t], c, 1));
    }
    return ok;
}

/* --- are they alike? -------------------------------------------------------------------------------------------- */

/* out = in with the bits of rows 0 and k exchanged. */
static void exchange(const struct rows *r, int32_t k, const uint64_t *in, uint64_t *out)
{
    memcpy(out, in, (size_t)r->e2->w * 8);
    for (int32_t j = 0; j < r->n_bit[0]; j++) {
        int32_t a = r->bit[0][j], b = r->bit[k][j];
        uint64_t va = in[a / 64] >> a % 64 & 1, vb = in[b / 64] >> b % 64 & 1;

        out[a / 64] = (out[a / 64] & ~(UINT64_C(1) << a % 64)) | vb << a % 64;
        out[b / 64] = (out[b / 64] & ~(UINT64_C(1) << b % 64)) | va << b % 64;
    }
}

/* What the joins of a step do to a state of one set bit: enough to compare them, since they only pass bits on. */
static bool same_joins(const struct rows *r, int32_t k, const struct ordo_e2_step *a, const struct ordo_e2_step *b)
{
    const struct ordo_e2 *e2 = r->e2;

    for (int32_t bit = 0; bit < e2->w * 64; bit++) {
        uint64_t s[ORDO_E2_WORDS] = {0}, t[ORDO_E2_WORDS], u[ORDO_E2_WORDS] = {0};

        s[bit / 64] |= UINT64_C(1) << bit % 64;
        exchange(r, k, s, t);
        for (uint32_t j = a->join; j < a->join + a->n_join; j++)
            s[e2->join[j].to.word] |= ordo_e2_get(s, e2->join[j].from) << e2->join[j].to.shift;
        for (uint32_t j = b->join; j < b->join + b->n_join; j++)
            t[e2->join[j].to.word] |= ordo_e2_get(t, e2->join[j].from) << e2->join[j].to.shift;
        exchange(r, k, s, u);
        if (memcmp(t, u, (size_t)e2->w * 8) != 0)
            return false;
    }
    return true;
}

static bool same_step(const struct rows *r, int32_t k, uint32_t a, uint32_t b)
{
    const struct ordo_e2 *e2 = r->e2;

    for (int m = 0; m < ORDO_E2_N_MASKS; m++) {
        const uint64_t *from = &e2->mask[((size_t)a * ORDO_E2_N_MASKS + (size_t)m) * (size_t)e2->w];
        const uint64_t *to = &e2->mask[((size_t)b * ORDO_E2_N_MASKS + (size_t)m) * (size_t)e2->w];
        uint64_t moved[ORDO_E2_WORDS];

        exchange(r, k, from, moved);
        if (memcmp(moved, to, (size_t)e2->w * 8) != 0)
            return false;
    }
    return e2->step[a].kind == e2->step[b].kind && e2->step[a].weak_poll == e2->step[b].weak_poll &&
           same_joins(r, k, &e2->step[a], &e2->step[b]);
}

/* The actor of a thread for a row. */
static const struct ordo_e2_actor *actor_for(const struct ordo_e2 *e2, int32_t t, int64_t row)
{
    for (int32_t a = e2->first_actor[t]; a < e2->first_actor[t + 1]; a++)
        if (row_of(e2, &e2->p->thread[t], e2->actor[a].segment) == row)
            return &e2->actor[a];
    return NULL;
}

static bool alike(const struct rows *r, int32_t k)
{
    const struct ordo_e2 *e2 = r->e2;
    uint64_t moved[ORDO_E2_WORDS];

    exchange(r, k, e2->init, moved);
    if (r->n_bit[k] != r->n_bit[0] || memcmp(moved, e2->init, (size_t)e2->w * 8) != 0)
        return false;
    for (int32_t i = 0; i < e2->n_actor; i++) {
        const struct ordo_e2_actor *a = &e2->actor[i];
        int64_t row = row_of(e2, &e2->p->thread[a->thread], a->segment);
        const struct ordo_e2_actor *b = actor_for(e2, a->thread,
                                                  row == r->row[0]   ? r->row[k]
                                                  : row == r->row[k] ? r->row[0]
                                                                     : row);

        if (row < 0 || !b || a->n_position != b->n_position)
            return false;
        for (int32_t p = 0; p < a->n_position; p++)
            if (!same_step(r, k, a->base + (uint32_t)p, b->base + (uint32_t)p))
                return false;
    }
    return true;
}

/* --- the reduction ---------------------------------------------------------------------------------------------- */

void ordo_e2_find_orbit(struct ordo_e2 *e2)
{
    struct rows r = {.e2 = e2};
    const struct ordo_e2_thread *first = &e2->p->thread[0];

    if (e2->n_history || e2->async || e2->p->n_thread == 0 || first->n_segment < 2 ||
        e2->first_actor[e2->p->n_thread] != e2->n_actor)
        return;
    for (r.n = 0; r.n < first->n_segment; r.n++) {
        r.row[r.n] = row_of(e2, first, r.n);
        if (r.row[r.n] < 0 || !add_row(&r, r.n))
            return;
    }
    for (int32_t k = 1; k < r.n; k++)
        if (!alike(&r, k))
            return;
    e2->orbit = calloc((size_t)(r.n * r.n_bit[0]), sizeof *e2->orbit);
    if (!e2->orbit) {
        e2->lacks_memory = true;
        return;
    }
    e2->n_row = r.n;
    e2->n_orbit = r.n_bit[0];
    for (int32_t k = 0; k < r.n; k++)
        memcpy(&e2->orbit[k * e2->n_orbit], r.bit[k], (size_t)e2->n_orbit * sizeof *e2->orbit);
}

static int by_key(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint64_t));
}

void ordo_e2_sort_rows(const struct ordo_e2 *e2, uint64_t *s)
{
    uint64_t key[MOST_ROWS][2] = {{0}};

    for (int32_t k = 0; k < e2->n_row; k++)
        for (int32_t j = 0; j < e2->n_orbit; j++) {
            int32_t b = e2->orbit[k * e2->n_orbit + j];

            key[k][j / 64] |= (s[b / 64] >> b % 64 & 1) << j % 64;
        }
    qsort(key, (size_t)e2->n_row, sizeof key[0], by_key);
    for (int32_t k = 0; k < e2->n_row; k++)
        for (int32_t j = 0; j < e2->n_orbit; j++) {
            int32_t b = e2->orbit[k * e2->n_orbit + j];

            s[b / 64] = (s[b / 64] & ~(UINT64_C(1) << b % 64)) | (key[k][j / 64] >> j % 64 & 1) << b % 64;
        }
}
