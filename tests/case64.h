/* case64.h - random cases of sparse attention, small enough for loops: every convention that slots, lengths and sinks
 * have, on inputs from tame to hostile.  A case is a function of its number. */
#ifndef ORDO_TESTS_CASE64_H
#define ORDO_TESTS_CASE64_H

#include "base/rng.h"
#include "corpus/problem.h"
#include "tests/attention64.h"
#include "tests/test.h"

#include <stdlib.h>

/* The BF16 of a case, and the same as fp64 in `in`. */
struct case64 {
    struct ordo_problem problem;
    uint16_t *q, *kv, *dout;
    float *sink; /* NULL: no sink */
    float scale;
    double *wide[4];
    struct attention64_in in;
};

static inline int32_t case64_below(struct ordo_rng *rng, int32_t n)
{
    return (int32_t)ordo_rng_below(rng, (uint64_t)n);
}

static inline void *case64_alloc(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);

    assert_non_null(p);
    return p;
}

/* n BF16 with any sign and fraction, exponents 2^low ... 2^(low + span - 1); one of 16 is zero. */
static inline uint16_t *case64_values(struct ordo_rng *rng, size_t n, int32_t low, int32_t span)
{
    uint16_t *x = case64_alloc(n, sizeof *x);

    for (size_t i = 0; i < n; i++) {
        uint64_t word = ordo_rng_next(rng);
        int32_t exponent = 127 + low + (int32_t)((word >> 32) % (uint64_t)span);

        x[i] = (word >> 60) ? (uint16_t)((word & 0x807f) | (uint64_t)exponent << 7) : 0;
    }
    return x;
}

/* Different live ids in random places, of every four slots about one a hole or beyond KV; one query of eight without
 * any. */
static inline void case64_slots(struct ordo_rng *rng, struct ordo_problem *p)
{
    static const int32_t dead[] = {INT32_MIN, -123456, -1, INT32_MAX, 114514};

    p->idx = case64_alloc((size_t)p->n_query * (size_t)p->topk, sizeof *p->idx);
    for (int32_t query = 0; query < p->n_query; query++) {
        int32_t *row = p->idx + query * p->topk, next = case64_below(rng, p->n_kv);
        int32_t none = case64_below(rng, 8) == 0, left = p->n_kv;

        for (int32_t j = 0; j < p->topk; j++) {
            int32_t hole = none || left == 0 || case64_below(rng, 4) == 0;

            row[j] = hole ? dead[case64_below(rng, 5)] : next;
            next = hole ? next : (next + 1) % p->n_kv;
            left -= !hole;
        }
        for (int32_t j = p->topk - 1; j > 0; j--) {
            int32_t other = case64_below(rng, j + 1), id = row[j];

            row[j] = row[other];
            row[other] = id;
        }
    }
}

static inline void case64_lengths(struct ordo_rng *rng, struct ordo_problem *p)
{
    p->length = case64_alloc((size_t)p->n_query, sizeof *p->length);
    for (int32_t query = 0; query < p->n_query; query++)
        switch (case64_below(rng, 8)) {
        case 0:
            p->length[query] = -case64_below(rng, 3);
            break;
        case 1:
            p->length[query] = case64_below(rng, 2) ? INT32_MAX : p->topk + 1;
            break;
        default:
            p->length[query] = 1 + case64_below(rng, p->topk);
        }
}

/* One head of four has a sink that is not ordinary; 2.4e38 is finite, but not in units of log2. */
static inline float *case64_sinks(struct ordo_rng *rng, int32_t n)
{
    static const float odd[] = {-HUGE_VALF, HUGE_VALF, 2.4e38f, -400.0f, 300.0f, 40.0f, 0.0f, -2.4e38f};
    float *sink = case64_alloc((size_t)n, sizeof *sink);

    for (int32_t h = 0; h < n; h++)
        sink[h] = case64_below(rng, 4) ? (float)(case64_below(rng, 4097) - 2048) / 512.0f : odd[case64_below(rng, 8)];
    return sink;
}

/* What the exponents of q, kv and dO are. */
struct case64_family {
    int32_t q_low, q_span, kv_low, kv_span, do_low, do_span;
};

static const struct case64_family case64_family[] = {
    {-4, 5, -4, 4, -6, 6},    /* ordinary */
    {1, 4, 1, 3, -6, 6},      /* logits of hundreds */
    {-20, 30, -12, 14, -8, 8}, /* far spread */
    {-60, 6, -60, 6, -60, 6}, /* p all but equal, products far below 1 */
    {-4, 5, -4, 4, 50, 10},   /* gradients of 2^60 */
};

static inline const double *case64_widen(struct case64 *c, int at, const uint16_t *bf16, size_t n)
{
    c->wide[at] = case64_alloc(n, sizeof(double));
    for (size_t i = 0; i < n; i++)
        c->wide[at][i] = attention64_bf16(bf16[i]);
    return c->wide[at];
}

/* d_qk 0: random, up to 48; else d_qk and d_v as given. */
static inline struct case64 case64_make(uint64_t number, int32_t n_head, int32_t d_qk, int32_t d_v)
{
    struct ordo_rng rng = {ordo_mix(number)};
    const struct case64_family *f = &case64_family[number % 5];
    struct case64 c = {0};
    struct attention64_in *in = &c.in;
    size_t rows;

    c.problem.n_query = number % 50 == 49 ? 200 : 1 + case64_below(&rng, 4); /* more than a wave */
    c.problem.topk = 1 + case64_below(&rng, number % 64 ? 48 : 150);         /* more than a tile */
    c.problem.n_kv = 1 + case64_below(&rng, 64);
    case64_slots(&rng, &c.problem);
    if (case64_below(&rng, 2))
        case64_lengths(&rng, &c.problem);
    d_qk = d_qk ? d_qk : 1 + case64_below(&rng, 48);
    d_v = d_v ? d_v : 1 + case64_below(&rng, d_qk);
    rows = (size_t)c.problem.n_query * (size_t)n_head;
    c.q = case64_values(&rng, rows * (size_t)d_qk, f->q_low, f->q_span);
    c.kv = case64_values(&rng, (size_t)c.problem.n_kv * (size_t)d_qk, f->kv_low, f->kv_span);
    c.dout = case64_values(&rng, rows * (size_t)d_v, f->do_low, f->do_span);
    c.sink = case64_below(&rng, 8) ? case64_sinks(&rng, n_head) : NULL;
    c.scale = (float)(1 / sqrt((double)d_qk));
    *in = (struct attention64_in){.n_query = c.problem.n_query, .n_kv = c.problem.n_kv, .n_head = n_head,
                                  .topk = c.problem.topk, .d_qk = d_qk, .d_v = d_v, .scale = (double)c.scale,
                                  .idx = c.problem.idx, .length = c.problem.length};
    in->q = case64_widen(&c, 0, c.q, rows * (size_t)d_qk);
    in->kv = case64_widen(&c, 1, c.kv, (size_t)c.problem.n_kv * (size_t)d_qk);
    in->dout = case64_widen(&c, 2, c.dout, rows * (size_t)d_v);
    if (c.sink) {
        c.wide[3] = case64_alloc((size_t)n_head, sizeof(double));
        for (int32_t h = 0; h < n_head; h++)
            c.wide[3][h] = (double)c.sink[h];
        in->sink = c.wide[3];
    }
    return c;
}

static inline void case64_free(struct case64 *c)
{
    ordo_problem_free(&c->problem);
    free(c->q), free(c->kv), free(c->dout), free(c->sink);
    for (int i = 0; i < 4; i++)
        free(c->wide[i]);
    *c = (struct case64){0};
}

#endif
