/* t_dense.c - dense schedules: masks hold what their definitions say, row orders and dQ ranks are permutations, and the
 * worked examples of the sources come out. */
#include "tests/test.h"

#include "sim/dense.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(masks), cmocka_unit_test(shift_examples)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
