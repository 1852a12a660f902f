/* t_domain.c - the rows that tables cover: the identity for small KV, granules of eight for large, the same order. */
#include "sim/domain.h"
#include "sim/prove.h"
#include "tests/naive.h"

#define IDENTITY (INT32_C(1) << 24)

static void identity(void **state)
{
    struct ordo_problem p = random_problem(1, 20, 8, 100, 0);
    struct ordo_domain d;
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_domain_make(&p, &d, &err), err);
    assert_null(d.live);
    assert_int_equal(d.n, 104);
    for (int32_t row = 0; row < 100; row++) {
        assert_int_equal(ordo_domain_compact(&d, row), row);
        assert_int_equal(ordo_domain_row(&d, (uint32_t)row), row);
    }
    ordo_domain_free(&d);
    ordo_domain_free(&d); /* harmless */
    free(p.idx);
}

/* Compact numbers keep order and the place inside a granule, and cover nothing but granules with a live row. */
static void granules(void **state)
{
    int32_t idx[] = {0, 7, 8, 511, 512, IDENTITY - 1, IDENTITY, 1000000007, INT32_MAX - 1, INT32_MAX, -1, 40};
    struct ordo_problem p = {1, 12, INT32_MAX, idx, &(int32_t){11}};
    static const int32_t live[] = {0, 7, 8, 511, 512, IDENTITY - 1, IDENTITY, 1000000007, INT32_MAX - 1};
    enum { N = sizeof live / sizeof live[0] };
    struct ordo_domain d;
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_domain_make(&p, &d, &err), err);
    assert_non_null(d.live);
    assert_int_equal(d.n, 8 * 8); /* 0 and 7 share a granule, the dead 40 has none */
    for (int i = 0; i < N; i++) {
        uint32_t c = ordo_domain_compact(&d, live[i]);

        assert_true(c < d.n);
        assert_int_equal(c % 8, live[i] % 8);
        assert_int_equal(ordo_domain_row(&d, c), live[i]);
        assert_true(i == 0 || c > ordo_domain_compact(&d, live[i - 1]));
    }
    ordo_domain_free(&d);
}

static void prove_equals_naive(const struct ordo_request *request, const struct ordo_problem *p)
{
    struct ordo_plan plan;
    struct ordo_proof proof;
    struct ordo_err err = {0};
    struct naive_order naive;

    assert_ok(ordo_plan_make(request, &plan, &err), err);
    naive = naive_order(&plan, p);
    assert_ok(ordo_prove(&plan, p, &proof, &err), err);
    assert_int_equal(proof.verdict, ORDO_PROVED);
    assert_memory_equal(&proof.order_digest, &naive.digest, sizeof naive.digest);
    assert_int_equal(proof.rows, naive.rows);
    assert_int_equal(proof.updates, naive.n);
    assert_int_equal(proof.accumulators, naive.accumulators);
    assert_int_equal(proof.waits, naive.waits);
    ordo_proof_free(&proof);
    free(naive.add);
}

/* The same rows spread over ever wider KV, each design and cluster. */
static void prove_at_any_width(void **state)
{
    static const int32_t n_kv[] = {500, IDENTITY, IDENTITY + 1, 500000003, INT32_MAX};
    static const int32_t cluster[] = {0, 4, 8, 16};

    (void)state;
    for (size_t k = 0; k < sizeof n_kv / sizeof n_kv[0]; k++) {
        struct ordo_problem p = random_problem(k, 140, 12, 500, 7);
        struct ordo_request request;

        for (int32_t i = 0; i < p.n_query * p.topk; i++)
            if (p.idx[i] >= 0 && p.idx[i] < 500) /* the last row of the first half moves to the last row of all */
                p.idx[i] = p.idx[i] < 250 ? p.idx[i] : n_kv[k] - 500 + p.idx[i];
        p.n_kv = n_kv[k];
        for (int c = 0; c < 4; c++) {
            request = request_of(&p);
            request.cluster = cluster[c];
            request.n_head = c == 1 ? 96 : 64;
            prove_equals_naive(&request, &p);
        }
        ordo_problem_free(&p);
    }
}

static void nothing_live(void **state)
{
    int32_t idx[] = {-1, INT32_MAX, -1, -1};
    struct ordo_problem p = {2, 2, INT32_MAX, idx, NULL};
    struct ordo_request request = request_of(&p);

    (void)state;
    request.cluster = 8;
    prove_equals_naive(&request, &p);
    p.n_kv = 0;
    request = request_of(&p);
    prove_equals_naive(&request, &p);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(identity),
        cmocka_unit_test(granules),
        cmocka_unit_test(prove_at_any_width),
        cmocka_unit_test(nothing_live),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
