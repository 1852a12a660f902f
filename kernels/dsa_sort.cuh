/* dsa_sort.cuh - a query's live slots in the order of their KV rows, in shared memory, by two warpgroups.
 *
 * A bitonic network over a power of two of 32-bit keys: row above slot, without as many low bits of the row as do not
 * fit, so that the order is one and the same whatever the threads do.  Which order it is moves no bit: the closer to
 * that of rows, the less a relay waits.  Steps inside 64 keys are a warp's own. */
#ifndef ORDO_KERNELS_DSA_SORT_CUH
#define ORDO_KERNELS_DSA_SORT_CUH

#include "kernels/dsa_work.cuh"

#define DSA_SORTED 2048 /* slots at a time */

enum { DSA_PAIR_THREADS = 256, DSA_PAIR = 15 }; /* groups 0 and 1: their threads, and their named barrier */
#define DSA_DEAD_KEY 0xffffffffu

/* Sorted: rows, and the slots that name them, counted from the first of those that were sorted. */
struct dsa_list {
    uint32_t *row;
    uint16_t *slot;
};

PTX uint32_t sort_key(const struct ordo_dsa_args *a, int32_t row, int32_t slot)
{
    int32_t bits = 32 - __clz(a->n_kv), drop = bits > 21 ? bits - 21 : 0;

    return row < 0 ? DSA_DEAD_KEY : (uint32_t)(row >> drop) * DSA_SORTED + slot;
}

/* Pairs `apart` places apart, ascending where bit `run` of the place is 0; 64 <= apart. */
PTX void sort_far(uint32_t *key, int32_t n, int32_t run, int32_t apart)
{
    for (int32_t i = threadIdx.x; i < n / 2; i += DSA_PAIR_THREADS) {
        int32_t low = 2 * i - (i & (apart - 1)), high = low + apart;
        uint32_t x = key[low], y = key[high];

        if ((x > y) == ((low & run) == 0)) {
            key[low] = y;
            key[high] = x;
        }
    }
    barrier_sync<DSA_PAIR, DSA_PAIR_THREADS>();
}

PTX uint32_t sort_near(uint32_t x, int32_t place, int32_t run, int32_t apart)
{
    uint32_t y = __shfl_xor_sync(0xffffffff, x, apart);
    int least = ((place & apart) == 0) == ((place & run) == 0);

    return least ? min(x, y) : max(x, y);
}

/* A warp's steps of `run` inside the 64 keys at `base`, from APART on; lane l has places l and l + 32. */
template <int APART> PTX void sort_block(uint32_t *x, uint32_t *y, int32_t base, int32_t run)
{
    int32_t place = base + lane_of_warp();
    uint32_t low = min(*x, *y), high = max(*x, *y);

    if (APART == 32) {
        *x = base & run ? high : low;
        *y = base & run ? low : high;
    }
#pragma unroll
    for (int apart = APART == 32 ? 16 : APART; apart > 0; apart /= 2) {
        *x = sort_near(*x, place, run, apart);
        *y = sort_near(*y, place + 32, run, apart);
    }
}

/* The steps of `run` that stay inside 64 keys; of the first run, those of all shorter ones before them. */
template <int FIRST> PTX void sort_blocks(uint32_t *key, int32_t n, int32_t run)
{
    for (int32_t base = threadIdx.x / 32 * 64; base < n; base += DSA_PAIR_THREADS * 2) {
        uint32_t *at = key + base + lane_of_warp(), x = at[0], y = at[32];

        if (FIRST) {
            sort_block<1>(&x, &y, base, 2);
            sort_block<2>(&x, &y, base, 4);
            sort_block<4>(&x, &y, base, 8);
            sort_block<8>(&x, &y, base, 16);
            sort_block<16>(&x, &y, base, 32);
        }
        sort_block<32>(&x, &y, base, run);
        at[0] = x;
        at[32] = y;
    }
    barrier_sync<DSA_PAIR, DSA_PAIR_THREADS>();
}

/* Places of the network for the slots from slot0 on. */
PTX int32_t sort_places(const struct dsa_work *w, int32_t slot0)
{
    int32_t n = ORDO_TILE;

    while (n < w->clamped - slot0 && n < DSA_SORTED)
        n *= 2;
    return n;
}

/* Slots slot0 .. slot0 + DSA_SORTED - 1 of the query into list; the live ones come first, the others' rows are ~0. */
PTX void sort_slots(const struct ordo_dsa_args *a, const struct dsa_work *w, int32_t slot0, uint32_t *key,
                    const struct dsa_list *list)
{
    int32_t n = sort_places(w, slot0);

    for (int32_t i = threadIdx.x; i < n; i += DSA_PAIR_THREADS)
        key[i] = sort_key(a, row_of_slot(a, w, slot0 + i), i);
    barrier_sync<DSA_PAIR, DSA_PAIR_THREADS>();
    sort_blocks<1>(key, n, 64);
    for (int32_t run = 128; run <= n; run *= 2) {
        for (int32_t apart = run / 2; apart >= 64; apart /= 2)
            sort_far(key, n, run, apart);
        sort_blocks<0>(key, n, run);
    }
    for (int32_t i = threadIdx.x; i < n; i += DSA_PAIR_THREADS) {
        int32_t slot = key[i] % DSA_SORTED;

        list->row[i] = (uint32_t)(key[i] == DSA_DEAD_KEY ? -1 : row_of_slot(a, w, slot0 + slot));
        list->slot[i] = (uint16_t)slot;
    }
    barrier_sync<DSA_PAIR, DSA_PAIR_THREADS>();
}

/* How many of a list's n places are live. */
PTX int32_t sorted_live(const struct dsa_list *list, int32_t n)
{
    int32_t live = 0;

    for (int32_t step = n; step > 0; step /= 2)
        while (live + step <= n && list->row[live + step - 1] != 0xffffffff)
            live += step;
    return live;
}

#endif
