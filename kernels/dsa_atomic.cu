/* dsa_atomic.cu - the backward pass whose planes are one, added to atomically: fast, and never twice the same. */
#include "kernels/dsa_backward.cuh"

DSA_KERNEL(ordo_dsa_atomic_576, 576, 512, dsa_atomic)
DSA_KERNEL(ordo_dsa_atomic_512, 512, 512, dsa_atomic)
