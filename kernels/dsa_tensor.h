/* dsa_tensor.h - the tensors of sparse attention as a table: what each must be, and where it stands in the
 * structs. */
#ifndef ORDO_KERNELS_DSA_TENSOR_H
#define ORDO_KERNELS_DSA_TENSOR_H

#include "kernels/ordo_kernels.h"

#include <stdbool.h>
#include <stddef.h>

enum ordo_dsa_tensor_id {
    ORDO_DSA_Q,
    ORDO_DSA_KV,
    ORDO_DSA_SINK,
    ORDO_DSA_IDX,
    ORDO_DSA_LENGTH,
    ORDO_DSA_O,
    ORDO_DSA_LSE,
    ORDO_DSA_DOUT,
    ORDO_DSA_DQ,
    ORDO_DSA_DKV,
    ORDO_DSA_DKV_FP32,
    ORDO_DSA_DSINK,
    ORDO_DSA_TENSORS
};

enum ordo_dsa_extent {
    ORDO_EXTENT_NONE,
    ORDO_EXTENT_Q,
    ORDO_EXTENT_KV,
    ORDO_EXTENT_T,
    ORDO_EXTENT_H,
    ORDO_EXTENT_DQK,
    ORDO_EXTENT_DV
};

struct ordo_dsa_tensor {
    const char *name;
    enum ordo_dtype dtype;
    uint32_t align;                 /* bytes */
    bool optional, forward, output; /* forward: the forward needs it too; output: of the backward */
    int32_t n_dim;
    enum ordo_dsa_extent extent[3];
    size_t member; /* of struct ordo_kernels_tensors */
};
extern const struct ordo_dsa_tensor ordo_dsa_tensor[ORDO_DSA_TENSORS];

int64_t ordo_dsa_extent(const struct ordo_plan *plan, enum ordo_dsa_extent extent);

static inline const struct ordo_tensor *ordo_dsa_tensor_of(const struct ordo_kernels_tensors *t, int id)
{
    return (const struct ordo_tensor *)(const void *)((const char *)t + ordo_dsa_tensor[id].member);
}

/* Elements, and bytes, of a tensor of the plan; extents are of 31 bits each, so that three may leave 64: then 0. */
uint64_t ordo_dsa_count(const struct ordo_plan *plan, int id);
uint64_t ordo_dsa_bytes(const struct ordo_plan *plan, int id);

/* Bytes of the kernels' own scratch: P and dS of each lane's slots, by head, of designs where a plane has one writer
 * at a time.  0 for the others. */
uint64_t ordo_dsa_weights(const struct ordo_plan *plan);

/* The tensor that the plan wants, contiguous at `data`. */
struct ordo_tensor ordo_dsa_make(const struct ordo_plan *plan, int id, void *data);

#endif
