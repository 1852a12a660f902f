/* t_tree.c - the addition tree as text, to the letter, and its depth. */
#include "sim/prove.h"
#include "sim/tree.h"
#include "tests/naive.h"

static struct ordo_plan plan_with(int32_t cluster, int32_t wave, int32_t n_head)
{
    struct ordo_request request = {.n_query = 1000, .n_kv = 64, .topk = 8, .n_head = n_head, .d_qk = 64, .d_v = 64,
                                   .cluster = cluster, .wave = wave};
    struct ordo_plan plan;
    struct ordo_err err = {0};

    assert_ok(ordo_plan_make(&request, &plan, &err), err);
    return plan;
}

static void assert_text(const struct ordo_plan *plan, const struct ordo_row *row, const char *want)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    assert_non_null(out);
    ordo_tree_print(plan, row, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, want);
    free(text);
}

static void by_hand(void **state)
{
    struct ordo_plan relay = plan_with(8, 128, 64), two_blocks = plan_with(16, 112, 96), shards = plan_with(0, 0, 64);
    static const struct ordo_add pair[] = {{24, 3}, {27, 3}};
    static const struct ordo_add spread[] = {{0, 0}, {1, 0}, {225, 0}, {30, 2}, {31, 2}, {222, 6}};
    static const struct ordo_add wide[] = {{0, 0}, {128, 0}, {7, 7}, {8, 8}, {127, 127}, {255, 127}};

    (void)state;
    assert_text(&relay, &(struct ordo_row){17, 2, pair},
                "row 17\n"
                "P3 = +0 + q24.h0 + q27.h0\n"
                "G0 = +0 + P3 (8 planes, 7 of them +0.0)\n"
                "sum = +0 + G0 (2 groups, 1 of them +0.0)\n");
    assert_text(&two_blocks, &(struct ordo_row){5, 6, spread}, /* seven planes: one short group */
                "row 5\n"
                "P0 = +0 + q0.h0 + q0.h1 + q112.h1\n"
                "P2 = +0 + q15.h0 + q15.h1\n"
                "P6 = +0 + q111.h0\n"
                "G0 = +0 + P0 + P2 + P6 (7 planes, 4 of them +0.0)\n"
                "sum = +0 + G0 (1 groups, 0 of them +0.0)\n");
    assert_text(&shards, &(struct ordo_row){0, 6, wide},
                "row 0\n"
                "P0 = +0 + q0.h0 + q128.h0\n"
                "P7 = +0 + q7.h0\n"
                "P8 = +0 + q8.h0\n"
                "P127 = +0 + q127.h0 + q255.h0\n"
                "G0 = +0 + P0 + P7 (8 planes, 6 of them +0.0)\n"
                "G1 = +0 + P8 (8 planes, 7 of them +0.0)\n"
                "G15 = +0 + P127 (8 planes, 7 of them +0.0)\n"
                "sum = +0 + G0 + G1 + G15 (16 groups, 13 of them +0.0)\n");
    assert_text(&relay, &(struct ordo_row){63, 0, NULL}, "row 63\nsum = +0 (2 groups, 2 of them +0.0)\n");
}

/* The proved order of a tensor, printed. */
static void of_a_proof(void **state)
{
    int32_t idx[] = {3, 1, 1, 0, 3, 2, 0, 3, 3, 1};
    struct ordo_problem p = {5, 2, 8, idx, NULL};
    struct ordo_request request = request_of(&p);
    struct ordo_plan plan;
    struct ordo_proof proof;
    struct ordo_err err = {0};
    struct ordo_row row;

    (void)state;
    request.cluster = 4;
    request.wave = 4;
    request.n_head = 65;
    assert_ok(ordo_plan_make(&request, &plan, &err), err);
    assert_ok(ordo_prove(&plan, &p, &proof, &err), err);
    assert_int_equal(proof.verdict, ORDO_PROVED);
    assert_int_equal(ordo_rows_find(proof.order, 3), 3);
    row = ordo_rows_get(proof.order, 3);
    assert_text(&plan, &row,
                "row 3\n"
                "P0 = +0 + q0.h0 + q2.h0 + q3.h0 + q0.h1 + q2.h1 + q3.h1 + q4.h0 + q4.h1\n"
                "G0 = +0 + P0 (1 planes, 0 of them +0.0)\n"
                "sum = +0 + G0 (1 groups, 0 of them +0.0)\n");
    ordo_proof_free(&proof);
}

/* The longest way from a leaf, counted addition by addition; planes and groups of +0.0 are added too. */
static uint32_t slow_depth(const struct ordo_row *row, uint32_t planes)
{
    uint32_t most = 0;

    for (uint32_t leaf = 0; leaf < row->n_add; leaf++) {
        uint32_t depth = 0, plane = row->add[leaf].plane, group_end = (plane / 8 + 1) * 8;

        for (uint32_t i = leaf; i < row->n_add && row->add[i].plane == plane; i++)
            depth++; /* its own addition and the ones after it */
        for (uint32_t p = plane; p < group_end && p < planes; p++)
            depth++;
        for (uint32_t g = plane / 8 * 8; g < planes; g += 8)
            depth++;
        most = depth > most ? depth : most;
    }
    return most;
}

static void depth(void **state)
{
    static const int32_t shape[][2] = {{4, 128}, {8, 128}, {16, 128}, {16, 112}, {8, 120}, {4, 120}};
    uint64_t x = 9;

    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        struct ordo_plan plan = plan_with(shape[trial % 6][0], shape[trial % 6][1], 64);
        struct ordo_add add[40] = {{0, 0}};
        struct ordo_row row = {1, 0, add};

        for (uint32_t p = 0; p < (uint32_t)plan.planes && row.n_add < 36; p++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            for (uint32_t k = (uint32_t)(x >> 60) % 5; (x >> 40 & 3) == 0 && k > 0; k--)
                add[row.n_add++].plane = p;
        }
        assert_int_equal(ordo_tree_depth(&plan, &row), slow_depth(&row, (uint32_t)plan.planes));
    }
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(of_a_proof),
        cmocka_unit_test(depth),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
