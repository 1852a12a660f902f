/* image.h - what capture carries in itself: the cubin, and the golden outputs of its self-test. */
#ifndef ORDO_KERNELS_IMAGE_H
#define ORDO_KERNELS_IMAGE_H

#include <stddef.h>

extern const char ordo_image_cubin[], ordo_image_cubin_end[];
extern const char ordo_image_golden[], ordo_image_golden_end[];

#endif
