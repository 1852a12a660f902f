/* t_attention.c - the attention twin against the naive one, bit for bit; threads and vectors change nothing; the
 * proved order gives the same as the plan's walk. */
#include "base/fnv.h"
#include "ref/attention.h"
#include "ref/ordered.h"
#include "sim/design.h"
#include "sim/prove.h"
#include "tests/attention_case.h"
#include "tests/naive_attention.h"
#include "tests/test.h"

#include <inttypes.h>

/* Small, but: two tiles and a short group of planes, clusters, two head blocks, D and Dv no multiples of 16. */
static const struct ordo_request request[] = {
    {11, 90, 100, 5, 40, 24, ORDO_TARGET_SM90, &ordo_design_private_shards, 0, 10},
    {26, 70, 40, 17, 24, 24, ORDO_TARGET_SM90, &ordo_design_cluster_relay, 4, 12},
    {9, 40, 70, 70, 16, 16, ORDO_TARGET_SM100, &ordo_design_cluster_relay, 8, 8},
    {3, 200, 150, 3, 72, 64, ORDO_TARGET_SM90, NULL, 0, 0},
    {40, 9, 5, 2, 33, 1, ORDO_TARGET_SM90, &ordo_design_private_shards, 0, 18},
};

enum { REQUESTS = sizeof request / sizeof request[0] };

static void against_naive(struct attention_case *c)
{
    struct ordo_attention_outputs got = run_case(c, 1), want = outputs_new(c);

    naive_attention(&c->a, &want);
    same_outputs(c, &got, &want);
    outputs_free(&got);
    outputs_free(&want);
}

static void equals_naive(void **state)
{
    (void)state;
    for (int i = 0; i < REQUESTS; i++) {
        struct attention_case c = case_new(&request[i], 100 + (uint64_t)i);

        against_naive(&c);
        case_free(&c);
    }
}

/* The shapes that ship: each number of heads, with and without a tail of K. */
static void shipped_shapes(void **state)
{
    static const int32_t heads[] = {16, 32, 64, 96, 128};

    (void)state;
    for (int i = 0; i < 10; i++) {
        struct ordo_request r = {1, 30, 20, heads[i / 2], i % 2 ? 576 : 512, 512, ORDO_TARGET_SM90, NULL, 0, 0};
        struct attention_case c = case_new(&r, 700 + (uint64_t)i);

        against_naive(&c);
        case_free(&c);
    }
}

/* A row that names an id twice counts it twice, in the order of the slots. */
static void repeated_ids(void **state)
{
    static const struct ordo_request r = {4, 6, 80, 6, 32, 32, ORDO_TARGET_SM90, NULL, 4, 4};
    struct attention_case c = case_new(&r, 13);

    (void)state;
    for (int32_t i = 0; i < 4 * 80; i++)
        c.problem.idx[i] = i * i % 7;
    against_naive(&c);
    case_free(&c);
}

/* The backward alone, from what a forward saved. */
static void saved_forward(void **state)
{
    struct attention_case c = case_new(&request[1], 21);
    struct ordo_attention_outputs first = run_case(&c, 1), again;

    (void)state;
    c.a.in.o = first.o;
    c.a.in.lse = first.lse;
    again = run_case(&c, 1);
    same_outputs(&c, &again, &first);
    first.lse[3] += 0.25f;
    first.o[7] ^= 0x8000;
    against_naive(&c);
    outputs_free(&first);
    outputs_free(&again);
    case_free(&c);
}

static void threads_and_vectors(void **state)
{
    (void)state;
    for (int i = 0; i < REQUESTS; i++) {
        struct attention_case c = case_new(&request[i], 300 + (uint64_t)i);
        struct ordo_attention_outputs one = run_case(&c, 1);

        for (int n = 2; n < 8; n += 1 + n / 3) {
            struct ordo_attention_outputs many = run_case(&c, n);

            same_outputs(&c, &many, &one);
            outputs_free(&many);
        }
        c.a.scalar = true;
        struct ordo_attention_outputs plain = run_case(&c, 1);
        same_outputs(&c, &plain, &one);
        outputs_free(&plain);
        outputs_free(&one);
        case_free(&c);
    }
}

/* The prover's order, row by row and slot by slot, gives what the plan's walk gave. */
static void rows_by_the_proof(void **state)
{
    static const struct ordo_request r[] = {{26, 70, 40, 17, 24, 24, ORDO_TARGET_SM90, NULL, 4, 12},
                                            {9, 40, 38, 70, 16, 16, ORDO_TARGET_SM100, NULL, 0, 3}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct attention_case c = case_new(&r[i % 2], 40);
        struct ordo_attention_outputs x = run_case(&c, 1);
        struct ordo_proof proof = {0};
        struct ordo_err err = {0};

        if (i >= 2) {
            c.a.in.o = x.o;
            c.a.in.lse = x.lse;
        }
        assert_ok(ordo_prove(&c.plan, &c.problem, &proof, &err), err);
        assert_int_equal(proof.verdict, ORDO_PROVED);
        for (uint32_t k = 0; k < ordo_rows_count(proof.order); k++) {
            struct ordo_row row = ordo_rows_get(proof.order, k);
            size_t width = (size_t)c.plan.request.d_qk;
            float *term = malloc((row.n_add + 1) * width * sizeof *term), *sum = term + row.n_add * width;

            assert_non_null(term);
            assert_ok(ordo_attention_terms(&c.a, &row, term, &err), err);
            ordo_ref_sum(&row, (uint32_t)c.plan.planes, term, (int32_t)width, sum);
            same_words("dkv_fp32", sum, x.dkv_fp32 + (size_t)row.row * width, width, 4);
            free(term);
        }
        ordo_proof_free(&proof);
        outputs_free(&x);
        case_free(&c);
    }
}

/* What is not asked for is not needed by what is. */
static void outputs_on_request(void **state)
{
    struct attention_case c = case_new(&request[0], 5);
    struct ordo_attention_outputs all = run_case(&c, 1), x;
    struct output_sizes n = sizes_of(&c);
    struct ordo_err err = {0};

    (void)state;
    x = outputs_new(&c);
    assert_ok(ordo_attention(&c.a, 1, &(struct ordo_attention_outputs){.dq = x.dq}, &err), err);
    same_words("dq", x.dq, all.dq, n.dq, 2);
    assert_ok(ordo_attention(&c.a, 1, &(struct ordo_attention_outputs){.dkv = x.dkv}, &err), err);
    same_words("dkv", x.dkv, all.dkv, n.dkv, 2);
    assert_ok(ordo_attention(&c.a, 1, &(struct ordo_attention_outputs){.dsink = x.dsink}, &err), err);
    same_words("dsink", x.dsink, all.dsink, n.dsink, 4);
    assert_ok(ordo_attention(&c.a, 1, &(struct ordo_attention_outputs){.o = x.o, .lse = x.lse}, &err), err);
    same_words("o", x.o, all.o, n.o, 2);
    same_words("lse", x.lse, all.lse, n.lse, 4);
    outputs_free(&x);
    outputs_free(&all);
    case_free(&c);
}

/* Of every output's words, one output after the other. */
static uint64_t digest(const struct attention_case *c, const struct ordo_attention_outputs *x)
{
    struct output_sizes n = sizes_of(c);
    uint64_t h = ORDO_FNV_START;

    for (size_t i = 0; i < n.lse; i++)
        h = ordo_fnv_word(ordo_fnv_word(h, ordo_fp32_bits(x->lse[i])), ordo_fp32_bits(x->delta[i]));
    for (size_t i = 0; i < n.o; i++)
        h = ordo_fnv_word(h, x->o[i]);
    for (size_t i = 0; i < n.dq; i++)
        h = ordo_fnv_word(h, x->dq[i]);
    for (size_t i = 0; i < n.dkv; i++)
        h = ordo_fnv_word(h, ordo_fp32_bits(x->dkv_fp32[i]));
    for (size_t i = 0; i < n.dsink; i++)
        h = ordo_fnv_word(h, ordo_fp32_bits(x->dsink[i]));
    return h;
}

/* As the naive twin made them once: what both share cannot change unseen. */
static void pinned_bits(void **state)
{
    static const uint64_t want[REQUESTS] = {0xb37c1c33d7d93c01, 0x5fa87c6ec9eb0d87, 0xef9bde888d5baba8,
                                            0x9f07783a0434eb89, 0x3d3bc09de8b86e50};

    (void)state;
    for (int i = 0; i < REQUESTS; i++) {
        struct attention_case c = case_new(&request[i], 500 + (uint64_t)i);
        struct ordo_attention_outputs x = run_case(&c, 2);

        if (digest(&c, &x) != want[i])
            fail_msg("request %d: 0x%016" PRIx64, i, digest(&c, &x));
        outputs_free(&x);
        case_free(&c);
    }
}

static void refusals(void **state)
{
    struct attention_case c = case_new(&request[0], 5);
    struct ordo_attention_outputs none = {0};
    struct ordo_err err = {0};
    float lse = 0;

    (void)state;
    case_link(&c);
    c.a.in.scale = 0;
    assert_int_equal(ordo_attention(&c.a, 1, &none, &err), ORDO_BAD_INPUT);
    assert_string_equal(err.field, "scale");
    c.a.in.scale = NAN;
    assert_int_equal(ordo_attention(&c.a, 1, &none, &err), ORDO_BAD_INPUT);
    c.a.in.scale = 1;
    c.a.in.lse = &lse;
    assert_int_equal(ordo_attention(&c.a, 1, &none, &err), ORDO_BAD_INPUT);
    assert_string_equal(err.field, "o");
    c.a.in.lse = NULL;
    c.problem.n_kv++;
    assert_int_equal(ordo_attention(&c.a, 1, &none, &err), ORDO_BAD_INPUT);
    assert_string_equal(err.field, "kv");
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(equals_naive),        cmocka_unit_test(shipped_shapes),
        cmocka_unit_test(repeated_ids),
        cmocka_unit_test(saved_forward),       cmocka_unit_test(threads_and_vectors),
        cmocka_unit_test(rows_by_the_proof),   cmocka_unit_test(outputs_on_request),
        cmocka_unit_test(pinned_bits),         cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
