/* t_stage.c - O2: each sum of the twin lies within its running bound of the exact sum of its own inputs, on random
 * cases of every convention and both targets; and a sum that lost a term, or was made otherwise, does not. */
#include "oracle/dot.h"
#include "oracle/stage.h"
#include "ref/attention.h"
#include "ref/mma.h"
#include "sim/design.h"
#include "tests/case64.h"

#include <math.h>

static struct ordo_err err;
static uint64_t n_case = 60;
static struct ordo_stage_tally tally[ORDO_STAGES];

/* --- dot.h ------------------------------------------------------------------------------------------------------ */

static void exact_integers(void **state)
{
    struct ordo_dot x = {{0}};
    const uint16_t large[] = {0x7f7f, 0xff7f}, tiny[] = {1, 1};

    (void)state;
    assert_true(ordo_dot_add(&x, large, 1, large, 1, 1)); /* the largest square, and the smallest, and gone again */
    assert_true(ordo_dot_add(&x, tiny, 1, tiny, 1, 1));
    assert_true(ordo_dot_abs_up(&x) > 0x1.fc02p255); /* rounded up, past the square */
    assert_true(ordo_dot_add(&x, large, 1, large + 1, 1, 1));
    assert_true(ordo_dot_abs_up(&x) == 0x1p-266);
    ordo_dot_add_fp32(&x, 0x80000001, false);
    assert_true(ordo_dot_abs_up(&x) == 0x1p-149); /* less 2^-266: rounded up */
    ordo_dot_add_fp32(&x, 0x80000001, true);
    assert_true(ordo_dot_abs_up(&x) == 0x1p-266);
    ordo_dot_add_fp32(&x, 0x7f7fffff, true);
    assert_true(ordo_dot_abs_up(&x) == 0x1.fffffep127);
}

/* --- the twin --------------------------------------------------------------------------------------------------- */

static enum ordo_status product(void *ctx, enum ordo_stage stage, const struct ordo_product *p,
                                const uint32_t *before, struct ordo_err *e)
{
    struct ordo_stage_product q = {p->m, p->n, p->k, p->a, p->b, p->a_row, p->a_k, p->b_k, p->b_column, p->c_row,
                                   before, p->c, p->bound};

    (void)e;
    ordo_stage_product((struct ordo_stage_tally *)ctx + stage, &q, 1);
    return ORDO_OK;
}

static enum ordo_status sum(void *ctx, enum ordo_stage stage, const float *a, const float *b, int64_t n,
                            int32_t roundings, float result, struct ordo_err *e)
{
    (void)e;
    ordo_stage_sum((struct ordo_stage_tally *)ctx + stage, a, b, n, roundings, result);
    return ORDO_OK;
}

static const struct ordo_attention_probe probe = {tally, product, sum};

static void run(uint64_t number)
{
    struct case64 c = case64_make(number, number % 4 == 3 ? 70 : 5, 0, 0);
    const struct ordo_request request = {
        .n_query = c.in.n_query, .n_kv = c.in.n_kv, .topk = c.in.topk, .n_head = c.in.n_head,
        .d_qk = c.in.d_qk, .d_v = c.in.d_v, .target = number % 2 ? ORDO_TARGET_SM90 : ORDO_TARGET_SM100,
        .design = ordo_design_find("private-shards")};
    struct ordo_plan plan;
    struct ordo_attention twin = {
        .plan = &plan, .problem = &c.problem, .probe = &probe,
        .in = {.q = c.q, .kv = c.kv, .dout = c.dout, .sink = c.sink, .scale = c.scale}};
    size_t rows = (size_t)c.in.n_query * (size_t)c.in.n_head, width = (size_t)c.in.d_qk, n_kv = (size_t)c.in.n_kv;
    uint16_t *dq = case64_alloc(rows * width, 2), *unseen = case64_alloc(rows * width, 2);
    float *dkv = case64_alloc(n_kv * width, 4), *dsink = case64_alloc((size_t)c.in.n_head, 4);
    struct ordo_attention_outputs out = {.dq = dq, .dkv_fp32 = dkv, .dsink = dsink}, blind = {.dq = unseen};

    assert_ok(ordo_plan_make(&request, &plan, &err), err);
    assert_ok(ordo_attention(&twin, 1, &out, &err), err);
    twin.probe = NULL; /* looking moves no bit */
    assert_ok(ordo_attention(&twin, 1, &blind, &err), err);
    assert_memory_equal(dq, unseen, rows * width * 2);
    free(dq), free(unseen), free(dkv), free(dsink);
    case64_free(&c);
}

static void every_sum(void **state)
{
    static const char *const name[ORDO_STAGES] = {"s", "dP", "O", "dQ", "dKV", "delta", "dSink"};

    (void)state;
    for (uint64_t number = 0; number < n_case; number++)
        if (number % 50 != 49)
            run(number);
    for (int i = 0; i < ORDO_STAGES; i++) {
        print_message("%-5s %llu sums, %llu exact, %llu not finite, worst %.3f of the bound, 2^%.1f of the terms\n",
                      name[i], (unsigned long long)tally[i].n, (unsigned long long)tally[i].n_exact,
                      (unsigned long long)tally[i].n_open, tally[i].worst_ratio, log2(tally[i].worst_relative));
        if (tally[i].n_outside)
            fail_msg("%s: %08x is %.3g off, the bound is %.3g", name[i], tally[i].got, tally[i].error,
                     tally[i].limit);
        assert_true(tally[i].n > 100 && tally[i].worst_ratio > 0.05);
    }
}

/* --- what must be outside --------------------------------------------------------------------------------------- */

enum { DEPTH = 64, TRIES = 2000 };

/* How often a chain of four steps with one thing wrong lies outside. */
static double power(int kind)
{
    const struct ordo_mma_model *model;
    struct ordo_rng rng = {77};
    struct ordo_stage_tally t = {0};

    assert_ok(ordo_mma_find(90, &model, &err), err);
    for (int i = 0; i < TRIES; i++) {
        uint16_t a[DEPTH], b[DEPTH];
        uint32_t c = 0, zero = 0;
        double bound = 0;
        struct ordo_product p = {.format = &ordo_format_bf16, .m = 1, .n = 1, .k = kind == 0 ? DEPTH - 16 : DEPTH,
                                 .a = a, .b = b, .a_k = 1, .b_k = 1, .b_column = 1, .c = &c, .bound = &bound,
                                 .c_row = 1};
        struct ordo_stage_product s = {1, 1, DEPTH, a, b, 0, 1, 1, 1, 1, &zero, &c, &bound};

        for (int k = 0; k < DEPTH; k++) {
            a[k] = (uint16_t)((ordo_rng_next(&rng) & 0x807f) | (124 + ordo_rng_below(&rng, 6)) << 7);
            b[k] = (uint16_t)((ordo_rng_next(&rng) & 0x807f) | (124 + ordo_rng_below(&rng, 6)) << 7);
        }
        p.n_group = p.k / 16;
        assert_ok(ordo_mma(model, ORDO_ISA_SCALAR, &p, &err), err);
        if (kind == 1)
            c = ordo_fp32_bits(ordo_fp32(c) * (1 + 0x1p-19f));
        if (kind == 2)
            a[5] ^= 1; /* one operand's last bit */
        ordo_stage_product(&t, &s, 1);
    }
    return (double)t.n_outside / (double)t.n;
}

static void wrong_sums(void **state)
{
    double lost = power(0), off = power(1), operand = power(2), right = power(3);

    (void)state;
    print_message("outside: without the last 16 products %.4f, off by 2^-19 %.4f, one operand's last bit %.4f\n",
                  lost, off, operand);
    assert_true(lost > 0.999 && off > 0.5 && operand > 0.99 && right == 0);
}

/* t_stage [CASES] */
int main(int argc, char **argv)
{
    const struct CMUnitTest test[] = {cmocka_unit_test(exact_integers), cmocka_unit_test(every_sum),
                                      cmocka_unit_test(wrong_sums)};

    if (argc > 1)
        n_case = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(test, NULL, NULL);
}
