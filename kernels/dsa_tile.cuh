/* dsa_tile.cuh - the shared memory of a backward CTA, how it is filled, and the tensor core's view of it.
 *
 * Everything stands in panels: 64 rows of 64 BF16 columns under the 128B swizzle (kernels/layout.h), panel after
 * panel along the columns.  Rows are heads (Q, dO, P, dS) or slots (KV); P and dS have slots for columns.  A product
 * that contracts over columns sees a panel K-major; one that contracts over rows sees the same bytes MN-major, where
 * the two strides of the descriptor change places and names at once, so that its bits stay. */
#ifndef ORDO_KERNELS_DSA_TILE_CUH
#define ORDO_KERNELS_DSA_TILE_CUH

#include "kernels/dsa_args.h"
#include "kernels/layout.h"
#include "kernels/ptx.cuh"
#include "protocol/index.h"

#define DSA_PANEL 8192u /* bytes */

/* Where each matrix begins. */
template <int DQK, int DV> struct dsa_room {
    static constexpr uint32_t q = 0, dout = DQK / 64 * DSA_PANEL, kv = dout + DV / 64 * DSA_PANEL,
                              p = kv + DQK / 64 * DSA_PANEL, ds = p + DSA_PANEL, bytes = ds + DSA_PANEL;
};

/* --- filling ---------------------------------------------------------------------------------------------------- */

/* 16 bytes to shared memory; zeros, and no access, where they are not there.  More of the row will be asked for
 * soon. */
PTX void copy_16(uint32_t to, const void *from, int there)
{
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0)
                 : "memory");
}

/* Waits for this thread's copies and shows them to the tensor core; a barrier must follow. */
PTX void copies_done(void)
{
    asm volatile("cp.async.wait_all;" ::: "memory");
    fence_async();
}

/* A warpgroup fills `row` of PANELS panels, eight threads a row; those of one row agree on `from`. */
template <int PANELS> PTX void copy_row(uint32_t to, uint32_t row, const uint16_t *from, int there)
{
    uint32_t chunk = threadIdx.x % 8, at = to + row * 128 + ((chunk ^ row % 8) << 4);

#pragma unroll
    for (int i = 0; i < PANELS; i++)
        copy_16(at + i * DSA_PANEL, from + 8 * chunk + 64 * i, there);
}

/* --- products --------------------------------------------------------------------------------------------------- */

PTX uint64_t panel_descriptor(uint32_t start)
{
    struct ordo_layout two_panels = {0, 8, 64, 128};

    return ordo_layout_descriptor(&two_panels, start);
}

/* That of a place `bytes` further on: all of shared memory is within the descriptor's address field. */
PTX uint64_t panel_step(uint64_t descriptor, uint32_t bytes)
{
    return descriptor + (bytes >> 4);
}

/* x, as if just read: what is computed from it is computed anew, not kept in registers from loop to loop. */
PTX uint32_t fresh(uint32_t x)
{
    asm volatile("" : "+r"(x));
    return x;
}

/* All wgmma groups but the last PENDING are done. */
template <int PENDING> PTX void wgmma_wait_but(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/* No use of d moves across this line. */
template <int N> PTX void hold(float *d)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

/* d = A B^T over PANELS panels of columns, from zero: 64 rows of A, N of B. */
template <int N, int PANELS> PTX void contract_columns(float *d, uint32_t a, uint32_t b)
{
    uint64_t from_a = panel_descriptor(a), from_b = panel_descriptor(b);

#pragma unroll
    for (int i = 0; i < 4 * PANELS; i++) {
        uint32_t at = i / 4 * DSA_PANEL + i % 4 * 32;

        wgmma<0, N, 0, 0>::ss(d, panel_step(from_a, at), panel_step(from_b, at), i > 0);
    }
}

/* d += A B over the 64 slots or heads; TA: A is seen MN-major too.  B: N / 64 panels. */
template <int N, int TA> PTX void contract_rows(float *d, uint32_t a, uint32_t b, int from_zero)
{
    uint64_t from_a = panel_descriptor(a), from_b = panel_descriptor(b);

#pragma unroll
    for (int i = 0; i < 4; i++)
        wgmma<0, N, TA, 1>::ss(d, panel_step(from_a, (TA ? 2048 : 32) * i), panel_step(from_b, 2048 * i),
                            i > 0 || !from_zero);
}

/* --- named barriers --------------------------------------------------------------------------------------------- */

template <int ID, int THREADS> PTX void bar_sync(void)
{
    asm volatile("bar.sync %0, %1;" ::"n"(ID), "n"(THREADS) : "memory");
}

/* The same for threads that come from several places of the code, which an aligned barrier is not for. */
template <int ID, int THREADS> PTX void barrier_sync(void)
{
    asm volatile("barrier.sync %0, %1;" ::"n"(ID), "n"(THREADS) : "memory");
}

template <int ID, int THREADS> PTX void bar_arrive(void)
{
    asm volatile("bar.arrive %0, %1;" ::"n"(ID), "n"(THREADS) : "memory");
}

/* Registers of this warpgroup's threads from here on. */
template <int N> PTX void registers_more(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}

template <int N> PTX void registers_less(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

#endif
