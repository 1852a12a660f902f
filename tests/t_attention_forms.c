/* t_attention_forms.c - what sparse attention must give whatever the order: closed forms, and changes of the problem
 * that move nothing, or only what they should. */
#include "ref/attention.h"
#include "tests/attention_case.h"
#include "tests/test.h"

static const struct ordo_request small = {7, 60, 90, 20, 48, 32, ORDO_TARGET_SM90, NULL, 4, 4};

static uint16_t bf16(float x)
{
    return ordo_bf16_round(ordo_fp32_bits(x));
}

static float of_bf16(uint16_t x)
{
    return ordo_fp32(ordo_bf16_to_fp32_bits(x));
}

/* Integers in [-4, 4]: every product and sum is exact. */
static void make_exact(uint16_t *x, size_t n, uint64_t seed)
{
    struct ordo_rng rng = {seed};

    for (size_t i = 0; i < n; i++)
        x[i] = bf16((float)(int)ordo_rng_below(&rng, 9) - 4);
}

static void make_case_exact(struct attention_case *c)
{
    struct output_sizes n = sizes_of(c);

    make_exact(c->q, n.dq, 1);
    make_exact(c->kv, n.dkv, 2);
    make_exact(c->dout, n.o, 3);
}

static void no_sink(struct attention_case *c)
{
    for (int32_t h = 0; h < c->plan.request.n_head; h++)
        c->sink[h] = -HUGE_VALF;
}

static void all_zero(const char *what, const void *x, size_t n, size_t size)
{
    void *zero = calloc(n + 1, size);

    assert_non_null(zero);
    same_words(what, x, zero, n, size);
    free(zero);
}

/* One live key, no sink: p = 1, dS = 0, dQ = +0, dKV = sum of dO over heads and queries, O = V. */
static void one_live_key(void **state)
{
    struct attention_case c = case_new(&small, 1);
    struct ordo_attention_outputs x;
    struct output_sizes n = sizes_of(&c);
    const struct ordo_request *r = &c.plan.request;
    float *want = calloc(n.dkv, sizeof *want);

    (void)state;
    assert_non_null(want);
    make_case_exact(&c);
    no_sink(&c);
    for (int32_t q = 0; q < r->n_query; q++) {
        int32_t row = q % 3, *idx = c.problem.idx + q * r->topk;

        c.problem.length[q] = r->topk;
        for (int32_t j = 0; j < r->topk; j++)
            idx[j] = j == 11 * q ? row : -1;
        for (int32_t h = 0; h < r->n_head; h++)
            for (int32_t d = 0; d < r->d_v; d++)
                want[row * r->d_qk + d] += of_bf16(c.dout[(q * r->n_head + h) * r->d_v + d]);
    }
    x = run_case(&c, 1);
    all_zero("dq", x.dq, n.dq, 2);
    all_zero("dsink", x.dsink, n.dsink, 4);
    same_words("dkv_fp32", x.dkv_fp32, want, n.dkv, 4);
    for (size_t i = 0; i < n.o; i++)
        assert_int_equal(of_bf16(x.o[i]) == of_bf16(c.kv[(i / (size_t)(r->d_v * r->n_head) % 3) * (size_t)r->d_qk +
                                                         i % (size_t)r->d_v]), 1);
    free(want);
    outputs_free(&x);
    case_free(&c);
}

/* Exponents up by `by` where there is one. */
static void raise_bf16(uint16_t *x, size_t n, int by)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] & 0x7f80)
            x[i] = (uint16_t)(x[i] + by * 128);
}

static void raise_fp32(float *x, size_t n, int by)
{
    for (size_t i = 0; i < n; i++)
        x[i] = ldexpf(x[i], by);
}

/* dO times 2^k: all gradients times 2^k, exactly. */
static void power_of_two(void **state)
{
    static const int by[] = {1, -3, 20};
    struct attention_case c = case_new(&small, 2);
    struct output_sizes n = sizes_of(&c);

    (void)state;
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++) {
        struct ordo_attention_outputs x = run_case(&c, 1), y;

        raise_bf16(c.dout, n.o, by[i]);
        y = run_case(&c, 1);
        raise_bf16(c.dout, n.o, -by[i]);
        raise_bf16(x.dq, n.dq, by[i]);
        raise_bf16(x.dkv, n.dkv, by[i]);
        raise_fp32(x.dkv_fp32, n.dkv, by[i]);
        raise_fp32(x.planes, n.planes, by[i]);
        raise_fp32(x.delta, n.lse, by[i]);
        raise_fp32(x.dsink, n.dsink, by[i]);
        same_outputs(&c, &y, &x);
        outputs_free(&x);
        outputs_free(&y);
    }
    case_free(&c);
}

/* Slots permuted inside rows, the forward's outputs held: dKV keeps every bit, dQ does not. */
static void permuted_slots(void **state)
{
    struct attention_case c = case_new(&small, 3);
    struct output_sizes n = sizes_of(&c);
    struct ordo_attention_outputs x, y;
    struct ordo_rng rng = {4};

    (void)state;
    for (int32_t q = 0; q < small.n_query; q++)
        c.problem.length[q] = small.topk;
    x = run_case(&c, 1);
    c.a.in.o = x.o;
    c.a.in.lse = x.lse;
    for (int32_t q = 0; q < small.n_query; q++)
        for (int32_t j = small.topk - 1; j > 0; j--) {
            int32_t *idx = c.problem.idx + q * small.topk;
            int32_t k = (int32_t)ordo_rng_below(&rng, (uint64_t)j + 1), id = idx[j];

            idx[j] = idx[k];
            idx[k] = id;
        }
    y = run_case(&c, 1);
    same_words("planes", y.planes, x.planes, n.planes, 4);
    same_words("dkv", y.dkv, x.dkv, n.dkv, 2);
    same_words("dsink", y.dsink, x.dsink, n.dsink, 4);
    assert_int_not_equal(memcmp(y.dq, x.dq, n.dq * 2), 0);
    outputs_free(&x);
    outputs_free(&y);
    case_free(&c);
}

/* KV rows renamed: their gradients move with them. */
static void renamed_rows(void **state)
{
    struct attention_case c = case_new(&small, 5);
    struct output_sizes n = sizes_of(&c);
    struct ordo_attention_outputs x = run_case(&c, 1), y;
    int32_t kv = small.n_kv, d = small.d_qk;
    uint16_t *old = malloc(n.dkv * 2);

    (void)state;
    assert_non_null(old);
    memcpy(old, c.kv, n.dkv * 2);
    for (int32_t k = 0; k < kv; k++)
        memcpy(c.kv + (k * 7 + 3) % kv * d, old + k * d, (size_t)d * 2);
    for (int32_t i = 0; i < small.n_query * small.topk; i++)
        if (c.problem.idx[i] >= 0 && c.problem.idx[i] < kv)
            c.problem.idx[i] = (c.problem.idx[i] * 7 + 3) % kv;
    y = run_case(&c, 1);
    same_words("dq", y.dq, x.dq, n.dq, 2);
    for (int32_t k = 0; k < kv; k++)
        same_words("dkv", y.dkv + (k * 7 + 3) % kv * d, x.dkv + k * d, (size_t)d, 2);
    free(old);
    outputs_free(&x);
    outputs_free(&y);
    case_free(&c);
}

/* Other padding in the same holes, lengths beyond Top-K, dead columns behind: not one bit. */
static void dead_slots(void **state)
{
    struct ordo_request wider = small;
    struct attention_case c = case_new(&small, 6), wide;
    struct ordo_attention_outputs x = run_case(&c, 1), y;

    (void)state;
    wider.topk = small.topk + 50;
    wide = case_new(&wider, 6);
    for (int32_t q = 0; q < small.n_query; q++) {
        int32_t length = c.problem.length[q];

        wide.problem.length[q] = length >= small.topk ? INT32_MAX : length;
        for (int32_t j = 0; j < wider.topk; j++) {
            int32_t id = j < small.topk && j < length ? c.problem.idx[q * small.topk + j] : -1;
            bool live = id >= 0 && id < small.n_kv;

            wide.problem.idx[q * wider.topk + j] = live ? id : j % 2 ? INT32_MIN : small.n_kv + j;
        }
    }
    memcpy(wide.sink, c.sink, (size_t)small.n_head * 4);
    y = run_case(&wide, 1);
    same_outputs(&c, &y, &x);
    outputs_free(&x);
    outputs_free(&y);
    case_free(&c);
    case_free(&wide);
}

/* A row without a live slot: whatever stands in its q, dO, O and LSE, it adds nothing, and its dQ is +0. */
static void dead_rows(void **state)
{
    static const float dead_lse[] = {HUGE_VALF, -HUGE_VALF, NAN};
    struct attention_case c = case_new(&small, 8);
    struct output_sizes n = sizes_of(&c);
    struct ordo_attention_outputs x, y;
    size_t width = (size_t)small.n_head, dead = 4;

    (void)state;
    c.problem.length[dead] = -5;
    x = run_case(&c, 1);
    all_zero("dq of the dead row", x.dq + dead * width * (size_t)small.d_qk, width * (size_t)small.d_qk, 2);
    all_zero("o of the dead row", x.o + dead * width * (size_t)small.d_v, width * (size_t)small.d_v, 2);
    assert_true(x.lse[dead * width] == -HUGE_VALF);
    c.a.in.o = x.o;
    c.a.in.lse = x.lse;
    for (size_t i = 0; i < width * (size_t)small.d_v; i++) {
        c.q[dead * width * (size_t)small.d_qk + i] = 0x7fc0;
        c.dout[dead * width * (size_t)small.d_v + i] = 0x7f80;
        x.o[dead * width * (size_t)small.d_v + i] = 0xffc0;
    }
    for (size_t i = 0; i < 3; i++) {
        for (size_t h = 0; h < width; h++)
            x.lse[dead * width + h] = dead_lse[i];
        y = run_case(&c, 1);
        same_words("planes", y.planes, x.planes, n.planes, 4);
        same_words("dq", y.dq, x.dq, n.dq, 2);
        same_words("dsink", y.dsink, x.dsink, n.dsink, 4);
        same_words("delta", y.delta, x.delta, n.lse, 4);
        outputs_free(&y);
    }
    outputs_free(&x);
    case_free(&c);
}

/* An inert row that has live slots: LSE +Inf or -Inf, as producers write it. */
static void inert_rows(void **state)
{
    struct attention_case c = case_new(&small, 9);
    struct output_sizes n = sizes_of(&c);
    struct ordo_attention_outputs x = run_case(&c, 1), dead, y;
    size_t width = (size_t)small.n_head, q = 2;

    (void)state;
    c.a.in.o = x.o;
    c.a.in.lse = x.lse;
    c.problem.length[q] = 0;
    dead = run_case(&c, 1);
    c.problem.length[q] = small.topk;
    for (int minus = 0; minus < 2; minus++) {
        for (size_t h = 0; h < width; h++)
            x.lse[q * width + h] = minus ? -HUGE_VALF : HUGE_VALF;
        y = run_case(&c, 1);
        same_words("planes", y.planes, dead.planes, n.planes, 4);
        same_words("dq", y.dq, dead.dq, n.dq, 2);
        same_words("dsink", y.dsink, dead.dsink, n.dsink, 4);
        outputs_free(&y);
    }
    outputs_free(&x);
    outputs_free(&dead);
    case_free(&c);
}

/* The sink takes all: every output but LSE is +0, also where only sink log2 e overflows. */
static void whole_sink(void **state)
{
    static const float sink[] = {HUGE_VALF, 2.4e38f};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct attention_case c = case_new(&small, 10);
        struct output_sizes n = sizes_of(&c);
        struct ordo_attention_outputs x;

        for (int32_t h = 0; h < small.n_head; h++)
            c.sink[h] = sink[i];
        x = run_case(&c, 1);
        all_zero("o", x.o, n.o, 2);
        all_zero("delta", x.delta, n.lse, 4);
        all_zero("dq", x.dq, n.dq, 2);
        all_zero("planes", x.planes, n.planes, 4);
        all_zero("dkv", x.dkv, n.dkv, 2);
        all_zero("dsink", x.dsink, n.dsink, 4);
        assert_true(isfinite(x.lse[0]));
        outputs_free(&x);
        case_free(&c);
    }
}

/* No sink tensor is a sink of -Inf for every head. */
static void absent_sink(void **state)
{
    struct attention_case c = case_new(&small, 12);
    struct ordo_attention_outputs x, y;

    (void)state;
    no_sink(&c);
    x = run_case(&c, 1);
    c.a.in.sink = NULL;
    y = run_case(&c, 1);
    same_outputs(&c, &y, &x);
    all_zero("dsink", x.dsink, (size_t)small.n_head, 4);
    outputs_free(&x);
    outputs_free(&y);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(one_live_key), cmocka_unit_test(power_of_two), cmocka_unit_test(permuted_slots),
        cmocka_unit_test(renamed_rows), cmocka_unit_test(dead_slots),   cmocka_unit_test(dead_rows),
        cmocka_unit_test(inert_rows),   cmocka_unit_test(whole_sink),   cmocka_unit_test(absent_sink),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
