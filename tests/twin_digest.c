/* twin_digest.c - what the twin computes, as a few lines that must not depend on how it was built or on the CPU.
 *
 * twin_digest STEPS: random steps of the ten families by scalar code, compared with every instruction set that is
 * there; the measured probes by each; samples of the functions of one number; a small sparse attention, forward and
 * backward, in both designs.
 * Prints digests; fails where two instruction sets part, or a probe is not what was measured.
 * tests/builds.sh compares the lines of differently compiled copies. */
#include "base/fnv.h"
#include "base/probes.h"
#include "ref/attention.h"
#include "ref/inputs.h"
#include "ref/unary.h"
#include "tests/tile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 16, COLUMNS = 32, TILE_STEPS = ROWS * COLUMNS };

static uint64_t digest_tile(uint64_t h, const struct tile *t)
{
    for (int i = 0; i < TILE_STEPS; i++) {
        uint64_t bound;

        memcpy(&bound, &t->bound[i], sizeof bound);
        h = ordo_fnv_block(ordo_fnv_word(h, t->c[i]), bound);
    }
    return h;
}

/* All isas on one tile; the scalar digest into *h.  Elements on which an isa and scalar differ. */
static long tile_by_all(const struct ordo_mma_model *model, struct tile *t, int family, uint64_t seed, uint64_t *h)
{
    struct ordo_product p = tile_product(t, &ordo_format_bf16, true);
    uint32_t c[TILE_STEPS];
    double bound[TILE_STEPS];
    long n = 0;

    tile_fill(t, family, seed);
    for (int isa = 0; isa < ORDO_ISAS; isa++) {
        if (!ordo_isa_has((enum ordo_isa)isa))
            continue;
        tile_start(t, family, seed);
        if (ordo_mma(model, (enum ordo_isa)isa, &p, NULL) != ORDO_OK)
            return TILE_STEPS;
        if (isa == ORDO_ISA_SCALAR) {
            memcpy(c, t->c, sizeof c);
            memcpy(bound, t->bound, sizeof bound);
            *h = digest_tile(*h, t);
        }
        for (int i = 0; i < TILE_STEPS; i++)
            n += c[i] != t->c[i] || memcmp(&bound[i], &t->bound[i], sizeof bound[i]) != 0;
    }
    return n;
}

static int steps(uint64_t n_steps)
{
    struct tile t = tile_new(ROWS, COLUMNS, ORDO_MMA_K);
    uint64_t tiles = (n_steps + ORDO_FAMILIES * TILE_STEPS - 1) / (ORDO_FAMILIES * TILE_STEPS);
    const struct ordo_mma_model *model;
    long n_diff = 0;

    if (ordo_mma_find(90, &model, NULL) != ORDO_OK)
        return 1;
    for (int f = 0; f < ORDO_FAMILIES; f++) {
        uint64_t h = ORDO_FNV_START;

        for (uint64_t seed = 0; seed < tiles; seed++)
            n_diff += tile_by_all(model, &t, f, seed, &h);
        printf("mma %-10s %" PRIu64 " steps %016" PRIx64 "\n", family_name[f], tiles * TILE_STEPS, h);
    }
    tile_free(&t);
    fprintf(stderr, "%ld differences between scalar%s%s\n", n_diff, ordo_isa_has(ORDO_ISA_AVX2) ? ", AVX2" : "",
            ordo_isa_has(ORDO_ISA_AVX512) ? ", AVX-512" : "");
    return n_diff != 0;
}

/* The measured probes by every isa; how many results are not the measured ones. */
static int probes(void)
{
    const struct ordo_mma_model *model;
    int n_bad = 0;

    if (ordo_mma_find(90, &model, NULL) != ORDO_OK)
        return 1;
    for (int isa = 0; isa < ORDO_ISAS; isa++)
        for (int i = 0; i < ORDO_PROBES && ordo_isa_has((enum ordo_isa)isa); i++) {
            uint16_t a[ORDO_MMA_K], b[ORDO_MMA_K];
            uint32_t c = ordo_probe[i].c;
            struct ordo_product p = {&ordo_format_bf16, 1, 1, ORDO_MMA_K, a, b, 1, 1, 1, 1, &c, NULL, 1, NULL, 0};

            ordo_probe_operands(&ordo_probe[i], a, b);
            n_bad += ordo_mma(model, (enum ordo_isa)isa, &p, NULL) != ORDO_OK || c != ordo_probe[i].want;
        }
    printf("probes         %d of %d wrong\n", n_bad, ORDO_PROBES);
    return n_bad != 0;
}

/* Every 65,521st input, and a stretch of neighbours. */
static void samples(void)
{
    static uint32_t word[65536];

    for (int op = 0; op < ORDO_UNARIES; op++) {
        uint64_t h = ORDO_FNV_START, block;

        ordo_unary((enum ordo_unary)op, 0, 65521, 65536, word);
        for (size_t i = 0; i < 65536; i++)
            h = ordo_fnv_word(h, word[i]);
        ordo_unary_digests((enum ordo_unary)op, 0x3fab, 1, &block);
        printf("%-14s %016" PRIx64 "\n", ordo_unary_name[op], ordo_fnv_block(h, block));
    }
}

/* --- attention -------------------------------------------------------------------------------------------------- */

static uint64_t digest_words(uint64_t h, const void *words, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t word = 0;

        memcpy(&word, (const char *)words + i * width, width); /* little-endian, as all that runs this */
        h = ordo_fnv_word(h, word);
    }
    return h;
}

/* Everything into static room; *h gets the digest. */
static bool attend(const struct ordo_request *r, struct ordo_problem *p, bool scalar, int n_thread, uint64_t *h)
{
    static uint16_t o[1 << 15], dq[1 << 15], dkv[1 << 15];
    static float lse[1 << 10], delta[1 << 10], dkv_fp32[1 << 15], dsink[1 << 8];
    struct ordo_values values = {.seed = 3, .kind = ORDO_ROUGH};
    struct ordo_tensors t = {0};
    struct ordo_plan plan;
    struct ordo_attention_outputs out = {
        .o = o, .lse = lse, .delta = delta, .dq = dq, .dkv = dkv, .dkv_fp32 = dkv_fp32, .dsink = dsink};
    bool good = ordo_plan_make(r, &plan, NULL) == ORDO_OK && ordo_tensors_seed(r, &values, &t, NULL) == ORDO_OK;

    if (good) {
        struct ordo_attention a = {&plan, p, {t.q, t.kv, t.dout, t.sink, NULL, NULL, 0.15f}, scalar};
        size_t rows = (size_t)(r->n_query * r->n_head), width = (size_t)r->d_qk;

        good = ordo_attention(&a, n_thread, &out, NULL) == ORDO_OK;
        *h = digest_words(digest_words(ORDO_FNV_START, lse, rows, 4), delta, rows, 4);
        *h = digest_words(digest_words(*h, o, rows * (size_t)r->d_v, 2), dq, rows * width, 2);
        *h = digest_words(digest_words(*h, dkv_fp32, (size_t)r->n_kv * width, 4), dsink, (size_t)r->n_head, 4);
    }
    ordo_tensors_free(&t);
    return good;
}

/* By scalar code and one thread, by vectors and three: the same. */
static int attention(void)
{
    static const struct ordo_request request[] = {
        {7, 90, 75, 5, 48, 40, ORDO_TARGET_SM90, NULL, 0, 0},
        {13, 60, 66, 17, 40, 40, ORDO_TARGET_SM100, NULL, 4, 8},
    };
    static int32_t idx[1 << 10];
    int bad = 0;

    for (size_t i = 0; i < sizeof request / sizeof request[0]; i++) {
        const struct ordo_request *r = &request[i];
        struct ordo_problem p = {r->n_query, r->topk, r->n_kv, idx, NULL};
        uint64_t plain, vectors;

        for (int32_t j = 0; j < r->n_query * r->topk; j++)
            idx[j] = (j * 37 + j / r->topk * 11) % (r->n_kv + 30) - 3; /* some below 0, some past the end */
        if (!attend(r, &p, true, 1, &plain) || !attend(r, &p, false, 3, &vectors))
            return 1;
        printf("attention %zu    %016" PRIx64 "\n", i, plain);
        bad |= plain != vectors;
    }
    if (bad)
        fprintf(stderr, "attention by scalar code and by vectors differ\n");
    return bad;
}

int main(int argc, char **argv)
{
    if (argc != 2 || strtoull(argv[1], NULL, 10) == 0) {
        fprintf(stderr, "twin_digest STEPS\n");
        return 2;
    }
    samples();
    if (probes() != 0 || attention() != 0)
        return 1;
    return steps(strtoull(argv[1], NULL, 10));
}
