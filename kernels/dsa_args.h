/* dsa_args.h - what every kernel of the sparse attention backward pass is given, and what each is called.
 *
 * One struct for host and device, passed by value as the only parameter.  All tensors are contiguous and row-major,
 * BF16 as uint16_t; offsets into planes and masks are 64-bit.  Workspace segments are those of sim/workspace.h.
 *
 * A plane's columns are stored in fragment order: see ordo_dsa_column.  Only those who look into planes from outside
 * (the fold's conversion, a comparison with the twin) need to know. */
#ifndef ORDO_KERNELS_DSA_ARGS_H
#define ORDO_KERNELS_DSA_ARGS_H

#include "protocol/index.h"

#include <stdint.h>

#ifdef __CUDACC__
#define ORDO_DSA_FN static __host__ __device__ __forceinline__
#else
#define ORDO_DSA_FN static inline
#endif

struct ordo_dsa_args {
    /* inputs */
    const uint16_t *q;     /* [Q][H][Dqk] */
    const uint16_t *kv;    /* [KV][Dqk]; V is the first Dv columns */
    const uint16_t *dout;  /* [Q][H][Dv] */
    const uint16_t *o;     /* [Q][H][Dv]: the forward writes it, the backward reads it */
    const float *lse;      /* [Q][H], natural, without the sink: likewise */
    const float *sink;     /* [H], or null */
    const int32_t *idx;    /* [Q][topk] */
    const int32_t *length; /* [Q], or null: all of topk */
    /* outputs */
    uint16_t *dq;    /* [Q][H][Dqk] */
    uint16_t *dkv;   /* [KV][Dqk] */
    float *dkv_fp32; /* [KV][Dqk], or null: the fold before it rounds */
    float *dsink;    /* [H], or null */
    /* workspace */
    float *delta;    /* [H][Q8] */
    float *folded;   /* [H][Q8]: log2 of the denominator, sink included; infinite where the row is inert */
    float *planes;   /* [planes][plane_rows][D8], columns in fragment order */
    uint16_t *weights; /* [wave_width][topk rounded up to 64][2][64]: P and dS of each lane's slots, by head; of those
                        * designs where a plane has one writer at a time */
    uint32_t *masks; /* relay: the planes as words; a plane's masks are its trailing rows (ordo_dsa_mask) */
    /* extents */
    int32_t n_query, q8, n_kv, topk, n_head, d_qk, d_v, d8;
    int64_t plane_rows; /* rows from one plane to the next: what sim/workspace.h lays out */
    int64_t mask_words; /* words of one (plane, wave, head block): ordo_mask_words */
    int32_t wave_width, cluster, n_plane, n_wave, n_head_block;
    /* of one launch: waves first_wave .. end_wave - 1, one head block */
    int32_t first_wave, end_wave, head_block;
    float scale, scale_log2; /* scale log2 e, one rounding: as the twin */
};

/* The columns of planes are in fragment order. */
ORDO_DSA_FN int32_t ordo_dsa_column(int32_t d, int32_t d8)
{
    return ordo_plane_column(d, d8);
}

/* The first word of the masks of (plane, wave, head block), counted from a->masks. */
ORDO_DSA_FN int64_t ordo_dsa_mask(const struct ordo_dsa_args *a, int32_t plane, int32_t wave, int32_t head_block)
{
    int64_t kv8 = ((int64_t)a->n_kv + 7) / 8 * 8;

    return (plane * a->plane_rows + kv8) * a->d8 + ((int64_t)wave * a->n_head_block + head_block) * a->mask_words;
}

#endif
