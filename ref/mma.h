/* mma.h - the tensor core's product: what an MMA instruction of a given GPU returns, bit for bit.
 *
 * One step adds `chunk` exact products to an fp32 accumulator as a single fused operation: all terms are cut to one
 * grid (fraction bits below the largest exponent), summed exactly, and the sum is cut to fp32.  An instruction of k =
 * 16 is 16 / chunk steps, k ascending.  Inside a step the order of k does not matter; which k share a step, and the
 * order of the steps, is everything.  The rules in full stand at ordo_mma_step.
 *
 * Three implementations that share no arithmetic: scalar (mma_step.c, the reference), AVX2, AVX-512. */
#ifndef ORDO_REF_MMA_H
#define ORDO_REF_MMA_H

#include "base/status.h"
#include "ref/fp.h"

#include <stddef.h>

enum { ORDO_MMA_K = 16 }; /* products of one instruction: the unit of a declared order */

/* Where a row of the table comes from.  Bits are only claimed (tier T0) for what was measured. */
enum ordo_evidence { ORDO_MEASURED, ORDO_PUBLISHED };
extern const char *const ordo_evidence_name[2];

/* One architecture.  Exponents are of the value, unbiased. */
struct ordo_mma_model {
    int32_t sm;       /* 90 for SM 9.0 */
    int32_t fraction; /* bits kept below the largest exponent */
    int32_t chunk;    /* products of one step: 16, 8 or 4 */
    int32_t floor;    /* the largest exponent counts as at least this */
    bool bf16;        /* has BF16 operands; all have FP16 */
    enum ordo_evidence evidence;
    const char *source;
};

/* The row of an SM version.  ORDO_BAD_INPUT for one that is not in the table: nothing is known about it. */
enum ordo_status ordo_mma_find(int32_t sm, const struct ordo_mma_model **model, struct ordo_err *err);
/* All rows, by ascending SM version. */
const struct ordo_mma_model *ordo_mma_models(size_t *n);

/* The operands of one step: a[i * a_step] * b[i * b_step] for i below the model's chunk. */
struct ordo_mma_operands {
    const struct ordo_format *format;
    const uint16_t *a, *b;
    ptrdiff_t a_step, b_step;
};

/* What a step of finite numbers dropped. */
struct ordo_mma_loss {
    int32_t grid;  /* the terms were cut to multiples of 2^grid */
    int32_t n_cut; /* terms that lost something */
    int32_t last;  /* exponent of the result's last place; set if sum_cut may be */
    bool sum_cut;  /* the sum lost something too */
};

/* The scalar reference: fp32 bits of the products and the accumulator c added. */
uint32_t ordo_mma_step(const struct ordo_mma_model *model, const struct ordo_mma_operands *x, uint32_t c,
                       struct ordo_mma_loss *loss);

/* bound + what such a step's result can be off, rounded up: the grid's unit for every term that lost something, the
 * last place's if the sum did.  Inf if the result is not finite.  A theorem: |result - exact sum| is below it. */
double ordo_mma_bound(double bound, const struct ordo_mma_loss *loss, uint32_t result);

/* --- products of matrices --------------------------------------------------------------------------------------- */

enum ordo_isa { ORDO_ISA_SCALAR, ORDO_ISA_AVX2, ORDO_ISA_AVX512, ORDO_ISAS };
extern const char *const ordo_isa_name[ORDO_ISAS];
/* Whether this build and this CPU have it; scalar always. */
bool ordo_isa_has(enum ordo_isa isa);
enum ordo_isa ordo_isa_best(void);

/* C[m][n] += A[m][k] B[k][n]: element (i, k) of A at a[i * a_row + k * a_k], (k, j) of B at b[k * b_k + j *
 * b_column], C and bound row-major with c_row elements from row to row.  All storage is the caller's.
 *
 * ORDER: the groups of 16 k named by group[0..n_group), first to last; a last short group is filled with zeros, which
 * take no part.  group NULL: all, ascending.  The fp32 accumulator is rounded after every step. */
struct ordo_product {
    const struct ordo_format *format;
    int32_t m, n, k;
    const uint16_t *a, *b;
    ptrdiff_t a_row, a_k, b_k, b_column;
    uint32_t *c;
    double *bound; /* NULL, or the running bound of each element, to which the steps' are added */
    ptrdiff_t c_row;
    const int32_t *group;
    int32_t n_group;
};

/* ORDO_BAD_INPUT: an extent below 1, a group that is not there, a format that the model lacks.  ORDO_ENVIRONMENT: no
 * memory.  isa must be one that the machine has.  Every isa gives the same bits, bounds included. */
enum ordo_status ordo_mma(const struct ordo_mma_model *model, enum ordo_isa isa, const struct ordo_product *product,
                          struct ordo_err *err);

#endif
