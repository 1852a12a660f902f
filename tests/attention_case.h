/* attention_case.h - a small attention problem with its tensors and room for every output, for the twin's tests.
 *
 * Values are seeded and vary by binades; indices are drawn without repetition, with holes, padding of all kinds and
 * lengths, unless a test writes its own. */
#ifndef ORDO_TESTS_ATTENTION_CASE_H
#define ORDO_TESTS_ATTENTION_CASE_H

#include "base/rng.h"
#include "ref/attention.h"
#include "ref/fp.h"
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CASE __attribute__((unused)) static

struct attention_case {
    struct ordo_plan plan;
    struct ordo_problem problem;
    struct ordo_attention a;
    uint16_t *q, *kv, *dout;
    float *sink;
};

/* Sizes of the outputs in elements. */
struct output_sizes {
    size_t o, lse, dq, dkv, dsink, planes;
};

CASE struct output_sizes sizes_of(const struct attention_case *c)
{
    const struct ordo_request *r = &c->plan.request;
    size_t rows = (size_t)r->n_query * (size_t)r->n_head;

    return (struct output_sizes){rows * (size_t)r->d_v, rows, rows * (size_t)r->d_qk,
                                 (size_t)r->n_kv * (size_t)r->d_qk, (size_t)r->n_head,
                                 (size_t)c->plan.planes * (size_t)r->n_kv * (size_t)r->d_qk};
}

/* Poisoned: what is not written shows. */
CASE void *poisoned(size_t n, size_t size)
{
    void *p = malloc(n * size + 1);

    assert_non_null(p);
    memset(p, 0xa5, n * size + 1);
    return p;
}

CASE struct ordo_attention_outputs outputs_new(const struct attention_case *c)
{
    struct output_sizes n = sizes_of(c);

    return (struct ordo_attention_outputs){
        .o = poisoned(n.o, 2), .lse = poisoned(n.lse, 4), .delta = poisoned(n.lse, 4), .dq = poisoned(n.dq, 2),
        .dkv = poisoned(n.dkv, 2), .dkv_fp32 = poisoned(n.dkv, 4), .dsink = poisoned(n.dsink, 4),
        .planes = poisoned(n.planes, 4)};
}

CASE void outputs_free(struct ordo_attention_outputs *x)
{
    free(x->o);
    free(x->lse);
    free(x->delta);
    free(x->dq);
    free(x->dkv);
    free(x->dkv_fp32);
    free(x->dsink);
    free(x->planes);
}

CASE void same_words(const char *what, const void *got, const void *want, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp((const char *)got + i * size, (const char *)want + i * size, size) != 0) {
            uint32_t x = 0, y = 0;

            memcpy(&x, (const char *)got + i * size, size);
            memcpy(&y, (const char *)want + i * size, size);
            fail_msg("%s: element %zu of %zu is %08x, not %08x", what, i, n, x, y);
        }
}

/* Every output, every bit. */
CASE void same_outputs(const struct attention_case *c, const struct ordo_attention_outputs *x,
                       const struct ordo_attention_outputs *y)
{
    struct output_sizes n = sizes_of(c);

    same_words("lse", x->lse, y->lse, n.lse, 4);
    same_words("o", x->o, y->o, n.o, 2);
    same_words("delta", x->delta, y->delta, n.lse, 4);
    same_words("dq", x->dq, y->dq, n.dq, 2);
    same_words("planes", x->planes, y->planes, n.planes, 4);
    same_words("dkv_fp32", x->dkv_fp32, y->dkv_fp32, n.dkv, 4);
    same_words("dkv", x->dkv, y->dkv, n.dkv, 2);
    same_words("dsink", x->dsink, y->dsink, n.dsink, 4);
}

/* Random sign and fraction, exponents over `span` binades below 2. */
CASE uint16_t *values(uint64_t seed, size_t n, uint32_t span)
{
    uint16_t *x = malloc(n * sizeof *x + 1);
    struct ordo_rng rng = {seed};

    assert_non_null(x);
    for (size_t i = 0; i < n; i++) {
        uint64_t word = ordo_rng_next(&rng);

        x[i] = (uint16_t)((word & 0x807f) | (127 - (word >> 32) % span) << 7);
    }
    return x;
}

CASE void draw_row(struct ordo_rng *rng, const struct ordo_problem *p, int32_t *row)
{
    static const int32_t padding[] = {INT32_MIN, -123456, -1, INT32_MAX, 2147480000};
    int32_t *pool = malloc((size_t)p->n_kv * sizeof *pool + 1);

    assert_non_null(pool);
    for (int32_t i = 0; i < p->n_kv; i++)
        pool[i] = i;
    for (int32_t j = 0; j < p->topk; j++) {
        uint64_t word = ordo_rng_next(rng);

        row[j] = word % 7 == 0 ? p->n_kv : padding[word % 5];
        if (j < p->n_kv) {
            int32_t at = j + (int32_t)ordo_rng_below(rng, (uint64_t)(p->n_kv - j)), id = pool[at];

            pool[at] = pool[j];
            pool[j] = id;
            row[j] = word >> 32 & 7 ? id : row[j];
        }
    }
    free(pool);
}

/* One in eight slots is a hole; lengths go from below 0 to beyond Top-K. */
CASE struct attention_case case_new(const struct ordo_request *r, uint64_t seed)
{
    struct attention_case c = {.problem = {r->n_query, r->topk, r->n_kv, NULL, NULL}};
    size_t rows = (size_t)r->n_query * (size_t)r->n_head;
    struct ordo_rng rng = {seed};
    struct ordo_err err = {0};

    assert_ok(ordo_plan_make(r, &c.plan, &err), err);
    c.problem.idx = malloc((size_t)r->n_query * (size_t)r->topk * sizeof *c.problem.idx + 1);
    c.problem.length = malloc((size_t)r->n_query * sizeof *c.problem.length + 1);
    c.sink = malloc((size_t)r->n_head * sizeof *c.sink);
    assert_true(c.problem.idx && c.problem.length && c.sink);
    for (int32_t q = 0; q < r->n_query; q++) {
        draw_row(&rng, &c.problem, c.problem.idx + (int64_t)q * r->topk);
        c.problem.length[q] = q % 5 == 3 ? (int32_t)ordo_rng_below(&rng, (uint64_t)r->topk + 4) - 2 : r->topk + q % 3;
    }
    for (int32_t h = 0; h < r->n_head; h++)
        c.sink[h] = h % 4 == 1 ? -HUGE_VALF : (float)(int)(ordo_rng_next(&rng) % 64) / 16 - 2;
    c.q = values(seed + 1, rows * (size_t)r->d_qk, 14);
    c.kv = values(seed + 2, (size_t)r->n_kv * (size_t)r->d_qk, 14);
    c.dout = values(seed + 3, rows * (size_t)r->d_v, 14);
    c.a.in = (struct ordo_attention_inputs){
        .q = c.q, .kv = c.kv, .dout = c.dout, .sink = c.sink, .scale = (float)(1 / sqrt((double)r->d_qk))};
    return c;
}

/* Links a case's parts to where it stands now. */
CASE void case_link(struct attention_case *c)
{
    c->a.plan = &c->plan;
    c->a.problem = &c->problem;
}

CASE void case_free(struct attention_case *c)
{
    ordo_problem_free(&c->problem);
    free(c->q);
    free(c->kv);
    free(c->dout);
    free(c->sink);
}

CASE struct ordo_attention_outputs run_case(struct attention_case *c, int n_thread)
{
    struct ordo_attention_outputs out = outputs_new(c);
    struct ordo_err err = {0};

    case_link(c);
    assert_ok(ordo_attention(&c->a, n_thread, &out, &err), err);
    return out;
}

#endif
