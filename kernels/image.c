/* image.c - the two files, as the assembler includes them.  The build names them in ORDO_CUBIN and ORDO_GOLDEN. */
#include "kernels/image.h"

#define INCLUDE(name, path)                                                                                      \
    __asm__(".pushsection .rodata\n.balign 64\n"                                                                 \
            ".globl " #name "\n" #name ":\n.incbin \"" path "\"\n"                                               \
            ".globl " #name "_end\n" #name "_end:\n.byte 0\n.popsection\n")

INCLUDE(ordo_image_cubin, ORDO_CUBIN);
INCLUDE(ordo_image_golden, ORDO_GOLDEN);
