/* mma.c - products of matrices by any of the three implementations, and the running bound in scalar form. */
#include "ref/mma.h"

#include "base/size.h"
#include "ref/mma_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

const char *const ordo_isa_name[ORDO_ISAS] = {"scalar", "avx2", "avx512"};

bool ordo_isa_has(enum ordo_isa isa)
{
#if ORDO_MMA_SIMD
    if (isa == ORDO_ISA_AVX2)
        return __builtin_cpu_supports("avx2");
    if (isa == ORDO_ISA_AVX512)
        return __builtin_cpu_supports("avx2") && /* which packs the operands */
               __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
#endif
    return isa == ORDO_ISA_SCALAR;
}

enum ordo_isa ordo_isa_best(void)
{
    return ordo_isa_has(ORDO_ISA_AVX512) ? ORDO_ISA_AVX512
           : ordo_isa_has(ORDO_ISA_AVX2) ? ORDO_ISA_AVX2
                                         : ORDO_ISA_SCALAR;
}

/* --- the bound -------------------------------------------------------------------------------------------------- */

/* a + b >= 0 rounded up, without touching the rounding mode: TwoSum tells on which side the sum lies. */
static double add_up(double a, double b)
{
    double sum = a + b, of_b = sum - a, rest = (a - (sum - of_b)) + (b - of_b);

    return rest > 0 ? nextafter(sum, HUGE_VAL) : sum;
}

double ordo_mma_bound(double bound, const struct ordo_mma_loss *loss, uint32_t result)
{
    if (!ordo_fp32_finite(result))
        return HUGE_VAL;
    return add_up(bound, add_up(ldexp(loss->n_cut, loss->grid), loss->sum_cut ? ldexp(1, loss->last) : 0.0));
}

/* --- scalar ----------------------------------------------------------------------------------------------------- */

/* 16 operands of one line from k = 16 group on, zeros past the end. */
static void gather(const uint16_t *line, ptrdiff_t step, int32_t n_k, int32_t group, uint16_t *out)
{
    for (int32_t i = 0; i < ORDO_MMA_K; i++) {
        int64_t k = (int64_t)group * ORDO_MMA_K + i;

        out[i] = k < n_k ? line[k * step] : 0;
    }
}

static uint32_t chain(const struct ordo_mma_model *model, const struct ordo_product *p, int32_t row, int32_t column,
                      uint32_t c, double *bound)
{
    uint16_t a[ORDO_MMA_K], b[ORDO_MMA_K];
    struct ordo_mma_loss loss;

    for (int32_t g = 0; g < p->n_group; g++) { /* ORDER: groups as listed, steps by ascending k */
        gather(p->a + row * p->a_row, p->a_k, p->k, ordo_mma_group(p, g), a);
        gather(p->b + column * p->b_column, p->b_k, p->k, ordo_mma_group(p, g), b);
        for (int32_t k = 0; k < ORDO_MMA_K; k += model->chunk) {
            struct ordo_mma_operands x = {p->format, a + k, b + k, 1, 1};

            c = ordo_mma_step(model, &x, c, &loss);
            if (bound)
                *bound = ordo_mma_bound(*bound, &loss, c);
        }
    }
    return c;
}

static enum ordo_status scalar(const struct ordo_mma_model *model, const struct ordo_product *p)
{
    for (int32_t i = 0; i < p->m; i++)
        for (int32_t j = 0; j < p->n; j++) {
            uint32_t *c = p->c + i * p->c_row + j;

            *c = chain(model, p, i, j, *c, p->bound ? p->bound + i * p->c_row + j : NULL);
        }
    return ORDO_OK;
}

/* --- dispatch --------------------------------------------------------------------------------------------------- */

static enum ordo_status check(const struct ordo_mma_model *model, const struct ordo_product *p, struct ordo_err *err)
{
    int32_t groups = (int32_t)ordo_div_up((uint64_t)p->k, ORDO_MMA_K);

    if (p->m < 1 || p->n < 1 || p->k < 1 || p->k > INT32_MAX - ORDO_MMA_K)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "extents",
                         "a product of %" PRId32 " x %" PRId32 " x %" PRId32 " is empty or too deep", p->m, p->n,
                         p->k);
    if (p->format == &ordo_format_fp32 || (p->format == &ordo_format_bf16 && !model->bf16))
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "format", "the tensor core of SM %" PRId32 " takes no %s here",
                         model->sm, p->format->name);
    for (int32_t g = 0; p->group && g < p->n_group; g++)
        if (p->group[g] < 0 || p->group[g] >= groups)
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, "group",
                             "group %" PRId32 " is %" PRId32 ", there are %" PRId32, g, p->group[g], groups);
    return ORDO_OK;
}

enum ordo_status ordo_mma(const struct ordo_mma_model *model, enum ordo_isa isa, const struct ordo_product *product,
                          struct ordo_err *err)
{
    struct ordo_product p = *product;
    enum ordo_status status = check(model, &p, err);

    ORDO_BUG_ON(!ordo_isa_has(isa));
    if (status != ORDO_OK)
        return status;
    if (!p.group)
        p.n_group = (int32_t)ordo_div_up((uint64_t)p.k, ORDO_MMA_K);
    return isa == ORDO_ISA_SCALAR ? scalar(model, &p) : ordo_mma_packed(model, isa, &p, err);
}
