/* naive_attention.h - sparse attention bit for bit, the slow way: what sim/contract.h says, written down once more.
 *
 * One element at a time by the emulator of naive_mma.h; every tile has its 64 slots, every head block its 64 heads,
 * dead ones as zeros; every plane is there whole.  Shares with ref/ only the functions of one number in base/. */
#ifndef ORDO_TESTS_NAIVE_ATTENTION_H
#define ORDO_TESTS_NAIVE_ATTENTION_H

#include "base/ex2_sm90.h"
#include "base/exp2.h"
#include "base/log2.h"
#include "ref/attention.h"
#include "sim/contract.h"
#include "tests/naive_mma.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

/* What is done wrongly, for those who ask whether anybody notices; NAIVE_RIGHT unless a test sets it. */
enum naive_mutant {
    NAIVE_RIGHT,
    NAIVE_DROPS_LAST_K16,   /* of dQ */
    NAIVE_SWAPS_TILES,      /* the first two of dQ */
    NAIVE_REVERSES_RELAY,   /* ranks of a cluster from last to first */
    NAIVE_FOLDS_SIXTEEN,    /* planes in groups of 16 */
    NAIVE_FRACTION_24,
    NAIVE_NEAREST,          /* the tensor core's sum to nearest even */
    NAIVE_CHUNK_8,
    NAIVE_P_UNROUNDED,      /* P in two BF16 pieces where it is a factor of dKV */
    NAIVE_DEGREE_3,         /* exp2 by a cubic */
    NAIVE_FLUSHES,          /* additions flush subnormals */
    NAIVE_ATOMIC_ROW,       /* private shards: one KV row is added in the order that naive_seed says */
    NAIVE_PLANE_MINUS_ZERO, /* planes start at -0.0 */
    NAIVE_PLANE_UNCLEARED,  /* the first plane's last row still holds something */
    NAIVE_DELTA_ORDER,      /* lane d mod 32 */
    NAIVE_SCALES_AFTER,     /* dS rounds before it is scaled */
    NAIVE_MUTANTS
};
static enum naive_mutant naive_mutant;
__attribute__((unused)) static uint32_t naive_seed;

enum { TILE = 64, BLOCK = 64, DEPTH = 640 }; /* DEPTH: the deepest product, and the most slots of a row */

struct naive_run {
    const struct ordo_attention *a;
    const struct ordo_contract *c;
    const struct ordo_attention_outputs *out; /* all members there */
    int64_t n_query, n_kv, topk, n_slot, n_head, d_qk, d_v;
};

/* One CTA. */
struct naive_cta {
    int64_t q, head0;
    int32_t row[DEPTH]; /* KV row of a slot, -1 dead */
    float s[BLOCK][DEPTH];
    uint16_t p[BLOCK][DEPTH], p_rest[BLOCK][DEPTH], ds[BLOCK][DEPTH];
};

static const struct naive_model naive_hopper = {"sm90", 25, 16, -133, false, false};
static const struct naive_model naive_24 = {"24 bits", 24, 16, -133, false, false};
static const struct naive_model naive_nearest = {"to nearest", 25, 16, -133, false, true};
static const struct naive_model naive_8 = {"steps of 8", 25, 8, -133, false, false};

static const struct naive_model *naive_core(void)
{
    return naive_mutant == NAIVE_FRACTION_24 ? &naive_24
           : naive_mutant == NAIVE_NEAREST   ? &naive_nearest
           : naive_mutant == NAIVE_CHUNK_8   ? &naive_8
                                             : &naive_hopper;
}

static uint16_t naive_bf16(float x)
{
    uint32_t u = ordo_bits_of(x);

    return x != x ? 0x7fff : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static float naive_of_bf16(uint16_t x)
{
    return ordo_float_of((uint32_t)x << 16);
}

static float naive_nan(float x)
{
    return x == x ? x : ordo_float_of(0x7fffffff);
}

static int64_t naive_at(enum ordo_walk walk, int64_t n, int64_t i)
{
    return walk == ORDO_DESCENDING ? n - 1 - i : i;
}

/* c plus a chain of n / 16 steps over a[k], b[k]; n a multiple of 16. */
static float naive_chain(enum ordo_walk walk, int64_t n, const uint16_t *a, const uint16_t *b, float c)
{
    uint32_t bits = ordo_bits_of(c);

    for (int64_t i = 0; i < n / 16; i++) {
        int64_t k = 16 * naive_at(walk, n / 16, i);

        bits = naive_step(naive_core(), a + k, b + k, bits);
    }
    return ordo_float_of(bits);
}

/* 2^x with a relative error of 1e-4: the cubic through four Chebyshev points of [0, 1). */
static float naive_cubic(float x)
{
    float n = floorf(x), f = x - n;

    return x < -126 ? 0 : ldexpf(0.99992807f + f * (0.69632656f + f * (0.22449434f + f * 0.07920238f)), (int)n);
}

static float naive_exp(const struct naive_run *r, float x)
{
    return naive_mutant == NAIVE_DEGREE_3 ? naive_cubic(x)
           : r->c->exp == ORDO_EXP_6      ? ordo_exp2_6(x)
           : r->c->exp == ORDO_EXP_5 ? ordo_exp2_5(x)
                                     : ordo_float_of(ordo_ex2_sm90(ordo_bits_of(x)));
}

static float naive_flush(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static float naive_add(const struct naive_run *r, float a, float b)
{
    bool flush = r->c->add != ORDO_ADD_IEEE || naive_mutant == NAIVE_FLUSHES;

    return flush ? naive_flush(naive_flush(a) + naive_flush(b)) : a + b;
}

/* Row i of a matrix of n columns, zeros up to a multiple of 16. */
static void naive_line(const uint16_t *matrix, int64_t i, int64_t stride, int64_t n, uint16_t *out)
{
    memset(out, 0, (size_t)((n + 15) / 16 * 16) * sizeof *out);
    if (i >= 0)
        memcpy(out, matrix + i * stride, (size_t)n * sizeof *out);
}

static int64_t naive_16(int64_t n)
{
    return (n + 15) / 16 * 16;
}

static void naive_scores(const struct naive_run *r, struct naive_cta *c, int64_t heads)
{
    const struct ordo_problem *p = r->a->problem;
    uint16_t a[DEPTH], b[DEPTH];

    for (int64_t j = 0; j < r->n_slot; j++) {
        int64_t length = p->length ? p->length[c->q] : r->topk;
        int64_t id = j < r->topk ? p->idx[c->q * r->topk + j] : -1;

        c->row[j] = j < length && id >= 0 && id < r->n_kv ? (int32_t)id : -1;
    }
    for (int64_t h = 0; h < heads; h++)
        for (int64_t j = 0; j < r->n_slot; j++) {
            naive_line(r->a->in.q, c->q * r->n_head + c->head0 + h, r->d_qk, r->d_qk, a);
            naive_line(r->a->in.kv, c->row[j], r->d_qk, r->d_qk, b);
            c->s[h][j] = naive_chain(r->c->s_groups, naive_16(r->d_qk), a, b, 0);
        }
}

static void naive_forward_head(const struct naive_run *r, struct naive_cta *c, int64_t h)
{
    float max = -HUGE_VALF, base = -HUGE_VALF, lane[4] = {0}, acc[DEPTH] = {0}, log2e = 0x1.715476p+0f;
    float factor = r->a->in.scale * log2e, sink, sum, all;
    int64_t at = c->q * r->n_head + c->head0 + h;
    uint16_t pt[TILE], v[TILE];
    bool any = false;

    for (int64_t i = 0; i < r->n_slot / TILE; i++) {
        int64_t j0 = TILE * naive_at(r->c->tile_walk, r->n_slot / TILE, i);
        float old = base, alpha;
        bool here = false;

        for (int64_t j = j0; j < j0 + TILE; j++) {
            max = c->row[j] >= 0 && c->s[h][j] > max ? c->s[h][j] : max;
            here |= c->row[j] >= 0;
        }
        if (!here)
            continue;
        any = true;
        base = max * factor; /* -Inf where all scores are: nothing is scaled then, and p is exp2 of the score */
        alpha = max == -HUGE_VALF ? 1 : naive_exp(r, old - base);
        for (int l = 0; l < 4; l++)
            lane[l] *= alpha;
        for (int64_t j = j0; j < j0 + TILE; j++) {
            float p = c->row[j] >= 0 ? naive_exp(r, fmaf(c->s[h][j], factor, max == -HUGE_VALF ? -0.0f : -base)) : 0;

            lane[j % 8 / 2] += p;
            pt[j - j0] = naive_bf16(p);
        }
        for (int64_t d = 0; d < r->d_v; d++) {
            for (int64_t j = 0; j < TILE; j++)
                v[j] = c->row[j0 + j] >= 0 ? r->a->in.kv[c->row[j0 + j] * r->d_qk + d] : 0;
            acc[d] = naive_chain(r->c->pv_groups, TILE, pt, v, acc[d] * alpha);
        }
    }
    sink = r->a->in.sink ? r->a->in.sink[c->head0 + h] : -HUGE_VALF;
    sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    all = sum + naive_exp(r, sink * log2e - base);
    r->out->lse[at] = any ? naive_nan((base + ordo_log2(sum)) * 0x1.62e43p-1f) : -HUGE_VALF;
    for (int64_t d = 0; d < r->d_v; d++)
        r->out->o[at * r->d_v + d] = any ? naive_bf16(fmaf(acc[d], sum == 0 ? 0 : 1 / all, 0)) : 0;
}

/* F, or +Inf where the row adds nothing. */
static float naive_folded(const struct naive_run *r, int64_t at)
{
    float sink = r->a->in.sink ? r->a->in.sink[at % r->n_head] : -HUGE_VALF, log2e = 0x1.715476p+0f;
    float x = r->out->lse[at] * log2e, y = sink * log2e, most = x > y ? x : y, least = x > y ? y : x;

    if (isinf(x))
        return HUGE_VALF;
    return most + ordo_log2(1 + naive_exp(r, least - most));
}

static float naive_tree(float *lane)
{
    for (int offset = 16; offset; offset >>= 1)
        for (int i = 0; i < offset; i++)
            lane[i] += lane[i + offset];
    return lane[0];
}

static void naive_delta(const struct naive_run *r, int64_t at)
{
    float lane[32] = {0};

    for (int64_t d = 0; d < r->d_v; d++) {
        int64_t l = naive_mutant == NAIVE_DELTA_ORDER ? d % 32 : d / 8 % 32;

        lane[l] = fmaf(naive_of_bf16(r->out->o[at * r->d_v + d]), naive_of_bf16(r->a->in.dout[at * r->d_v + d]),
                       lane[l]);
    }
    r->out->delta[at] = isinf(naive_folded(r, at)) ? 0 : naive_nan(naive_tree(lane));
}

/* The scale that dS gets before it rounds, and what its products get. */
static float naive_before(const struct naive_run *r)
{
    return naive_mutant == NAIVE_SCALES_AFTER ? 1 : r->a->in.scale;
}

static float naive_after(const struct naive_run *r)
{
    return naive_mutant == NAIVE_SCALES_AFTER ? r->a->in.scale : 1;
}

static void naive_weights(const struct naive_run *r, struct naive_cta *c, int64_t h)
{
    int64_t at = c->q * r->n_head + c->head0 + h;
    float f = naive_folded(r, at), factor = r->a->in.scale * 0x1.715476p+0f;
    uint16_t a[DEPTH], b[DEPTH];

    naive_line(r->a->in.dout, at, r->d_v, r->d_v, a);
    for (int64_t j = 0; j < r->n_slot; j++) {
        bool live = c->row[j] >= 0 && !isinf(f);
        float p = live ? naive_exp(r, fmaf(c->s[h][j], factor, -f)) : 0, dp;

        naive_line(r->a->in.kv, c->row[j], r->d_qk, r->d_v, b);
        dp = naive_chain(r->c->dp_groups, naive_16(r->d_v), a, b, 0);
        c->p[h][j] = naive_bf16(p);
        c->p_rest[h][j] = naive_bf16(p - naive_of_bf16(c->p[h][j]));
        c->ds[h][j] = live ? naive_bf16(naive_before(r) * p * (dp - r->out->delta[at])) : 0;
    }
}

static void naive_dq(const struct naive_run *r, struct naive_cta *c, int64_t h)
{
    uint16_t k[TILE];

    for (int64_t d = 0; d < r->d_qk; d++) {
        float acc = 0;

        for (int64_t i = 0; i < r->n_slot / TILE; i++) {
            bool swap = naive_mutant == NAIVE_SWAPS_TILES && i < 2 && r->n_slot > TILE;
            int64_t n_tile = r->n_slot / TILE, at = swap ? 1 - i : i;
            int64_t j0 = TILE * naive_at(r->c->tile_walk, n_tile, at);
            int64_t deep = naive_mutant == NAIVE_DROPS_LAST_K16 && i + 1 == n_tile ? TILE - 16 : TILE;

            for (int64_t j = 0; j < TILE; j++)
                k[j] = c->row[j0 + j] >= 0 ? r->a->in.kv[c->row[j0 + j] * r->d_qk + d] : 0;
            acc = naive_chain(r->c->dq_groups, deep, c->ds[h] + j0, k, acc);
        }
        r->out->dq[(c->q * r->n_head + c->head0 + h) * r->d_qk + d] = naive_bf16(acc * naive_after(r));
    }
}

/* Column `column` of 64 heads of `matrix`, zeros for heads that are not there. */
static void naive_heads(const struct naive_run *r, const struct naive_cta *c, const uint16_t *matrix, int64_t width,
                        int64_t column, int64_t heads, uint16_t *out)
{
    for (int64_t h = 0; h < BLOCK; h++)
        out[h] = h < heads ? matrix[(c->q * r->n_head + c->head0 + h) * width + column] : 0;
}

/* One term onto its plane; those of the row of NAIVE_ATOMIC_ROW (KV row 0) all onto the first plane, whoever has
 * them, in the order of the queries turned round by naive_seed. */
static void naive_atomic(const struct naive_run *r, const struct naive_cta *c, int64_t j, float *to, float x)
{
    if (naive_mutant == NAIVE_ATOMIC_ROW && c->row[j] == 0)
        to = r->out->planes + (to - r->out->planes) % (r->n_kv * r->d_qk);
    *to = naive_add(r, *to, x);
}

static void naive_dkv(const struct naive_run *r, const struct naive_cta *c, int64_t heads, float *plane)
{
    uint16_t p[BLOCK], rest[BLOCK], ds[BLOCK], dout[BLOCK], q[BLOCK];

    for (int64_t j = 0; j < r->n_slot; j++)
        for (int64_t d = 0; c->row[j] >= 0 && d < r->d_qk; d++) {
            float x = 0, *to = plane + c->row[j] * r->d_qk + d;

            for (int64_t h = 0; h < BLOCK; h++) {
                p[h] = h < heads ? c->p[h][j] : 0;
                rest[h] = h < heads ? c->p_rest[h][j] : 0;
                ds[h] = h < heads ? c->ds[h][j] : 0;
            }
            naive_heads(r, c, r->a->in.q, r->d_qk, d, heads, q);
            if (d < r->d_v)
                naive_heads(r, c, r->a->in.dout, r->d_v, d, heads, dout);
            if (r->c->dkv_first == ORDO_DKV_Q_DS)
                x = naive_chain(r->c->dkv_groups, BLOCK, ds, q, x);
            if (d < r->d_v)
                x = naive_chain(r->c->dkv_groups, BLOCK, p, dout, x);
            if (d < r->d_v && naive_mutant == NAIVE_P_UNROUNDED)
                x = naive_chain(r->c->dkv_groups, BLOCK, rest, dout, x);
            if (naive_mutant == NAIVE_SCALES_AFTER)
                x += naive_after(r) * naive_chain(r->c->dkv_groups, BLOCK, ds, q, 0);
            else if (r->c->dkv_first == ORDO_DKV_DO_P)
                x = naive_chain(r->c->dkv_groups, BLOCK, ds, q, x);
            naive_atomic(r, c, j, to, x);
        }
}

/* Groups of eight planes from +0.0, then the groups from +0.0. */
static void naive_fold(const struct naive_run *r)
{
    int64_t n = r->n_kv * r->d_qk, planes = r->a->plan->planes;
    int64_t group = naive_mutant == NAIVE_FOLDS_SIXTEEN ? 16 : 8;

    for (int64_t i = 0; i < n; i++) {
        float total = 0;

        for (int64_t g = 0; g < planes; g += group) {
            float sum = 0;

            for (int64_t p = g; p < g + group && p < planes; p++)
                sum = naive_add(r, sum, r->out->planes[p * n + i]);
            total = naive_add(r, total, sum);
        }
        r->out->dkv_fp32[i] = naive_nan(total);
        r->out->dkv[i] = naive_bf16(total);
    }
}

static void naive_dsink(const struct naive_run *r, int64_t h)
{
    float lane[32] = {0}, sink = r->a->in.sink ? r->a->in.sink[h] : -HUGE_VALF;

    for (int64_t q = 0; q < r->n_query; q++) {
        int64_t at = q * r->n_head + h;
        float f = naive_folded(r, at), share = isinf(f) ? 0 : naive_exp(r, sink * 0x1.715476p+0f - f);

        if (share != 0)
            lane[q % 32] = fmaf(share, -r->out->delta[at], lane[q % 32]);
    }
    r->out->dsink[h] = naive_nan(naive_tree(lane));
}

static void naive_one(const struct naive_run *r, int64_t q, int64_t head_block, float *plane)
{
    static struct naive_cta c;
    int64_t heads = r->n_head - BLOCK * head_block < BLOCK ? r->n_head - BLOCK * head_block : BLOCK;

    c.q = q;
    c.head0 = BLOCK * head_block;
    naive_scores(r, &c, heads);
    for (int64_t h = 0; h < heads; h++) {
        int64_t at = q * r->n_head + c.head0 + h;

        if (r->a->in.o) {
            memcpy(r->out->o + at * r->d_v, r->a->in.o + at * r->d_v, (size_t)r->d_v * sizeof(uint16_t));
            r->out->lse[at] = -HUGE_VALF;
            for (int64_t j = 0; j < r->n_slot; j++)
                if (c.row[j] >= 0)
                    r->out->lse[at] = r->a->in.lse[at];
        } else {
            naive_forward_head(r, &c, h);
        }
        naive_delta(r, at);
        naive_weights(r, &c, h);
        naive_dq(r, &c, h);
    }
    naive_dkv(r, &c, heads, plane);
}

/* The i-th lane of a wave. */
static int64_t naive_lane(const struct ordo_plan *p, int64_t i)
{
    if (naive_mutant == NAIVE_REVERSES_RELAY)
        return i / p->cluster * p->cluster + p->cluster - 1 - i % p->cluster;
    if (naive_mutant == NAIVE_ATOMIC_ROW)
        return (i + naive_seed) % p->wave;
    return i;
}

/* Everything, into out, whose members are all there. */
static void naive_attention(const struct ordo_attention *a, const struct ordo_attention_outputs *out)
{
    const struct ordo_plan *p = a->plan;
    const struct ordo_request *e = &p->request;
    int64_t slots = (e->topk + TILE - 1) / TILE * TILE;
    struct naive_run r = {a,         p->contract, out,       e->n_query, e->n_kv, e->topk, slots,
                          e->n_head, e->d_qk,     e->d_v};
    int64_t n = r.n_kv * r.d_qk;

    assert_true(r.n_slot <= DEPTH && r.d_qk <= DEPTH);
    for (int64_t i = 0; i < p->planes * n; i++)
        out->planes[i] = naive_mutant == NAIVE_PLANE_MINUS_ZERO ? -0.0f : 0.0f;
    for (int64_t d = 0; d < r.d_qk && naive_mutant == NAIVE_PLANE_UNCLEARED; d++)
        out->planes[n - r.d_qk + d] = 0.01f;
    for (int64_t wave = 0; wave * p->wave < r.n_query; wave++)
        for (int64_t block = 0; block * BLOCK < r.n_head; block++)
            for (int64_t i = 0; i < p->wave; i++) {
                int64_t lane = naive_lane(p, i);

                if (wave * p->wave + lane < r.n_query)
                    naive_one(&r, wave * p->wave + lane, block, out->planes + lane / p->cluster * n);
            }
    naive_fold(&r);
    for (int64_t i = 0; i < p->planes * n; i++)
        out->planes[i] = naive_nan(out->planes[i]);
    for (int64_t h = 0; h < r.n_head; h++)
        naive_dsink(&r, h);
}

#endif
