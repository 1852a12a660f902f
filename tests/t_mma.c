/* t_mma.c - the tensor core's step: measured probes, a third model, wrong models, what is refused. */
#include "tests/test.h"

#include "base/fnv.h"
#include "base/probes.h"
#include "tests/mma_model.h"
#include "tests/tile.h"

static const struct ordo_mma_model *sm90(void)
{
    const struct ordo_mma_model *model;
    struct ordo_err err = {0};

    assert_ok(ordo_mma_find(90, &model, &err), err);
    return model;
}

/* --- the inputs ------------------------------------------------------------------------------------------------- */

/* The families are a contract with golden files: the same integers for ever. */
static void families_stay(void **state)
{
    static const uint64_t want[ORDO_FAMILIES] = {
        UINT64_C(0xb4ab4f7cb00aacd8), UINT64_C(0x664652b9b522c992), UINT64_C(0x6319ed962c48ceea),
        UINT64_C(0x1476494808623c85), UINT64_C(0xb4672688de8ed02a), UINT64_C(0x139b8c137c7dbc38),
        UINT64_C(0x8a79cca1eba1cdab), UINT64_C(0xa2664894650eabb5), UINT64_C(0x39a179ebf79ab709),
        UINT64_C(0x7ddbc6ffc8a81115),
    };

    (void)state;
    for (int f = 0; f < ORDO_FAMILIES; f++) {
        uint64_t h = ORDO_FNV_START;

        for (uint32_t line = 0; line < 16; line++)
            for (uint32_t k = 0; k < 64; k++) {
                h = ordo_fnv_word(h, ordo_family_a(f, 7, line, k));
                h = ordo_fnv_word(h, ordo_family_b(f, 7, line, k));
                h = ordo_fnv_word(h, ordo_family_c(f, 7, line, k));
            }
        assert_true(h == want[f]);
    }
}

/* --- probes ----------------------------------------------------------------------------------------------------- */

static void probes(void **state)
{
    struct ordo_err err = {0};

    (void)state;
    for (int isa = 0; isa < ORDO_ISAS; isa++)
        for (int i = 0; i < ORDO_PROBES && ordo_isa_has((enum ordo_isa)isa); i++) {
            uint16_t a[ORDO_MMA_K], b[ORDO_MMA_K];
            uint32_t c = ordo_probe[i].c;
            struct ordo_product p = {&ordo_format_bf16, 1, 1, ORDO_MMA_K, a, b, 1, 1, 1, 1, &c, NULL, 1, NULL, 0};

            ordo_probe_operands(&ordo_probe[i], a, b);
            assert_ok(ordo_mma(sm90(), (enum ordo_isa)isa, &p, &err), err);
            if (c != ordo_probe[i].want)
                fail_msg("%s, probe %d: %08x, measured %08x", ordo_isa_name[isa], i, c, ordo_probe[i].want);
        }
}

/* Sums that are all ones down to the grid, and the largest: 64 and 65 units of the leading product. */
static void long_carries(void **state)
{
    static const struct ordo_probe ones[] = {
        {{{ORDO_B2(-24), ORDO_B2(0), 1}, {ORDO_B2(-25), ORDO_B2(0), 1}}, 0x3fffffffu, 0x3fffffffu},
        {{{ORDO_BM2(-24), ORDO_B2(0), 1}, {ORDO_BM2(-25), ORDO_B2(0), 1}}, 0xbfffffffu, 0xbfffffffu},
        {{{ORDO_B2(-24), ORDO_B2(0), 2}}, 0x3fffffffu, 0x40000000u},
        {{{0x3fff, 0xbfff, 16}}, 0xbfffffffu, 0xc283007fu},
        {{{0x3fff, 0x3fff, 16}}, 0xbfffffffu, 0x42760100u},
        {{{ORDO_B2(52), ORDO_B2(51), 1}, {ORDO_B2(51), ORDO_B2(51), 1}}, 0x7f7fffffu, 0x7f7fffffu},
        {{{ORDO_B2(52), ORDO_B2(51), 2}}, 0x7f7fffffu, 0x7f800000u},
    };
    double scalar[sizeof ones / sizeof ones[0]];
    struct ordo_err err = {0};

    (void)state;
    for (int isa = 0; isa < ORDO_ISAS; isa++)
        for (size_t i = 0; i < sizeof ones / sizeof ones[0] && ordo_isa_has((enum ordo_isa)isa); i++) {
            uint16_t a[ORDO_MMA_K], b[ORDO_MMA_K];
            uint32_t c = ones[i].c;
            double bound = 0;
            struct ordo_product p = {&ordo_format_bf16, 1, 1, ORDO_MMA_K, a, b, 1, 1, 1, 1, &c, &bound, 1, NULL, 0};

            ordo_probe_operands(&ones[i], a, b);
            assert_int_equal(model_group(&right_model, &ordo_format_bf16, a, b, c), ones[i].want);
            assert_ok(ordo_mma(sm90(), (enum ordo_isa)isa, &p, &err), err);
            assert_int_equal(c, ones[i].want);
            scalar[i] = isa == ORDO_ISA_SCALAR ? bound : scalar[i];
            assert_true(bound == scalar[i]);
        }
}

/* --- other models ----------------------------------------------------------------------------------------------- */

/* Steps of a family on which a model and the scalar reference differ; those with Inf or NaN do not count. */
static int differences(const struct model *m, int family, int tiles, int *n_steps)
{
    struct tile t = tile_new(16, 16, ORDO_MMA_K);
    const struct ordo_mma_model *model = sm90();
    int n = 0;

    for (int seed = 0; seed < tiles; seed++) {
        tile_fill(&t, family, (uint64_t)seed);
        tile_start(&t, family, (uint64_t)seed);
        for (int i = 0; i < 256; i++) {
            const uint16_t *a = t.a + i / 16 * ORDO_MMA_K, *b = t.b + i % 16 * ORDO_MMA_K;
            struct ordo_mma_operands x = {&ordo_format_bf16, a, b, 1, 1};
            struct ordo_mma_loss loss;

            if (specials_in(&ordo_format_bf16, a, b, ORDO_MMA_K, t.c[i]))
                continue;
            *n_steps += 1;
            n += ordo_mma_step(model, &x, t.c[i], &loss) != model_group(m, &ordo_format_bf16, a, b, t.c[i]);
        }
    }
    tile_free(&t);
    return n;
}

static void third_model_agrees(void **state)
{
    (void)state;
    for (int f = 0; f < ORDO_FAMILIES; f++) {
        int n_steps = 0, n = differences(&right_model, f, 8, &n_steps);

        if (n != 0 || n_steps < 200)
            fail_msg("%s: %d of %d steps differ", family_name[f], n, n_steps);
    }
}

/* Each wrong model is told from the right one by some family, or the families are too weak. */
static void wrong_models_differ(void **state)
{
    (void)state;
    for (int w = 0; w < WRONG_MODELS; w++) {
        int n = 0, n_steps = 0;

        for (int f = 0; f < ORDO_FAMILIES; f++)
            if (!wrong_models[w].tiny || f == ORDO_FAMILY_TINY || f == ORDO_FAMILY_TINY_C)
                n += differences(&wrong_models[w].model, f, wrong_models[w].tiny ? 60 : 3, &n_steps);
        print_message("%-20s differs on %d of %d steps\n", wrong_models[w].name, n, n_steps);
        if (n == 0)
            fail_msg("no family tells \"%s\" from the model", wrong_models[w].name);
    }
}

/* Probes alone refuse the models that were once in question. */
static void probes_refuse(void **state)
{
    (void)state;
    for (int w = 0; w < WRONG_MODELS; w++) {
        int n = 0;

        for (int i = 0; i < ORDO_PROBES; i++) {
            uint16_t a[ORDO_MMA_K], b[ORDO_MMA_K];

            ordo_probe_operands(&ordo_probe[i], a, b);
            if (!specials_in(&ordo_format_bf16, a, b, ORDO_MMA_K, ordo_probe[i].c))
                n += model_group(&wrong_models[w].model, &ordo_format_bf16, a, b, ordo_probe[i].c) !=
                     ordo_probe[i].want;
        }
        if (n == 0)
            fail_msg("no probe refuses \"%s\"", wrong_models[w].name);
    }
}

/* Chains by the third model: groups ascend, or stand as listed; 40 is two groups and a half. */
static void chains(void **state)
{
    static const int32_t listed[4] = {2, 0, 1, 2};
    struct tile t = tile_new(16, 16, 40);
    struct ordo_product p = tile_product(&t, &ordo_format_bf16, false);
    struct ordo_err err = {0};

    (void)state;
    tile_fill(&t, ORDO_FAMILY_NARROW, 2);
    for (int order = 0; order < 2; order++) {
        if (order == 1) {
            p.group = listed;
            p.n_group = 4;
        }
        tile_start(&t, ORDO_FAMILY_NARROW, 2);
        assert_ok(ordo_mma(sm90(), ORDO_ISA_SCALAR, &p, &err), err);
        for (int i = 0; i < 256; i++) {
            uint32_t c = ordo_family_c(ORDO_FAMILY_NARROW, 2, (uint32_t)i / 16, (uint32_t)i % 16);

            for (int g = 0; g < 3 + order; g++) {
                int at = order ? listed[g] : g, n = at == 2 ? 8 : ORDO_MMA_K;
                uint16_t a[ORDO_MMA_K] = {0}, b[ORDO_MMA_K] = {0};

                memcpy(a, t.a + i / 16 * 40 + at * ORDO_MMA_K, (size_t)n * sizeof *a);
                memcpy(b, t.b + i % 16 * 40 + at * ORDO_MMA_K, (size_t)n * sizeof *b);
                c = model_group(&right_model, &ordo_format_bf16, a, b, c);
            }
            assert_int_equal(t.c[i], c);
        }
    }
    tile_free(&t);
}

/* Every row of the table against the third model with that row's constants. */
static void rows_agree(void **state)
{
    size_t n_rows;
    const struct ordo_mma_model *row = ordo_mma_models(&n_rows);
    struct tile t = tile_new(16, 16, ORDO_MMA_K);

    (void)state;
    for (size_t r = 0; r < n_rows; r++)
        for (int f = 0; f < ORDO_FAMILIES; f++) {
            const struct ordo_format *format = row[r].bf16 && f % 2 == 0 ? &ordo_format_bf16 : &ordo_format_fp16;
            struct model m = {.fraction = row[r].fraction, .chunk = row[r].chunk, .floor = row[r].floor};

            tile_fill(&t, f, 77);
            tile_start(&t, f, 77);
            for (int i = 0; i < 256; i++) {
                const uint16_t *a = t.a + i / 16 * ORDO_MMA_K, *b = t.b + i % 16 * ORDO_MMA_K;
                struct ordo_mma_operands x = {format, a, b, 1, 1};
                struct ordo_mma_loss loss;

                if (!specials_in(format, a, b, m.chunk, t.c[i]))
                    assert_int_equal(ordo_mma_step(&row[r], &x, t.c[i], &loss), model_step(&m, format, a, b, t.c[i]));
            }
        }
    tile_free(&t);
}

/* --- Inf and NaN ------------------------------------------------------------------------------------------------ */

/* The FPU's rules, which are the tensor core's: a sum of the operands as they are, in double. */
static void specials_as_ieee(void **state)
{
    static const uint16_t pick[8] = {0x7f80, 0xff80, 0x7fc0, 0x0000, 0x8000, 0x3f80, 0xbf80, 0x0001};
    struct ordo_rng rng = {3};

    (void)state;
    for (int i = 0; i < 10000; i++) {
        uint16_t a[ORDO_MMA_K] = {0}, b[ORDO_MMA_K] = {0};
        uint32_t c = (uint32_t)pick[ordo_rng_below(&rng, 8)] << 16, got;
        struct ordo_mma_operands x = {&ordo_format_bf16, a, b, 1, 1};
        struct ordo_mma_loss loss;
        double sum = (double)ordo_fp32(c);

        for (int n = 0; n < 3; n++) {
            int k = (int)ordo_rng_below(&rng, ORDO_MMA_K);

            a[k] = pick[ordo_rng_below(&rng, 8)];
            b[k] = pick[ordo_rng_below(&rng, 8)];
        }
        for (int k = 0; k < ORDO_MMA_K; k++)
            sum += (double)ordo_fp32((uint32_t)a[k] << 16) * (double)ordo_fp32((uint32_t)b[k] << 16);
        got = ordo_mma_step(sm90(), &x, c, &loss);
        if (isnan(sum) || isinf(sum))
            assert_int_equal(got, isnan(sum) ? ORDO_FP32_NAN : ordo_fp32_bits((float)sum));
        else
            assert_true(ordo_fp32_finite(got));
    }
}

/* --- what is refused -------------------------------------------------------------------------------------------- */

/* What each architecture keeps of a term, and of how many products. */
static void known_architectures(void **state)
{
    static const struct {
        int32_t sm, fraction, chunk;
        bool bf16;
    } want[] = {{70, 23, 4, false}, {80, 24, 8, true},  {86, 24, 8, true},
                {89, 24, 8, true},  {90, 25, 16, true}, {100, 25, 16, true}};
    size_t n;
    const struct ordo_mma_model *model = ordo_mma_models(&n);

    (void)state;
    assert_int_equal(n, sizeof want / sizeof want[0]);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(model[i].sm, want[i].sm);
        assert_int_equal(model[i].fraction, want[i].fraction);
        assert_int_equal(model[i].chunk, want[i].chunk);
        assert_int_equal(model[i].bf16, want[i].bf16);
        assert_int_equal(model[i].floor, -133);
        assert_true(strlen(model[i].source) > 20);
    }
}

static void unknown_architectures(void **state)
{
    static const int32_t unknown[] = {0, 53, 75, 87, 91, 103, 120, 900};
    const struct ordo_mma_model *model;
    struct ordo_err err = {0};
    size_t n;

    (void)state;
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_int_equal(ordo_mma_find(unknown[i], &model, &err), ORDO_BAD_INPUT);
    assert_ok(ordo_mma_find(90, &model, &err), err);
    assert_int_equal(model->evidence, ORDO_MEASURED);
    model = ordo_mma_models(&n);
    for (size_t i = 0; i < n; i++) /* bits are claimed for one of them */
        assert_int_equal(model[i].evidence == ORDO_MEASURED, model[i].sm == 90);
}

static void bad_products(void **state)
{
    struct tile t = tile_new(2, 2, 20);
    struct ordo_product p = tile_product(&t, &ordo_format_bf16, false);
    const struct ordo_mma_model *volta;
    static const int32_t beyond[2] = {0, 2}, below[1] = {-1};
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_mma_find(70, &volta, &err), err);
    assert_int_equal(ordo_mma(volta, ORDO_ISA_SCALAR, &p, &err), ORDO_BAD_INPUT);
    p.group = beyond;
    p.n_group = 2;
    assert_int_equal(ordo_mma(sm90(), ORDO_ISA_SCALAR, &p, &err), ORDO_BAD_INPUT);
    p.group = below;
    p.n_group = 1;
    assert_int_equal(ordo_mma(sm90(), ORDO_ISA_SCALAR, &p, &err), ORDO_BAD_INPUT);
    p = tile_product(&t, &ordo_format_fp32, false);
    assert_int_equal(ordo_mma(sm90(), ORDO_ISA_SCALAR, &p, &err), ORDO_BAD_INPUT);
    p = tile_product(&t, &ordo_format_bf16, false);
    p.n = 0;
    assert_int_equal(ordo_mma(sm90(), ORDO_ISA_SCALAR, &p, &err), ORDO_BAD_INPUT);
    p = tile_product(&t, &ordo_format_bf16, false);
    p.k = INT32_MAX; /* no whole number of groups */
    assert_int_equal(ordo_mma(sm90(), ORDO_ISA_SCALAR, &p, &err), ORDO_BAD_INPUT);
    tile_free(&t);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(families_stay),
        cmocka_unit_test(probes),
        cmocka_unit_test(long_carries),
        cmocka_unit_test(third_model_agrees),
        cmocka_unit_test(wrong_models_differ),
        cmocka_unit_test(probes_refuse),
        cmocka_unit_test(rows_agree),
        cmocka_unit_test(chains),
        cmocka_unit_test(specials_as_ieee),
        cmocka_unit_test(known_architectures),
        cmocka_unit_test(unknown_architectures),
        cmocka_unit_test(bad_products),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
