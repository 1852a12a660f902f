/* mma_pack.c - operands taken apart for the vector versions, and Inf and NaN by the FPU's own rules. */
#include "ref/mma_impl.h"

#include "base/size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- one number ------------------------------------------------------------------------------------------------- */

/* How far operands of A and B are shifted left, so that their product is in units of the grid at its own exponent. */
struct shifts {
    int32_t a, b;
};

/* Both significands must stay below 2^15: the vectors multiply 16-bit numbers. */
static struct shifts shifts_of(const struct ordo_mma_model *model, const struct ordo_format *format)
{
    int32_t up = model->fraction - 2 * format->fraction, a = up < 14 - format->fraction ? up : 14 - format->fraction;

    ORDO_BUG_ON(up < 0 || up - a > 14 - format->fraction);
    return (struct shifts){a, up - a};
}

/* --- Inf and NaN ------------------------------------------------------------------------------------------------ */

/* A number of the same class and sign, in double: of finite numbers only 0 and 1, so that nothing overflows.  The
 * class is told here anew: the scalar reference shall not share a mistake. */
static double class_value(const struct ordo_format *f, uint32_t bits)
{
    uint32_t sign = UINT32_C(1) << (f->width - 1), magnitude = bits % sign, inf = sign - (UINT32_C(1) << f->fraction);
    double value = magnitude == 0 ? 0 : magnitude < inf ? 1 : magnitude == inf ? HUGE_VAL : (double)NAN;

    return bits & sign ? -value : value;
}

void ordo_mma_settle(const struct ordo_format *format, struct ordo_packed_tile *tile, int32_t r, int32_t k,
                     int32_t chunk, const uint32_t *before)
{
    double a[ORDO_MMA_K];

    for (int32_t i = 0; i < chunk; i++)
        a[i] = class_value(format, tile->row[r].raw[k + i]);
    for (int32_t lane = 0; lane < ORDO_MMA_LANES; lane++) {
        double sum = class_value(&ordo_format_fp32, before[lane]);

        for (int32_t i = 0; i < chunk; i++)
            sum += a[i] * class_value(format, tile->block.raw[(k + i) * ORDO_MMA_LANES + lane]);
        if (isnan(sum) || isinf(sum)) {
            tile->c[r][lane] = isnan(sum) ? ORDO_FP32_NAN : ORDO_FP32_INF | (sum < 0 ? ORDO_FP32_SIGN : 0);
            tile->bound[r][lane] = HUGE_VAL;
        }
    }
}

/* --- matrices --------------------------------------------------------------------------------------------------- */

static void packed_free(struct ordo_packed *x)
{
    free(x->significand);
    free(x->exponent);
    free(x->special);
    free(x->raw);
}

/* Room for n elements. */
static bool packed_make(struct ordo_packed *x, uint64_t n)
{
    *x = (struct ordo_packed){
        .significand = ordo_alloc(n, sizeof(int32_t)),
        .exponent = ordo_alloc(n, sizeof(int32_t)),
        .special = ordo_alloc(n / ORDO_MMA_K, 1),
        .raw = ordo_alloc(n, sizeof(uint16_t)),
    };
    return x->significand && x->exponent && x->special && x->raw;
}

static struct ordo_packed packed_at(const struct ordo_packed *x, int64_t i)
{
    return (struct ordo_packed){x->significand + i, x->exponent + i, x->special + i / ORDO_MMA_K, x->raw + i};
}

static void pack_rows(const struct ordo_product *p, int32_t up, int64_t n_k, struct ordo_packed *rows)
{
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t k = 0; k < n_k; k++)
            rows->raw[i * n_k + k] = k < p->k ? p->a[i * p->a_row + k * p->a_k] : 0;
    ordo_mma_take(p->format, up, 0xffff, (size_t)(p->m * n_k), rows);
}

static void pack_block(const struct ordo_product *p, int32_t up, int64_t n_k, int32_t column,
                       struct ordo_packed *block)
{
    int32_t n = p->n - column < ORDO_MMA_LANES ? p->n - column : ORDO_MMA_LANES;

    memset(block->raw, 0, (size_t)n_k * ORDO_MMA_LANES * sizeof block->raw[0]);
    for (int64_t k = 0; k < p->k; k++)
        for (int32_t lane = 0; lane < n; lane++)
            block->raw[k * ORDO_MMA_LANES + lane] = p->b[k * p->b_k + (column + (int64_t)lane) * p->b_column];
    ordo_mma_take(p->format, up, -1, (size_t)n_k * ORDO_MMA_LANES, block);
}

/* Columns [column, column + n) of C and the bound into the tile, or back. */
static void carry(const struct ordo_product *p, struct ordo_packed_tile *tile, int64_t row, int32_t column, bool back)
{
    size_t n = (size_t)(p->n - column < ORDO_MMA_LANES ? p->n - column : ORDO_MMA_LANES);

    for (int32_t r = 0; r < tile->n_row; r++) {
        uint32_t *c = p->c + (row + r) * p->c_row + column;
        double *bound = p->bound ? p->bound + (row + r) * p->c_row + column : NULL;

        memcpy(back ? c : tile->c[r], back ? tile->c[r] : c, n * sizeof *c);
        if (bound)
            memcpy(back ? bound : tile->bound[r], back ? tile->bound[r] : bound, n * sizeof *bound);
    }
}

/* One block of columns, all rows. */
static void sweep(const struct ordo_mma_model *model, enum ordo_isa isa, const struct ordo_product *p, int64_t n_k,
                  int32_t column, const struct ordo_packed *rows, const struct ordo_packed *block)
{
    for (int64_t i = 0; i < p->m; i += ORDO_MMA_ROWS) {
        struct ordo_packed_tile tile = {
            .block = *block,
            .n_row = (int32_t)(p->m - i < ORDO_MMA_ROWS ? p->m - i : ORDO_MMA_ROWS),
            .bounded = p->bound != NULL,
        };

        for (int64_t r = 0; r < tile.n_row; r++)
            tile.row[r] = packed_at(rows, (i + r) * n_k);
        carry(p, &tile, i, column, false);
        (isa == ORDO_ISA_AVX512 ? ordo_mma_avx512 : ordo_mma_avx2)(model, p, &tile);
        carry(p, &tile, i, column, true);
    }
}

enum ordo_status ordo_mma_packed(const struct ordo_mma_model *model, enum ordo_isa isa, const struct ordo_product *p,
                                 struct ordo_err *err)
{
    struct shifts up = shifts_of(model, p->format);
    int64_t n_k = (int64_t)ordo_div_up((uint64_t)p->k, ORDO_MMA_K) * ORDO_MMA_K;
    enum ordo_status status = ORDO_OK;
    struct ordo_packed rows = {0}, block = {0};

    if (!packed_make(&rows, (uint64_t)p->m * (uint64_t)n_k) || !packed_make(&block, ORDO_MMA_LANES * (uint64_t)n_k)) {
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to pack the operands of a product");
        goto out;
    }
    pack_rows(p, up.a, n_k, &rows);
    for (int32_t column = 0; column < p->n; column += ORDO_MMA_LANES) {
        pack_block(p, up.b, n_k, column, &block);
        sweep(model, isa, p, n_k, column, &rows, &block);
    }
out:
    packed_free(&rows);
    packed_free(&block);
    return status;
}
