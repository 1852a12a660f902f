/* dsa_sort.cuh - a query's live slots in the order of their KV rows, in shared memory.
 *
 * A bitonic network over a power of two of 64-bit words, row above slot, so that the order is one and the same even
 * where two slots name a row.  Dead slots come last. */
#ifndef ORDO_KERNELS_DSA_SORT_CUH
#define ORDO_KERNELS_DSA_SORT_CUH

#include "kernels/dsa_work.cuh"

#define DSA_SORTED 2048 /* slots at a time */

PTX int32_t sorted_slot(uint64_t word)
{
    return (int32_t)(word & 0xffffffff);
}

PTX int64_t sorted_row(uint64_t word)
{
    return (int64_t)(word >> 32);
}

/* One step of the network: pairs `apart` places apart, ascending where bit `run` of the place is 0. */
PTX void sort_step(uint64_t *list, int32_t n, int32_t run, int32_t apart)
{
    for (int32_t i = threadIdx.x; i < n / 2; i += DSA_THREADS) {
        int32_t low = 2 * i - (i & (apart - 1)), high = low + apart;
        uint64_t x = list[low], y = list[high];

        if ((x > y) == ((low & run) == 0)) {
            list[low] = y;
            list[high] = x;
        }
    }
    bar_sync<0, DSA_THREADS>();
}

/* Slots slot0 .. slot0 + DSA_SORTED - 1 of the query; all threads of the CTA.  Returns how many are live, which stand
 * first: row in the upper half of a word, slot - slot0 in the lower one. */
PTX int32_t sort_slots(const struct ordo_dsa_args *a, const struct dsa_work *w, int32_t slot0, uint64_t *list)
{
    int32_t n = ORDO_TILE, n_live = 0;

    while (n < w->clamped - slot0 && n < DSA_SORTED)
        n *= 2;
    for (int32_t i = threadIdx.x; i < n; i += DSA_THREADS) {
        int32_t row = row_of_slot(a, w, slot0 + i);

        list[i] = (uint64_t)(uint32_t)row << 32 | (uint32_t)i; /* -1 is above all rows */
    }
    bar_sync<0, DSA_THREADS>();
    for (int32_t run = 2; run <= n; run *= 2)
        for (int32_t apart = run / 2; apart > 0; apart /= 2)
            sort_step(list, n, run, apart);
    for (int32_t step = n; step > 0; step /= 2) /* the first dead one */
        while (n_live + step <= n && sorted_row(list[n_live + step - 1]) <= INT32_MAX)
            n_live += step;
    return n_live;
}

#endif
