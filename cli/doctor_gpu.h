/* doctor_gpu.h - what the driver says of the GPUs, asked without linking to it. */
#ifndef ORDO_CLI_DOCTOR_GPU_H
#define ORDO_CLI_DOCTOR_GPU_H

#include <stddef.h>

enum { ORDO_MOST_GPUS = 16 };

struct ordo_gpus {
    char driver[160]; /* its version, or why there is none */
    int n;            /* at most ORDO_MOST_GPUS are described */
    char gpu[ORDO_MOST_GPUS][128];
};

/* Opens libcuda.so.1 if it is there.  Never fails: what cannot be asked is said in `driver`. */
void ordo_gpus_ask(struct ordo_gpus *out);

#endif
