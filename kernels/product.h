/* product.h - what the kernels of capture are asked for: plain words for host and device. */
#ifndef ORDO_KERNELS_PRODUCT_H
#define ORDO_KERNELS_PRODUCT_H

#include <stdint.h>

/* `tiles` products D = A B + C, one behind the other in each array. */
struct ordo_tile_product {
    uint16_t *a; /* m x k, BF16 or FP16, k fastest */
    uint16_t *b; /* n x k */
    uint32_t *c; /* m x n fp32 bits, or NULL: the first step starts from nothing */
    uint32_t *d; /* m x n */
    uint32_t m, n, k;
    uint32_t stage;            /* elements of k that stand in shared memory at once; divides k */
    uint32_t width_a, width_b; /* struct ordo_layout's */
};

/* The functions of one word and the kinds of addition, as the kernels number them; names in golden.c. */
enum ordo_op {
    ORDO_OP_EX2,
    ORDO_OP_EXP2_5,
    ORDO_OP_EXP2_6,
    ORDO_OP_LOG2,
    ORDO_OP_CVT_BF16,
    ORDO_OP_CVT_FP16,
    ORDO_OPS
};
enum ordo_add { ORDO_FADD, ORDO_RED_GLOBAL, ORDO_RED_SHARED, ORDO_BULK, ORDO_ADDS };
/* The instruction's other forms, which must not differ: red's is atom and v4, a conversion's is the packed x2. */
enum ordo_form { ORDO_FORM_PLAIN, ORDO_FORM_ATOM, ORDO_FORM_V4, ORDO_FORM_X2, ORDO_FORMS };

#define ORDO_ADD_THREADS 256 /* additions a CTA */

#endif
