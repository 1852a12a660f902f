/* golden_predict.h - what the twin says of a case of a golden file.
 *
 * Shared by the programs that read tests/golden/; each is one CMocka group. */
#ifndef ORDO_TESTS_GOLDEN_PREDICT_H
#define ORDO_TESTS_GOLDEN_PREDICT_H

#include "base/families.h"
#include "base/fnv.h"
#include "base/probes.h"
#include "kernels/golden.h"
#include "kernels/product.h"
#include "ref/fp.h"
#include "ref/mma.h"
#include "ref/unary.h"
#include "tests/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void read_golden(struct ordo_golden *golden, const char *name)
{
    const char *srcdir = getenv("srcdir");
    struct ordo_err err = {.file = ""};
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/golden/%s", srcdir != NULL ? srcdir : ".", name);
    assert_ok(ordo_golden_read(golden, path, &err), err);
}

/* --- products --------------------------------------------------------------------------------------------------- */

/* The operands of a tile, and what the accumulators begin with. */
struct tile {
    int32_t m, n, k;
    uint16_t *a, *b;
    uint32_t *c;
};

static inline struct tile make_tile(const uint64_t *v, uint64_t i)
{
    struct tile t = {(int32_t)v[ORDO_KEY_ROWS], (int32_t)v[ORDO_KEY_COLS],
                     (int32_t)(v[ORDO_KEY_GROUPS] * v[ORDO_KEY_GROUP]), NULL, NULL, NULL};
    size_t m = (size_t)t.m, n = (size_t)t.n, k = (size_t)t.k;
    uint64_t seed = v[ORDO_KEY_SEED] + i;
    int family = (int)v[ORDO_KEY_FAMILY];

    t.a = malloc(m * k * sizeof *t.a);
    t.b = malloc(n * k * sizeof *t.b);
    t.c = malloc(m * n * sizeof *t.c);
    assert_true(t.a != NULL && t.b != NULL && t.c != NULL);
    for (size_t at = 0; at < m * k; at++)
        t.a[at] = ordo_family_a(family, seed, (uint32_t)(at / k), (uint32_t)(at % k));
    for (size_t at = 0; at < n * k; at++)
        t.b[at] = ordo_family_b(family, seed, (uint32_t)(at / k), (uint32_t)(at % k));
    for (size_t at = 0; at < m * n; at++)
        t.c[at] = v[ORDO_KEY_INIT] != 0 ? 0 : ordo_family_c(family, seed, (uint32_t)(at / n), (uint32_t)(at % n));
    return t;
}

static inline void free_tile(struct tile *t)
{
    free(t->a);
    free(t->b);
    free(t->c);
}

/* The model of SM 9.0, whose step is as wide as the instruction's k. */
static inline struct ordo_mma_model model_of(uint64_t group)
{
    const struct ordo_mma_model *model;
    struct ordo_mma_model mine;
    struct ordo_err err = {.file = ""};

    assert_ok(ordo_mma_find(90, &model, &err), err);
    mine = *model;
    mine.chunk = (int32_t)group;
    return mine;
}

static inline void predict_mma(const uint64_t *v, uint32_t *word)
{
    struct ordo_mma_model model = model_of(v[ORDO_KEY_GROUP]);
    bool fp16 = v[ORDO_KEY_UNIT] >= ORDO_UNIT_MMA_SYNC_FP16;
    const struct ordo_format *format = fp16 ? &ordo_format_fp16 : &ordo_format_bf16;
    size_t n_word = v[ORDO_KEY_ROWS] * v[ORDO_KEY_COLS];
    struct ordo_err err = {.file = ""};

    for (uint64_t i = 0; i < v[ORDO_KEY_TILES]; i++) {
        struct tile t = make_tile(v, i);
        struct ordo_product product = {.format = format, .m = t.m, .n = t.n, .k = t.k, .a = t.a, .b = t.b,
                                       .a_row = t.k, .a_k = 1, .b_k = 1, .b_column = t.k, .c = t.c, .c_row = t.n};

        assert_ok(ordo_mma(&model, ordo_isa_best(), &product, &err), err);
        memcpy(word + i * n_word, t.c, n_word * sizeof *word);
        free_tile(&t);
    }
}

static inline void predict_probes(uint32_t *word)
{
    struct ordo_mma_model model = model_of(16);

    for (size_t i = 0; i < ORDO_PROBES; i++) {
        uint16_t a[16], b[16];
        struct ordo_mma_operands x = {&ordo_format_bf16, a, b, 1, 1};
        struct ordo_mma_loss loss;

        ordo_probe_operands(&ordo_probe[i], a, b);
        word[i] = ordo_mma_step(&model, &x, ordo_probe[i].c, &loss);
    }
}

/* --- functions of one word, additions --------------------------------------------------------------------------- */

_Static_assert(ORDO_OPS == (int)ORDO_UNARIES && ORDO_OP_LOG2 == (int)ORDO_LOG2, "the two rooms number them alike");

/* The digest; the words too where `word` is given. */
static inline uint64_t predict_unary(const uint64_t *v, uint32_t *word)
{
    enum ordo_unary op = (enum ordo_unary)v[ORDO_KEY_OP];
    uint64_t whole = ORDO_FNV_START, n = v[ORDO_KEY_N];
    uint32_t first = (uint32_t)v[ORDO_KEY_FIRST], step = (uint32_t)v[ORDO_KEY_STEP];
    uint32_t *block = malloc(ORDO_FNV_BLOCK * sizeof *block);

    assert_non_null(block);
    for (uint64_t i = 0; i < n; i += ORDO_FNV_BLOCK) {
        size_t here = n - i < ORDO_FNV_BLOCK ? n - i : ORDO_FNV_BLOCK;
        uint64_t h = ORDO_FNV_START;

        ordo_unary(op, first + (uint32_t)i * step, step, here, block);
        for (size_t at = 0; at < here; at++)
            h = ordo_fnv_word(h, block[at]);
        if (word != NULL)
            memcpy(word + i, block, here * sizeof *block);
        whole = ordo_fnv_block(whole, h);
    }
    free(block);
    return whole;
}

/* To nearest even; red.global flushes subnormal operands and results to a zero of their sign. */
static inline uint32_t add(bool flush, uint32_t a, uint32_t b)
{
    float sum;
    uint32_t bits;

    if (flush && (a & ORDO_FP32_INF) == 0)
        a &= ORDO_FP32_SIGN;
    if (flush && (b & ORDO_FP32_INF) == 0)
        b &= ORDO_FP32_SIGN;
    sum = ordo_fp32(a) + ordo_fp32(b);
    bits = ordo_fp32_bits(sum);
    if ((bits & ~ORDO_FP32_SIGN) > ORDO_FP32_INF)
        return ORDO_FP32_NAN;
    return flush && (bits & ORDO_FP32_INF) == 0 ? bits & ORDO_FP32_SIGN : bits;
}

static inline void predict_add(const uint64_t *v, uint32_t *word)
{
    bool flush = v[ORDO_KEY_OP] == ORDO_OPS + ORDO_RED_GLOBAL;
    int family = (int)v[ORDO_KEY_FAMILY];

    for (uint64_t i = 0; i < v[ORDO_KEY_N]; i++)
        word[i] = add(flush, ordo_family_c(family, v[ORDO_KEY_SEED], (uint32_t)i, 0),
                      ordo_family_c(family, v[ORDO_KEY_SEED], (uint32_t)i, 1));
}

/* --- all cases -------------------------------------------------------------------------------------------------- */

/* The words of a case, for the caller to free; NULL for functions whose words are not stored: only the digest. */
static inline uint32_t *predict(const struct ordo_golden_case *item, uint64_t *digest)
{
    const uint64_t *v = item->value;
    bool unary_case = v[ORDO_KEY_KIND] == ORDO_GOLDEN_UNARY;
    uint32_t *word = unary_case && item->word == NULL ? NULL : malloc(item->n_word * sizeof *word);

    assert_true(word != NULL || unary_case);
    if (unary_case) {
        *digest = predict_unary(v, word);
        return word;
    }
    if (v[ORDO_KEY_KIND] == ORDO_GOLDEN_MMA)
        predict_mma(v, word);
    else if (v[ORDO_KEY_KIND] == ORDO_GOLDEN_PROBE)
        predict_probes(word);
    else
        predict_add(v, word);
    *digest = ordo_golden_digest(word, item->n_word);
    return word;
}

/* Words that differ; a differing digest counts as one. */
static inline uint64_t differing(const struct ordo_golden_case *item)
{
    uint64_t digest, n = 0;
    uint32_t *word = predict(item, &digest);

    for (uint64_t i = 0; item->word != NULL && i < item->n_word; i++)
        n += word[i] != item->word[i];
    free(word);
    if (n == 0 && digest != item->digest)
        n = 1;
    if (n > 0)
        print_error("%s: %" PRIu64 " of %" PRIu64 " differ\n", item->name, n, item->word != NULL ? item->n_word : 1);
    return n;
}

/* Cases and words that there are of a kind: a file that lost some is not a better file. */
struct golden_count {
    uint64_t n_case, n_word;
};

/* Every case of the file whose words are stored, or every one that is only a digest. */
static inline void every_case_is_predicted(bool stored, const struct golden_count want[ORDO_GOLDEN_KINDS])
{
    struct ordo_golden golden;
    struct golden_count count[ORDO_GOLDEN_KINDS] = {{0, 0}};
    uint64_t n_bad = 0;

    read_golden(&golden, "sm90_h200.txt");
    for (size_t i = 0; i < golden.n; i++) {
        const struct ordo_golden_case *item = &golden.item[i];

        if ((item->word != NULL) != stored)
            continue;
        n_bad += differing(item);
        count[item->value[ORDO_KEY_KIND]].n_case++;
        count[item->value[ORDO_KEY_KIND]].n_word += item->n_word;
    }
    ordo_golden_free(&golden);
    for (size_t kind = 0; kind < ORDO_GOLDEN_KINDS; kind++) {
        printf("golden: %" PRIu64 " %s %" PRIu64 " words of kind %s\n", count[kind].n_case,
               stored ? "cases with" : "digests of", count[kind].n_word, ordo_golden_value_name(ORDO_KEY_KIND, kind));
        assert_int_equal(count[kind].n_case, want[kind].n_case);
        assert_int_equal(count[kind].n_word, want[kind].n_word);
    }
    assert_int_equal(n_bad, 0);
}

#endif
