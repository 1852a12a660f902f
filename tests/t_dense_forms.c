/* t_dense_forms.c - the dense twin: equal to the sparse one where both say the same, what moves no bit, what is
 * refused. */
#include "corpus/problem.h"
#include "ref/attention.h"
#include "ref/fp.h"
#include "sim/plan.h"
#include "tests/dense_tensors.h"

/* --- against the sparse twin ------------------------------------------------------------------------------------ */

/* All queries list rows 0 .. n_kv - 1 of one KV that is K and V.  dQ is equal where there is one tile: there it is
 * one product for both. */
static void assert_equals_sparse(int32_t n_kv, float scale)
{
    enum { Q = 20, KV = 150, H = 2, D = 32 };
    static int32_t idx[Q * KV];
    static uint16_t o[Q * H * D], dq[Q * H * D];
    static float lse[Q * H], delta[Q * H];
    struct ordo_problem problem = {.n_query = Q, .n_kv = n_kv, .topk = n_kv, .idx = idx};
    struct ordo_request request = {.n_query = Q, .n_kv = n_kv, .topk = n_kv, .n_head = H, .d_qk = D, .d_v = D,
                                   .target = ORDO_TARGET_SM90};
    struct ordo_attention_outputs out = {.o = o, .lse = lse, .delta = delta, .dq = dq};
    struct ordo_plan plan;
    struct ordo_attention a = {.plan = &plan, .problem = &problem};
    struct ordo_err err = {0};
    struct tensors t;

    make(&t, (struct ordo_dense_problem){1, Q, n_kv, H, 1, D, 16, 64, false}, "ascending", 3);
    for (int32_t i = 0; i < Q * n_kv; i++)
        idx[i] = i % n_kv;
    assert_int_equal(ordo_plan_make(&request, &plan, &err), ORDO_OK);
    memcpy(t.v, t.k, (size_t)(n_kv * D) * sizeof *t.v);
    t.scale = scale;
    a.in = (struct ordo_attention_inputs){.q = t.q, .kv = t.k, .dout = t.dout, .scale = scale};
    run(&t, 1, false);
    if (ordo_attention(&a, 1, &out, &err) != ORDO_OK)
        fail_msg("%s", err.reason);
    assert_memory_equal(t.out.o, o, sizeof o);
    if (n_kv <= 64)
        assert_memory_equal(t.out.dq, dq, sizeof dq);
    for (int32_t i = 0; i < Q; i++)
        for (int32_t h = 0; h < H; h++) {
            assert_int_equal(ordo_fp32_bits(t.out.lse[h * Q + i]), ordo_fp32_bits(lse[i * H + h]));
            assert_int_equal(ordo_fp32_bits(t.out.delta[h * Q + i]), ordo_fp32_bits(delta[i * H + h]));
        }
    release(&t);
}

static void equals_sparse(void **state)
{
    (void)state;
    assert_equals_sparse(48, 0.1767766952966368931843f);
    assert_equals_sparse(150, 2);
}

/* --- what moves no bit, and what does --------------------------------------------------------------------------- */

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

/* --- what is refused -------------------------------------------------------------------------------------------- */

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
        cmocka_unit_test(equals_sparse), cmocka_unit_test(threads_and_vectors), cmocka_unit_test(schedules),
        cmocka_unit_test(unmasked_diagonal), cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
