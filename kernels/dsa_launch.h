/* dsa_launch.h - from a plan and tensors to the launches of a pass, in stream order; needs no card.
 *
 * Fold and conversion of the plan's list are one kernel here, whose sums stay in registers.  Backward launches: a CTA
 * walks its waves itself, in one launch, where the plan has one head block; with more, waves and head blocks
 * alternate as the plan's order wants it.  The design `atomic` has no order: one launch a head block. */
#ifndef ORDO_KERNELS_DSA_LAUNCH_H
#define ORDO_KERNELS_DSA_LAUNCH_H

#include "kernels/dsa_args.h"
#include "kernels/ordo_kernels.h"

/* What a launch of a kernel must know.  Masks of shared memory beyond 48 KiB and clusters beyond 8 are asked for. */
struct ordo_dsa_kernel {
    const char *name, *image; /* image: the cubin that has it */
    uint32_t threads, shared, cluster; /* bytes of dynamic shared memory; CTAs of a cluster */
    int32_t d_qk; /* what it is compiled for, as its name says; 0: any */
};
extern const struct ordo_dsa_kernel ordo_dsa_kernel[];
extern const int ordo_dsa_kernels; /* how many */

struct ordo_dsa_launch {
    int kernel; /* in the table */
    uint32_t grid[2];
    struct ordo_dsa_args args;
};

/* Receives one launch; a status that is not ORDO_OK ends the schedule and is returned by it. */
typedef enum ordo_status ordo_dsa_launch_fn(void *ctx, const struct ordo_dsa_launch *launch, struct ordo_err *err);

/* The arguments of all launches of a pass: tensors, and the workspace divided as sim/workspace.h says. */
struct ordo_dsa_args ordo_dsa_arguments(const struct ordo_plan *plan, const struct ordo_kernels_tensors *tensors);

/* Tensors are checked. */
enum ordo_status ordo_dsa_launches(const struct ordo_plan *plan, const struct ordo_kernels_tensors *tensors,
                                   enum ordo_pass pass, ordo_dsa_launch_fn *launch, void *ctx, struct ordo_err *err);

#endif
