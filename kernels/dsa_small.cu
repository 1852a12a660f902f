/* dsa_small.cu - all device code of sparse attention but the backward kernels, one cubin; and the runner's. */
#include "kernels/dsa_forward.cuh"
#include "kernels/dsa_small.cuh"
#include "kernels/runner.cuh"

/* The compiler that made this cubin. */
extern "C" __device__ uint32_t toolkit[3] = {__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__};
