/* verify.h - golden outputs, measured again on a card; and whether bits may be claimed on it. */
#ifndef ORDO_KERNELS_VERIFY_H
#define ORDO_KERNELS_VERIFY_H

#include "kernels/golden.h"
#include "kernels/gpu.h"

#include <stdio.h>

/* What was measured; a fresh one is all zero. */
struct ordo_verified {
    uint64_t n_case, n_word, n_bad; /* n_bad: cases that differ */
};

/* Measures every case of `golden` on a card that was opened with ordo_image_cubin and adds to sum.  Each case that
 * differs is a line on `to`, under `name`.  A status other than ORDO_OK: not all were measured. */
enum ordo_status ordo_verify(struct ordo_gpu *gpu, FILE *to, const char *name, const struct ordo_golden *golden,
                             struct ordo_verified *sum, struct ordo_err *err);

/* The same of the golden outputs that are built in.  Tier T0 may be claimed on this card only after ORDO_OK with
 * sum->n_bad == 0. */
enum ordo_status ordo_self_test(struct ordo_gpu *gpu, FILE *to, struct ordo_verified *sum, struct ordo_err *err);

#endif
