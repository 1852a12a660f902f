/* runner.cuh - what the runner starts beside the kernels under test: comparing on the card, and keeping it busy. */
#ifndef ORDO_KERNELS_RUNNER_CUH
#define ORDO_KERNELS_RUNNER_CUH

#include <stdint.h>

/* Adds to *count how many of n words differ; b NULL: from zero. */
extern "C" __global__ void __launch_bounds__(256)
    ordo_dsa_compare(const uint32_t *a, const uint32_t *b, uint64_t n, unsigned long long *count)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    unsigned differ = 0;

    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        differ += a[i] != (b == NULL ? 0 : b[i]);
    if (differ)
        atomicAdd(count, (unsigned long long)differ);
}

extern "C" __global__ void __launch_bounds__(256) ordo_dsa_keep(uint32_t *to, const uint32_t *from, uint64_t n)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;

    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        to[i] = from[i];
}

/* Reads and writes memory until the time is over. */
extern "C" __global__ void __launch_bounds__(256) ordo_dsa_busy(uint32_t *scratch, uint64_t n, uint64_t nanoseconds)
{
    uint64_t step = (uint64_t)gridDim.x * blockDim.x, begin, now;
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        scratch[i] = scratch[i] * 1664525u + 1013904223u;
        i = i + step < n ? i + step : (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
}

#endif
