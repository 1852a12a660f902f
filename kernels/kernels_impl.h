/* kernels_impl.h - between the files of the device side: the loaded kernels, and what the runner launches beside. */
#ifndef ORDO_KERNELS_KERNELS_IMPL_H
#define ORDO_KERNELS_KERNELS_IMPL_H

#include "kernels/driver.h"
#include "kernels/ordo_kernels.h"

#include <stddef.h>

/* The cubins, as dsa_image.c includes them. */
struct ordo_dsa_image {
    const char *name, *begin, *end;
};
extern const struct ordo_dsa_image ordo_dsa_image[];
extern const int ordo_dsa_images;

enum { ORDO_MOST_IMAGES = 8, ORDO_MOST_KERNELS = 32 };

struct ordo_kernels {
    struct ordo_driver call;
    const char *image[ORDO_MOST_IMAGES]; /* names of the modules */
    CUmodule module[ORDO_MOST_IMAGES];
    int n_module;
    CUfunction function[ORDO_MOST_KERNELS]; /* as ordo_dsa_kernel; NULL: not in this build */
};

/* As ordo_kernels_open, from other cubins in the place of those that are built in. */
enum ordo_status ordo_kernels_open_images(struct ordo_kernels **kernels, const struct ordo_dsa_image *image, int n,
                                          struct ordo_err *err);

/* A kernel of the module of an image; NULL if it is not there. */
CUfunction ordo_kernels_find(const struct ordo_kernels *kernels, const char *image, const char *name);

#endif
