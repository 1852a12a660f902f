/* cases.h - which cases capture records. */
#ifndef ORDO_KERNELS_CASES_H
#define ORDO_KERNELS_CASES_H

#include "kernels/golden.h"

/* Receives a case without output; words: its words are wanted, not only their digest. */
typedef enum ordo_status ordo_case_fn(void *context, const struct ordo_golden_case *item, bool words,
                                      struct ordo_err *err);

/* Every instruction, layout and family, and functions on samples: what the twin predicts in seconds. */
enum ordo_status ordo_cases_main(ordo_case_fn *use, void *context, struct ordo_err *err);
/* Each function of one word on all 2^32 inputs, whole and in 128 pieces, so that a difference is located. */
enum ordo_status ordo_cases_all(ordo_case_fn *use, void *context, struct ordo_err *err);

#endif
