/* t_shrink.c - a planted core is found again, whole and alone, whatever stands around it. */
#include "corpus/shrink.h"

#include "base/rng.h"
#include "protocol/live.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

enum { QUERIES = 40, TOPK = 12, KV = 300 };

/* A large case of noise: lengths, a wide plan, dead slots. */
static void noise(struct ordo_case *c, uint64_t seed)
{
    struct ordo_rng rng = {seed};
    struct ordo_problem *p = &c->problem;

    ordo_case_init(c);
    *p = (struct ordo_problem){QUERIES, TOPK, KV, malloc(sizeof(int32_t) * QUERIES * TOPK),
                               malloc(sizeof(int32_t) * QUERIES)};
    assert_true(p->idx && p->length);
    for (int32_t i = 0; i < QUERIES * TOPK; i++)
        p->idx[i] = (int32_t)ordo_rng_below(&rng, KV + 30);
    for (int32_t q = 0; q < QUERIES; q++)
        p->length[q] = TOPK - (int32_t)ordo_rng_below(&rng, 3);
    memcpy(c->design, "cluster-relay", sizeof "cluster-relay");
    c->cluster = 16;
    c->wave = 64;
    c->heads = 192;
    c->rough = true;
    c->value_seed = seed;
    c->schedule_seed = seed + 1;
}

static bool names(const struct ordo_problem *p, int32_t q, int32_t row)
{
    for (int32_t j = 0; j < p->topk; j++)
        if (p->idx[q * p->topk + j] == row &&
            ordo_slot_live(row, p->n_kv, j, ordo_clamp_length(ordo_problem_length(p, q), p->topk)))
            return true;
    return false;
}

/* Some row that two queries name, and another row that the later of them names with a third. */
static bool has_chain(void *ctx, const struct ordo_case *c)
{
    const struct ordo_problem *p = &c->problem;

    ++*(int *)ctx;
    for (int32_t a = 0; a < p->n_query; a++)
        for (int32_t b = a + 1; b < p->n_query; b++)
            for (int32_t d = b + 1; d < p->n_query; d++)
                for (int32_t row = 0; row < p->n_kv; row++)
                    for (int32_t other = 0; other < p->n_kv; other++)
                        if (row != other && names(p, a, row) && names(p, b, row) && names(p, b, other) &&
                            names(p, d, other))
                            return true;
    return false;
}

static void planted_chain(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct ordo_case c;
        struct ordo_err err = {0};
        int asked = 0;
        struct ordo_shrink s = {.still = has_chain, .ctx = &asked};

        noise(&c, seed);
        c.problem.n_kv = 60; /* the predicate is slow */
        assert_true(has_chain(&asked, &c));
        assert_ok(ordo_shrink_case(&s, &c, &err), err);
        assert_true(has_chain(&asked, &c));
        assert_int_equal(s.tries, asked - 2);
        assert_int_equal(c.problem.n_query, 3);
        assert_int_equal(c.problem.topk, 2);
        assert_int_equal(c.problem.n_kv, 2);
        assert_null(c.problem.length);
        assert_int_equal(c.cluster, 4);
        assert_int_equal(c.wave, 4);
        assert_int_equal(c.heads, 64);
        assert_true(!c.rough && c.value_seed == 0 && c.schedule_seed == 0);
        ordo_case_free(&c);
    }
}

/* Exactly these: one slot of query 17, a length, a wide plan, both seeds. */
static bool has_everything(void *ctx, const struct ordo_case *c)
{
    const struct ordo_problem *p = &c->problem;

    (void)ctx;
    for (int32_t q = 0; p->length && q < p->n_query; q++)
        for (int32_t j = 0; j < p->topk; j++)
            if (p->idx[q * p->topk + j] == INT32_MIN && p->length[q] == -7)
                return c->cluster == 16 && c->wave == 64 && c->heads == 192 && c->rough && c->value_seed == 5 &&
                       c->schedule_seed == 6;
    return false;
}

static void keeps_what_matters(void **state)
{
    struct ordo_shrink s = {.still = has_everything};
    struct ordo_err err = {0};
    struct ordo_case c;

    (void)state;
    noise(&c, 5);
    c.problem.idx[17 * TOPK + 3] = INT32_MIN;
    c.problem.length[17] = -7;
    assert_ok(ordo_shrink_case(&s, &c, &err), err);
    assert_true(has_everything(NULL, &c));
    assert_int_equal(c.problem.n_query, 1);
    assert_int_equal(c.problem.topk, 1);
    ordo_case_free(&c);
}

static bool always(void *ctx, const struct ordo_case *c)
{
    (void)ctx;
    (void)c;
    return true;
}

static bool never(void *ctx, const struct ordo_case *c)
{
    (void)ctx;
    (void)c;
    return false;
}

static void ends(void **state)
{
    struct ordo_shrink all = {.still = always}, none = {.still = never}, few = {.still = always, .most = 3};
    struct ordo_err err = {0};
    struct ordo_case c;
    char *before, *after;

    (void)state;
    noise(&c, 1);
    before = ordo_case_print(&c, false);
    assert_ok(ordo_shrink_case(&none, &c, &err), err);
    after = ordo_case_print(&c, false);
    assert_string_equal(before, after);
    assert_ok(ordo_shrink_case(&few, &c, &err), err);
    assert_int_equal(few.tries, 3);
    assert_ok(ordo_shrink_case(&all, &c, &err), err);
    assert_int_equal(c.problem.n_query, 0);
    assert_in_range(all.tries, 1, 200);
    free(before);
    free(after);
    ordo_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(planted_chain),
        cmocka_unit_test(keeps_what_matters),
        cmocka_unit_test(ends),
    };

    return cmocka_run_group_tests_name("shrink", test, NULL, NULL);
}
