/* dsa_image.c - the cubins of sparse attention, as the assembler includes them.  The build says where:
 * ORDO_CUBINS. */
#include "kernels/kernels_impl.h"

#define IMAGE(name)                                                                                              \
    extern const char ordo_image_##name[], ordo_image_##name##_end[];                                            \
    __asm__(".pushsection .rodata\n.balign 64\n"                                                                 \
            ".globl ordo_image_" #name "\nordo_image_" #name ":\n.incbin \"" ORDO_CUBINS #name ".cubin\"\n"      \
            ".globl ordo_image_" #name "_end\nordo_image_" #name "_end:\n.byte 0\n.popsection\n");

IMAGE(dsa_small)
IMAGE(dsa_atomic)
IMAGE(dsa_shards)
IMAGE(dsa_relay)

/* The first names the compiler. */
const struct ordo_dsa_image ordo_dsa_image[] = {
    {"dsa_small", ordo_image_dsa_small, ordo_image_dsa_small_end},
    {"dsa_atomic", ordo_image_dsa_atomic, ordo_image_dsa_atomic_end},
    {"dsa_shards", ordo_image_dsa_shards, ordo_image_dsa_shards_end},
    {"dsa_relay", ordo_image_dsa_relay, ordo_image_dsa_relay_end},
};
const int ordo_dsa_images = sizeof ordo_dsa_image / sizeof ordo_dsa_image[0];
