/* e2_design.c - see e2_design.h: extents to tapes of the shipped roles (tape_cta.h), tapes to threads. */
#include "sim/e2_design.h"

#include "sim/tape_cta.h"

#include <string.h>

const char *const ordo_e2_design_name[] = {
#define ORDO_X(id, name, text) name,
    ORDO_E2_DESIGNS(ORDO_X)
#undef ORDO_X
};
const char *const ordo_e2_design_text[] = {
#define ORDO_X(id, name, text) text,
    ORDO_E2_DESIGNS(ORDO_X)
#undef ORDO_X
};
const char *const ordo_e2_order_name[3] = {"same", "rotated", "any"};

enum { MAX_IDX = 4 * 16 * 32 };

static bool by_ticket(const struct ordo_e2_spec *s)
{
    return s->design == ORDO_E2_TICKET || s->design == ORDO_E2_PERMUTED || s->design == ORDO_E2_GRID ||
           s->design == ORDO_E2_WAVES;
}

struct ordo_e2_spec ordo_e2_spec_whole(struct ordo_e2_spec s)
{
    s.ranks = s.ranks ? s.ranks : s.stride ? s.stride : 1;
    s.stride = s.stride ? s.stride : s.design == ORDO_E2_PRIVATE ? 1 : s.ranks <= 4 ? 4 : s.ranks <= 8 ? 8 : 16;
    s.rows = s.design == ORDO_E2_GRID ? s.ranks : s.rows ? s.rows : 1;
    s.groups = s.groups ? s.groups : 1;
    s.spread = s.spread ? s.spread : by_ticket(&s) ? 1 : s.ranks;
    s.waves = s.waves ? s.waves : 1;
    s.slots = s.slots ? s.slots : 1;
    s.columns = s.columns ? s.columns : s.reducers ? s.reducers : 1;
    s.writes = s.writes ? s.writes : ~UINT64_C(0);
    return s;
}

/* --- the index ------------------------------------------------------------------------------------------------- */

static bool writes(const struct ordo_e2_spec *s, int32_t rank, int32_t row)
{
    return s->writes >> (row * s->ranks + rank) % 64 & 1;
}

/* The row of a rank's i-th slot, or -1. */
static int32_t row_of(const struct ordo_e2_spec *s, int32_t rank, int32_t i)
{
    int32_t row = s->order == ORDO_E2_ROTATED ? (i + rank) % s->rows : i;

    if (s->design == ORDO_E2_GRID)
        return i < 2 ? (rank + i) % s->ranks : -1;
    if (s->design == ORDO_E2_WAVES)
        return i == 0 ? rank % s->rows : -1;
    return i < s->rows && writes(s, rank, row) ? row : -1;
}

static struct ordo_cta_shape shape_of(const struct ordo_e2_spec *s, bool bulk, int32_t *idx)
{
    int32_t visits = s->design == ORDO_E2_GRID ? 2 : s->design == ORDO_E2_WAVES ? 1 : s->rows;
    struct ordo_cta_shape shape = {
        .name = "E2",
        .cluster = s->stride,
        .n_rank = s->ranks,
        .n_wave = s->waves,
        .n_tile = (visits + s->slots - 1) / s->slots,
        .n_slot = s->slots,
        .n_row = s->rows,
        .n_column = s->columns,
        .n_reducer = bulk          ? 0
                     : s->reducers ? s->reducers
                                   : 1,
        .n_stager = bulk ? 1 : 0,
        .program = by_ticket(s) ? ORDO_CTA_TICKET : ORDO_CTA_RELAY,
        .idx = idx,
    };
    int32_t n = shape.n_tile * shape.n_slot;

    for (int32_t i = 0; i < s->waves * s->ranks * n; i++)
        idx[i] = row_of(s, i / n % s->ranks, i % n);
    return shape;
}

/* --- threads --------------------------------------------------------------------------------------------------- */

static const char *const role_name[] = {"clearer", "builder", "slot", "turn", "reducer", "stager", "bulk"};

static struct ordo_record moved(struct ordo_record r, int64_t words, int64_t elements)
{
    r.index += r.space == ORDO_SPACE_MASK ? words : r.space == ORDO_SPACE_PLANE ? elements : 0;
    return r;
}

/* One recorded thread of a group, as it stands. */
static void add_thread(const struct ordo_e2_spec *s, struct ordo_e2_program *p,
                       const struct ordo_cluster_tapes *tapes, const struct ordo_thread *from, int32_t group)
{
    int32_t cta = group * s->ranks + from->rank, wave = 0;
    struct ordo_e2_thread *t = ordo_e2_add(p, role_name[from->kind], NULL, from->rank, cta, cta / s->spread);

    if (!t)
        return;
    t->setup = from->kind == ORDO_THREAD_BUILD;
    if (from->kind == ORDO_THREAD_SLOT)
        t->warp = -cta;
    for (uint32_t i = 0; i < from->tape.n && i < from->tape.size; i++) {
        struct ordo_record r = moved(from->tape.record[i], group * s->waves * tapes->wave_words,
                                     (int64_t)group * s->rows * s->columns);

        ordo_e2_append(p, t, &r);
        while (wave + 1 < s->waves && i >= from->wave_end[wave])
            wave++;
        t->op[t->n_op - 1].wave = wave;
    }
}

/* The mask build that is not part of the program: its result. */
static void build_masks(const struct ordo_e2_spec *s, struct ordo_e2_program *p,
                        const struct ordo_cluster_tapes *tapes, const struct ordo_thread *from, int32_t group)
{
    for (uint32_t i = 0; i < from->tape.n && i < from->tape.size; i++) {
        struct ordo_record r = moved(from->tape.record[i], group * s->waves * tapes->wave_words, 0);

        *ordo_e2_value(p, r.space, r.index) |= r.value;
    }
}

/* --- a CTA as one thread ---------------------------------------------------------------------------------------- */

enum part { CLEARS, HAND_OVER, THE_REST };

static enum part part_of(const struct ordo_record *r)
{
    return r->op == ORDO_OP_RED_AND || r->op == ORDO_OP_RED_ADD               ? CLEARS
           : r->op == ORDO_OP_CLUSTER_ARRIVE || r->op == ORDO_OP_CLUSTER_WAIT ? HAND_OVER
                                                                              : THE_REST;
}

/* Appends what `from` does after its b-th barrier and before the next.  Returns whether it has a b-th barrier. */
static bool append_between(struct ordo_e2_program *p, struct ordo_e2_thread *to, const struct ordo_e2_thread *from,
                           int32_t b, enum part part)
{
    int32_t passed = 0;

    for (int32_t i = 0; i < from->n_op; i++) {
        const struct ordo_record *r = &from->op[i].record;

        if (r->op == ORDO_OP_BAR_SYNC)
            passed++;
        else if (r->op != ORDO_OP_WARP_SYNC && passed == b && part_of(r) == part) {
            ordo_e2_append(p, to, r);
            to->op[to->n_op - 1].wave = from->op[i].wave;
        }
    }
    return passed >= b;
}

/* The thread's operations so far are a segment that it may take in any order with the others. */
static void close_segment(struct ordo_e2_program *p, struct ordo_e2_thread *t)
{
    if (t->n_segment > 1 ? t->end[t->n_segment - 1] == t->end[t->n_segment - 2] : t->n_op == 0)
        return;
    if (t->n_segment == ORDO_E2_MAX_SEGMENTS) {
        p->wrong = "a thread has more segments than E2 takes";
        return;
    }
    t->end[t->n_segment++] = t->n_op;
}

static void fold_cta(const struct ordo_e2_spec *s, struct ordo_e2_program *p, struct ordo_e2_thread *to,
                     const struct ordo_e2_program *parts, int32_t cta)
{
    bool more = true;

    for (int32_t b = 0; more; b++) {
        more = false;
        for (int part = CLEARS; part <= THE_REST; part++) {
            bool first = true;

            for (int32_t i = 0; i < parts->n_thread; i++)
                if (parts->thread[i].cta == cta && !parts->thread[i].setup && (part != HAND_OVER || first)) {
                    more |= append_between(p, to, &parts->thread[i], b, (enum part)part);
                    first = false;
                }
            if (part == CLEARS && b > 0 && b % 2 == 0 && s->order == ORDO_E2_ANY)
                close_segment(p, to);
        }
    }
    if (to->n_segment > 1 && to->end[to->n_segment - 1] == to->end[to->n_segment - 2])
        to->n_segment--;
}

static bool fold(const struct ordo_e2_spec *s, struct ordo_e2_program *p)
{
    struct ordo_e2_program folded;

    if (!ordo_e2_program_begin(&folded))
        return false;
    for (int32_t i = 0; i < p->n_thread; i++)
        if (p->thread[i].setup && folded.n_thread < ORDO_E2_MAX_THREADS)
            folded.thread[folded.n_thread++] = p->thread[i];
    for (int32_t cta = 0; cta < s->groups * s->ranks; cta++) {
        struct ordo_e2_thread *t = ordo_e2_add(&folded, "", NULL, cta % s->ranks, cta, cta / s->spread);

        if (t)
            fold_cta(s, &folded, t, p, cta);
    }
    p->wrong = folded.wrong ? folded.wrong : p->wrong;
    memcpy(p->thread, folded.thread, (size_t)folded.n_thread * sizeof *p->thread);
    p->n_thread = folded.n_thread;
    ordo_e2_program_free(&folded);
    return true;
}

/* --- designs that are tickets used otherwise ------------------------------------------------------------------- */

/* Descending: the last CTA goes first. */
static void permute(const struct ordo_e2_spec *s, struct ordo_e2_thread *t)
{
    t->key = s->ranks - 1 - t->rank;
    for (int32_t i = 0; i < t->n_op; i++)
        if (t->op[i].record.op == ORDO_OP_AWAIT_GE)
            t->op[i].record.value = (uint32_t)(s->ranks - 1) - t->op[i].record.value;
}

/* All count one counter; the second wait is for all. */
static void to_grid_barrier(const struct ordo_e2_spec *s, struct ordo_e2_thread *t)
{
    int32_t waits = 0;

    for (int32_t i = 0; i < t->n_op; i++) {
        struct ordo_record *r = &t->op[i].record;

        if (r->space == ORDO_SPACE_COUNTER)
            r->index = 0;
        if (r->op == ORDO_OP_AWAIT_GE)
            r->value = (uint32_t)(waits++ * s->ranks);
        t->op[i].wave = waits - 1;
    }
}

/* "compute": a step of its own that touches nothing, before each poll. */
static void add_compute(struct ordo_e2_program *p, struct ordo_e2_thread *t)
{
    for (int32_t i = 0; i < t->n_op && t->n_op < ORDO_E2_MAX_OPS; i++)
        if (t->op[i].record.op == ORDO_OP_AWAIT_CLEAR) {
            memmove(&t->op[i + 1], &t->op[i], (size_t)(t->n_op - i) * sizeof t->op[0]);
            t->op[i].record.op = ORDO_OP_WARP_SYNC;
            t->op[i].record.space = ORDO_SPACE_NONE;
            t->op[i++].record.index = 0;
            t->end[t->n_segment - 1] = ++t->n_op;
        }
    if (t->n_op == ORDO_E2_MAX_OPS)
        p->wrong = "a thread has more operations than E2 takes";
}

static void adapt(const struct ordo_e2_spec *s, struct ordo_e2_program *p)
{
    for (int32_t i = 0; i < p->n_thread; i++)
        if (s->design == ORDO_E2_PERMUTED)
            permute(s, &p->thread[i]);
        else if (s->design == ORDO_E2_GRID)
            to_grid_barrier(s, &p->thread[i]);
        else if (s->design == ORDO_E2_COARSE)
            add_compute(p, &p->thread[i]);
}

/* --- the program ------------------------------------------------------------------------------------------------ */

/* Ranks with bulk copies from one recording, the others from another. */
static bool record_group(const struct ordo_e2_spec *s, struct ordo_e2_program *p, int32_t group)
{
    int32_t idx[MAX_IDX];
    bool ok = true;

    for (int bulk = 0; bulk < 2 && ok; bulk++) {
        struct ordo_cta_shape shape = shape_of(s, bulk, idx);
        struct ordo_cluster_tapes tapes;

        ok = ordo_cluster_tapes_record(&tapes, &shape);
        for (int32_t i = 0; ok && i < tapes.n_thread; i++) {
            const struct ordo_thread *t = &tapes.thread[i];

            if (t->kind == ORDO_THREAD_CLEAR || (s->bulk >> t->rank & 1) != bulk)
                continue; /* a plane is clear at first */
            if (t->kind == ORDO_THREAD_BUILD && !s->setup)
                build_masks(s, p, &tapes, t, group);
            else
                add_thread(s, p, &tapes, t, group);
        }
        ordo_cluster_tapes_free(&tapes);
    }
    return ok;
}

bool ordo_e2_design(const struct ordo_e2_spec *spec, struct ordo_e2_program *p)
{
    struct ordo_e2_spec whole = ordo_e2_spec_whole(*spec);
    bool ok = ordo_e2_program_begin(p);

    p->n_column = whole.columns;
    p->hands_over = whole.waves > 1;
    p->stride = by_ticket(&whole) || whole.stride == 1 ? 0 : whole.stride;
    if (whole.reducers == 0 && whole.slots > 1)
        p->wrong = "a CTA that is one thread has one slot a tile";
    for (int32_t g = 0; ok && g < whole.groups; g++)
        ok = record_group(&whole, p, g);
    if (ok && whole.reducers == 0)
        ok = fold(&whole, p);
    if (ok)
        adapt(&whole, p);
    return ok;
}
