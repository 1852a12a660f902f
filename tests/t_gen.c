/* t_gen.c - generators: rows without duplicates, the promised share kept, and bytes that never change. */
#include "corpus/gen.h"

#include "base/rng.h"

#include "tests/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct ordo_problem p;
static struct ordo_err err;

static void make(const char *name, int32_t n_query, int32_t n_kv, int32_t topk, int32_t keep, uint64_t seed)
{
    struct ordo_gen_params par = {n_query, n_kv, topk, keep, seed};

    assert_non_null(ordo_preset_find(name));
    assert_ok(ordo_gen(ordo_preset_find(name), &par, &p, &err), err);
    assert_int_equal(p.n_query, n_query);
    assert_int_equal(p.n_kv, n_kv);
    assert_int_equal(p.topk, topk);
    assert_null(p.length);
}

/* How many ids two rows share. */
static int32_t shared(const int32_t *a, const int32_t *b, int32_t n)
{
    int32_t count = 0;

    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            count += a[i] == b[j];
    return count;
}

/* Sparse, dense, full and surplus rows of every preset: live ids are different, surplus slots are -1. */
static void rows_are_sets(void **state)
{
    static const int32_t extent[][2] = {{1000, 20}, {40, 20}, {40, 21}, {40, 39}, {40, 40}, {13, 40}, {1, 1},
                                        {1, 3},     {0, 3},   {5, 0},   {64, 64}, {65, 2}};

    (void)state;
    for (size_t i = 0; ordo_preset_at(i); i++)
        for (size_t e = 0; e < sizeof extent / sizeof extent[0]; e++) {
            int32_t n_kv = extent[e][0], topk = extent[e][1], n_live = topk < n_kv ? topk : n_kv;

            make(ordo_preset_at(i)->name, 30, n_kv, topk, 40, 7 + e);
            for (int32_t q = 0; q < 30; q++) {
                const int32_t *row = ordo_problem_row(&p, q);

                for (int32_t j = 0; j < topk; j++)
                    assert_true(j < n_live ? row[j] >= 0 && row[j] < n_kv : row[j] == -1);
                assert_int_equal(shared(row, row, n_live), n_live);
            }
            ordo_problem_free(&p);
        }
}

static void keep_keeps(void **state)
{
    (void)state;
    for (int32_t percent = 0; percent <= 100; percent += 20) {
        int32_t moved = 0;

        make("keep", 50, 1 << 30, 50, percent, 3);
        for (int32_t q = 1; q < 50; q++) {
            const int32_t *row = ordo_problem_row(&p, q), *before = ordo_problem_row(&p, q - 1);

            assert_int_equal(shared(row, before, 50), percent / 2);
            for (int32_t j = 0; j < 50; j++)
                moved += row[j] != before[j];
        }
        assert_true(moved > 49 * 45); /* places are fresh */
        ordo_problem_free(&p);
    }
}

static void window_slides(void **state)
{
    (void)state;
    make("window", 20, 7, 5, 0, 0);
    for (int32_t q = 0; q < 20; q++)
        for (int32_t j = 0; j < 5; j++)
            assert_int_equal(ordo_problem_row(&p, q)[j], (q + j) % 7);
    ordo_problem_free(&p);
}

/* Every id is drawn about equally often, in every column: 4 sigma of a binomial count. */
static void uniform_is_uniform(void **state)
{
    static const int32_t topk[] = {3, 12};

    (void)state;
    for (int i = 0; i < 2; i++) {
        int32_t first[16] = {0}, last[16] = {0};

        make("uniform", 16000, 16, topk[i], 0, 11);
        for (int32_t q = 0; q < 16000; q++) {
            first[ordo_problem_row(&p, q)[0]]++;
            last[ordo_problem_row(&p, q)[topk[i] - 1]]++;
        }
        for (int j = 0; j < 16; j++) {
            assert_in_range(first[j], 1000 - 123, 1000 + 123);
            assert_in_range(last[j], 1000 - 123, 1000 + 123);
        }
        ordo_problem_free(&p);
    }
}

/* The same everywhere, forever: a changed digest is a changed generator, which breaks every stored seed. */
static void golden(void **state)
{
    static const struct {
        const char *name;
        int32_t n_kv, topk;
        const char *digest;
    } known[] = {
        {"uniform", 300, 24, "7b85410c3f0c33d91c136eab94e56046fcfbc91c2d6e51368049d1a6ddd9bf6b"},
        {"uniform", 24, 20, "ee0efa86c4747ad04cf43255ae22054f8578885b4019112dda60437416402021"},
        {"keep", 300, 24, "baa8c7122e3f44bcb450e12e6dd91af78fb521a9a21427d4188ac981a1e4a34d"},
        {"keep", 20, 24, "ec3ed8d7960ca5b332bfd4286144b5c87fe0918961cfeec56a19f1acd86f83d2"},
        {"window", 300, 24, "eaaab5b74a0df958748fddb4c37045f5809842e57bc9b4f17636b2cf809dc1f1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char hex[ORDO_DIGEST_HEX];
        struct ordo_digest d;

        make(known[i].name, 33, known[i].n_kv, known[i].topk, ORDO_GEN_KEEP, 20240229);
        d = ordo_problem_digest(&p);
        assert_string_equal(ordo_digest_hex(&d, hex), known[i].digest);
        ordo_problem_free(&p);
    }
}

static void seeds_matter(void **state)
{
    int32_t first[24];

    (void)state;
    make("uniform", 2, 1 << 20, 24, 0, 1);
    memcpy(first, p.idx, sizeof first);
    assert_int_equal(shared(first, ordo_problem_row(&p, 1), 24), 0);
    ordo_problem_free(&p);
    make("uniform", 2, 1 << 20, 24, 0, 2);
    assert_int_equal(shared(first, p.idx, 24), 0);
    ordo_problem_free(&p);
}

static void refused(void **state)
{
    static const struct {
        struct ordo_gen_params par;
        const char *field;
    } known[] = {
        {{-1, 1, 1, 0, 0}, "queries"}, {{1, -1, 1, 0, 0}, "kv"},    {{1, 1, -1, 0, 0}, "topk"},
        {{1, 1, 1, -1, 0}, "keep"},    {{1, 1, 1, 101, 0}, "keep"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(ordo_gen(ordo_preset_find("keep"), &known[i].par, &p, &err), ORDO_USAGE);
        assert_string_equal(err.field, known[i].field);
        assert_null(p.idx);
    }
    assert_null(ordo_preset_find("nosuch"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sets),      cmocka_unit_test(keep_keeps), cmocka_unit_test(window_slides),
        cmocka_unit_test(uniform_is_uniform), cmocka_unit_test(golden),     cmocka_unit_test(seeds_matter),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests_name("gen", tests, NULL, NULL);
}
