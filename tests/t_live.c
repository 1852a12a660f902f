/* t_live.c - the liveness predicate: every dead value, every length. */
#include "protocol/live.h"
#include "tests/test.h"

/* What integer arithmetic says without any clamp. */
static int live(int64_t id, int64_t n_kv, int64_t column, int64_t length, int64_t topk)
{
    return id >= 0 && id < n_kv && column < topk && column < length;
}

static int says(int32_t id, int32_t n_kv, int32_t column, int32_t length, int32_t topk)
{
    return ordo_slot_live(id, n_kv, column, ordo_clamp_length(length, topk)) != 0;
}

static void every_corner(void **state)
{
    static const int32_t id[] = {INT32_MIN, -123456,    -2,        -1,         0,  1, 7, 8, 9, 63, 64, 65, 100, 101,
                                 114514,    1919810, 2147480000, INT32_MAX - 1, INT32_MAX};
    static const int32_t n_kv[] = {0, 1, 8, 9, 64, 101, INT32_MAX};
    static const int32_t length[] = {INT32_MIN, -3, -1, 0, 1, 2, 5, 6, 7, 69, INT32_MAX};
    static const int32_t topk[] = {0, 1, 6, 64, INT32_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof id / sizeof id[0]; i++)
        for (size_t k = 0; k < sizeof n_kv / sizeof n_kv[0]; k++)
            for (size_t l = 0; l < sizeof length / sizeof length[0]; l++)
                for (size_t t = 0; t < sizeof topk / sizeof topk[0]; t++)
                    for (int32_t column = 0; column < topk[t] && column < 70; column++)
                        assert_int_equal(says(id[i], n_kv[k], column, length[l], topk[t]),
                                         live(id[i], n_kv[k], column, length[l], topk[t]));
}

static void clamp(void **state)
{
    (void)state;
    for (int32_t topk = 0; topk < 9; topk++)
        for (int32_t length = -9; length < 18; length++) {
            int32_t want = 0;

            for (int32_t column = 0; column < topk; column++)
                want += column < length;
            assert_int_equal(ordo_clamp_length(length, topk), want);
        }
    assert_int_equal(ordo_clamp_length(INT32_MIN, INT32_MAX), 0);
    assert_int_equal(ordo_clamp_length(INT32_MAX, 2048), 2048);
    assert_int_equal(ordo_clamp_length(INT32_MAX, INT32_MAX), INT32_MAX);
}

/* Position is not validity: a live id may stand at a column >= KV; and nothing is live past a length of zero. */
static void position(void **state)
{
    (void)state;
    assert_true(says(11, 12, 31, 32, 32));
    assert_true(says(0, 1, 1023, 1024, 1024));
    assert_false(says(0, 1, 0, 0, 1));
    assert_false(says(0, 1, 0, -5, 1));
    assert_false(says(12, 12, 0, 32, 32)); /* one past the end */
    assert_true(says(INT32_MAX - 1, INT32_MAX, 0, 1, 1));
    assert_false(says(INT32_MAX, INT32_MAX, 0, 1, 1)); /* what 2^31 and beyond saturate to: dead for every KV */
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(every_corner),
        cmocka_unit_test(clamp),
        cmocka_unit_test(position),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
