/* cases_impl.h - the part of the main cases that stands in cases_scalar.c. */
#ifndef ORDO_KERNELS_CASES_IMPL_H
#define ORDO_KERNELS_CASES_IMPL_H

#include "kernels/cases.h"

enum ordo_status ordo_cases_scalar(ordo_case_fn *use, void *context, struct ordo_err *err);

#endif
