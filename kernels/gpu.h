/* gpu.h - one card through the driver's C interface, found at run time: to start, no CUDA library is needed. */
#ifndef ORDO_KERNELS_GPU_H
#define ORDO_KERNELS_GPU_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct ordo_gpu; /* a context, a loaded cubin, and rooms of device memory that grow */

struct ordo_gpu_name {
    char device[96], driver[48], toolkit[48];
    uint32_t sm; /* 90 for compute capability 9.0 */
};

/* Opens card 0 and loads a cubin.  ORDO_ENVIRONMENT where there is no driver, no card, or one that the cubin is not
 * for.  Released by ordo_gpu_close, which takes NULL. */
enum ordo_status ordo_gpu_open(struct ordo_gpu **gpu, const void *cubin, struct ordo_err *err);
void ordo_gpu_close(struct ordo_gpu *gpu);

const struct ordo_gpu_name *ordo_gpu_name(const struct ordo_gpu *gpu);

/* Device memory number `room` (0 .. ORDO_GPU_ROOMS - 1) of at least `bytes` bytes; what stood there is lost when it
 * grows.  Valid until the next call for the same room. */
#define ORDO_GPU_ROOMS 4
enum ordo_status ordo_gpu_room(struct ordo_gpu *gpu, int room, size_t bytes, uint64_t *address, struct ordo_err *err);
/* Fills `bytes` bytes, a multiple of 4, with a word. */
enum ordo_status ordo_gpu_fill(struct ordo_gpu *gpu, uint64_t address, uint32_t word, size_t bytes,
                               struct ordo_err *err);
enum ordo_status ordo_gpu_write(struct ordo_gpu *gpu, uint64_t address, const void *from, size_t bytes,
                                struct ordo_err *err);
/* Waits for what was launched before. */
enum ordo_status ordo_gpu_read(struct ordo_gpu *gpu, void *to, uint64_t address, size_t bytes, struct ordo_err *err);

struct ordo_gpu_launch {
    const char *kernel;
    uint32_t grid[3], threads, shared; /* bytes of shared memory */
};
/* arguments: pointers to each, as cuLaunchKernel takes them.  A kernel that is not there is ORDO_BAD_INPUT. */
enum ordo_status ordo_gpu_start(struct ordo_gpu *gpu, const struct ordo_gpu_launch *launch, void **arguments,
                                struct ordo_err *err);

#endif
