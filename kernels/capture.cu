/* capture.cu - the device side of capture, one cubin: its digest names what was measured.
 *
 * Built for sm_90a and nothing else, without contraction; every instruction whose value matters is spelled in ptx.cuh
 * or in a header that the twin compiles too. */
#include "kernels/mma.cuh"
#include "kernels/scalar.cuh"

/* The compiler that made this cubin. */
extern "C" __device__ uint32_t toolkit[3] = {__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__};
