/* near.c - the intervals of all outputs: rows, and what they add where. */
#include "oracle/near.h"

#include "base/progress.h"
#include "base/size.h"
#include "oracle/near_impl.h"
#include "ref/fp.h"

#include <stdlib.h>
#include <string.h>

enum {
    FOLDED = 128 + 16, /* additions of planes and groups at most */
    TILE = 64
};

/* What a part of a sum (attend.h) may lose beyond near_loss of its R terms, in additions.  A step of 16 on 25 bits
 * with m terms loses (m + 5) / 2 of u, one of 8 on 24 bits m + 3; a part has at most min(R, R / 8 + 2) steps and is
 * added once: at most R + 3 min(R, R / 8 + 2) + 1 <= 3 R + 3 = 1.5 (2 R + PART), and each term counts twice here, for
 * dK and for dV. */
enum { PART = 2 };

/* --- memory ----------------------------------------------------------------------------------------------------- */

struct run {
    const struct ordo_attend *a;
    const struct ordo_near_saved *saved;
    struct ordo_near_gradient *g;
    struct near_operands o;
    struct near_row row;
    int64_t *place[ORDO_REAL_OUTPUTS]; /* of a unit: its number among the wanted, or -1 */
    int32_t *live, *live_forward;
    double *q, *dout, *o_saved, *kv, *kv_forward;
};

static void run_free(struct run *r)
{
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        free(r->place[i]);
    free(r->live), free(r->live_forward), free(r->q), free(r->dout), free(r->o_saved), free(r->kv);
    free(r->kv_forward), free(r->row.s), free(r->row.p), free(r->row.ds), free(r->row.o);
    free(r->row.o_top), free(r->row.size);
    free(r->o.k), free(r->o.forward_k);
}

static enum ordo_status run_make(struct run *r, struct ordo_err *err)
{
    uint64_t topk = (uint64_t)r->a->problem->topk, d_qk = (uint64_t)r->a->d_qk, d_v = (uint64_t)r->a->d_v;

    r->live = ordo_alloc(topk, sizeof *r->live);
    r->live_forward = ordo_alloc(topk, sizeof *r->live_forward);
    r->q = ordo_alloc(d_qk, sizeof *r->q);
    r->dout = ordo_alloc(d_v, sizeof *r->dout);
    r->o_saved = ordo_alloc(d_v, sizeof *r->o_saved);
    r->kv = ordo_alloc(topk * d_qk, sizeof *r->kv);
    r->kv_forward = ordo_alloc(topk * d_qk, sizeof *r->kv_forward);
    r->row = (struct near_row){.s = ordo_alloc(topk, sizeof *r->row.s), .p = ordo_alloc(topk, sizeof *r->row.p),
                               .ds = ordo_alloc(topk, sizeof *r->row.ds), .o = ordo_alloc(d_v, sizeof *r->row.o),
                               .o_top = ordo_alloc(d_v, sizeof *r->row.o_top),
                               .size = ordo_alloc(d_v, sizeof *r->row.size)};
    r->o.k = r->o.v = ordo_alloc(topk, sizeof *r->o.k);
    r->o.forward_k = r->o.forward_v = ordo_alloc(topk, sizeof *r->o.forward_k);
    if (!r->live || !r->live_forward || !r->q || !r->dout || !r->o_saved || !r->kv || !r->kv_forward || !r->row.s ||
        !r->row.p || !r->row.ds || !r->row.o || !r->row.o_top || !r->row.size || !r->o.k || !r->o.forward_k)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for a softmax row of %d slots", (int)topk);
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        const struct ordo_near_set *s = &r->g->set[i];
        int64_t units = ordo_real_units(r->a, i);

        r->place[i] = ordo_alloc((uint64_t)units, sizeof *r->place[i]);
        if (!r->place[i])
            return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to number units");
        memset(r->place[i], -1, (size_t)units * sizeof *r->place[i]);
        memset(s->n, 0, (size_t)s->n_unit * sizeof *s->n);
        for (int64_t u = 0; u < s->n_unit; u++)
            r->place[i][s->unit[u]] = u;
        for (int64_t k = 0; k < s->n_unit * s->width; k++)
            s->x[k] = s->e[k] = s->top[k] = 0;
    }
    return ORDO_OK;
}

/* --- who takes part --------------------------------------------------------------------------------------------- */

static bool named(const int32_t *live, int32_t n, int32_t id)
{
    for (int32_t j = 0; j < n; j++)
        if (live[j] == id)
            return true;
    return false;
}

static int32_t gather(const struct ordo_problem *p, int32_t query, enum ordo_wrong wrong, int32_t *live)
{
    int32_t end = ordo_problem_length(p, query), n = 0;

    if (wrong == ORDO_WRONG_LENGTH_IGNORED)
        end = p->topk;
    for (int32_t j = 0; j < p->topk && j < end; j++) {
        int32_t id = ordo_problem_row(p, query)[j];
        bool dead = id < 0 || id >= p->n_kv;

        if (dead && wrong == ORDO_WRONG_DEAD_TO_ROW_0)
            id = 0;
        else if (dead || (wrong == ORDO_WRONG_DUPLICATE_ONCE && named(live, n, id)))
            continue;
        live[n++] = id;
    }
    return n;
}

static void widen(const uint16_t *from, int32_t n, double *to)
{
    for (int32_t i = 0; i < n; i++)
        to[i] = (double)ordo_fp32(ordo_bf16_to_fp32_bits(from[i]));
}

static void widen_rows(const struct run *r, const int32_t *live, int32_t n, double *kv, const double **list)
{
    for (int32_t j = 0; j < n; j++) {
        double *to = kv + (int64_t)j * r->a->d_qk;

        widen(ordo_attend_kv(r->a, live[j]), r->a->d_qk, to);
        list[j] = to;
    }
}

static void take_query(struct run *r, int32_t query, enum ordo_wrong wrong)
{
    enum ordo_wrong forward = wrong, backward = wrong;

    if (wrong == ORDO_WRONG_LENGTH_IGNORED_BACK || wrong == ORDO_WRONG_DEAD_TO_ROW_0_BACK) {
        forward = ORDO_WRONG_NONE;
        backward = wrong == ORDO_WRONG_LENGTH_IGNORED_BACK ? ORDO_WRONG_LENGTH_IGNORED : ORDO_WRONG_DEAD_TO_ROW_0;
    }
    r->o.n_forward = gather(r->a->problem, query, forward, r->live_forward);
    r->o.n = gather(r->a->problem, query, backward, r->live);
}

static void widen_query(struct run *r)
{
    if (r->o.kind == ORDO_NEAR_REAL)
        widen_rows(r, r->live_forward, r->o.n_forward, r->kv_forward, r->o.forward_k);
    widen_rows(r, r->live, r->o.n, r->kv, r->o.k);
}

/* --- sums ------------------------------------------------------------------------------------------------------- */

/* A unit += factor b[0 .. n - 1]. */
static void add(struct ordo_near_set *s, int64_t unit, struct near factor, const double *b, int32_t n)
{
    double *x = s->x + unit * s->width, *e = s->e + unit * s->width, *top = s->top + unit * s->width;
    double size = near_top(factor);

    s->n[unit]++;
    for (int32_t d = 0; d < n; d++) {
        x[d] += factor.x * b[d];
        e[d] += factor.e * fabs(b[d]);
        top[d] += size * fabs(b[d]);
    }
}

/* Where dQ of a query and head goes, or -1. */
static int64_t dq_place(const struct run *r, int32_t query, int32_t head)
{
    int64_t n_head = r->a->n_head, n_query = r->a->problem->n_query;

    return r->place[ORDO_REAL_DQ][r->o.wrong == ORDO_WRONG_DQ_TRANSPOSED ? head * n_query + query
                                                                         : query * n_head + head];
}

static void add_row(struct run *r, int32_t query, int32_t head, enum ordo_wrong wrong)
{
    const struct ordo_attend *a = r->a;
    int64_t dq = dq_place(r, query, head), dsink = r->place[ORDO_REAL_DSINK][head];
    struct near term;

    for (int32_t j = 0; j < r->o.n; j++) {
        int64_t dkv = r->place[ORDO_REAL_DKV][r->live[j]];

        if (dq >= 0)
            add(&r->g->set[ORDO_REAL_DQ], dq, r->row.ds[j], r->o.k[j], a->d_qk);
        if (dkv >= 0 && wrong != ORDO_WRONG_K_MISSING)
            add(&r->g->set[ORDO_REAL_DKV], dkv, r->row.ds[j], r->q, a->d_qk);
        if (dkv >= 0 && wrong != ORDO_WRONG_V_MISSING)
            add(&r->g->set[ORDO_REAL_DKV], dkv, r->row.p[j], r->dout, a->d_v);
    }
    if (dsink >= 0 && near_top(r->row.share) > 0) {
        double minus = -1;

        term = near_fp32(near_mul(r->row.share, r->row.delta), 1);
        add(&r->g->set[ORDO_REAL_DSINK], dsink, term, &minus, 1);
    }
}

static void one_row(struct run *r, int32_t query, int32_t head)
{
    const struct ordo_attend *a = r->a;
    int64_t at = (int64_t)query * a->n_head + head;
    int64_t from = r->o.wrong == ORDO_WRONG_DOUT_TRANSPOSED ? (int64_t)head * a->problem->n_query + query : at;

    widen(ordo_attend_q(a, query, head), a->d_qk, r->q);
    widen(a->dout + from * a->d_v, a->d_v, r->dout);
    r->o.sink = a->sink ? (double)a->sink[head] : -HUGE_VAL;
    if (r->o.kind == ORDO_NEAR_DECLARED) {
        widen(r->saved->o + at * a->d_v, a->d_v, r->o_saved);
        r->o.lse = (double)r->saved->lse[at];
    }
    if (ordo_near_row(&r->row, &r->o))
        add_row(r, query, head, r->o.wrong);
}

/* Leaves the slots whose KV row is wanted; returns whether there are any. */
static bool narrow(struct run *r)
{
    int32_t n = 0;

    for (int32_t j = 0; j < r->o.n; j++)
        if (r->place[ORDO_REAL_DKV][r->live[j]] >= 0)
            r->live[n++] = r->live[j];
    r->o.n = n;
    return n > 0;
}

/* Given O and LSE, a slot needs no other: so where nothing but KV rows is wanted of a query, only those slots
 * count. */
static bool slots_stand_alone(const struct run *r, int32_t query)
{
    bool alone = r->o.kind == ORDO_NEAR_DECLARED;

    for (int32_t head = 0; head < r->a->n_head && alone; head++)
        alone = r->place[ORDO_REAL_DSINK][head] < 0 && dq_place(r, query, head) < 0;
    return alone;
}

static void all_rows(struct run *r)
{
    int32_t n_query = r->a->problem->n_query;

    for (int32_t query = 0; query < n_query; query++) {
        bool for_dkv = false, wide = false;

        take_query(r, query, r->o.wrong);
        if (slots_stand_alone(r, query) && !narrow(r))
            continue;
        for (int32_t j = 0; j < r->o.n && !for_dkv; j++)
            for_dkv = r->place[ORDO_REAL_DKV][r->live[j]] >= 0;
        for (int32_t head = 0; head < r->a->n_head; head++) {
            if (!for_dkv && r->place[ORDO_REAL_DSINK][head] < 0 && dq_place(r, query, head) < 0)
                continue;
            if (!wide)
                widen_query(r);
            wide = true;
            one_row(r, query, head);
        }
        ordo_progress("intervals: query", (uint64_t)query, (uint64_t)n_query);
    }
    ordo_progress_end();
}

static void finish(struct ordo_near_set *s, double more)
{
    for (int64_t i = 0; i < s->n_unit * s->width; i++) {
        double n = s->n[i / s->width] + more;
        struct near sum = near_sum(s->x[i], s->e[i] + n * 0x1p-52 * s->top[i], s->top[i], n);

        s->e[i] = sum.e * (1 + 0x1p-10);
    }
}

enum ordo_status ordo_near_run(const struct ordo_attend *a, enum ordo_near_kind kind, enum ordo_wrong wrong,
                               const struct ordo_near_saved *saved, struct ordo_near_gradient *g,
                               struct ordo_err *err)
{
    struct run r = {.a = a, .saved = saved, .g = g};
    enum ordo_status status = run_make(&r, err);

    r.o.kind = kind;
    r.o.wrong = wrong;
    r.o.d_qk = a->d_qk;
    r.o.d_v = a->d_v;
    r.o.topk = a->problem->topk;
    r.o.tile = a->tile ? a->tile : TILE;
    r.o.scale = (double)a->scale;
    r.o.q = r.q;
    r.o.dout = r.dout;
    r.o.o = r.o_saved;
    if (status == ORDO_OK) {
        all_rows(&r);
        for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
            finish(&g->set[i], FOLDED + (i == ORDO_REAL_DKV ? (double)PART * a->parts : 0));
    }
    run_free(&r);
    return status;
}
