/* both.h - functions that gcc compiles for the twin and nvcc for host and device, from one text.
 *
 * C17 and C++17: what is marked ORDO_BOTH has no designators, no restrict, no compound literals. */
#ifndef ORDO_BASE_BOTH_H
#define ORDO_BASE_BOTH_H

#ifdef __CUDACC__
#define ORDO_BOTH static __host__ __device__ inline
#else
#define ORDO_BOTH static inline
#endif

#endif
