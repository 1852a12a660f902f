/* t_prove.c - what the prover proves is the order that a sort gives. */
#include "sim/design.h"
#include "sim/prove.h"
#include "tests/golden_orders.h"
#include "tests/claims.h"
#include "tests/naive.h"

static struct ordo_plan plan_number(int i, const struct ordo_problem *p)
{
    static const int32_t cluster[N_PLAN] = {0, 4, 8, 16, 16}, heads[N_PLAN] = {64, 64, 128, 64, 64};
    struct ordo_request request = request_of(p);
    struct ordo_plan plan;
    struct ordo_err err = {0};

    request.design = i ? NULL : &ordo_design_private_shards;
    request.cluster = cluster[i];
    request.n_head = heads[i];
    request.target = i == 4 ? ORDO_TARGET_SM90 : ORDO_TARGET_SM100;
    assert_ok(ordo_plan_make(&request, &plan, &err), err);
    return plan;
}

static void assert_proved(const struct ordo_proof *proof)
{
    if (proof->verdict != ORDO_PROVED)
        fail_msg("%s: %s at %s:%d", ordo_verdict_name[proof->verdict],
                 ordo_violation_info[proof->violation.kind].name,
                 proof->violation.source_file ? proof->violation.source_file : "", proof->violation.source_line);
    assert_int_equal(proof->violation.kind, ORDO_VIOLATION_NONE);
    assert_claims(proof, "total", "free", "none");
    assert_non_null(proof->order);
    assert_int_equal(ordo_rows_adds(proof->order), proof->updates);
    assert_int_equal(ordo_rows_count(proof->order), proof->rows);
}

static void corpus(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof golden / sizeof golden[0]; f++) {
        struct ordo_problem p = corpus_problem(golden[f].file, golden[f].kv);

        for (int i = 0; i < N_PLAN; i++) {
            struct ordo_plan plan = plan_number(i, &p);
            struct ordo_proof proof = proof_of(&plan, &p);
            char hex[ORDO_DIGEST_HEX], assumption[24];

            assert_proved(&proof);
            assert_int_equal(proof.updates, golden[f].live * (uint64_t)plan.head_blocks);
            assert_int_equal(proof.scan.live, golden[f].live);
            assert_int_equal(proof.rows, golden[f].rows);
            assert_int_equal(proof.accumulators, golden[f].plan[i].accumulators);
            assert_int_equal(proof.waits, golden[f].plan[i].waits);
            assert_string_equal(ordo_digest_hex(&proof.order_digest, hex), golden[f].plan[i].digest);
            (void)snprintf(assumption, sizeof assumption, "cluster=%d", (int)plan.cluster);
            assert_string_equal(proof.assumption, proof.waits ? assumption : "unfair");
            ordo_proof_free(&proof);
        }
        ordo_problem_free(&p);
    }
}

/* Row by row, leaf by leaf; and rows are found by their number. */
static void assert_same_order(const struct ordo_plan *plan, const struct ordo_rows *rows, const struct naive_order *n)
{
    size_t at = 0;

    assert_int_equal(ordo_rows_count(rows), n->rows);
    for (uint32_t i = 0; i < ordo_rows_count(rows); i++) {
        struct ordo_row row = ordo_rows_get(rows, i);

        assert_int_equal(ordo_rows_find(rows, row.row), i);
        for (uint32_t k = 0; k < row.n_add; k++, at++) {
            assert_int_equal(row.row, n->add[at].row);
            assert_int_equal(row.add[k].plane, n->add[at].plane);
            assert_int_equal(row.add[k].leaf, n->add[at].query * plan->head_blocks + n->add[at].head_block);
        }
    }
    assert_int_equal(at, n->n);
    assert_int_equal(ordo_rows_find(rows, -1), -1);
    assert_int_equal(ordo_rows_find(rows, INT32_MAX), -1);
}

/* Top-K around the tile of 64, ragged tail waves, odd wave widths, up to three head blocks. */
static void random_shapes(void **state)
{
    static const int32_t cluster[] = {0, 4, 8, 16}, wave[] = {24, 24, 40, 48}, topk[] = {1, 3, 63, 64, 65, 130};

    (void)state;
    for (uint64_t seed = 0; seed < 96; seed++) {
        int32_t k = topk[seed % 6], n_query = 1 + (int32_t)(seed * 37 % 110);
        struct ordo_problem p = random_problem(seed, n_query, k, k + (int32_t)(seed * 11 % 90), seed % 5 ? 0 : 3);
        struct ordo_request request = request_of(&p);
        struct ordo_plan plan;
        struct ordo_err err = {0};
        struct ordo_proof proof;
        struct naive_order naive;

        request.cluster = cluster[seed % 4];
        request.wave = seed % 3 ? wave[seed % 4] : 0;
        request.n_head = 1 + (int32_t)(seed * 29 % 192);
        assert_ok(ordo_plan_make(&request, &plan, &err), err);
        naive = naive_order(&plan, &p);
        proof = proof_of(&plan, &p);
        assert_proved(&proof);
        assert_int_equal(proof.updates, naive.n);
        assert_int_equal(proof.accumulators, naive.accumulators);
        assert_int_equal(proof.waits, naive.waits);
        assert_memory_equal(&proof.order_digest, &naive.digest, sizeof naive.digest);
        assert_same_order(&plan, proof.order, &naive);
        ordo_proof_free(&proof);
        free(naive.add);
        ordo_problem_free(&p);
    }
}

/* Slot order, padding values and dead columns are not part of the order. */
static void order_forgets_slots(void **state)
{
    struct ordo_problem p = random_problem(4, 70, 20, 90, 0), r = random_problem(4, 70, 20, 90, 0);
    struct ordo_plan plan = plan_number(2, &p);
    struct ordo_proof a, b;

    (void)state;
    for (int32_t q = 0; q < 70; q++)
        for (int32_t j = 0; j < 20; j++)
            r.idx[q * 20 + j] = p.idx[q * 20 + 19 - j];
    p.idx[20] = -1;
    r.idx[39] = INT32_MIN;
    a = proof_of(&plan, &p);
    b = proof_of(&plan, &r);
    assert_proved(&a);
    assert_proved(&b);
    assert_memory_equal(&a.order_digest, &b.order_digest, sizeof a.order_digest);
    ordo_proof_free(&a);
    ordo_proof_free(&b);
    ordo_problem_free(&p);
    ordo_problem_free(&r);
}

static void too_wide(void **state)
{
    static const int32_t shape[][2] = {
        {INT32_MAX, 2},   /* leaf 0xfffffffe is a mark of the digest */
        {1431655764, 3},  /* leaves fit, keys of the tail wave do not */
        {1431655760, 3},  /* both fit */
    };

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct ordo_problem p = {shape[i][0], 0, 8, NULL, NULL};
        struct ordo_request request = request_of(&p);
        struct ordo_plan plan;
        struct ordo_proof proof;
        struct ordo_err err = {0};

        request.cluster = request.wave = 16;
        request.n_head = 64 * shape[i][1];
        assert_ok(ordo_plan_make(&request, &plan, &err), err);
        assert_int_equal(ordo_prove(&plan, &p, &proof, &err), i == 2 ? ORDO_OK : ORDO_BAD_INPUT);
        assert_string_equal(err.field, i == 2 ? "" : "heads");
        ordo_proof_free(&proof);
    }
}

static void empty(void **state)
{
    static const int32_t extent[][3] = {{0, 8, 8}, {8, 0, 8}, {8, 8, 0}, {0, 0, 0}};

    (void)state;
    for (int e = 0; e < 4; e++)
        for (int i = 0; i < N_PLAN; i++) {
            struct ordo_problem p = {extent[e][0], extent[e][1], extent[e][2], calloc(64, sizeof *p.idx), NULL};
            struct ordo_plan plan = plan_number(i, &p);
            struct ordo_proof proof = proof_of(&plan, &p);
            struct naive_order naive = naive_order(&plan, &p);

            assert_proved(&proof);
            assert_int_equal(proof.updates, 0);
            assert_int_equal(proof.rows, 0);
            assert_int_equal(proof.scan.dead_queries, p.n_query);
            assert_string_equal(proof.assumption, "unfair");
            assert_memory_equal(&proof.order_digest, &naive.digest, sizeof naive.digest);
            ordo_proof_free(&proof);
            free(naive.add);
            ordo_problem_free(&p);
        }
}

/* A prover's answers are by extents: 8 and 72 rows share a place in its table, and push each other out. */
static void planes_are_told_apart(void **state)
{
    static const int32_t n_kv[] = {8, 72, 8};
    static struct ordo_prover prover;

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct ordo_problem p = {0, 8, n_kv[i], NULL, NULL};
        struct ordo_plan plan = plan_number(0, &p);
        struct ordo_proof proof;
        struct ordo_err err = {0};
        int n = 0;

        assert_ok(ordo_prove_by(&prover, &plan, &p, &proof, &err), err);
        assert_proved(&proof);
        ordo_proof_free(&proof);
        for (int place = 0; place < ORDO_PROVER_PLANES; place++)
            if (prover.launch[place].asked) {
                assert_int_equal(prover.launch[place].planes.rows, n_kv[i]);
                n++;
            }
        assert_int_equal(n, 1);
        assert_true(prover.cluster[1].asked);
    }
    ordo_prover_free(&prover);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(corpus),
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(order_forgets_slots),
        cmocka_unit_test(too_wide),
        cmocka_unit_test(empty),
        cmocka_unit_test(planes_are_told_apart),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
