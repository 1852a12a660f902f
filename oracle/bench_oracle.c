/* bench_oracle.c - see bench_oracle.h. */
#include "oracle/bench_oracle.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/size.h"
#include "oracle/chain.h"
#include "oracle/exact.h"
#include "oracle/truth_mpfr.h"
#include "ref/fp.h"

#include <stdlib.h>

enum { TERMS = ORDO_BENCH_TERMS, ROWS = ORDO_BENCH_ROWS, RUNS = ORDO_BENCH_RUNS };

static const int binades[ORDO_BENCH_RANGES] = {12, 60, 250};

struct bench {
    float *term; /* ROWS lines of TERMS */
    struct ordo_truth *truth;
    uint32_t sink; /* keeps results alive */
    double chain[RUNS], exact[RUNS], mpfr[RUNS];
};

/* The second half is the first with other signs and another last bit. */
static void make_row(struct ordo_rng *rng, int range, float *row)
{
    for (int i = 0; i < TERMS / 2; i++) {
        uint64_t x = ordo_rng_next(rng);
        uint32_t exponent = (uint32_t)(127 - range / 2) + (uint32_t)(x >> 40) % (uint32_t)range;
        uint32_t bits = ((uint32_t)x & (ORDO_FP32_SIGN | ORDO_FP32_FRACTION)) | exponent << 23;

        row[i] = ordo_fp32(bits);
        row[TERMS - 1 - i] = ordo_fp32(bits ^ ORDO_FP32_SIGN ^ (uint32_t)(x >> 39 & 1));
    }
}

static uint32_t exact_row(const float *row)
{
    struct ordo_exact sum;
    uint32_t fp32;
    uint16_t bf16;

    ordo_exact_init(&sum);
    ordo_exact_add(&sum, row, TERMS, 1);
    ordo_exact_round(&sum, &fp32, &bf16);
    return fp32;
}

static enum ordo_status mpfr_row(struct bench *b, const float *row, uint32_t *fp32, struct ordo_err *err)
{
    struct ordo_truth_bits bits = {0};
    enum ordo_status status = ordo_truth_sum(b->truth, row, TERMS, 1, &bits, err);

    *fp32 = bits.fp32;
    return status;
}

static enum ordo_status run_once(struct bench *b, int run, struct ordo_err *err)
{
    double start = ordo_seconds();
    uint32_t fp32;

    for (int r = 0; r < ROWS; r++)
        b->sink += ordo_fp32_bits(ordo_chain(b->term + r * TERMS, TERMS));
    b->chain[run] = ordo_seconds() - start;
    start = ordo_seconds();
    for (int r = 0; r < ROWS; r++)
        b->sink += exact_row(b->term + r * TERMS);
    b->exact[run] = ordo_seconds() - start;
    start = ordo_seconds();
    for (int r = 0; r < ROWS; r++) {
        enum ordo_status status = mpfr_row(b, b->term + r * TERMS, &fp32, err);

        if (status)
            return status;
        b->sink += fp32;
    }
    b->mpfr[run] = ordo_seconds() - start;
    return ORDO_OK;
}

static enum ordo_status count_disagreements(struct bench *b, uint32_t *n, struct ordo_err *err)
{
    *n = 0;
    for (int r = 0; r < ROWS; r++) {
        const float *row = b->term + r * TERMS;
        uint32_t fp32;
        enum ordo_status status = mpfr_row(b, row, &fp32, err);

        if (status)
            return status;
        *n += fp32 != exact_row(row);
    }
    return ORDO_OK;
}

static int by_value(const void *a, const void *b)
{
    double x, y;

    x = *(const double *)a;
    y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ns(double *seconds)
{
    qsort(seconds, RUNS, sizeof *seconds, by_value);
    return seconds[RUNS / 2] * 1e9 / (ROWS * TERMS);
}

static enum ordo_status bench_range(struct bench *b, struct ordo_bench_range *out, struct ordo_err *err)
{
    struct ordo_rng rng = {(uint64_t)out->binades};
    enum ordo_status status;

    for (int r = 0; r < ROWS; r++)
        make_row(&rng, out->binades, b->term + r * TERMS);
    status = count_disagreements(b, &out->disagreements, err); /* warms up, too */
    for (int run = 0; run < RUNS && !status; run++)
        status = run_once(b, run, err);
    if (status)
        return status;
    out->chain = median_ns(b->chain);
    out->exact = median_ns(b->exact);
    out->mpfr = median_ns(b->mpfr);
    return ORDO_OK;
}

enum ordo_status ordo_bench_oracle(struct ordo_bench_oracle *out, struct ordo_err *err)
{
    struct bench b = {.term = ordo_alloc((uint64_t)ROWS * TERMS, sizeof *b.term), .truth = ordo_truth_new()};
    enum ordo_status status = ORDO_OK;

    if (!b.term || !b.truth) {
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "bench", "no memory for %d rows of %d terms", ROWS, TERMS);
        goto out;
    }
    for (int i = 0; i < ORDO_BENCH_RANGES && !status; i++) {
        out->range[i] = (struct ordo_bench_range){.binades = binades[i]};
        status = bench_range(&b, &out->range[i], err);
    }
out:
    ordo_truth_free(b.truth);
    free(b.term);
    return status;
}
