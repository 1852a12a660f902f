/* t_dense_optimal.c - small dense schedules searched whole: how many are without a stall, by two searches; what
 * waiting in one direction only costs; that shift, symmetric shift and the alternating pair are among the best. */
#include "tests/test.h"

#include "sim/dense_optimal.h"

#include <string.h>

struct golden {
    enum ordo_optimal_kind kind;
    int32_t n;
    uint64_t all, acyclic;
};

/* The alternating pair and its reverse in time are the only ones with acyclic waits from three tiles on. */
static const struct golden golden[] = {
    {ORDO_OPTIMAL_FULL, 2, 2, 0},     {ORDO_OPTIMAL_FULL, 3, 12, 0},    {ORDO_OPTIMAL_FULL, 4, 576, 0},
    {ORDO_OPTIMAL_FOLDED, 2, 4, 4},   {ORDO_OPTIMAL_FOLDED, 4, 224, 0}, {ORDO_OPTIMAL_PAIRED, 2, 10, 2},
    {ORDO_OPTIMAL_PAIRED, 3, 148, 2}, {ORDO_OPTIMAL_PAIRED, 4, 20692, 2},
};

static struct ordo_optimal_found made(const struct ordo_dense_schedule *schedule, enum ordo_optimal_kind kind,
                                      const struct ordo_optimal_case *c)
{
    struct ordo_dense_mask_spec spec = {
        .kind = kind == ORDO_OPTIMAL_FULL ? ORDO_DENSE_MASK_FULL : ORDO_DENSE_MASK_CAUSAL, .n_q = c->n, .n_kv = c->n};
    struct ordo_dense_mask mask;
    struct ordo_dense_launch launch = {.mask = &mask, .heads = c->heads, .sms = c->n_chain};
    struct ordo_dense d;
    struct ordo_optimal_found f;
    struct ordo_err err = {0};

    assert_ok(ordo_dense_mask_make(&spec, &mask, &err), err);
    assert_ok(ordo_dense_make(schedule, &launch, true, &d, &err), err);
    f = ordo_optimal_found_of(&d, c->n_chain);
    ordo_dense_free(&d);
    ordo_dense_mask_free(&mask);
    return f;
}

static void by_slots(void **state)
{
    static const struct ordo_dense_schedule *const known[ORDO_N_OPTIMAL_KINDS][2] = {
        {&ordo_dense_shift, &ordo_dense_shift},
        {&ordo_dense_symmetric, &ordo_dense_symmetric_text},
        {&ordo_dense_alternating, &ordo_dense_alternating}};

    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++)
        for (int which = 0; which < 2; which++) {
            struct ordo_optimal_case c = ordo_optimal_case_of(golden[i].kind, golden[i].n);
            struct ordo_optimal_found wanted = made(known[golden[i].kind][which], golden[i].kind, &c), found[4];
            struct ordo_optimal_slots s = ordo_optimal_by_slots(&c, &wanted, found, 4);

            assert_int_equal(s.all, golden[i].all);
            assert_int_equal(s.acyclic, golden[i].acyclic);
            assert_int_equal(s.wanted, 1);
        }
}

static void alternating_alone(void **state)
{
    struct ordo_optimal_case c = ordo_optimal_case_of(ORDO_OPTIMAL_PAIRED, 4);
    struct ordo_optimal_found wanted = made(&ordo_dense_alternating, ORDO_OPTIMAL_PAIRED, &c), found[4], back;
    struct ordo_optimal_slots s = ordo_optimal_by_slots(&c, &wanted, found, 4);

    (void)state;
    assert_int_equal(s.n_found, 2);
    assert_memory_equal(&found[0], &wanted, sizeof wanted);
    memset(&back, 0, sizeof back);
    for (int chain = 0; chain < 4; chain++)
        for (int k = 0; k < s.slots; k++)
            back.at[chain][k] = wanted.at[chain][s.slots - 1 - k];
    assert_memory_equal(&found[1], &back, sizeof back);
}

/* All schedules timed: the least time is the work bound, reached by the stall-free ones alone; with acyclic waits the
 * full mask costs the ramp (n - 1) r more, the folded causal mask something, the paired one nothing. */
static void by_exhaustion(void **state)
{
    static const int64_t weight[][2] = {{3, 1}, {1, 1}, {1, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++)
        for (int w = 0; w < 3; w++) {
            const struct golden *g = &golden[i];
            struct ordo_optimal_case c = ordo_optimal_case_of(g->kind, g->n);
            int64_t cc = weight[w][0], r = weight[w][1], slots = g->kind == ORDO_OPTIMAL_FULL ? g->n : g->n + 1;
            struct ordo_optimal_all a = ordo_optimal_by_exhaustion(&c, cc, r, w == 0 ? 400000 : 60000);

            if (!a.schedules)
                continue;
            assert_int_equal(a.least, slots * (cc + r));
            assert_int_equal(a.reach, g->all);
            assert_int_equal(a.stall_free, g->all);
            assert_int_equal(a.reach_acyclic, g->acyclic);
            if (g->kind == ORDO_OPTIMAL_FULL)
                assert_int_equal(a.least_acyclic, a.least + (g->n - 1) * r);
            else if (g->acyclic)
                assert_int_equal(a.least_acyclic, a.least);
            else
                assert_true(a.least_acyclic > a.least);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_slots), cmocka_unit_test(alternating_alone),
                                       cmocka_unit_test(by_exhaustion)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
