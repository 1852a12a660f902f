/* t_near_rows.c - rows brought near: every slot is alive or dead as it was, rows keep their order, their place in a
 * mask word and their names. */
#include "fuzz/nearby.h"

#include "base/rng.h"
#include "tests/test.h"

#include <string.h>

enum { QUERIES = 6, TOPK = 24 };

static int32_t draw_id(struct ordo_rng *rng, int32_t n_kv)
{
    const int32_t value[] = {-1, INT32_MIN, n_kv, INT32_MAX, n_kv - 1, 0, 8, n_kv - 9, n_kv / 2};
    uint64_t r = ordo_rng_next(rng);

    return r % 2 ? value[(r >> 8) % (sizeof value / sizeof value[0])] : (int32_t)((r >> 8) % (uint64_t)n_kv);
}

static void one(const struct ordo_problem *p, const struct ordo_nearby *near)
{
    const struct ordo_problem *q = &near->problem;
    bool names_last = false;

    for (int i = 0; i < QUERIES * TOPK; i++)
        names_last = names_last || (p->idx[i] / 8 == p->n_kv / 8 && p->idx[i] >= 0 && p->idx[i] < p->n_kv);
    assert_int_equal(q->n_query, p->n_query);
    assert_int_equal(q->topk, p->topk);
    assert_ptr_equal(q->length, p->length);
    assert_true(q->n_kv <= 8 * QUERIES * TOPK);
    assert_int_equal(q->n_kv % 8, names_last ? p->n_kv % 8 : 0);
    for (int i = 0; i < QUERIES * TOPK; i++) {
        bool is_row = p->idx[i] >= 0 && p->idx[i] < p->n_kv;

        assert_int_equal(q->idx[i] >= 0 && q->idx[i] < q->n_kv, is_row);
        if (!is_row)
            assert_int_equal(q->idx[i], p->idx[i]);
        if (is_row) {
            assert_int_equal(ordo_nearby_row(near, q->idx[i]), p->idx[i]);
            assert_int_equal(q->idx[i] % 8, p->idx[i] % 8);
        }
        for (int k = 0; is_row && k < i; k++)
            if (p->idx[k] >= 0 && p->idx[k] < p->n_kv)
                assert_int_equal((q->idx[i] > q->idx[k]) - (q->idx[i] < q->idx[k]),
                                 (p->idx[i] > p->idx[k]) - (p->idx[i] < p->idx[k]));
    }
    assert_int_equal(ordo_nearby_row(near, -1), -1);
}

static void slots(void **state)
{
    static const int32_t kv[] = {(1 << 20) + 1, (1 << 24) + 8, 20000003, INT32_MAX};
    int32_t idx[QUERIES * TOPK], length[QUERIES] = {TOPK, 0, 3, -1, 1, INT32_MAX};
    struct ordo_rng rng = {7};
    struct ordo_arena arena = {0};
    struct ordo_err err = {0};

    (void)state;
    for (int round = 0; round < 400; round++) {
        const struct ordo_problem p = {QUERIES, TOPK, kv[round % 4], idx, length};
        struct ordo_nearby near;

        for (int i = 0; i < QUERIES * TOPK; i++)
            idx[i] = draw_id(&rng, p.n_kv);
        ordo_arena_reset(&arena);
        assert_ok(ordo_nearby_make(&arena, &p, &near, &err), err);
        one(&p, &near);
    }
    ordo_arena_free(&arena);
}

/* Nobody names a row. */
static void nothing(void **state)
{
    int32_t idx[] = {-1, INT32_MAX};
    const struct ordo_problem p = {2, 1, 1 << 30, idx, NULL};
    struct ordo_arena arena = {0};
    struct ordo_err err = {0};
    struct ordo_nearby near;

    (void)state;
    assert_ok(ordo_nearby_make(&arena, &p, &near, &err), err);
    assert_int_equal(near.problem.n_kv, 0);
    assert_memory_equal(near.problem.idx, idx, sizeof idx);
    ordo_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(slots),
        cmocka_unit_test(nothing),
    };

    return cmocka_run_group_tests_name("near", test, NULL, NULL);
}
