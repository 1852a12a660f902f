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
    struct ordo_gen_params par = ordo_gen_defaults;

    par.n_query = n_query;
    par.n_kv = n_kv;
    par.topk = topk;
    par.keep_percent = keep;
    par.seed = seed;
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

/* Presets that leave slots dead among the first min(topk, n_kv). */
static bool has_holes(const char *name)
{
    return strcmp(name, "causal") == 0 || strcmp(name, "packed") == 0 || strcmp(name, "boundary") == 0;
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
                    assert_true(j < n_live ? (row[j] >= 0 && row[j] < n_kv) || has_holes(ordo_preset_at(i)->name)
                                           : row[j] == -1);
                for (int32_t j = 0; j < n_live; j++)
                    for (int32_t k = 0; k < j; k++)
                        assert_true(row[j] != row[k] || row[j] < 0 || row[j] >= n_kv);
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
        {"sinks", 300, 24, "cc46137b3886e186e9acf7d3b76be4f76b18501ad31923fc8f148b06d95821ca"},
        {"sinks", 20, 24, "9a96226d49ae09c9eee17b5d617b8859f53905aebf2e9d33ac8ef189ad8a44e7"},
        {"blocks", 300, 24, "b6595eb29e4a856c4bcef27b948b806c004760e28db3a395004ea8105db4420b"},
        {"blocks", 20, 24, "acefc3020e9066ca8adbb989c6e99dddbf04ac81413a904a46486d1f9ed6461a"},
        {"heavy", 300, 24, "41ec22bf6596dc1ec165da2f7343c79e0c02eabd8f572f4ea715407c76cf32c1"},
        {"heavy", 20, 24, "f6973e9ebbc884efb2e4a48862be3d0895bab9e2dbbb2824e4bb1098ac9bc373"},
        {"causal", 300, 24, "5462bef05a7e8ef2f08a15ff63e09ab4b12e556f0982100d0913e436978af81f"},
        {"causal", 20, 24, "266a97c45d7fa4de26d0aee292c32e129f454cd2d0363b41d50a495484919202"},
        {"packed", 300, 24, "26e7595f9d2e01b38dc684b284846b5cdb4dbe69e5a418ec26a13a4beb0a3772"},
        {"packed", 20, 24, "1e52b1495091398ada51e2a039766eb2d94ac3030939f470f0de806aa53fe977"},
        {"identical", 300, 24, "bc96e4e970fe3e5daf4ac787d173f5310c64290edb67817abcfa27f5cb3c2782"},
        {"reversed", 300, 24, "30941387baf947da85e0d3e0111475f6487d216126dff7f89099d1a6ac810e4e"},
        {"disjoint", 300, 24, "bac5662a4df8d29c8cd45f48ed79587cd6b211afc314cb198e7cc23907f1edf5"},
        {"boundary", 300, 24, "6fb9bfce0caaaf5585cb9858f69f735a206e5c85f5ed22287100aebaffbc3e5c"},
        {"boundary", 20, 24, "31719ef0cb057e35fe799b122d543401f4c45eef714f711f39e39e1154794872"},
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
    /* extents, then the six parameters in the order of the table */
    static const struct {
        int32_t value[9];
        const char *field;
    } known[] = {
        {{-1, 1, 1, 0, 0, 1, 0, 1, 1}, "queries"}, {{1, -1, 1, 0, 0, 1, 0, 1, 1}, "kv"},
        {{1, 1, -1, 0, 0, 1, 0, 1, 1}, "topk"},    {{1, 1, 1, -1, 0, 1, 0, 1, 1}, "keep"},
        {{1, 1, 1, 101, 0, 1, 0, 1, 1}, "keep"},   {{1, 1, 1, 0, -1, 1, 0, 1, 1}, "sinks"},
        {{1, 1, 1, 0, 0, 0, 0, 1, 1}, "block"},    {{1, 1, 1, 0, 0, 1, 101, 1, 1}, "hot"},
        {{1, 1, 1, 0, 0, 1, 0, 0, 1}, "ratio"},    {{1, 1, 1, 0, 0, 1, 0, 1, 0}, "docs"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const int32_t *v = known[i].value;
        struct ordo_gen_params par = {v[0], v[1], v[2], 0, v[3], v[4], v[5], v[6], v[7], v[8]};

        assert_int_equal(ordo_gen(ordo_preset_find("keep"), &par, &p, &err), ORDO_USAGE);
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
