/* t_mma_simd.c - AVX2 and AVX-512 against the scalar reference: bits and bounds, every family, shape, order, model.
 *
 * Where the machine lacks an instruction set its rows compare nothing; the first test says which it has. */
#include "tests/test.h"

#include "tests/tile.h"

static const struct ordo_mma_model *model_of(int32_t sm)
{
    const struct ordo_mma_model *model;
    struct ordo_err err = {0};

    assert_ok(ordo_mma_find(sm, &model, &err), err);
    return model;
}

/* The product p by every isa; each must give what scalar gives.  family and seed: of the accumulators. */
static void compare(const char *what, const struct ordo_mma_model *model, const struct ordo_product *p,
                    struct tile *t, int family, uint64_t seed)
{
    size_t n = (size_t)t->m * (size_t)t->n;
    uint32_t *want = calloc(n, sizeof *want);
    double *bound = calloc(n, sizeof *bound);
    struct ordo_err err = {0};

    for (int isa = 0; isa < ORDO_ISAS; isa++) {
        if (!ordo_isa_has((enum ordo_isa)isa))
            continue;
        tile_start(t, family, seed);
        assert_ok(ordo_mma(model, (enum ordo_isa)isa, p, &err), err);
        if (isa == ORDO_ISA_SCALAR) {
            memcpy(want, t->c, n * sizeof *want);
            memcpy(bound, t->bound, n * sizeof *bound);
        }
        for (size_t i = 0; i < n; i++)
            if (t->c[i] != want[i] || memcmp(&t->bound[i], &bound[i], sizeof bound[i]) != 0)
                fail_msg("%s, %s, SM %d, %s, seed %d, element %zu: %08x bound %a, scalar %08x bound %a", what,
                         ordo_isa_name[isa], model->sm, family_name[family], (int)seed, i, t->c[i], t->bound[i],
                         want[i], bound[i]);
    }
    free(want);
    free(bound);
}

static void which(void **state)
{
    (void)state;
    for (int isa = 0; isa < ORDO_ISAS; isa++)
        print_message("%s: %s\n", ordo_isa_name[isa], ordo_isa_has((enum ordo_isa)isa) ? "yes" : "no");
    assert_true(ordo_isa_has(ORDO_ISA_SCALAR));
    assert_true(ordo_isa_has(ordo_isa_best()));
}

/* Single steps, 512 a tile. */
static void families(void **state)
{
    struct tile t = tile_new(16, 32, ORDO_MMA_K);

    (void)state;
    for (int f = 0; f < ORDO_FAMILIES; f++)
        for (uint64_t seed = 0; seed < 24; seed++) {
            struct ordo_product p = tile_product(&t, &ordo_format_bf16, seed % 3 != 0);

            tile_fill(&t, f, seed);
            compare("step", model_of(90), &p, &t, f, seed);
        }
    tile_free(&t);
}

/* Extents that fill no block, no group and no four rows; every model, both formats. */
static void shapes(void **state)
{
    static const int32_t extent[][3] = {{1, 1, 1}, {5, 19, 40}, {4, 16, 64}, {7, 17, 15}, {2, 33, 100}};
    size_t n_rows;
    const struct ordo_mma_model *row = ordo_mma_models(&n_rows);

    (void)state;
    for (size_t i = 0; i < sizeof extent / sizeof extent[0]; i++) {
        struct tile t = tile_new(extent[i][0], extent[i][1], extent[i][2]);

        for (size_t r = 0; r < n_rows; r++)
            for (int f = 0; f < ORDO_FAMILIES; f++) {
                struct ordo_product p =
                    tile_product(&t, f % 2 || !row[r].bf16 ? &ordo_format_fp16 : &ordo_format_bf16, r % 2 == 0);

                tile_fill(&t, f, r);
                compare("shape", &row[r], &p, &t, f, r);
            }
        tile_free(&t);
    }
}

/* The zeros that fill the last group are no partners of what stands before them: nothing is Inf * 0. */
static void padding(void **state)
{
    struct tile t = tile_new(5, 19, ORDO_MMA_K + 3);
    struct ordo_product p = tile_product(&t, &ordo_format_bf16, true);

    (void)state;
    for (int of_b = 0; of_b < 2; of_b++) {
        tile_fill(&t, ORDO_FAMILY_NARROW, 6);
        for (int line = 0; line < (of_b ? t.n : t.m); line++)
            (of_b ? t.b : t.a)[line * t.k + t.k - 1] = line % 2 ? 0x7f80 : 0xff80;
        compare("padding", model_of(90), &p, &t, ORDO_FAMILY_NARROW, 6);
        for (int i = 0; i < t.m * t.n; i++)
            assert_int_equal(t.c[i] & ~ORDO_FP32_SIGN, ORDO_FP32_INF);
    }
    tile_free(&t);
}

/* Groups in another order, some left out, one twice; and that the order matters at all. */
static void orders(void **state)
{
    static const int32_t back[4] = {3, 2, 1, 0}, some[3] = {2, 0, 2};
    struct tile t = tile_new(8, 16, 64);
    struct ordo_product p = tile_product(&t, &ordo_format_bf16, true), q = p;
    struct ordo_err err = {0};
    uint32_t forward[8 * 16];
    int n_moved = 0;

    (void)state;
    tile_fill(&t, ORDO_FAMILY_NARROW, 1);
    q.group = back;
    q.n_group = 4;
    compare("backward", model_of(90), &q, &t, ORDO_FAMILY_NARROW, 1);
    tile_start(&t, ORDO_FAMILY_NARROW, 1);
    assert_ok(ordo_mma(model_of(90), ORDO_ISA_SCALAR, &p, &err), err);
    memcpy(forward, t.c, sizeof forward);
    tile_start(&t, ORDO_FAMILY_NARROW, 1);
    assert_ok(ordo_mma(model_of(90), ORDO_ISA_SCALAR, &q, &err), err);
    for (int i = 0; i < 8 * 16; i++)
        n_moved += t.c[i] != forward[i];
    assert_true(n_moved > 40);
    q.group = some;
    q.n_group = 3;
    compare("some", model_of(90), &q, &t, ORDO_FAMILY_NARROW, 1);
    tile_free(&t);
}

/* Inside a group the order of k is neutral; across groups it is not.  Seen by swapping columns of A and B. */
static void inside_a_group(void **state)
{
    struct tile t = tile_new(16, 16, 32);
    struct ordo_product p = tile_product(&t, &ordo_format_bf16, false);
    uint32_t first[256];
    struct ordo_err err = {0};

    (void)state;
    for (int across = 0; across < 2; across++) {
        int n_moved = 0, k[2] = {3, across ? 21 : 12};

        tile_fill(&t, ORDO_FAMILY_NARROW, 9);
        for (int round = 0; round < 2; round++) {
            tile_start(&t, ORDO_FAMILY_NARROW, 9);
            assert_ok(ordo_mma(model_of(90), ordo_isa_best(), &p, &err), err);
            for (int i = 0; round == 1 && i < 256; i++)
                n_moved += t.c[i] != first[i];
            memcpy(first, t.c, sizeof first);
            for (int i = 0; i < 16; i++) {
                uint16_t a = t.a[i * 32 + k[0]], b = t.b[i * 32 + k[0]];

                t.a[i * 32 + k[0]] = t.a[i * 32 + k[1]];
                t.a[i * 32 + k[1]] = a;
                t.b[i * 32 + k[0]] = t.b[i * 32 + k[1]];
                t.b[i * 32 + k[1]] = b;
            }
        }
        assert_true(across ? n_moved > 10 : n_moved == 0);
    }
    tile_free(&t);
}

/* A column-major, B row-major, C with room between its rows: the same bits as the plain layout. */
static void strides(void **state)
{
    enum { M = 6, N = 20, K = 48, ROW = 29 };
    struct tile t = tile_new(M, N, K);
    struct ordo_product p = tile_product(&t, &ordo_format_bf16, false);
    uint16_t a[K * M], b[K * N];
    uint32_t c[M * ROW];
    struct ordo_err err = {0};

    (void)state;
    tile_fill(&t, ORDO_FAMILY_SOFTMAX, 4);
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < M; i++)
            a[k * M + i] = t.a[i * K + k];
        for (int j = 0; j < N; j++)
            b[k * N + j] = t.b[j * K + k];
    }
    tile_start(&t, ORDO_FAMILY_SOFTMAX, 4);
    assert_ok(ordo_mma(model_of(90), ORDO_ISA_SCALAR, &p, &err), err);
    for (int isa = 0; isa < ORDO_ISAS; isa++) {
        struct ordo_product q = {&ordo_format_bf16, M, N, K, a, b, 1, M, N, 1, c, NULL, ROW, NULL, 0};

        if (!ordo_isa_has((enum ordo_isa)isa))
            continue;
        for (int i = 0; i < M * ROW; i++)
            c[i] = i % ROW < N ? ordo_family_c(ORDO_FAMILY_SOFTMAX, 4, (uint32_t)(i / ROW), (uint32_t)(i % ROW))
                               : 0xdeadbeef;
        assert_ok(ordo_mma(model_of(90), (enum ordo_isa)isa, &q, &err), err);
        for (int i = 0; i < M * ROW; i++)
            assert_int_equal(c[i], i % ROW < N ? t.c[i / ROW * N + i % ROW] : 0xdeadbeef);
    }
    tile_free(&t);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(which),  cmocka_unit_test(families),       cmocka_unit_test(shapes),
        cmocka_unit_test(orders), cmocka_unit_test(inside_a_group), cmocka_unit_test(strides),
        cmocka_unit_test(padding),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
