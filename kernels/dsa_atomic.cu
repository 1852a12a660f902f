/* dsa_atomic.cu - the backward pass whose planes are one, added to atomically: fast, and never twice the same.
 *
 * A grid has a CTA for each query; waves mean nothing here. */
#include "kernels/dsa_pipe.cuh"

DSA_PIPE(ordo_dsa_atomic_576, 576, 512)
DSA_PIPE(ordo_dsa_atomic_512, 512, 512)
