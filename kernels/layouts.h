/* layouts.h - is every wgmma operand where its descriptor says? */
#ifndef ORDO_KERNELS_LAYOUTS_H
#define ORDO_KERNELS_LAYOUTS_H

#include "kernels/gpu.h"

#include <stdint.h>
#include <stdio.h>

/* Multiplies small integers, exact in any order, by each kernel under each pair of swizzles and compares with the
 * product in integers; names what differs on `to`.  n_run and n_bad count the combinations. */
enum ordo_status ordo_layouts(struct ordo_gpu *gpu, FILE *to, uint32_t *n_run, uint32_t *n_bad, struct ordo_err *err);

#endif
