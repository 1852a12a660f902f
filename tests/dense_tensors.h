/* dense_tensors.h - a random dense attention problem with a schedule and room for all outputs, for the tests of the
 * twin. */
#ifndef ORDO_TESTS_DENSE_TENSORS_H
#define ORDO_TESTS_DENSE_TENSORS_H

#include "base/rng.h"
#include "ref/dense.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

struct tensors {
    struct ordo_dense_problem p;
    struct ordo_dense_mask mask;
    struct ordo_dense schedule;
    uint16_t *q, *k, *v, *dout;
    struct ordo_dense_outputs out;
    float scale;
};

static inline int64_t rows_q(const struct ordo_dense_problem *p)
{
    return (int64_t)p->batch * p->q_len * p->q_heads;
}

static inline int64_t rows_kv(const struct ordo_dense_problem *p)
{
    return (int64_t)p->batch * p->kv_len * p->kv_heads;
}

/* BF16 numbers of either sign from 2^-4 to 2. */
static inline uint16_t *random_rows(int64_t n, struct ordo_rng *rng)
{
    uint16_t *x = malloc((size_t)n * sizeof *x);

    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        uint64_t r = ordo_rng_next(rng);

        x[i] = (uint16_t)((r & 0x8000) | (123 + (r >> 16 & 3)) << 7 | (r & 0x7f));
    }
    return x;
}

static inline void *room(int64_t n, size_t size)
{
    void *x = malloc((size_t)n * size);

    assert_non_null(x);
    memset(x, 0xa5, (size_t)n * size);
    return x;
}

static inline void make_schedule(struct tensors *t, const char *name)
{
    int32_t value[64];
    struct ordo_err err = {0};
    struct ordo_dense_launch launch = {.mask = &t->mask, .heads = t->p.batch * t->p.q_heads, .sms = 4};

    assert_true(ordo_dense_tiles_q(&t->p) * ordo_dense_tiles_kv(&t->p) <= 64);
    ordo_dense_problem_tiles(&t->p, value);
    assert_int_equal(
        ordo_dense_mask_take(value, ordo_dense_tiles_q(&t->p), ordo_dense_tiles_kv(&t->p), &t->mask, &err), ORDO_OK);
    if (ordo_dense_make(ordo_dense_find(name), &launch, true, &t->schedule, &err) != ORDO_OK)
        fail_msg("%s: %s", name, err.reason);
}

/* Fills *t, which must stay where it is. */
static inline void make(struct tensors *t, struct ordo_dense_problem p, const char *schedule, uint64_t seed)
{
    struct ordo_rng rng = {seed};
    int64_t nq = rows_q(&p), nkv = rows_kv(&p);

    *t = (struct tensors){
        .p = p,
        .out = {room(nq * p.d, 2), room(nq, 4), room(nq, 4), room(nq * p.d, 2), room(nkv * p.d, 2),
                room(nkv * p.d, 2), room(nq * p.d, 4), room(nkv * p.d, 4), room(nkv * p.d, 4)},
        .scale = 0.1767766952966368931843f,
    };
    t->q = random_rows(nq * p.d, &rng);
    t->k = random_rows(nkv * p.d, &rng);
    t->v = random_rows(nkv * p.d, &rng);
    t->dout = random_rows(nq * p.d, &rng);
    make_schedule(t, schedule);
}

static inline void release(struct tensors *t)
{
    void *all[] = {t->q,          t->k,      t->v,      t->dout,   t->out.o,      t->out.lse,
                   t->out.delta, t->out.dq, t->out.dk, t->out.dv, t->out.dq_fp32,
                   t->out.dk_fp32, t->out.dv_fp32};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    ordo_dense_free(&t->schedule);
    ordo_dense_mask_free(&t->mask);
}

static inline struct ordo_dense_twin twin_of(const struct tensors *t)
{
    return (struct ordo_dense_twin){
        .problem = &t->p, .schedule = &t->schedule, .contract = &ordo_contract_sparse, .sm = 90,
        .in = {t->q, t->k, t->v, t->dout, NULL, NULL, t->scale},
    };
}

static inline void run(struct tensors *t, int threads, bool scalar)
{
    struct ordo_dense_twin twin = twin_of(t);
    struct ordo_err err = {0};

    twin.scalar = scalar;
    if (ordo_dense_attention(&twin, threads, &t->out, &err) != ORDO_OK)
        fail_msg("%s: %s", err.field, err.reason);
}

#endif
