/* layout.h - where an element of a wgmma operand stands in shared memory, and the descriptor that says so.
 *
 * Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout" and "Matrix Descriptor Format".  An
 * operand is `rows` (m of A, n of B) by k, BF16.  Its unit is an atom of 8 lines of `width` 16-byte chunks, width 1,
 * 2, 4, 8 for no swizzle, 32B, 64B, 128B; a line runs along k (K-major) or along the rows (MN-major).  Inside an atom
 * the chunk number is xored with address bits 7 and up, so a region starts at a multiple of 1024 bytes.  Between
 * atoms there are two strides; K-major with a swizzle knows only one, the next atom along k is another start. */
#ifndef ORDO_KERNELS_LAYOUT_H
#define ORDO_KERNELS_LAYOUT_H

#include <stdint.h>

#ifdef __CUDACC__
#define ORDO_LAYOUT_FN static __host__ __device__ __forceinline__
#else
#define ORDO_LAYOUT_FN static inline
#endif

#define ORDO_LAYOUT_ALIGN 1024 /* bytes: the largest atom */

struct ordo_layout {
    uint32_t mn_major; /* 0: k runs fastest, 1: the rows do */
    uint32_t width;    /* 16-byte chunks in a line of an atom: 1, 2, 4, 8 */
    uint32_t rows, k;  /* extents of the region, multiples of 8 and 16 */
};

/* Bytes from one atom to the next along the rows, of `layout`. */
ORDO_LAYOUT_FN uint32_t ordo_layout_row_stride(const struct ordo_layout *layout)
{
    return 128 * layout->width;
}

/* Bytes from one atom to the next along k: after all atoms along the rows. */
ORDO_LAYOUT_FN uint32_t ordo_layout_k_stride(const struct ordo_layout *layout)
{
    uint32_t atom_rows = layout->mn_major ? 8 * layout->width : 8;

    return (layout->rows + atom_rows - 1) / atom_rows * ordo_layout_row_stride(layout);
}

/* Bytes of the whole region, a multiple of ORDO_LAYOUT_ALIGN. */
ORDO_LAYOUT_FN uint32_t ordo_layout_bytes(const struct ordo_layout *layout)
{
    uint32_t atom_k = layout->mn_major ? 8 : 8 * layout->width;
    uint32_t bytes = (layout->k + atom_k - 1) / atom_k * ordo_layout_k_stride(layout);

    return (bytes + ORDO_LAYOUT_ALIGN - 1) / ORDO_LAYOUT_ALIGN * ORDO_LAYOUT_ALIGN;
}

/* The byte of element (row, k) from the region's start. */
ORDO_LAYOUT_FN uint32_t ordo_layout_place(const struct ordo_layout *layout, uint32_t row, uint32_t k)
{
    uint32_t w = layout->width;
    uint32_t along = layout->mn_major ? row : k, across = layout->mn_major ? k : row;
    uint32_t atom_row = layout->mn_major ? row / (8 * w) : row / 8, atom_k = layout->mn_major ? k / 8 : k / (8 * w);
    uint32_t line = across % 8, chunk = along / 8 % w;
    uint32_t at = atom_row * ordo_layout_row_stride(layout) + atom_k * ordo_layout_k_stride(layout) +
                  line * 16 * w + chunk * 16 + along % 8 * 2;

    return at ^ ((at >> 7) & (w - 1)) << 4;
}

/* The byte where the k16 slice that begins at k starts, before the swizzle. */
ORDO_LAYOUT_FN uint32_t ordo_layout_slice(const struct ordo_layout *layout, uint32_t k)
{
    uint32_t atom_k = layout->mn_major ? 8 : 8 * layout->width;

    return k / atom_k * ordo_layout_k_stride(layout) + k % atom_k * 2;
}

/* The descriptor of a k16 slice that starts at shared-memory address `start`.  The two strides are called leading and
 * stride; which is which depends on the layout. */
ORDO_LAYOUT_FN uint64_t ordo_layout_descriptor(const struct ordo_layout *layout, uint32_t start)
{
    uint32_t row = ordo_layout_row_stride(layout), k = ordo_layout_k_stride(layout);
    /* MN-major with a swizzle: leading goes along the rows; else along k. */
    uint32_t leading = layout->mn_major && layout->width > 1 ? row : k;
    uint32_t stride = layout->mn_major && layout->width > 1 ? k : row;
    uint32_t mode = layout->width == 1 ? 0 : layout->width == 8 ? 1 : layout->width == 4 ? 2 : 3;

    return (uint64_t)(start >> 4 & 0x3fff) | (uint64_t)(leading >> 4 & 0x3fff) << 16 |
           (uint64_t)(stride >> 4 & 0x3fff) << 32 | (uint64_t)mode << 62;
}

#endif
