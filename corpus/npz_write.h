/* npz_write.h - arrays in memory as one .npz: the same bytes for the same arrays, on every machine and day.
 *
 * Entries are stored, in the order given, dated 1980-01-01, as little-endian .npy 1.0; zip64 only where a size or an
 * offset needs it.  numpy.load reads it. */
#ifndef ORDO_CORPUS_NPZ_WRITE_H
#define ORDO_CORPUS_NPZ_WRITE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* One array in C order; its elements are in this machine's byte order. */
struct ordo_npz_array {
    const char *name;  /* "q" becomes the entry q.npy */
    const char *descr; /* "<u2", "<f4", "<i4", "<f8": letter and bytes as NumPy has them */
    int n_dim;         /* 0: a scalar */
    uint64_t dim[4];
    const void *data;
};

/* Writes n arrays to path, all or nothing (base/replace.h).  Names are different and of printable ASCII without '/'.
 * ORDO_ENVIRONMENT when the file cannot be written, ORDO_BAD_INPUT when a size leaves 64 bits. */
enum ordo_status ordo_npz_write(const char *path, const struct ordo_npz_array *array, size_t n, struct ordo_err *err);

/* The same with zip64 from that size or offset on; ordo_npz_write has UINT32_MAX.  So tests need no 4 GiB. */
enum ordo_status ordo_npz_write_wide(const char *path, const struct ordo_npz_array *array, size_t n,
                                     uint64_t zip64_from, struct ordo_err *err);

#endif
