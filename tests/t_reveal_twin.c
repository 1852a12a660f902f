/* t_reveal_twin.c - the trees of the attention twin, revealed through its inputs and outputs alone, are the planned
 * ones: relay planes under every mask, both folds, heads inside a CTA, tiles of a query, dSink, delta, dP.  And a
 * twin that runs by another contract or plan is told where it parts. */
#include "sim/contract.h"
#include "sim/design.h"
#include "sim/prove.h"
#include "tests/reveal_twin.h"

#include <inttypes.h>

/* A problem whose rows are drawn by hand: all slots dead at first. */
static struct ordo_problem problem_new(int32_t n_query, int32_t topk, int32_t n_kv)
{
    size_t n = (size_t)n_query * (size_t)topk;
    struct ordo_problem p = {n_query, topk, n_kv, malloc(n * sizeof *p.idx + 1), NULL};

    assert_non_null(p.idx);
    for (size_t i = 0; i < n; i++)
        p.idx[i] = -1;
    return p;
}

static void add_slot(struct ordo_problem *p, int32_t query, int32_t row)
{
    int32_t *idx = p->idx + (int64_t)query * p->topk, j = 0;

    while (idx[j] >= 0)
        j++;
    assert_true(j < p->topk);
    idx[j] = row;
}

static struct ordo_plan plan_of(const struct ordo_problem *p, int32_t n_head, int32_t d_qk, int32_t d_v,
                                int32_t cluster, int32_t wave)
{
    struct ordo_request r = {.n_query = p->n_query, .n_kv = p->n_kv, .topk = p->topk, .n_head = n_head, .d_qk = d_qk,
                             .d_v = d_v, .target = ORDO_TARGET_SM90, .wave = wave,
                             .design = cluster > 1 ? &ordo_design_cluster_relay : &ordo_design_private_shards,
                             .cluster = cluster > 1 ? cluster : 0};
    struct ordo_plan plan;
    struct ordo_err err = {0};

    assert_ok(ordo_plan_make(&r, &plan, &err), err);
    return plan;
}

static struct ordo_proof proof_of(const struct ordo_plan *plan, const struct ordo_problem *p)
{
    struct ordo_proof proof;
    struct ordo_err err = {0};

    assert_ok(ordo_prove(plan, p, &proof, &err), err);
    assert_int_equal(proof.verdict, ORDO_PROVED);
    return proof;
}

/* Every row of at least `least` terms; returns how many. */
static int every_row(const struct ordo_plan *plan, const struct ordo_problem *p, struct ordo_sum_request request,
                     bool bf16, uint32_t least)
{
    struct ordo_proof proof = proof_of(plan, p);
    int n = 0;

    for (uint32_t i = 0; i < ordo_rows_count(proof.order); i++) {
        struct ordo_row row = ordo_rows_get(proof.order, i);
        struct revealed r;
        char what[32];

        if (row.n_add < least)
            continue;
        (void)snprintf(what, sizeof what, "row %" PRId32, row.row);
        reveal_twin(plan, plan, p, &request, &row, bf16, &r);
        assert_revealed(&r, what);
        revealed_free(&r);
        n++;
    }
    ordo_proof_free(&proof);
    return n;
}

/* Row `mask` is written by the ranks of its bits, in the first of two planes or in both, in waves of 16. */
static void relay_masks(void **state)
{
    struct ordo_problem p = problem_new(32, 256, 256);
    struct ordo_plan plan;

    (void)state;
    for (int32_t mask = 1; mask < 256; mask++)
        for (int32_t rank = 0; rank < 8; rank++)
            if (mask >> rank & 1) {
                add_slot(&p, rank + (mask % 3 == 0 ? 16 : 0), mask);
                if (mask % 5 == 0)
                    add_slot(&p, 8 + rank, mask);
            }
    plan = plan_of(&p, 2, 72, 64, 8, 16);
    assert_int_equal(plan.planes, 2);
    assert_int_equal(every_row(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DKV, .blocks = true}, false, 3),
                     219 + 8); /* and of those of two writers the ones that are in both planes */
    ordo_problem_free(&p);
}

/* 128 planes in groups of eight, and groups of groups; row 1 leaves planes out, row 2 has two waves. */
static void both_folds(void **state)
{
    struct ordo_problem p = problem_new(256, 4, 4);
    struct ordo_plan plan;

    (void)state;
    for (int32_t q = 0; q < 256; q++) {
        if (q < 128)
            add_slot(&p, q, 0);
        if (q * 37 % 11 < 3)
            add_slot(&p, q, 1);
        if (q % 2 == 0)
            add_slot(&p, q, 2);
    }
    plan = plan_of(&p, 1, 48, 40, 1, 128);
    assert_int_equal(plan.planes, 128);
    assert_int_equal(every_row(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DKV}, false, 3), 3);
    assert_int_equal(every_row(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DKV, .blocks = true}, true, 3),
                     3);
    plan = plan_of(&p, 1, 48, 40, 4, 36);
    assert_int_equal(plan.planes, 9); /* the last group has one */
    assert_int_equal(every_row(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DKV, .blocks = true}, false, 3),
                     3);
    ordo_problem_free(&p);
}

/* 96 heads: two head blocks, six groups of 16, both products into one fragment; the tail has the second alone. */
static void heads_of_a_cta(void **state)
{
    struct ordo_problem p = problem_new(12, 2, 3);
    struct ordo_plan plan;

    (void)state;
    for (int32_t q = 0; q < 12; q++)
        add_slot(&p, q, q % 3);
    plan = plan_of(&p, 96, 256, 128, 4, 8);
    assert_int_equal(plan.head_blocks, 2);
    assert_int_equal(every_row(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DKV}, false, 3), 3);
    assert_int_equal(every_row(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DKV_TAIL}, true, 3), 3);
    ordo_problem_free(&p);
}

/* One query of 2,048 slots; three more have holes. */
static struct ordo_problem long_rows(void)
{
    struct ordo_problem p = problem_new(2, 2048, 2100);

    for (int32_t j = 0; j < 2048; j++) {
        p.idx[j] = (j * 1103 + 5) % 2100;
        p.idx[2048 + j] = j % 7 == 0 || j / 64 == 3 || (j / 16 == 10 && j != 165) ? -1 : j;
    }
    return p;
}

static void tiles_of_a_query(void **state)
{
    struct ordo_problem p = long_rows();
    struct ordo_plan plan = plan_of(&p, 1, 576, 512, 4, 8);

    (void)state;
    for (int32_t q = 0; q < 2; q++) {
        struct revealed r;

        reveal_twin(&plan, &plan, &p, &(struct ordo_sum_request){.kind = ORDO_SUM_DQ, .query = q}, NULL, true, &r);
        assert_revealed(&r, "dq");
        if (q == 0)
            assert_in_range(r.reveal.pairs - r.reveal.checks, 2047, 2048 * 11);
        revealed_free(&r);
    }
    ordo_problem_free(&p);
}

static void reveal_one(const struct ordo_plan *plan, const struct ordo_problem *p, struct ordo_sum_request request)
{
    struct revealed r;

    reveal_twin(plan, plan, p, &request, NULL, false, &r);
    assert_revealed(&r, ordo_sum_kind_name[request.kind]);
    revealed_free(&r);
}

/* 300 queries, some inert; heads as lanes, or one head alone. */
static void sink(void **state)
{
    struct ordo_problem p = problem_new(300, 4, 40);
    struct ordo_plan plan;

    (void)state;
    for (int32_t q = 0; q < 300; q++)
        if (q % 13)
            add_slot(&p, q, q % 40);
    plan = plan_of(&p, 32, 16, 16, 8, 0);
    reveal_one(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DSINK, .head = ORDO_ALL_HEADS});
    ordo_problem_free(&p);
    p = problem_new(40, 1, 1);
    for (int32_t q = 0; q < 40; q++)
        add_slot(&p, q, 0);
    plan = plan_of(&p, 2, 16, 16, 8, 0);
    reveal_one(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DSINK, .head = 1});
    ordo_problem_free(&p);
}

static void columns(void **state)
{
    struct ordo_problem p = problem_new(3, 4, 4);
    struct ordo_plan plan;

    (void)state;
    add_slot(&p, 1, 3);
    add_slot(&p, 1, 2);
    plan = plan_of(&p, 64, 576, 512, 4, 0);
    reveal_one(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DELTA, .query = 1, .head = ORDO_ALL_HEADS});
    reveal_one(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DP, .query = 1, .head = ORDO_ALL_HEADS});
    plan = plan_of(&p, 2, 72, 72, 4, 0);
    reveal_one(&plan, &p, (struct ordo_sum_request){.kind = ORDO_SUM_DP, .query = 1, .head = 1});
    ordo_problem_free(&p);
}

/* --- other twins ------------------------------------------------------------------------------------------------ */

/* Row 0 is written by all 40 queries, row 1 by seven. */
static struct ordo_problem busy_rows(void)
{
    struct ordo_problem p = problem_new(40, 200, 300);

    for (int32_t q = 0; q < 40; q++) {
        add_slot(&p, q, 0);
        if (q < 8 && q != 5)
            add_slot(&p, q, 1);
        for (int32_t k = 2; k < 200; k++)
            add_slot(&p, q, k);
    }
    return p;
}

static void differs(const struct ordo_plan *plan, const struct ordo_plan *run_by, const struct ordo_problem *p,
                    struct ordo_sum_request request, int32_t row, const char *want)
{
    struct ordo_proof proof = proof_of(plan, p);
    struct ordo_row adds = ordo_rows_get(proof.order, (uint32_t)ordo_rows_find(proof.order, row));
    struct revealed r;

    reveal_twin(plan, run_by, p, &request, &adds, false, &r);
    assert_int_equal(r.reveal.verdict, ORDO_REVEAL_TREE);
    assert_false(r.parting.equal);
    if (strcmp(parting_text(&r), want) != 0)
        fail_msg("%s", parting_text(&r));
    revealed_free(&r);
    ordo_proof_free(&proof);
}

/* Each choice of the contract that moves a sum, turned. */
static void other_contracts(void **state)
{
    static const struct {
        struct ordo_contract contract;
        struct ordo_sum_request request;
        const char *want;
    } other[] = {
        {{.dkv_first = ORDO_DKV_Q_DS}, {.kind = ORDO_SUM_DKV},
         "1 terms from q0.h0.v0: planned 16 terms with q0.h0.v1, revealed 48 terms with q0.h0.v1"},
        {{.dkv_groups = ORDO_DESCENDING}, {.kind = ORDO_SUM_DKV},
         "1 terms from q0.h0.v0: planned 16 terms with q0.h0.v1, revealed 32 terms with q0.h0.v1"},
        {{.tile_walk = ORDO_DESCENDING}, {.kind = ORDO_SUM_DQ, .query = 3},
         "1 terms from t3.s192: planned 200 terms with t0.s0, revealed 8 terms with t3.s193"},
        {{.dq_groups = ORDO_DESCENDING}, {.kind = ORDO_SUM_DQ, .query = 3},
         "1 terms from t0.s0: planned 16 terms with t0.s1, revealed 64 terms with t0.s1"},
        {{.dp_groups = ORDO_DESCENDING}, {.kind = ORDO_SUM_DP, .query = 3},
         "1 terms from d0: planned 16 terms with d1, revealed 64 terms with d1"},
    };
    struct ordo_problem p = busy_rows();
    struct ordo_plan plan = plan_of(&p, 32, 72, 64, 8, 16);

    (void)state;
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        struct ordo_plan run_by = plan;

        run_by.contract = &other[i].contract;
        differs(&plan, &run_by, &p, other[i].request, 1, other[i].want);
    }
    ordo_problem_free(&p);
}

static void other_plans(void **state)
{
    struct ordo_problem p = busy_rows();
    struct ordo_plan plan = plan_of(&p, 1, 64, 48, 8, 16), four = plan_of(&p, 1, 64, 48, 4, 16);
    struct ordo_plan shards = plan_of(&p, 1, 64, 48, 1, 32), wide = plan_of(&p, 1, 64, 48, 1, 64);
    struct ordo_sum_request blocks = {.kind = ORDO_SUM_DKV, .blocks = true};

    (void)state;
    differs(&plan, &four, &p, blocks, 0,
            "1 terms from q4.h0: planned 5 terms with q0.h0, revealed 2 terms with q5.h0");
    differs(&plan, &four, &p, blocks, 1,
            "1 terms from q4.h0: planned 5 terms with q0.h0, revealed 2 terms with q6.h0");
    differs(&shards, &wide, &p, blocks, 0,
            "1 terms from q0.h0: planned 2 terms with q32.h0, revealed 2 terms with q1.h0");
    ordo_problem_free(&p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(relay_masks),      cmocka_unit_test(both_folds),     cmocka_unit_test(heads_of_a_cta),
        cmocka_unit_test(tiles_of_a_query), cmocka_unit_test(sink),            cmocka_unit_test(columns),
        cmocka_unit_test(other_contracts),  cmocka_unit_test(other_plans),
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(test, NULL, NULL);
}
