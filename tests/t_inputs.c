/* t_inputs.c - seeded tensors: bytes that never change, no element that depends on the extents, and the two classes
 * as promised. */
#include "ref/inputs.h"

#include "ref/fp.h"
#include "tests/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct ordo_tensors t;
static struct ordo_err err;

static const struct ordo_request small = {.n_query = 3, .n_kv = 7, .topk = 4, .n_head = 20, .d_qk = 40, .d_v = 33};

static void make(const struct ordo_request *r, enum ordo_input_class kind, enum ordo_sink_kind sink, uint64_t seed)
{
    assert_ok(ordo_tensors_seed(r, &(struct ordo_values){.seed = seed, .kind = kind, .sink = sink}, &t, &err), err);
}

static double value(uint16_t bf16)
{
    return (double)ordo_fp32(ordo_bf16_to_fp32_bits(bf16));
}

/* A changed digest is a changed generator, which breaks every stored seed. */
static void golden(void **state)
{
    static const struct {
        enum ordo_input_class kind;
        enum ordo_sink_kind sink;
        uint64_t seed;
        const char *digest;
    } known[] = {
        {ORDO_ROUGH, ORDO_SINK_SEEDED, 0, "107313d398bccbf32de456181540947d0c2be10929fb277f405892bf6fd0488d"},
        {ORDO_ROUGH, ORDO_SINK_MIXED, UINT64_MAX, "17dd163e019d466bafc82ac6cb57c1194a8475fb27e1f65946b64c628d09760e"},
        {ORDO_EXACT, ORDO_SINK_SEEDED, 0, "4c2e6da2139079f7ba2f631077aeef4e3950b75c15f5ae71b4d906be58880f3a"},
        {ORDO_EXACT, ORDO_SINK_OFF, 1, "f1a0b2c45e74756fce3c8721427f67574a6631cc258490241b6a8a568c570074"},
        {ORDO_ROUGH, ORDO_SINK_INF, 0, "1c4b77a7f8e0ce7632c32169cc3a6de743f7e4cbc540ae40737d89a9d03bc786"},
        {ORDO_ROUGH, ORDO_SINK_HUGE, 0, "33232e0c7550a7aef52df60e419b216071888ce56771ad7405236fb40d5da8cd"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char hex[ORDO_DIGEST_HEX];
        struct ordo_digest d;

        make(&small, known[i].kind, known[i].sink, known[i].seed);
        d = ordo_tensors_digest(&small, &t);
        assert_string_equal(ordo_digest_hex(&d, hex), known[i].digest);
        ordo_tensors_free(&t);
    }
}

/* No sink is a sink of -Inf for every head, of the same digest. */
static void no_sink(void **state)
{
    struct ordo_digest off, none;
    float *sink;

    (void)state;
    make(&small, ORDO_ROUGH, ORDO_SINK_OFF, 3);
    off = ordo_tensors_digest(&small, &t);
    sink = t.sink;
    t.sink = NULL;
    none = ordo_tensors_digest(&small, &t);
    t.sink = sink;
    assert_memory_equal(&off, &none, sizeof off);
    ordo_tensors_free(&t);
}

/* dO, and nothing else, is 2^-120 times itself; what was zero or subnormal stays. */
static void tiny(void **state)
{
    struct ordo_tensors plain;
    size_t n_dout = 3 * 20 * 33;

    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        make(&small, (enum ordo_input_class)kind, ORDO_SINK_SEEDED, 4);
        plain = t;
        assert_ok(ordo_tensors_seed(&small, &(struct ordo_values){.seed = 4, .kind = (enum ordo_input_class)kind,
                                                                  .tiny = true}, &t, &err), err);
        for (size_t i = 0; i < n_dout; i++)
            assert_true(value(t.dout[i]) == value(plain.dout[i]) * (plain.dout[i] & 0x7f80 ? 0x1p-120 : 1));
        assert_memory_equal(t.q, plain.q, 3 * 20 * 40 * sizeof *t.q);
        assert_memory_equal(t.kv, plain.kv, 7 * 40 * sizeof *t.kv);
        assert_memory_equal(t.sink, plain.sink, 20 * sizeof *t.sink);
        ordo_tensors_free(&plain);
        ordo_tensors_free(&t);
    }
}

/* A problem with more of everything has the same elements at the same places. */
static void extents_do_not_matter(void **state)
{
    const struct ordo_request large = {.n_query = 5, .n_kv = 9, .topk = 1, .n_head = 33, .d_qk = 64, .d_v = 50};
    struct ordo_tensors big;

    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        make(&large, (enum ordo_input_class)kind, ORDO_SINK_MIXED, 5);
        big = t;
        make(&small, (enum ordo_input_class)kind, ORDO_SINK_MIXED, 5);
        for (size_t q = 0; q < 3; q++)
            for (size_t h = 0; h < 20; h++) {
                assert_memory_equal(&t.q[(q * 20 + h) * 40], &big.q[(q * 33 + h) * 64], 40 * sizeof *t.q);
                assert_memory_equal(&t.dout[(q * 20 + h) * 33], &big.dout[(q * 33 + h) * 50], 33 * sizeof *t.dout);
            }
        for (size_t k = 0; k < 7; k++)
            assert_memory_equal(&t.kv[k * 40], &big.kv[k * 64], 40 * sizeof *t.kv);
        assert_memory_equal(t.sink, big.sink, 20 * sizeof *t.sink);
        ordo_tensors_free(&big);
        ordo_tensors_free(&t);
    }
}

/* In units of 2^-low: ranges, both signs, about 1/64 zeros and as many subnormal; lines and tensors differ. */
static void rough_is_rough(void **state)
{
    const struct ordo_request r = {.n_query = 4, .n_kv = 64, .topk = 1, .n_head = 16, .d_qk = 512, .d_v = 512};
    double sum = 0, squares = 0;

    (void)state;
    make(&r, ORDO_ROUGH, ORDO_SINK_SEEDED, 1);
    for (int tensor = 0; tensor < 3; tensor++) {
        const uint16_t *x = tensor == 0 ? t.q : tensor == 1 ? t.kv : t.dout;
        double low = ldexp(1, -4 - tensor);
        int zeros = 0, tiny = 0, minus = 0, top = 0, bottom = 0;

        for (size_t i = 0; i < 64 * 512; i++) {
            enum ordo_fp_class class = ordo_bf16_class(x[i]);
            double size = fabs(value(x[i]));

            zeros += class == ORDO_FP_ZERO;
            tiny += class == ORDO_FP_SUBNORMAL;
            minus += x[i] >> 15;
            top += size >= 32 * low;
            bottom += size >= low && size < 2 * low;
            assert_true(class <= ORDO_FP_SUBNORMAL || (size >= low && size < 64 * low));
        }
        /* five standard deviations of 32,768 draws */
        assert_in_range(zeros, 512 - 113, 512 + 113);
        assert_in_range(tiny, 512 - 113, 512 + 113);
        assert_in_range(minus, 16384 - 453, 16384 + 453);
        assert_in_range(top, 5291 - 333, 5291 + 333);
        assert_in_range(bottom, 5291 - 333, 5291 + 333);
    }
    assert_memory_not_equal(t.q, t.kv, 512 * sizeof *t.q);
    assert_memory_not_equal(t.q, t.dout, 512 * sizeof *t.q);
    assert_memory_not_equal(t.q, t.q + 512, 512 * sizeof *t.q);
    for (size_t line = 0; line < 64; line++)
        for (size_t k = 0; k < 64; k++) {
            double s = 0;

            for (size_t d = 0; d < 512; d++)
                s += value(t.q[line * 512 + d]) * value(t.kv[k * 512 + d]);
            sum += s / sqrt(512);
            squares += s * s / 512;
        }
    assert_true(fabs(sum / 4096) < 0.1 && squares / 4096 > 0.8 && squares / 4096 < 1.25);
    for (int h = 0; h < 16; h++)
        assert_true(fabsf(t.sink[h]) <= 4 && t.sink[h] * 0x1p20f == rintf(t.sink[h] * 0x1p20f));
    ordo_tensors_free(&t);
}

/* All logits are 0, all elements small integers, every one of them drawn. */
static void exact_is_exact(void **state)
{
    bool drawn[3][17] = {{false}};

    (void)state;
    make(&small, ORDO_EXACT, ORDO_SINK_SEEDED, 9);
    for (size_t line = 0; line < 60; line++)
        for (size_t k = 0; k < 7; k++)
            for (size_t d = 0; d < 40; d++)
                assert_true(value(t.q[line * 40 + d]) * value(t.kv[k * 40 + d]) == 0);
    for (int tensor = 0; tensor < 3; tensor++) {
        const uint16_t *x = tensor == 0 ? t.q : tensor == 1 ? t.kv : t.dout;

        for (size_t i = 0; i < (tensor == 0 ? 60 * 40 : tensor == 1 ? 7 * 40 : 60 * 33); i++) {
            double v = value(x[i]);

            assert_true(fabs(v) <= 8 && v == rint(v) && x[i] != 0x8000);
            drawn[tensor][(int)v + 8] = true;
        }
        for (int v = -8; v <= 8; v++)
            assert_true(drawn[tensor][v + 8] == (abs(v) != 5 && abs(v) != 7));
    }
    for (int h = 0; h < 20; h++)
        assert_int_equal(ordo_fp32_bits(t.sink[h]), 0);
    ordo_tensors_free(&t);
}

static void sinks(void **state)
{
    static const float mixed[6] = {-HUGE_VALF, HUGE_VALF, 2.4e38f, -2.4e38f, -400, 0};
    static const float fixed[4] = {0, -HUGE_VALF, HUGE_VALF, 2.4e38f};
    float seeded[20];

    (void)state;
    for (int kind = ORDO_SINK_SEEDED; kind <= ORDO_SINK_MIXED; kind++) {
        make(&small, ORDO_ROUGH, (enum ordo_sink_kind)kind, 2);
        if (kind == ORDO_SINK_SEEDED)
            memcpy(seeded, t.sink, sizeof seeded);
        for (int h = 0; h < 20; h++)
            if (kind == ORDO_SINK_MIXED)
                assert_true(t.sink[h] == (h % 8 < 6 ? mixed[h % 8] : seeded[h]));
            else if (kind != ORDO_SINK_SEEDED)
                assert_true(t.sink[h] == fixed[kind]);
        ordo_tensors_free(&t);
    }
}

static void refused(void **state)
{
    static const struct {
        struct ordo_request r;
        const char *field;
    } known[] = {
        {{0, 1, 1, 1, 1, 1, .cluster = 0}, "queries"}, {{1, 0, 1, 1, 1, 1, .cluster = 0}, "kv"},
        {{1, 1, 1, 0, 1, 1, .cluster = 0}, "heads"},   {{1, 1, 1, 1, 0, 1, .cluster = 0}, "dqk"},
        {{1, 1, 1, 1, 1, 0, .cluster = 0}, "dv"},      {{1, 1, 1, 1, 8, 9, .cluster = 0}, "dv"},
    };
    static const struct ordo_request huge = {INT32_MAX, 1, 1, INT32_MAX, INT32_MAX, 1, .cluster = 0};

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(ordo_tensors_seed(&known[i].r, &(struct ordo_values){0}, &t, &err), ORDO_BAD_INPUT);
        assert_string_equal(err.field, known[i].field);
        assert_null(t.q);
    }
    assert_int_equal(ordo_tensors_seed(&huge, &(struct ordo_values){0}, &t, &err), ORDO_ENVIRONMENT);
    assert_null(t.q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden),         cmocka_unit_test(no_sink),       cmocka_unit_test(extents_do_not_matter),
        cmocka_unit_test(rough_is_rough), cmocka_unit_test(exact_is_exact), cmocka_unit_test(sinks),
        cmocka_unit_test(refused),        cmocka_unit_test(tiny),
    };

    return cmocka_run_group_tests_name("inputs", tests, NULL, NULL);
}
