/* e2_sync.c - release and acquire patterns of PTX, pair by pair, decided before the search.
 *
 * A release point is a releasing write, or a fence before the write in its thread, or a releasing write before it to
 * the same word; an acquire point an acquiring await, or a fence after the await.  They synchronise if the await
 * observes the write and the two points are morally strong.  What a release point knew is kept in a view of its own
 * (its snapshot) as long as somebody may acquire from it. */
#include "sim/e2_impl.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

static const struct ordo_record *record_of(const struct ordo_e2 *e2, int32_t t, int32_t i)
{
    return &e2->p->thread[t].op[i].record;
}

static bool is_fence(const struct ordo_record *r)
{
    return r->op == ORDO_OP_FENCE && r->sem >= ORDO_SEM_acq_rel;
}

static bool is_sc_fence(const struct ordo_record *r)
{
    return r->op == ORDO_OP_FENCE && r->sem == ORDO_SEM_sc;
}

static bool same_word(const struct ordo_record *a, const struct ordo_record *b)
{
    return a->space == b->space && a->index == b->index;
}

static bool is_await(const struct ordo_record *r)
{
    return r->op == ORDO_OP_AWAIT_CLEAR || r->op == ORDO_OP_AWAIT_GE;
}

static bool is_write(const struct ordo_record *r)
{
    return (r->space == ORDO_SPACE_MASK || r->space == ORDO_SPACE_COUNTER) && !is_await(r) && r->op != ORDO_OP_LOAD;
}

/* Between segments taken in any order there is no program order. */
static bool one_segment(const struct ordo_e2 *e2, int32_t t, int32_t i, int32_t j)
{
    const struct ordo_e2_thread *th = &e2->p->thread[t];

    for (int32_t g = 0; g < th->n_segment; g++)
        if ((i < th->end[g]) != (j < th->end[g]))
            return false;
    return true;
}

/* Whether `point` of a thread is a release point of its write w. */
static bool releases(const struct ordo_e2 *e2, int32_t u, int32_t point, int32_t w)
{
    const struct ordo_record *p = record_of(e2, u, point), *r = record_of(e2, u, w);

    if (r->sem == ORDO_SEM_weak || !one_segment(e2, u, point, w))
        return false;
    return is_fence(p) ? point < w : is_write(p) && p->sem >= ORDO_SEM_release && same_word(p, r);
}

/* Whether `point` of a thread is an acquire point of its await a. */
static bool acquires(const struct ordo_e2 *e2, int32_t t, int32_t point, int32_t a)
{
    const struct ordo_record *p = record_of(e2, t, point);

    if (!one_segment(e2, t, point, a))
        return false;
    return point == a ? p->sem == ORDO_SEM_acquire || p->sem == ORDO_SEM_acq_rel : point > a && is_fence(p);
}

/* --- views ------------------------------------------------------------------------------------------------------ */

struct ordo_e2_field ordo_e2_part(const struct ordo_e2_view *v, int32_t first, int32_t n)
{
    struct ordo_e2_field f = v->field;

    if (!f.width || first < v->first || first + n > v->first + v->n || n == 0)
        return (struct ordo_e2_field){0, 0, 0};
    return (struct ordo_e2_field){f.word, (uint8_t)(f.shift + first - v->first), (uint8_t)n};
}

static void add_join(struct ordo_e2 *e2, struct ordo_e2_field to, struct ordo_e2_field from)
{
    if (!to.width || !from.width)
        return;
    if (e2->n_join == e2->join_room) {
        uint32_t room = e2->join_room ? 2 * e2->join_room : 256;
        struct ordo_e2_join *join = realloc(e2->join, room * sizeof *join);

        if (!join) {
            e2->lacks_memory = true;
            return;
        }
        e2->join = join;
        e2->join_room = room;
    }
    e2->join[e2->n_join++] = (struct ordo_e2_join){to, from};
}

void ordo_e2_join_views(struct ordo_e2 *e2, const struct ordo_e2_view *to, const struct ordo_e2_view *from)
{
    int32_t first = to->first > from->first ? to->first : from->first;
    int32_t end = to->first + to->n < from->first + from->n ? to->first + to->n : from->first + from->n;

    if (e2->views && end > first)
        add_join(e2, ordo_e2_part(to, first, end - first), ordo_e2_part(from, first, end - first));
}

/* --- pairs ------------------------------------------------------------------------------------------------------ */

/* The facts that a snapshot holds: all; projected, those of the cells that the thread added to since its last await.
 */
static void range_of(const struct ordo_e2 *e2, int32_t u, int32_t point, int32_t *first, int32_t *n)
{
    int32_t low = e2->n_cell, high = -1;

    *first = 0;
    *n = e2->n_fact;
    if (!e2->o.project || e2->async || e2->n_history)
        return;
    for (int32_t i = point - 1; i >= 0 && !is_await(record_of(e2, u, i)); i--)
        if (record_of(e2, u, i)->op == ORDO_OP_STORE) {
            int32_t c = ordo_e2_cell_of(e2, record_of(e2, u, i), 0);

            low = c < low ? c : low;
            high = c > high ? c : high;
        }
    if (high >= 0) {
        *first = low;
        *n = high + 1 - low;
    }
}

static void need_snapshot(struct ordo_e2 *e2, int32_t u, int32_t point)
{
    int32_t first, n;

    if (e2->snapshot[u][point] >= 0)
        return;
    range_of(e2, u, point, &first, &n);
    e2->snapshot[u][point] = (int16_t)e2->n_view;
    (void)ordo_e2_new_view(e2, first, n);
}

static void need_pending(struct ordo_e2 *e2, int32_t t, int32_t fence)
{
    if (e2->pending[t][fence] >= 0)
        return;
    e2->pending[t][fence] = (int16_t)e2->n_view;
    (void)ordo_e2_new_view(e2, 0, e2->n_fact);
}

/* Visits the pairs of points by which (t, a), having observed (u, w), synchronises. */
static void each_pair(struct ordo_e2 *e2, int32_t t, int32_t a, int32_t u, int32_t w,
                      void (*visit)(struct ordo_e2 *, int32_t t, int32_t a, int32_t acquire, int32_t u,
                                    int32_t release))
{
    for (int32_t r = 0; r <= w; r++)
        for (int32_t q = a; q < e2->p->thread[t].n_op; q++)
            if (releases(e2, u, r, w) && acquires(e2, t, q, a) && ordo_e2_strong_pair(e2, u, r, t, q))
                visit(e2, t, a, q, u, r);
}

static void prepare(struct ordo_e2 *e2, int32_t t, int32_t a, int32_t acquire, int32_t u, int32_t release)
{
    need_snapshot(e2, u, release);
    if (acquire != a)
        need_pending(e2, t, acquire);
}

static void join_pair(struct ordo_e2 *e2, int32_t t, int32_t a, int32_t acquire, int32_t u, int32_t release)
{
    int32_t to = acquire == a ? t : e2->pending[t][acquire];

    ordo_e2_join_views(e2, &e2->view[to], &e2->view[e2->snapshot[u][release]]);
}

void ordo_e2_acquire(struct ordo_e2 *e2, int32_t t, int32_t a, int32_t u, int32_t w)
{
    if (e2->views && t != u)
        each_pair(e2, t, a, u, w, join_pair);
}

/* Whether the await asks for a bit that the write clears, or the word has a history. */
static bool concerns(struct ordo_e2 *e2, const struct ordo_record *await, const struct ordo_record *write)
{
    return same_word(await, write) &&
           (ordo_e2_history_of(e2, await) || (write->op == ORDO_OP_RED_AND && (await->value & ~write->value)));
}

static void pair_await(struct ordo_e2 *e2, int32_t t, int32_t a)
{
    const struct ordo_e2_program *p = e2->p;

    for (int32_t u = 0; u < p->n_thread; u++)
        for (int32_t w = 0; w < p->thread[u].n_op; w++)
            if (u != t && !p->thread[u].setup && is_write(record_of(e2, u, w)) &&
                concerns(e2, record_of(e2, t, a), record_of(e2, u, w)))
                each_pair(e2, t, a, u, w, prepare);
}

void ordo_e2_pair_up(struct ordo_e2 *e2)
{
    const struct ordo_e2_program *p = e2->p;

    memset(e2->snapshot, 0xFF, sizeof e2->snapshot);
    memset(e2->pending, 0xFF, sizeof e2->pending);
    if (!e2->views)
        return;
    for (int32_t t = 0; t < p->n_thread; t++)
        for (int32_t i = 0; i < p->thread[t].n_op; i++) {
            if (is_await(record_of(e2, t, i)))
                pair_await(e2, t, i);
            if (is_sc_fence(record_of(e2, t, i)))
                need_snapshot(e2, t, i);
        }
}
