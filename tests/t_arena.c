/* t_arena.c - pieces do not overlap, zeroed ones are zero, and what spilled makes the block grow. */
#include "base/arena.h"

#include "tests/test.h"

#include <stdbool.h>
#include <string.h>

static void pieces_are_apart(void **state)
{
    struct ordo_arena a = {0};
    uint8_t *piece[50];

    (void)state;
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 50; i++) {
            piece[i] = ordo_arena_alloc(&a, (uint64_t)i, 7);
            assert_non_null(piece[i]);
            assert_int_equal((uintptr_t)piece[i] % 64, 0);
            memset(piece[i], i, (size_t)i * 7);
        }
        for (int i = 0; i < 50; i++)
            for (int k = 0; k < i * 7; k++)
                assert_int_equal(piece[i][k], i);
        if (round)
            assert_null(a.spill); /* the first reset has made room for all */
        ordo_arena_reset(&a);
    }
    ordo_arena_free(&a);
}

static void zero_is_zero(void **state)
{
    struct ordo_arena a = {0};

    (void)state;
    for (int round = 0; round < 3; round++) {
        uint32_t *x = ordo_arena_alloc_zero(&a, 100, sizeof *x);

        assert_non_null(x);
        for (int i = 0; i < 100; i++)
            assert_int_equal(x[i], 0);
        memset(x, 0xa5, 100 * sizeof *x);
        ordo_arena_reset(&a);
    }
    ordo_arena_free(&a);
}

static void none_is_the_heap(void **state)
{
    uint8_t *x = ordo_arena_alloc_zero(NULL, 10, 1), *y = ordo_arena_alloc(NULL, 0, 8);

    (void)state;
    assert_non_null(x);
    assert_non_null(y);
    assert_int_equal(x[9], 0);
    ordo_arena_drop(NULL, x);
    ordo_arena_drop(NULL, y);
}

static void too_large(void **state)
{
    struct ordo_arena a = {0};

    (void)state;
    assert_null(ordo_arena_alloc(&a, UINT64_MAX, 1));
    assert_null(ordo_arena_alloc(&a, UINT64_MAX / 2, 4));
    assert_null(ordo_arena_alloc_zero(&a, UINT64_MAX - 3, 1));
    assert_int_equal(a.used, 0);
    ordo_arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(pieces_are_apart),
        cmocka_unit_test(zero_is_zero),
        cmocka_unit_test(none_is_the_heap),
        cmocka_unit_test(too_large),
    };

    return cmocka_run_group_tests_name("arena", test, NULL, NULL);
}
