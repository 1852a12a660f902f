/* npz_tensor.h - one array of a .npz by name, of exactly the type and shape that the caller wants. */
#ifndef ORDO_CORPUS_NPZ_TENSOR_H
#define ORDO_CORPUS_NPZ_TENSOR_H

#include "base/status.h"

#include <stdint.h>

/* Reads array `name` of path into *data, in this machine's byte order; the caller frees.  descr: "<u2", "<f4",
 * "<i4" or "<f8"; where "<u2" is wanted, two raw bytes will do ("<V2": so NumPy writes what it does not know, BF16
 * among it). Without such an array *data is NULL and the status ORDO_OK.  ORDO_BAD_INPUT for another type, shape or
 * order, and for what is damaged; ORDO_ENVIRONMENT without memory.  *data is NULL after any failure. */
enum ordo_status ordo_npz_tensor(const char *path, const char *name, const char *descr, int n_dim,
                                 const uint64_t *dim, void **data, struct ordo_err *err);

/* The same for any of n_descr types (at most 4, "<f2" too); *which says which of them it was, if *data is not
 * NULL. */
enum ordo_status ordo_npz_tensor_of(const char *path, const char *name, const char *const *descr, int n_descr,
                                    int *which, int n_dim, const uint64_t *dim, void **data, struct ordo_err *err);

#endif
