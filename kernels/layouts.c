/* layouts.c - products of small integers by every kernel: a misplaced element shows, rounding cannot. */
#include "kernels/layouts.h"

#include "base/rng.h"
#include "kernels/measure.h"

#include <stdlib.h>
#include <string.h>

enum { M = 128, MOST_N = 256, K = 128, STAGE = 4 };

/* The n of wgmma that there are kernels for. */
static const int widths[] = {8, 16, 24, 32, 40, 64, 96, 128, 144, 240, 248, MOST_N};

struct operands {
    uint16_t a[M * K], b[MOST_N * K];
    uint32_t c[M * MOST_N], want[M * MOST_N], got[M * MOST_N];
    int32_t whole_a[M * K], whole_b[MOST_N * K];
};

/* An integer of magnitude below 2^24 as fp32. */
static uint32_t fp32_of(int32_t x)
{
    float f = (float)x;
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static void small(struct ordo_rng *rng, int32_t *whole, uint16_t *bf16, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        whole[i] = (int32_t)ordo_rng_below(rng, 17) - 8;
        bf16[i] = (uint16_t)(fp32_of(whole[i]) >> 16);
    }
}

/* Operands, and the product in integers: |sum| <= 64 K + 255. */
static void prepare(struct operands *o, int n)
{
    struct ordo_rng rng = {(uint64_t)n};

    small(&rng, o->whole_a, o->a, M * K);
    small(&rng, o->whole_b, o->b, (size_t)n * K);
    for (int i = 0; i < M * n; i++) {
        int32_t sum = (int32_t)ordo_rng_below(&rng, 511) - 255;

        o->c[i] = fp32_of(sum);
        for (int k = 0; k < K; k++)
            sum += o->whole_a[i / n * K + k] * o->whole_b[i % n * K + k];
        o->want[i] = fp32_of(sum);
    }
}

static enum ordo_status run(struct ordo_gpu *gpu, FILE *to, struct operands *o, uint64_t *v, uint32_t *n_bad,
                            struct ordo_err *err)
{
    size_t n = v[ORDO_KEY_COLS], bad = 0;
    enum ordo_status status = ordo_measure_product(gpu, v, o->a, o->b, o->c, o->got, err);

    for (size_t i = 0; i < M * n; i++)
        bad += o->got[i] != o->want[i];
    if (status == ORDO_OK && bad > 0) {
        fprintf(to, "n %zu, A %s %s %s, B %s %s: %zu of %zu elements are wrong\n", n,
                ordo_golden_value_name(ORDO_KEY_X_A, v[ORDO_KEY_X_A]),
                ordo_golden_value_name(ORDO_KEY_X_MAJOR_A, v[ORDO_KEY_X_MAJOR_A]),
                ordo_golden_value_name(ORDO_KEY_X_SWIZZLE_A, v[ORDO_KEY_X_SWIZZLE_A]),
                ordo_golden_value_name(ORDO_KEY_X_MAJOR_B, v[ORDO_KEY_X_MAJOR_B]),
                ordo_golden_value_name(ORDO_KEY_X_SWIZZLE_B, v[ORDO_KEY_X_SWIZZLE_B]), bad, M * n);
        ++*n_bad;
    }
    return status;
}

/* Combination i of one n: bits 0-1 A's swizzle, 2-3 B's, 4 and 5 the majors, 6 A in registers.  false: not one. */
static bool combination(unsigned i, uint64_t *v)
{
    v[ORDO_KEY_X_SWIZZLE_A] = i & 3;
    v[ORDO_KEY_X_SWIZZLE_B] = i >> 2 & 3;
    v[ORDO_KEY_X_MAJOR_A] = i >> 4 & 1;
    v[ORDO_KEY_X_MAJOR_B] = i >> 5 & 1;
    v[ORDO_KEY_X_A] = i >> 6;
    return v[ORDO_KEY_X_A] == 0 || (v[ORDO_KEY_X_SWIZZLE_A] == 0 && v[ORDO_KEY_X_MAJOR_A] == 0);
}

static enum ordo_status run_all(struct ordo_gpu *gpu, FILE *to, struct operands *o, int n, uint32_t *n_run,
                                uint32_t *n_bad, struct ordo_err *err)
{
    uint64_t v[ORDO_KEYS];
    enum ordo_status status = ORDO_OK;

    ordo_golden_defaults(v);
    v[ORDO_KEY_ROWS] = M;
    v[ORDO_KEY_COLS] = (uint64_t)n;
    v[ORDO_KEY_GROUPS] = K / 16;
    prepare(o, n);
    v[ORDO_KEY_UNIT] = ORDO_UNIT_MMA_SYNC;
    status = run(gpu, to, o, v, n_bad, err);
    v[ORDO_KEY_UNIT] = ORDO_UNIT_WGMMA;
    v[ORDO_KEY_X_N] = (uint64_t)n;
    v[ORDO_KEY_X_WARPGROUPS] = 2;
    v[ORDO_KEY_X_STAGE] = STAGE;
    for (unsigned i = 0; i < 128 && status == ORDO_OK; i++)
        if (combination(i, v)) {
            ++*n_run;
            status = run(gpu, to, o, v, n_bad, err);
        }
    return status;
}

enum ordo_status ordo_layouts(struct ordo_gpu *gpu, FILE *to, uint32_t *n_run, uint32_t *n_bad, struct ordo_err *err)
{
    struct operands *o = malloc(sizeof *o);
    enum ordo_status status = ORDO_OK;

    if (o == NULL)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, NULL, "no memory");
    *n_run = *n_bad = 0;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0] && status == ORDO_OK; i++)
        status = run_all(gpu, to, o, widths[i], n_run, n_bad, err);
    free(o);
    return status;
}
