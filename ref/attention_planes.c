/* attention_planes.c - every CTA in the order of the plan, one accumulator of dKV a plane, and their fold.
 *
 * A plane belongs to one thread at a time, which walks its CTAs as the design does: launch by launch, inside one by
 * ascending rank.  As many planes are open as there are threads; when they are done they go into the open group of
 * eight, ascending, row by row, and are cleared for the next.  So memory grows with threads, not with planes, and no
 * sum depends on who made it.
 *
 * Only rows that some live slot names have a place in a plane; all others stay +0.0. */
#include "ref/attention_impl.h"

#include "base/parallel.h"
#include "base/progress.h"
#include "base/size.h"
#include "ref/attention_scalar.h"
#include "sim/design.h"
#include "sim/fold.h"

#include <stdlib.h>
#include <string.h>

struct hand {
    struct ordo_cta cta;
    float *plane; /* [rows][Dqk], NULL where dKV is not wanted */
};

struct planes {
    const struct ordo_twin *t;
    int n_hand;
    struct hand *hand;
    int32_t *place, *row; /* of a KV row: its place or -1; of a place: its KV row */
    int32_t n_row, n_open;
    uint32_t first; /* the first open plane */
    float *group, *total;
};

/* --- rows ------------------------------------------------------------------------------------------------------- */

static void mark(const struct ordo_problem *p, int32_t *place)
{
    for (int32_t q = 0; p->topk && q < p->n_query; q++) {
        const int32_t *idx = ordo_problem_row(p, q);
        int32_t clamped = ordo_clamp_length(ordo_problem_length(p, q), p->topk);

        for (int32_t j = 0; j < clamped; j++)
            if (ordo_slot_live(idx[j], p->n_kv, j, clamped))
                place[idx[j]] = 0;
    }
}

static enum ordo_status number_rows(struct planes *s, struct ordo_err *err)
{
    uint64_t n_kv = (uint64_t)s->t->a->problem->n_kv;

    s->place = ordo_alloc(n_kv, sizeof *s->place);
    s->row = ordo_alloc(n_kv, sizeof *s->row);
    if (!s->place || !s->row)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to number the KV rows");
    memset(s->place, -1, n_kv * sizeof *s->place);
    mark(s->t->a->problem, s->place);
    for (uint64_t k = 0; k < n_kv; k++)
        if (s->place[k] == 0) {
            s->row[s->n_row] = (int32_t)k;
            s->place[k] = s->n_row++;
        }
    return ORDO_OK;
}

/* --- one plane -------------------------------------------------------------------------------------------------- */

static void add_line(enum ordo_add_kind kind, float *to, const float *term, int64_t n)
{
    if (kind == ORDO_ADD_IEEE)
        for (int64_t i = 0; i < n; i++)
            to[i] = ordo_add_by(ORDO_ADD_IEEE, to[i], term[i]);
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = ordo_add_by(ORDO_ADD_RED_FTZ, to[i], term[i]);
}

/* ORDER: slots in tile order; it matters only where a row is named twice. */
static void add_contribution(const struct planes *s, const struct ordo_cta *c, float *plane)
{
    int32_t n = s->t->d_qk;
    float term[64];

    for (int32_t i = 0; i < c->n_slot; i++) {
        const uint32_t *from = c->contribution + (int64_t)i * n;

        if (c->row[i] < 0)
            continue;
        for (int32_t d = 0; d < n; d += 64) {
            int32_t width = n - d < 64 ? n - d : 64;

            memcpy(term, from + d, (size_t)width * sizeof *term);
            add_line(s->t->contract->add, plane + (int64_t)s->place[c->row[i]] * n + d, term, width);
        }
    }
}

struct walk {
    const struct planes *s;
    struct hand *hand;
    struct ordo_err *err;
};

static int group(void *ctx, const struct ordo_worker *worker, int n)
{
    const struct walk *w = ctx;
    struct ordo_cta *c = &w->hand->cta;

    for (int i = 0; i < n; i++) {
        enum ordo_status status;

        ordo_cta_gather(w->s->t, worker[i].query, worker[i].head_block, ORDO_ALL_ROWS, c);
        status = ordo_twin_cta(w->s->t, c, w->err);
        if (status == ORDO_OK && w->hand->plane)
            status = ordo_cta_contribution(w->s->t, c, w->err);
        if (status != ORDO_OK)
            return (int)status;
        if (w->hand->plane)
            add_contribution(w->s, c, w->hand->plane);
    }
    return 0;
}

static size_t plane_bytes(const struct planes *s)
{
    return (size_t)s->n_row * (size_t)s->t->d_qk * sizeof(float);
}

/* Into the caller's planes, where they are wanted. */
static void show_plane(const struct planes *s, int64_t plane, const float *from)
{
    int64_t n = s->t->d_qk, n_kv = s->t->a->problem->n_kv;
    float *to = s->t->out->planes + plane * n_kv * n;

    memset(to, 0, (size_t)(n_kv * n) * sizeof *to);
    for (int64_t r = 0; r < s->n_row; r++)
        for (int64_t d = 0; d < n; d++)
            to[s->row[r] * n + d] = ordo_canonical(from[r * n + d]);
}

/* Item i is plane first + i, in the hands of hand i: its order is the plan's, whoever has it. */
static enum ordo_status make_plane(void *ctx, int thread, int64_t i, struct ordo_err *err)
{
    const struct planes *s = ctx;
    const struct ordo_plan *plan = s->t->a->plan;
    struct walk w = {s, &s->hand[i], err};
    struct ordo_visitor visitor = {group, &w};
    int status;

    (void)thread;
    if (s->hand[i].plane)
        memset(s->hand[i].plane, 0, plane_bytes(s)); /* plane start: +0.0 */
    status = plan->design->walk(plan, (int32_t)(s->first + (uint32_t)i), &visitor);
    if (status == 0 && s->t->out->planes)
        show_plane(s, (int64_t)s->first + i, s->hand[i].plane);
    return (enum ordo_status)status;
}

/* --- the fold --------------------------------------------------------------------------------------------------- */

/* Item r: the open planes' row r into its group, and the group into the total where it ends with them. */
static enum ordo_status fold_row(void *ctx, int thread, int64_t r, struct ordo_err *err)
{
    const struct planes *s = ctx;
    enum ordo_add_kind kind = s->t->contract->add;
    uint32_t planes = (uint32_t)s->t->a->plan->planes;
    int64_t n = s->t->d_qk, at = r * n;

    (void)thread, (void)err;
    for (uint32_t i = 0; i < (uint32_t)s->n_open; i++) { /* ORDER: planes ascending */
        uint32_t plane = s->first + i, of = ordo_fold_group(plane);

        add_line(kind, s->group + at, s->hand[i].plane + at, n);
        if (plane + 1 == ordo_fold_group_end(of, planes)) {
            add_line(kind, s->total + at, s->group + at, n);
            memset(s->group + at, 0, (size_t)n * sizeof *s->group);
        }
    }
    return ORDO_OK;
}

static void write_dkv(const struct planes *s)
{
    const struct ordo_attention_outputs *out = s->t->out;
    int64_t n = s->t->d_qk, n_kv = s->t->a->problem->n_kv;

    for (int64_t k = 0; k < n_kv; k++) {
        const float *from = s->place[k] < 0 ? NULL : s->total + s->place[k] * n;

        for (int64_t d = 0; d < n; d++) {
            float x = from ? ordo_canonical(from[d]) : 0.0f;

            if (out->dkv_fp32)
                out->dkv_fp32[k * n + d] = x;
            if (out->dkv)
                out->dkv[k * n + d] = ordo_bf16_round(ordo_bits_of(x));
        }
    }
}

/* --- all -------------------------------------------------------------------------------------------------------- */

static void planes_free(struct planes *s)
{
    for (int i = 0; s->hand && i < s->n_hand; i++) {
        ordo_cta_free(&s->hand[i].cta);
        free(s->hand[i].plane);
    }
    free(s->hand);
    free(s->place);
    free(s->row);
    free(s->group);
    free(s->total);
}

static enum ordo_status planes_make(struct planes *s, bool dkv, struct ordo_err *err)
{
    enum ordo_status status = number_rows(s, err);
    uint64_t n = (uint64_t)s->n_row * (uint64_t)s->t->d_qk;

    s->hand = ordo_alloc_zero((uint64_t)s->n_hand, sizeof *s->hand);
    if (status == ORDO_OK && !s->hand)
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for %d threads", s->n_hand);
    for (int i = 0; i < s->n_hand && status == ORDO_OK; i++)
        status = ordo_cta_make(s->t, false, &s->hand[i].cta, err);
    if (status != ORDO_OK || !dkv)
        return status;
    s->group = ordo_alloc_zero(n, sizeof *s->group);
    s->total = ordo_alloc_zero(n, sizeof *s->total);
    for (int i = 0; i < s->n_hand; i++) {
        s->hand[i].plane = ordo_alloc(n, sizeof *s->hand[i].plane);
        if (!s->hand[i].plane)
            status = ORDO_ENVIRONMENT;
    }
    if (status != ORDO_OK || !s->group || !s->total)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for %d planes of %d rows", s->n_hand + 2,
                         (int)s->n_row);
    return ORDO_OK;
}

enum ordo_status ordo_twin_planes(const struct ordo_twin *t, int n_thread, struct ordo_err *err)
{
    const struct ordo_attention_outputs *out = t->out;
    bool dkv = out->dkv || out->dkv_fp32 || out->planes;
    int32_t planes = t->a->plan->planes;
    struct planes s = {.t = t, .n_hand = n_thread < planes ? n_thread : planes};
    enum ordo_status status = planes_make(&s, dkv, err);

    for (int32_t first = 0; first < planes && status == ORDO_OK; first += s.n_hand) {
        s.first = (uint32_t)first;
        s.n_open = planes - first < s.n_hand ? planes - first : s.n_hand;
        status = ordo_parallel(s.n_hand, s.n_open, make_plane, &s, err);
        if (status == ORDO_OK && dkv)
            status = ordo_parallel(s.n_hand, s.n_row, fold_row, &s, err);
        ordo_progress("attention: plane", (uint64_t)first, (uint64_t)planes);
    }
    ordo_progress_end();
    if (status == ORDO_OK && dkv)
        write_dkv(&s);
    planes_free(&s);
    return status;
}
