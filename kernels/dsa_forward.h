/* dsa_forward.h - what a launch of the forward kernel must know: 256 threads, and bytes of shared memory. */
#ifndef ORDO_KERNELS_DSA_FORWARD_H
#define ORDO_KERNELS_DSA_FORWARD_H

/* Q and two KV tiles, 64 rows each of Dqk + 8 BF16; the rows of two tiles. */
#define ORDO_DSA_FORWARD_SHARED(dqk) (3 * 64 * ((dqk) + 8) * 2 + 2 * 64 * 4)

#endif
