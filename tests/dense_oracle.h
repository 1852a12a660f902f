/* dense_oracle.h - tensors of dense_tensors.h before the dense oracle, and the fork's fault made from the twin
 * itself. */
#ifndef ORDO_TESTS_DENSE_ORACLE_H
#define ORDO_TESTS_DENSE_ORACLE_H

#include "oracle/dense.h"
#include "oracle/tier.h"
#include "tests/dense_tensors.h"

static inline struct ordo_dense_attend attend_of(const struct tensors *t)
{
    const struct ordo_dense_problem *p = &t->p;

    return (struct ordo_dense_attend){p->batch, p->q_len, p->kv_len, p->q_heads, p->kv_heads, p->d, p->tile_q,
                                      p->tile_kv, p->causal, t->q, t->k, t->v, t->dout, t->scale};
}

/* Gradient `output` of the tensors, in fp32 or BF16. */
static inline struct ordo_actual actual_of(const struct tensors *t, int output, bool fp32)
{
    const void *wide[] = {t->out.dq_fp32, t->out.dk_fp32, t->out.dv_fp32},
               *narrow[] = {t->out.dq, t->out.dk, t->out.dv};

    return (struct ordo_actual){
        .format = fp32 ? ORDO_NEAR_FP32 : ORDO_NEAR_BF16,
        .n = (output == ORDO_DENSE_DQ ? rows_q(&t->p) : rows_kv(&t->p)) * t->p.d,
        .data = fp32 ? wide[output] : narrow[output],
    };
}

/* All rows' intervals. */
static inline void near_of(const struct tensors *t, enum ordo_near_kind kind, enum ordo_dense_wrong wrong,
                           struct ordo_near_gradient *g)
{
    struct ordo_dense_attend a = attend_of(t);
    struct ordo_near_saved saved = {t->out.o, t->out.lse};
    struct ordo_err err = {0};

    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++)
        if (!g->set[i].unit)
            assert_int_equal(ordo_dense_want_near(g, &a, i, ordo_dense_units(&a, i), NULL, &err), ORDO_OK);
    assert_int_equal(ordo_dense_near(&a, kind, wrong, &saved, g, &err), ORDO_OK);
}

/* How many elements of all gradients an interval refuses; *n: of how many, *worst: the largest ratio. */
static inline uint64_t refused(const struct tensors *t, const struct ordo_near_gradient *g, bool fp32, uint64_t *n,
                               double *worst)
{
    uint64_t bad = 0;

    *n = 0;
    *worst = 0;
    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++) {
        struct ordo_actual got = actual_of(t, i, fp32);
        struct ordo_tier tier;

        ordo_tier_interval(&got, &g->set[i], &tier);
        bad += tier.n_bad;
        *n += tier.n;
        *worst = tier.worst.ratio > *worst ? tier.worst.ratio : *worst;
    }
    return bad;
}

/* The backward of a kernel that skips tiles as the causal mask says and masks no element of those that are left,
 * after a right forward: a problem without a mask, on the causal tiles.  t has run; its gradients become the faulty
 * ones. */
static inline void unmask_diagonal(struct tensors *t)
{
    struct ordo_dense_problem full = t->p;
    struct ordo_dense_twin twin = twin_of(t);
    struct ordo_dense_outputs out = t->out;
    struct ordo_err err = {0};

    full.causal = false;
    twin.problem = &full;
    twin.in.o = t->out.o;
    twin.in.lse = t->out.lse;
    out.o = NULL;
    out.lse = out.delta = NULL;
    assert_int_equal(ordo_dense_attention(&twin, 1, &out, &err), ORDO_OK);
}

#endif
