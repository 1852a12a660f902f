/* probe.c - see probe.h: one row of a table for each kind of sum. */
#include "ref/probe.h"

#include "base/size.h"
#include "ref/fp.h"
#include "sim/contract.h" /* who is live */

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ONE = 0x3f80, MINUS = 0x8000, EXACT_BF16 = 256, EXACT_FP32 = 1 << 24 };
#define FAR_BELOW_SINK (-16384.0f) /* as an LSE: the denominator is the sink's part alone */

/* --- where elements are ----------------------------------------------------------------------------------------- */

static uint16_t *kv_at(struct ordo_probe *p, int32_t row, int32_t d)
{
    return p->tensors.kv + (int64_t)row * p->plan->request.d_qk + d;
}

static int64_t at(const struct ordo_probe *p, int32_t query, int32_t head, int32_t width)
{
    return ((int64_t)query * p->plan->request.n_head + head) * width;
}

static uint16_t *q_at(struct ordo_probe *p, int32_t query, int32_t head, int32_t d)
{
    return p->tensors.q + at(p, query, head, p->plan->request.d_qk) + d;
}

static uint16_t *do_at(struct ordo_probe *p, int32_t query, int32_t head, int32_t d)
{
    return p->tensors.dout + at(p, query, head, p->plan->request.d_v) + d;
}

static int32_t head_of(const struct ordo_probe *p, uint32_t lane)
{
    return p->sum->request.head == ORDO_ALL_HEADS ? (int32_t)lane : p->sum->request.head;
}

/* --- kinds ------------------------------------------------------------------------------------------------------ */

static uint32_t heads(const struct ordo_probe *p)
{
    return p->sum->request.head == ORDO_ALL_HEADS ? (uint32_t)p->plan->request.n_head : 1;
}

static uint32_t v_columns(const struct ordo_probe *p)
{
    return (uint32_t)p->plan->request.d_v - 1;
}

static uint32_t tail_columns(const struct ordo_probe *p)
{
    return (uint32_t)(p->plan->request.d_qk - p->plan->request.d_v);
}

static uint32_t qk_columns(const struct ordo_probe *p)
{
    return (uint32_t)p->plan->request.d_qk - 1;
}

static void ground_dkv(struct ordo_probe *p)
{
    *kv_at(p, p->sum->row.row, 0) = ONE;
    for (uint32_t i = 0; i < p->sum->n_term; i++)
        *do_at(p, p->sum->term[i].query, p->sum->term[i].head, 0) = ONE;
}

static void ground_dq(struct ordo_probe *p)
{
    for (uint32_t i = 0; i < p->sum->n_term; i++)
        *kv_at(p, p->sum->term[i].kv, 0) = ONE;
    *do_at(p, p->sum->request.query, p->sum->request.head, 0) = ONE;
}

/* The sink takes all mass; without a seed it is 0 already. */
static void all_to_sink(struct ordo_probe *p)
{
    int64_t n = (int64_t)p->plan->request.n_query * p->plan->request.n_head;

    for (int32_t h = 0; h < p->plan->request.n_head; h++)
        p->tensors.sink[h] = 0;
    for (int64_t i = 0; i < n; i++)
        p->lse[i] = FAR_BELOW_SINK;
}

static void ground_dsink(struct ordo_probe *p)
{
    int64_t n = (int64_t)p->plan->request.n_query * p->plan->request.n_head;

    all_to_sink(p);
    for (int64_t i = 0; i < n; i++)
        p->o[i * p->plan->request.d_v] = ONE;
}

static void ground_delta(struct ordo_probe *p)
{
    uint16_t *o = p->o + at(p, p->sum->request.query, 0, p->plan->request.d_v);

    all_to_sink(p);
    for (int64_t i = 0; i < (int64_t)p->plan->request.n_head * p->plan->request.d_v; i++)
        o[i] = ONE;
}

static void ground_dp(struct ordo_probe *p)
{
    for (int32_t d = 0; d < p->plan->request.d_qk; d++)
        *kv_at(p, p->sum->term[0].kv, d) = ONE;
}

static uint16_t *place_dkv(struct ordo_probe *p, const struct ordo_term *t, uint32_t lane)
{
    int32_t d = (int32_t)lane + 1;

    return t->role == 'v' ? do_at(p, t->query, t->head, d) : q_at(p, t->query, t->head, d);
}

static uint16_t *place_tail(struct ordo_probe *p, const struct ordo_term *t, uint32_t lane)
{
    return q_at(p, t->query, t->head, p->plan->request.d_v + (int32_t)lane);
}

static uint16_t *place_dq(struct ordo_probe *p, const struct ordo_term *t, uint32_t lane)
{
    return kv_at(p, t->kv, (int32_t)lane + 1);
}

static uint16_t *place_dsink(struct ordo_probe *p, const struct ordo_term *t, uint32_t lane)
{
    return do_at(p, t->query, head_of(p, lane), 0);
}

static uint16_t *place_column(struct ordo_probe *p, const struct ordo_term *t, uint32_t lane)
{
    return do_at(p, t->query, head_of(p, lane), t->place);
}

static int64_t read_dkv(const struct ordo_probe *p, uint32_t lane)
{
    return (int64_t)p->sum->row.row * p->plan->request.d_qk + lane + 1;
}

static int64_t read_tail(const struct ordo_probe *p, uint32_t lane)
{
    return (int64_t)p->sum->row.row * p->plan->request.d_qk + p->plan->request.d_v + lane;
}

static int64_t read_dq(const struct ordo_probe *p, uint32_t lane)
{
    return at(p, p->sum->request.query, p->sum->request.head, p->plan->request.d_qk) + lane + 1;
}

static int64_t read_dsink(const struct ordo_probe *p, uint32_t lane)
{
    return head_of(p, lane);
}

static int64_t read_dp(const struct ordo_probe *p, uint32_t lane)
{
    return at(p, p->sum->request.query, head_of(p, lane) + 1, p->plan->request.d_qk) - 1; /* its last column */
}

static const struct {
    enum ordo_probe_from from;
    bool minus;    /* the output has the term's negative */
    bool to_bf16;  /* whatever the output, the sum passes through BF16 */
    bool one_slot; /* a query needs one live slot, whichever */
    bool scaled;   /* a term passes through dS, unless its role is v */
    uint32_t (*lanes)(const struct ordo_probe *p);
    void (*ground)(struct ordo_probe *p);
    uint16_t *(*place)(struct ordo_probe *p, const struct ordo_term *t, uint32_t lane);
    int64_t (*read)(const struct ordo_probe *p, uint32_t lane);
} kind[ORDO_SUM_KINDS] = {
    {ORDO_FROM_DKV, false, false, false, true, v_columns, ground_dkv, place_dkv, read_dkv},
    {ORDO_FROM_DKV, false, false, false, true, tail_columns, ground_dkv, place_tail, read_tail},
    {ORDO_FROM_DQ, false, false, false, true, qk_columns, ground_dq, place_dq, read_dq},
    {ORDO_FROM_DSINK, true, false, true, false, heads, ground_dsink, place_dsink, read_dsink},
    {ORDO_FROM_DSINK, true, false, true, false, heads, ground_delta, place_column, read_dsink},
    {ORDO_FROM_DQ, false, true, true, true, heads, ground_dp, place_column, read_dp},
};

enum ordo_probe_from ordo_probe_from(enum ordo_sum_kind k)
{
    return kind[k].from;
}

/* --- the problem ------------------------------------------------------------------------------------------------ */

/* Whether the sum needs this live slot; n_kept counts its query's before it. */
static bool needed(const struct ordo_sum *sum, int32_t query, int32_t id, int32_t n_kept)
{
    enum ordo_sum_kind k = sum->request.kind;

    if (kind[k].from == ORDO_FROM_DKV)
        return id == sum->row.row;
    if (k != ORDO_SUM_DSINK && query != sum->request.query)
        return false;
    return !kind[k].one_slot || n_kept == 0;
}

static enum ordo_status copy_problem(const struct ordo_problem *from, bool whole, struct ordo_probe *p,
                                     struct ordo_err *err)
{
    uint64_t n_query = (uint64_t)from->n_query, n = n_query * (uint64_t)from->topk;

    p->problem = (struct ordo_problem){from->n_query, from->topk, from->n_kv, ordo_alloc(n, sizeof *from->idx), NULL};
    if (from->length)
        p->problem.length = ordo_alloc(n_query, sizeof *from->length);
    if (!p->problem.idx || (from->length && !p->problem.length))
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for a copy of the index tensor");
    memcpy(p->problem.idx, from->idx, n * sizeof *from->idx);
    if (from->length)
        memcpy(p->problem.length, from->length, n_query * sizeof *from->length);
    for (int32_t q = 0; !whole && q < from->n_query; q++) {
        int32_t *idx = p->problem.idx + (int64_t)q * from->topk, n_kept = 0;
        int32_t clamped = ordo_clamp_length(ordo_problem_length(from, q), from->topk);

        for (int32_t j = 0; j < from->topk; j++)
            if (ordo_slot_live(idx[j], from->n_kv, j, clamped) && needed(p->sum, q, idx[j], n_kept))
                n_kept++;
            else
                idx[j] = -1;
    }
    return ORDO_OK;
}

/* --- all -------------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_probe_make(const struct ordo_plan *plan, const struct ordo_problem *problem,
                                 const struct ordo_sum *sum, bool whole, int32_t scale_log2, struct ordo_probe *p,
                                 struct ordo_err *err)
{
    const struct ordo_request *r = &plan->request;
    uint64_t n_row = (uint64_t)r->n_query * (uint64_t)r->n_head, d_qk = (uint64_t)r->d_qk, d_v = (uint64_t)r->d_v;

    *p = (struct ordo_probe){.plan = plan, .sum = sum, .scale_log2 = scale_log2, .scale = ldexpf(1, scale_log2)};
    ORDO_BUG_ON(abs(scale_log2) > ORDO_PROBE_SCALE);
    p->n_lane = kind[sum->request.kind].lanes(p);
    p->tensors = (struct ordo_tensors){
        ordo_alloc_zero(n_row * d_qk, 2), ordo_alloc_zero((uint64_t)r->n_kv * d_qk, 2),
        ordo_alloc_zero(n_row * d_v, 2), ordo_alloc((uint64_t)r->n_head, sizeof(float)),
    };
    p->o = ordo_alloc_zero(n_row * d_v, sizeof *p->o);
    p->lse = ordo_alloc_zero(n_row, sizeof *p->lse);
    if (!p->tensors.q || !p->tensors.kv || !p->tensors.dout || !p->tensors.sink || !p->o || !p->lse)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the tensors of a probe");
    for (int32_t h = 0; h < r->n_head; h++)
        p->tensors.sink[h] = -HUGE_VALF;
    kind[sum->request.kind].ground(p);
    return copy_problem(problem, whole, p, err);
}

void ordo_probe_free(struct ordo_probe *p)
{
    ordo_problem_free(&p->problem);
    ordo_tensors_free(&p->tensors);
    free(p->o);
    free(p->lse);
    *p = (struct ordo_probe){0};
}

/* x / scale of a BF16 that stays normal. */
static uint16_t over_scale(const struct ordo_probe *p, uint16_t x)
{
    return (uint16_t)(x - p->scale_log2 * (1 << 7));
}

void ordo_probe_set(struct ordo_probe *p, const uint16_t *value, uint32_t n)
{
    enum ordo_sum_kind k = p->sum->request.kind;

    for (uint32_t lane = 0; lane < p->n_lane; lane++)
        for (uint32_t i = 0; i < p->sum->n_term; i++) {
            const struct ordo_term *term = &p->sum->term[i];
            uint16_t x = lane < n ? value[(size_t)lane * p->sum->n_term + i] : 0;

            if (x && kind[k].scaled && term->role != 'v')
                x = over_scale(p, x);
            *kind[k].place(p, term, lane) = kind[k].minus && x ? x ^ MINUS : x;
        }
}

float ordo_probe_read(const struct ordo_probe *p, const struct ordo_probe_output *out, uint32_t lane)
{
    int64_t i = kind[p->sum->request.kind].read(p, lane);

    return out->fp32 ? out->fp32[i] : ordo_fp32(ordo_bf16_to_fp32_bits(out->bf16[i]));
}

uint32_t ordo_probe_exact(const struct ordo_probe *p, const struct ordo_probe_output *out)
{
    return out->bf16 || kind[p->sum->request.kind].to_bf16 ? EXACT_BF16 : EXACT_FP32;
}
