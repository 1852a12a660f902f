/* t_dense_twin.c - the dense twin: against whole matrices written out, against fp64, against the sparse twin where both
 * say the same, and what must not move a bit. */
#include "base/rng.h"
#include "corpus/problem.h"
#include "ref/attention.h"
#include "ref/dense.h"
#include "sim/plan.h"
#include "tests/naive_dense.h"

#include <string.h>

/* --- a random problem -------------------------------------------------------------------------------------------- */

struct tensors {
    struct ordo_dense_problem p;
    struct ordo_dense_mask mask;
    struct ordo_dense schedule;
    uint16_t *q, *k, *v, *dout;
    struct ordo_dense_outputs out;
    float scale;
};

static int64_t rows_q(const struct ordo_dense_problem *p)
{
    return (int64_t)p->batch * p->q_len * p->q_heads;
}

static int64_t rows_kv(const struct ordo_dense_problem *p)
{
    return (int64_t)p->batch * p->kv_len * p->kv_heads;
}

/* BF16 numbers of either sign from 2^-4 to 2. */
static uint16_t *random_rows(int64_t n, struct ordo_rng *rng)
{
    uint16_t *x = malloc((size_t)n * sizeof *x);

    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        uint64_t r = ordo_rng_next(rng);

        x[i] = (uint16_t)((r & 0x8000) | (123 + (r >> 16 & 3)) << 7 | (r & 0x7f));
    }
    return x;
}

static void *room(int64_t n, size_t size)
{
    void *x = malloc((size_t)n * size);

    assert_non_null(x);
    memset(x, 0xa5, (size_t)n * size);
    return x;
}

static void make_schedule(struct tensors *t, const char *name)
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
static void make(struct tensors *t, struct ordo_dense_problem p, const char *schedule, uint64_t seed)
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

static void release(struct tensors *t)
{
    void *all[] = {t->q,          t->k,      t->v,      t->dout,   t->out.o,      t->out.lse,
                   t->out.delta, t->out.dq, t->out.dk, t->out.dv, t->out.dq_fp32,
                   t->out.dk_fp32, t->out.dv_fp32};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    ordo_dense_free(&t->schedule);
    ordo_dense_mask_free(&t->mask);
}

static struct ordo_dense_twin twin_of(const struct tensors *t)
{
    return (struct ordo_dense_twin){
        .problem = &t->p, .schedule = &t->schedule, .contract = &ordo_contract_sparse, .sm = 90,
        .in = {t->q, t->k, t->v, t->dout, NULL, NULL, t->scale},
    };
}

static void run(struct tensors *t, int threads, bool scalar)
{
    struct ordo_dense_twin twin = twin_of(t);
    struct ordo_err err = {0};

    twin.scalar = scalar;
    if (ordo_dense_attention(&twin, threads, &t->out, &err) != ORDO_OK)
        fail_msg("%s: %s", err.field, err.reason);
}

/* --- against whole matrices -------------------------------------------------------------------------------------- */

static struct naive_dense matrices; /* of one head */

static void take_head(const struct tensors *t, int32_t b, int32_t h)
{
    const struct ordo_dense_problem *p = &t->p;
    int32_t kv_head = h / (p->q_heads / p->kv_heads);
    struct naive_dense *x = &matrices;

    *x = (struct naive_dense){.n_q = p->q_len, .n_kv = p->kv_len, .d = p->d, .tile_q = p->tile_q,
                              .tile_kv = p->tile_kv, .causal = p->causal, .scale = t->scale};
    for (int32_t i = 0; i < p->q_len; i++) {
        int64_t at = (((int64_t)b * p->q_len + i) * p->q_heads + h) * p->d;

        memcpy(x->q[i], t->q + at, (size_t)p->d * 2);
        memcpy(x->dout[i], t->dout + at, (size_t)p->d * 2);
        memcpy(x->o[i], t->out.o + at, (size_t)p->d * 2);
        x->lse[i] = t->out.lse[((int64_t)b * p->q_heads + h) * p->q_len + i];
    }
    for (int32_t j = 0; j < p->kv_len; j++) {
        int64_t at = (((int64_t)b * p->kv_len + j) * p->kv_heads + kv_head) * p->d;

        memcpy(x->k[j], t->k + at, (size_t)p->d * 2);
        memcpy(x->v[j], t->v + at, (size_t)p->d * 2);
    }
}

static void gradients_of_head(const struct tensors *t, int32_t head)
{
    int32_t list[64];

    naive_weights(&matrices);
    for (int32_t q = 0; q < t->mask.n_q; q++)
        naive_dq(&matrices, q, list, ordo_dense_order(&t->schedule, head, q, list));
    for (int32_t kv = 0; kv < t->mask.n_kv; kv++) {
        int32_t steps = ordo_dense_steps(&t->mask, kv);

        for (int32_t s = 0; s < steps; s++)
            list[s] = t->schedule.schedule->query(&t->schedule, head, kv, s);
        naive_dkv(&matrices, kv, list, steps);
    }
}

static void assert_bf16(uint16_t got, float want, const char *what, int32_t row, int32_t c)
{
    if (got != ordo_bf16_round(ordo_fp32_bits(want)))
        fail_msg("%s[%d][%d] is %04x, not the rounding of %a", what, (int)row, (int)c, got, (double)want);
}

/* The sums over the heads of a group so far. */
static float sum_dk[NAIVE_LONGEST][NAIVE_D], sum_dv[NAIVE_LONGEST][NAIVE_D];

static void assert_head(const struct tensors *t, int32_t b, int32_t h)
{
    const struct ordo_dense_problem *p = &t->p;
    int32_t group = p->q_heads / p->kv_heads;

    for (int32_t i = 0; i < p->q_len; i++)
        for (int32_t c = 0; c < p->d; c++) {
            int64_t at = (((int64_t)b * p->q_len + i) * p->q_heads + h) * p->d + c;

            assert_int_equal(ordo_fp32_bits(t->out.dq_fp32[at]), ordo_fp32_bits(matrices.dq[i][c]));
            assert_bf16(t->out.dq[at], matrices.dq[i][c], "dq", i, c);
        }
    for (int32_t j = 0; j < p->kv_len; j++)
        for (int32_t c = 0; c < p->d; c++) {
            int64_t at = (((int64_t)b * p->kv_len + j) * p->kv_heads + h / group) * p->d + c;

            sum_dk[j][c] += matrices.dk[j][c];
            sum_dv[j][c] += matrices.dv[j][c];
            if (h % group != group - 1)
                continue;
            assert_bf16(t->out.dk[at], sum_dk[j][c], "dk", j, c);
            assert_bf16(t->out.dv[at], sum_dv[j][c], "dv", j, c);
        }
}

static void assert_equal_to_matrices(const struct tensors *t)
{
    const struct ordo_dense_problem *p = &t->p;

    for (int32_t head = 0; head < p->batch * p->q_heads; head++) {
        take_head(t, head / p->q_heads, head % p->q_heads);
        gradients_of_head(t, head);
        if (head % (p->q_heads / p->kv_heads) == 0) {
            memset(sum_dk, 0, sizeof sum_dk);
            memset(sum_dv, 0, sizeof sum_dv);
        }
        assert_head(t, head / p->q_heads, head % p->q_heads);
    }
}

static const struct {
    struct ordo_dense_problem p;
    const char *schedule;
} cases[] = {
    {{1, 64, 64, 1, 1, 32, 16, 16, false}, "ascending"},
    {{1, 64, 64, 1, 1, 32, 16, 16, false}, "shift"},
    {{2, 64, 64, 2, 2, 32, 16, 16, true}, "ascending"},
    {{1, 50, 61, 2, 1, 24, 16, 32, true}, "ascending"}, /* lengths no multiple of anything, grouped heads */
    {{1, 33, 96, 3, 1, 17, 32, 16, false}, "ascending"},
    {{1, 90, 40, 1, 1, 32, 16, 16, true}, "ascending"}, /* the first 50 queries see nothing */
    {{1, 1, 1, 1, 1, 1, 16, 16, true}, "ascending"},
};

static void equals_whole_matrices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensors t;

        make(&t, cases[i].p, cases[i].schedule, 7 + i);
        run(&t, 2, false);
        assert_equal_to_matrices(&t);
        release(&t);
    }
}

/* --- against fp64 ------------------------------------------------------------------------------------------------ */

static double number(uint16_t bits)
{
    return (double)ordo_fp32(ordo_bf16_to_fp32_bits(bits));
}

/* |x - y| <= 2^-5 of the sum of |terms|: a few roundings to BF16; what is wrong is wrong by a term. */
static void assert_near(uint16_t got, double want, double terms, const char *what, int32_t row, int32_t c)
{
    if (!(fabs(number(got) - want) <= 0x1p-5 * terms))
        fail_msg("%s[%d][%d] is %g, not %g (terms %g)", what, (int)row, (int)c, number(got), want, terms);
}

static double p64[NAIVE_LONGEST][NAIVE_LONGEST], ds64[NAIVE_LONGEST][NAIVE_LONGEST];

/* P and dS of query i from the formulas. */
static void row_in_fp64(int32_t i)
{
    const struct naive_dense *x = &matrices;
    double sum = 0, delta = 0;

    for (int32_t j = 0; j < x->n_kv; j++) {
        double s = 0;

        for (int32_t c = 0; c < x->d; c++)
            s += number(x->q[i][c]) * number(x->k[j][c]);
        p64[i][j] = naive_sees(x, i, j) ? exp(s * (double)x->scale) : 0;
        sum += p64[i][j];
    }
    for (int32_t j = 0; j < x->n_kv; j++) {
        p64[i][j] = sum > 0 ? p64[i][j] / sum : 0;
        ds64[i][j] = 0;
        for (int32_t c = 0; c < x->d; c++)
            ds64[i][j] += number(x->dout[i][c]) * number(x->v[j][c]);
        delta += p64[i][j] * ds64[i][j];
    }
    for (int32_t j = 0; j < x->n_kv; j++)
        ds64[i][j] = (double)x->scale * p64[i][j] * (ds64[i][j] - delta);
}

static void columns_in_fp64(const struct tensors *t, int32_t c)
{
    const struct naive_dense *x = &matrices;

    for (int32_t i = 0; i < x->n_q; i++) {
        double sum = 0, terms = 0x1p-20;

        for (int32_t j = 0; j < x->n_kv; j++) {
            sum += ds64[i][j] * number(x->k[j][c]);
            terms += p64[i][j] * 8;
        }
        assert_near(t->out.dq[(int64_t)i * x->d + c], sum, terms, "dq", i, c);
    }
    for (int32_t j = 0; j < x->n_kv; j++) {
        double dk = 0, dv = 0, terms = 0x1p-20;

        for (int32_t i = 0; i < x->n_q; i++) {
            dk += ds64[i][j] * number(x->q[i][c]);
            dv += p64[i][j] * number(x->dout[i][c]);
            terms += p64[i][j] * 8;
        }
        assert_near(t->out.dk[(int64_t)j * x->d + c], dk, terms, "dk", j, c);
        assert_near(t->out.dv[(int64_t)j * x->d + c], dv, terms, "dv", j, c);
    }
}

static void near_fp64(void **state)
{
    (void)state;
    for (int causal = 0; causal < 2; causal++) {
        struct tensors t;

        make(&t, (struct ordo_dense_problem){1, 80, 96, 1, 1, 32, 16, 32, causal}, "ascending", 5);
        run(&t, 1, false);
        take_head(&t, 0, 0);
        for (int32_t i = 0; i < t.p.q_len; i++)
            row_in_fp64(i);
        for (int32_t c = 0; c < t.p.d; c++)
            columns_in_fp64(&t, c);
        release(&t);
    }
}

/* --- against the sparse twin -------------------------------------------------------------------------------------- */

/* All queries list rows 0 .. 47 of one KV that is K and V: one tile, so that dQ too is one product. */
static void equals_sparse(void **state)
{
    enum { Q = 20, KV = 48, H = 2, D = 32 };
    static int32_t idx[Q * KV];
    static uint16_t o[Q * H * D], dq[Q * H * D];
    static float lse[Q * H], delta[Q * H];
    struct ordo_problem problem = {.n_query = Q, .n_kv = KV, .topk = KV, .idx = idx};
    struct ordo_request request = {.n_query = Q, .n_kv = KV, .topk = KV, .n_head = H, .d_qk = D, .d_v = D,
                                   .target = ORDO_TARGET_SM90};
    struct ordo_attention_outputs out = {.o = o, .lse = lse, .delta = delta, .dq = dq};
    struct ordo_plan plan;
    struct ordo_attention a = {.plan = &plan, .problem = &problem};
    struct ordo_err err = {0};
    struct tensors t;

    (void)state;
    make(&t, (struct ordo_dense_problem){1, Q, KV, H, 1, D, 16, 64, false}, "ascending", 3);
    for (int32_t i = 0; i < Q * KV; i++)
        idx[i] = i % KV;
    assert_int_equal(ordo_plan_make(&request, &plan, &err), ORDO_OK);
    memcpy(t.v, t.k, KV * D * sizeof *t.v);
    a.in = (struct ordo_attention_inputs){.q = t.q, .kv = t.k, .dout = t.dout, .scale = t.scale};
    run(&t, 1, false);
    if (ordo_attention(&a, 1, &out, &err) != ORDO_OK)
        fail_msg("%s", err.reason);
    assert_memory_equal(t.out.o, o, sizeof o);
    assert_memory_equal(t.out.dq, dq, sizeof dq);
    for (int32_t i = 0; i < Q; i++)
        for (int32_t h = 0; h < H; h++) {
            assert_int_equal(ordo_fp32_bits(t.out.lse[h * Q + i]), ordo_fp32_bits(lse[i * H + h]));
            assert_int_equal(ordo_fp32_bits(t.out.delta[h * Q + i]), ordo_fp32_bits(delta[i * H + h]));
        }
    release(&t);
}

/* --- what moves no bit, and what does ------------------------------------------------------------------------------ */

/* Which of dQ, dK, dV are not the same bits: 1, 2, 4. */
static int difference(const struct tensors *a, const struct tensors *b)
{
    size_t nq = (size_t)(rows_q(&a->p) * a->p.d), nkv = (size_t)(rows_kv(&a->p) * a->p.d);

    return (memcmp(a->out.dq_fp32, b->out.dq_fp32, nq * 4) != 0) |
           (memcmp(a->out.dk_fp32, b->out.dk_fp32, nkv * 4) != 0) << 1 |
           (memcmp(a->out.dv_fp32, b->out.dv_fp32, nkv * 4) != 0) << 2;
}

static void threads_and_vectors(void **state)
{
    struct tensors t, u;

    (void)state;
    make(&t, (struct ordo_dense_problem){2, 70, 70, 4, 2, 64, 32, 32, true}, "ascending", 11);
    make(&u, t.p, "ascending", 11);
    run(&t, 1, true);
    run(&u, 3, false);
    assert_int_equal(difference(&t, &u), 0);
    release(&t);
    release(&u);
}

/* Descending keeps dQ and turns dK and dV; shift turns all. */
static void schedules(void **state)
{
    static const struct {
        const char *name;
        int differs;
    } want[] = {{"ascending", 0}, {"descending", 2 | 4}, {"shift", 1 | 2 | 4}};

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct tensors a, b;

        make(&a, (struct ordo_dense_problem){1, 96, 96, 1, 1, 32, 16, 16, false}, "ascending", 13);
        make(&b, a.p, want[i].name, 13);
        a.scale = b.scale = 2; /* weights of many sizes, else sums are exact */
        run(&a, 1, false);
        run(&b, 1, false);
        assert_int_equal(difference(&a, &b), want[i].differs);
        release(&a);
        release(&b);
    }
}

/* The mask's tiles are causal, the twin's elements are not: what a kernel gives that leaves the diagonal unmasked. */
static void unmasked_diagonal(void **state)
{
    struct tensors t, u;

    (void)state;
    make(&t, (struct ordo_dense_problem){1, 64, 64, 1, 1, 64, 16, 16, true}, "ascending", 17);
    make(&u, t.p, "ascending", 17);
    u.p.causal = false;
    run(&t, 1, false);
    run(&u, 1, false);
    assert_int_equal(difference(&t, &u), 1 | 2 | 4);
    release(&t);
    release(&u);
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void refused(void **state)
{
    static const struct {
        struct ordo_dense_problem p;
        const char *field;
    } bad[] = {
        {{0, 32, 32, 2, 1, 16, 16, 16, false}, "batch"},    {{1, 0, 32, 2, 1, 16, 16, 16, false}, "q_len"},
        {{1, 32, 32, 2, 0, 16, 16, 16, false}, "kv_heads"}, {{1, 32, 32, 3, 2, 16, 16, 16, false}, "q_heads"},
        {{1, 32, 32, 2, 1, 257, 16, 16, false}, "d"},       {{1, 32, 32, 2, 1, 16, 24, 16, false}, "tile_q"},
        {{1, 32, 32, 2, 1, 16, 16, 272, false}, "tile_kv"}, {{1, 33, 32, 2, 1, 16, 16, 16, false}, "schedule"},
        {{2, 32, 32, 2, 1, 16, 16, 16, false}, "schedule"},
    };
    struct tensors t;

    (void)state;
    make(&t, (struct ordo_dense_problem){1, 32, 32, 2, 1, 16, 16, 16, false}, "ascending", 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ordo_dense_twin twin = twin_of(&t);
        struct ordo_err err = {0};

        twin.problem = &bad[i].p;
        assert_int_equal(ordo_dense_attention(&twin, 1, &t.out, &err), ORDO_BAD_INPUT);
        assert_string_equal(err.field, bad[i].field);
    }
    release(&t);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(equals_whole_matrices), cmocka_unit_test(near_fp64),
        cmocka_unit_test(equals_sparse),         cmocka_unit_test(threads_and_vectors),
        cmocka_unit_test(schedules),             cmocka_unit_test(unmasked_diagonal),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
