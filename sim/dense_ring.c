/* dense_ring.c - rows of the heads in flight, and the heap of free slots; see dense_run.h. */
#include "sim/dense_run.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_RING = 4 };

/* --- the ring --------------------------------------------------------------------------------------------------- */

void ordo_dense_clear_head(struct ordo_dense_run *r, int64_t head)
{
    struct ordo_dense_row *row = r->row + head % r->ring * r->mask->n_q;

    for (int32_t q = 0; q < r->mask->n_q; q++)
        row[q] = (struct ordo_dense_row){0, 0, ORDO_DENSE_NONE};
    r->left[head % r->ring] = r->mask->pairs;
}

bool ordo_dense_grow(struct ordo_dense_run *r)
{
    int64_t old_ring = r->ring, n_q = r->mask->n_q;
    struct ordo_dense_row *old = r->row;
    int64_t *old_left = r->left;

    r->ring = old_ring ? 2 * old_ring : FIRST_RING;
    r->row = ordo_alloc((uint64_t)(r->ring * n_q), sizeof *r->row);
    r->left = ordo_alloc((uint64_t)r->ring, sizeof *r->left);
    for (int64_t head = r->base; r->row && r->left && head < r->base + r->ring; head++) {
        ordo_dense_clear_head(r, head);
        if (head >= r->base + old_ring)
            continue;
        memcpy(r->row + head % r->ring * n_q, old + head % old_ring * n_q, (size_t)n_q * sizeof *old);
        r->left[head % r->ring] = old_left[head % old_ring];
    }
    free(old);
    free(old_left);
    r->time->rows_held = r->ring * n_q;
    return r->row && r->left;
}

/* --- free slots ------------------------------------------------------------------------------------------------- */

static bool before(const struct ordo_dense_run *r, int32_t a, int32_t b)
{
    int64_t x = r->slot[a].now, y = r->slot[b].now;

    return x < y || (x == y && a < b);
}

void ordo_dense_put_idle(struct ordo_dense_run *r, int32_t s)
{
    int32_t at = r->n_idle++;

    for (; at > 0 && before(r, s, r->idle[(at - 1) / 2]); at = (at - 1) / 2)
        r->idle[at] = r->idle[(at - 1) / 2];
    r->idle[at] = s;
}

int32_t ordo_dense_take_idle(struct ordo_dense_run *r)
{
    int32_t top = r->idle[0], last = r->idle[--r->n_idle], at = 0;

    for (int32_t child; (child = 2 * at + 1) < r->n_idle; at = child) {
        child += child + 1 < r->n_idle && before(r, r->idle[child + 1], r->idle[child]);
        if (!before(r, r->idle[child], last))
            break;
        r->idle[at] = r->idle[child];
    }
    r->idle[at] = last;
    return top;
}
