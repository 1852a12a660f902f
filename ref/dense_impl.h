/* dense_impl.h - between the files of the dense twin: one pair of tiles, and what a thread needs for it. */
#ifndef ORDO_REF_DENSE_IMPL_H
#define ORDO_REF_DENSE_IMPL_H

#include "ref/attention_impl.h"
#include "ref/dense.h"

/* What all work shares. */
struct ordo_dense_run {
    const struct ordo_dense_twin *twin;
    const struct ordo_dense_outputs *out;
    const struct ordo_dense_problem *p;
    const struct ordo_contract *contract;
    const struct ordo_mma_model *model;
    enum ordo_isa isa;
    float scale_log2;
    const uint16_t *o;  /* the caller's, or ours */
    float *lse, *delta; /* likewise */
    struct ordo_dense_pair *hand; /* one a thread */
};

/* A query tile against a KV tile, for one (batch, query head).  Matrices are [m][n] row-major, n = KV rows. */
struct ordo_dense_pair {
    int32_t batch, head, kv_head; /* query head, and the KV head that it reads */
    int32_t q_first, kv_first, m, n;
    uint32_t *s, *dp;             /* fp32; s becomes p */
    uint16_t *pw, *ds;            /* BF16 */
    uint32_t *acc, *acc2, *part;  /* fp32 [tile][D] */
    float *sum, *sum2;            /* fp32 [tile_kv][D]: over the heads of a group */
    int32_t *order;               /* KV tiles of a query tile by rank */
    int32_t group[ORDO_DENSE_TILE / ORDO_K_GROUP];
    int32_t live[2 * ORDO_DENSE_TILE]; /* zeros, then -1s: a row of n visible columns begins n before the middle */
};

enum ordo_status ordo_dense_pair_make(const struct ordo_dense_problem *p, int32_t n_kv, struct ordo_dense_pair *pair,
                                      struct ordo_err *err);
void ordo_dense_pair_free(struct ordo_dense_pair *pair);
/* Sets which tiles of which head; heads count as the schedule's do. */
void ordo_dense_pair_set(const struct ordo_dense_run *r, int32_t head, int32_t q_tile, int32_t kv_tile,
                         struct ordo_dense_pair *pair);

/* How many of the pair's KV rows query row i of the tile sees: a prefix. */
int32_t ordo_dense_visible(const struct ordo_dense_problem *p, const struct ordo_dense_pair *pair, int32_t i);
/* By row: >= 0 where the column is visible; for ordo_attention_exp. */
static inline const int32_t *ordo_dense_live(const struct ordo_dense_pair *pair, int32_t visible)
{
    return pair->live + ORDO_DENSE_TILE - visible;
}

/* Row i of tile `first` of a [B][S][H][D] tensor, and of a [B][H][S] one. */
static inline int64_t ordo_dense_at(int32_t length, int32_t heads, int32_t d, int32_t batch, int32_t row,
                                    int32_t head)
{
    return (((int64_t)batch * length + row) * heads + head) * d;
}
static inline int64_t ordo_dense_stat_at(const struct ordo_dense_problem *p, const struct ordo_dense_pair *pair)
{
    return ((int64_t)pair->batch * p->q_heads + pair->head) * p->q_len + pair->q_first;
}

/* s = Q K^T. */
enum ordo_status ordo_dense_scores(const struct ordo_dense_run *r, struct ordo_dense_pair *pair,
                                   struct ordo_err *err);
/* Scores, then pw = P and ds = dS of the pair, from LSE and delta. */
enum ordo_status ordo_dense_weights(const struct ordo_dense_run *r, struct ordo_dense_pair *pair,
                                    struct ordo_err *err);

/* Items of ordo_parallel over (head, query tile): O, LSE; delta is of rows. */
enum ordo_status ordo_dense_forward(void *run, int thread, int64_t item, struct ordo_err *err);
enum ordo_status ordo_dense_delta(void *run, int thread, int64_t item, struct ordo_err *err);
/* Over (head, query tile), and over (batch, KV head, KV tile). */
enum ordo_status ordo_dense_dq(void *run, int thread, int64_t item, struct ordo_err *err);
enum ordo_status ordo_dense_dkv(void *run, int thread, int64_t item, struct ordo_err *err);

#endif
