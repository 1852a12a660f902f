/* card_impl.h - between the files of the runner's card. */
#ifndef ORDO_KERNELS_CARD_IMPL_H
#define ORDO_KERNELS_CARD_IMPL_H

#include "kernels/card.h"
#include "kernels/kernels_impl.h"

struct ordo_card {
    struct ordo_driver call;
    CUdevice device;
    bool retained;
    struct ordo_kernels *kernels;
    CUstream stream, second;
    CUevent mark[2], end;
    CUfunction compare, keep, busy;
    CUdeviceptr scratch;
    struct ordo_dsa_image image[ORDO_MOST_IMAGES];
    char *read[ORDO_MOST_IMAGES]; /* cubins from files, owned */
    struct ordo_card_name name;
};

enum { ORDO_CARD_SCRATCH = 64 << 20 }; /* bytes that the busy kernel works on */

#endif
