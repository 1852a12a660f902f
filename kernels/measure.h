/* measure.h - one case of a golden file on a card. */
#ifndef ORDO_KERNELS_MEASURE_H
#define ORDO_KERNELS_MEASURE_H

#include "kernels/golden.h"
#include "kernels/gpu.h"

/* Runs the case that `value` describes.  got: name is left alone, values copied, n_word and digest set; word, owned
 * by the caller, only if `words`.  ORDO_BAD_INPUT where no kernel does what is asked, ORDO_ENVIRONMENT where the card
 * fails. */
enum ordo_status ordo_measure(struct ordo_gpu *gpu, const uint64_t value[ORDO_KEYS], bool words,
                              struct ordo_golden_case *got, struct ordo_err *err);

/* The product alone, on operands of the caller: value[ORDO_KEY_TILES] products, one behind the other, a[rows x k],
 * b[cols x k], c[rows x cols] (read if INIT is 0) to d[rows x cols]. */
enum ordo_status ordo_measure_product(struct ordo_gpu *gpu, const uint64_t value[ORDO_KEYS], const uint16_t *a,
                                      const uint16_t *b, const uint32_t *c, uint32_t *d, struct ordo_err *err);

#endif
