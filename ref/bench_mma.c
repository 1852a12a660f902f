/* bench_mma.c - see bench_mma.h. */
#include "ref/bench_mma.h"

#include "base/clock.h"
#include "base/families.h"
#include "base/size.h"
#include "ref/mma_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, COLUMNS = 512, DEPTH = 512, ROUNDS = 9, FEW = 32 /* columns for what is slow */ };

struct work {
    uint16_t *a, *b; /* ROWS x DEPTH; COLUMNS x DEPTH */
    uint32_t *c, *scalar;
    double *bound;
    float *wide_a, *wide_b, *wide_c; /* the same numbers for the loop */
};

/* The yardstick: one chain an element, as the order demands. */
#if ORDO_MMA_SIMD
__attribute__((target("fma")))
#endif
static void
fmaf_loop(const struct work *w)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < FEW; j++) {
            float sum = 0;

            for (int k = 0; k < DEPTH; k++)
                sum = fmaf(w->wide_a[i * DEPTH + k], w->wide_b[j * DEPTH + k], sum);
            w->wide_c[i * COLUMNS + j] = sum;
        }
}

static void work_free(struct work *w)
{
    free(w->a);
    free(w->b);
    free(w->c);
    free(w->scalar);
    free(w->bound);
    free(w->wide_a);
    free(w->wide_b);
    free(w->wide_c);
}

static enum ordo_status work_make(struct work *w, struct ordo_err *err)
{
    *w = (struct work){
        .a = ordo_alloc(ROWS * DEPTH, sizeof *w->a),
        .b = ordo_alloc(COLUMNS * DEPTH, sizeof *w->b),
        .c = ordo_alloc(ROWS * COLUMNS, sizeof *w->c),
        .scalar = ordo_alloc_zero(ROWS * COLUMNS, sizeof *w->scalar),
        .bound = ordo_alloc_zero(ROWS * COLUMNS, sizeof *w->bound),
        .wide_a = ordo_alloc(ROWS * DEPTH, sizeof *w->wide_a),
        .wide_b = ordo_alloc(COLUMNS * DEPTH, sizeof *w->wide_b),
        .wide_c = ordo_alloc(ROWS * COLUMNS, sizeof *w->wide_c),
    };
    if (!w->a || !w->b || !w->c || !w->scalar || !w->bound || !w->wide_a || !w->wide_b || !w->wide_c)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the matrices of the benchmark");
    for (uint32_t i = 0; i < ROWS * DEPTH; i++) {
        w->a[i] = ordo_family_a(ORDO_FAMILY_NARROW, 0, i / DEPTH, i % DEPTH);
        w->wide_a[i] = ordo_fp32(ordo_bf16_to_fp32_bits(w->a[i]));
    }
    for (uint32_t i = 0; i < COLUMNS * DEPTH; i++) {
        w->b[i] = ordo_family_b(ORDO_FAMILY_NARROW, 0, i / DEPTH, i % DEPTH);
        w->wide_b[i] = ordo_fp32(ordo_bf16_to_fp32_bits(w->b[i]));
    }
    return ORDO_OK;
}

static double better(double rate, double start, int columns)
{
    double now = (double)ROWS * columns * DEPTH / (ordo_seconds() - start) / 1e9;

    return now > rate ? now : rate;
}

/* One turn of an isa. */
static enum ordo_status turn(const struct work *w, enum ordo_isa isa, int bounded, struct ordo_bench_mma *out,
                             struct ordo_err *err)
{
    const struct ordo_mma_model *model;
    int columns = isa == ORDO_ISA_SCALAR ? FEW : COLUMNS;
    struct ordo_product p = {&ordo_format_bf16,
                             ROWS,
                             columns,
                             DEPTH,
                             w->a,
                             w->b,
                             DEPTH,
                             1,
                             1,
                             DEPTH,
                             isa == ORDO_ISA_SCALAR ? w->scalar : w->c,
                             bounded ? w->bound : NULL,
                             COLUMNS,
                             NULL,
                             0};
    enum ordo_status status = ordo_mma_find(90, &model, err);
    double start = ordo_seconds();

    memset(p.c, 0, ROWS * COLUMNS * sizeof *p.c);
    if (status == ORDO_OK)
        status = ordo_mma(model, isa, &p, err);
    out->rate[isa][bounded] = better(out->rate[isa][bounded], start, columns);
    for (int i = 0; isa != ORDO_ISA_SCALAR && i < ROWS * COLUMNS; i++)
        out->disagreements += i % COLUMNS < FEW && w->c[i] != w->scalar[i];
    return status;
}

enum ordo_status ordo_bench_mma(struct ordo_bench_mma *out, struct ordo_err *err)
{
    struct work w;
    enum ordo_status status = work_make(&w, err);

    memset(out, 0, sizeof *out);
    for (int round = 0; round < ROUNDS && status == ORDO_OK; round++) {
#if ORDO_MMA_SIMD
        if (__builtin_cpu_supports("fma")) {
            double start = ordo_seconds();

            fmaf_loop(&w);
            out->fmaf_loop = better(out->fmaf_loop, start, FEW);
        }
#endif
        for (int isa = 0; isa < ORDO_ISAS; isa++)
            for (int bounded = 0; bounded < 2 && ordo_isa_has((enum ordo_isa)isa) && status == ORDO_OK; bounded++)
                status = turn(&w, (enum ordo_isa)isa, bounded, out, err);
    }
    work_free(&w);
    return status;
}
