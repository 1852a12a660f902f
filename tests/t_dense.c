/* t_dense.c - dense schedules: masks hold what their definitions say, row orders and dQ ranks are permutations,
 * and the worked examples of the sources come out. */
#include "tests/test.h"

#include "base/rng.h"
#include "sim/dense.h"
#include "sim/dense_keys.h"
#include "sim/dense_time.h"

#include <stdlib.h>
#include <string.h>

static struct ordo_dense_mask mask_of(enum ordo_dense_mask_kind kind, int32_t n_q, int32_t n_kv)
{
    struct ordo_dense_mask_spec spec = {kind, n_q, n_kv, 3, 4, 50, 7};
    struct ordo_dense_mask m;
    struct ordo_err err = {0};

    assert_ok(ordo_dense_mask_make(&spec, &m, &err), err);
    return m;
}

static struct ordo_dense made(const char *name, const struct ordo_dense_mask *m, int32_t heads, int32_t sms)
{
    struct ordo_dense_launch launch = {.mask = m, .heads = heads, .sms = sms};
    struct ordo_dense d;
    struct ordo_err err = {0};

    assert_non_null(ordo_dense_find(name));
    assert_ok(ordo_dense_make(ordo_dense_find(name), &launch, true, &d, &err), err);
    return d;
}

/* Each row's order as digits, rows between commas: "0321,1032". */
static void assert_orders(const struct ordo_dense *d, int32_t head, const char *want)
{
    char text[256];
    size_t n = 0;
    int32_t kv[16];

    for (int32_t q = 0; q < d->launch.mask->n_q; q++) {
        int32_t adds = ordo_dense_order(d, head, q, kv);

        assert_true(adds >= 0);
        for (int32_t i = 0; i < adds; i++)
            text[n++] = (char)('0' + kv[i]);
        text[n++] = ',';
    }
    text[n - 1] = '\0';
    assert_string_equal(text, want);
}

static void masks(void **state)
{
    (void)state;
    for (int kind = 0; kind < ORDO_N_DENSE_MASKS; kind++) {
        struct ordo_dense_mask m = mask_of((enum ordo_dense_mask_kind)kind, 140, 70);
        int64_t pairs = 0;

        for (int32_t q = 0; q < m.n_q; q++) {
            int32_t below = 0;

            for (int32_t kv = 0; kv < m.n_kv; kv++) {
                bool sees = ordo_dense_sees(&m, q, kv);

                if (kind == ORDO_DENSE_MASK_FULL)
                    assert_true(sees);
                if (kind == ORDO_DENSE_MASK_CAUSAL)
                    assert_int_equal(sees, 2 * kv <= q);
                if (kind == ORDO_DENSE_MASK_WINDOW)
                    assert_int_equal(sees, 2 * kv <= q && kv > q / 2 - 3);
                assert_int_equal(ordo_dense_below(&m, q, kv), below);
                below += sees;
            }
            assert_int_equal(ordo_dense_adds(&m, q), below);
            pairs += below;
        }
        assert_int_equal(m.pairs, pairs);
        ordo_dense_mask_free(&m);
    }
}

static void shift_examples(void **state)
{
    struct ordo_dense_mask m = mask_of(ORDO_DENSE_MASK_FULL, 4, 4), tall = mask_of(ORDO_DENSE_MASK_FULL, 6, 3);
    struct ordo_dense d = made("shift", &m, 2, 4), t = made("shift", &tall, 1, 3);

    (void)state;
    assert_orders(&d, 1, "0321,1032,2103,3210");
    assert_orders(&t, 0, "021,102,210,210,210,210");
    ordo_dense_free(&d);
    ordo_dense_free(&t);
    ordo_dense_mask_free(&m);
    ordo_dense_mask_free(&tall);
}

/* Both readings of symmetric shift for four tiles; and code and text agree on the last row only. */
static void symmetric_examples(void **state)
{
    struct ordo_dense_mask m = mask_of(ORDO_DENSE_MASK_CAUSAL, 4, 4);
    struct ordo_dense code = made("symmetric", &m, 2, 4), text = made("symmetric-text", &m, 2, 4);

    (void)state;
    assert_orders(&code, 1, "0,01,102,1023");
    assert_orders(&text, 1, "0,10,012,1023");
    ordo_dense_free(&code);
    ordo_dense_free(&text);
    ordo_dense_mask_free(&m);
}

/* Keys that an edge colouring gives: below the largest degree, different within a tile and within a row. */
static void colourings(void **state)
{
    struct ordo_rng rng = {5};

    (void)state;
    for (int i = 0; i < 60; i++) {
        struct ordo_dense_mask_spec spec = {ORDO_DENSE_MASK_BLOCKS, 1 + (int32_t)ordo_rng_below(&rng, 40),
                                            1 + (int32_t)ordo_rng_below(&rng, 40), 0, 0, 50, (uint64_t)i};
        struct ordo_dense_mask m;
        struct ordo_err err = {0};
        int64_t key[1600], degree = 0, rows[40][40] = {{0}};
        int32_t place[40];

        assert_ok(ordo_dense_mask_make(&spec, &m, &err), err);
        for (int32_t kv = 0; kv < m.n_kv; kv++) {
            place[kv] = kv;
            degree = ordo_dense_steps(&m, kv) > degree ? ordo_dense_steps(&m, kv) : degree;
        }
        for (int32_t q = 0; q < m.n_q; q++)
            degree = ordo_dense_adds(&m, q) > degree ? ordo_dense_adds(&m, q) : degree;
        assert_true(ordo_dense_keys_colour(&m, place, m.n_kv, key));
        for (int32_t kv = 0; kv < m.n_kv; kv++) {
            int64_t seen = 0;

            for (int32_t k = 0; k < ordo_dense_steps(&m, kv); k++) {
                int64_t colour = key[m.q_start[kv] + k], *row = rows[ordo_dense_seen_by(&m, kv, k)];

                if (colour < 0 || colour >= degree || seen >> colour & 1 || row[colour]++)
                    fail_msg("mask %d: colour %d of tile %d", i, (int)colour, (int)kv);
                seen |= INT64_C(1) << colour;
            }
        }
        ordo_dense_mask_free(&m);
    }
}

/* A random mask of 128 x 128 tiles at one half comes within 5 % of the bound; here: of its longest tile. */
static void near_the_bound(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        struct ordo_dense_mask_spec spec = {ORDO_DENSE_MASK_BLOCKS, 128, 128, 0, 0, 50, seed};
        struct ordo_dense_mask m;
        struct ordo_dense_launch launch = {.mask = &m, .heads = 1, .sms = 132, .c = 3, .r = 1};
        struct ordo_dense_model model = {.c = {3, 1}, .r = {1, 1}, .edge = {0, 1}, .start = {0, 1}, .jitter = {0, 1},
                                         .slots = 132};
        struct ordo_dense d;
        struct ordo_dense_time t;
        struct ordo_dense_bounds b;
        struct ordo_err err = {0};

        assert_ok(ordo_dense_mask_make(&spec, &m, &err), err);
        assert_ok(ordo_dense_make(&ordo_dense_general, &launch, true, &d, &err), err);
        assert_ok(ordo_dense_time(&d, &model, NULL, &t, &err), err);
        assert_ok(ordo_dense_bounds(&launch, &model, &b, &err), err);
        assert_true(ordo_rational_real(ordo_dense_makespan(&t)) <= 1.05 * ordo_rational_real(b.most));
        ordo_dense_time_free(&t);
        ordo_dense_free(&d);
        ordo_dense_mask_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(masks), cmocka_unit_test(shift_examples),
                                       cmocka_unit_test(symmetric_examples), cmocka_unit_test(colourings),
                                       cmocka_unit_test(near_the_bound)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
