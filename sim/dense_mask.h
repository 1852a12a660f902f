/* dense_mask.h - which KV tiles a query tile sees: one bit a pair of tiles, the same for every head.
 *
 * Extents are in tiles.  Query tile q and KV tile k stand for equal shares of the two lengths, so a causal mask of
 * n_q = 2 * n_kv has two query tiles a KV tile. */
#ifndef ORDO_SIM_DENSE_MASK_H
#define ORDO_SIM_DENSE_MASK_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(id, name, help) */
#define ORDO_DENSE_MASKS(X)                                                                                          \
    X(FULL, "full", "every pair")                                                                                    \
    X(CAUSAL, "causal", "KV tiles that begin before the query tile ends")                                            \
    X(WINDOW, "window", "causal, and at most `window` KV tiles back")                                                \
    X(DOCUMENTS, "documents", "causal inside each of `documents` documents of seeded lengths")                       \
    X(VARLEN, "varlen", "full inside each of `documents` packed sequences of seeded lengths")                        \
    X(BLOCKS, "blocks", "each pair with `density` per cent, seeded")
enum ordo_dense_mask_kind {
#define ORDO_X(id, name, help) ORDO_DENSE_MASK_##id,
    ORDO_DENSE_MASKS(ORDO_X)
#undef ORDO_X
        ORDO_N_DENSE_MASKS
};
extern const char *const ordo_dense_mask_name[ORDO_N_DENSE_MASKS];

struct ordo_dense_mask_spec {
    enum ordo_dense_mask_kind kind;
    int32_t n_q, n_kv;
    int32_t window, documents, density; /* where the kind reads them */
    uint64_t seed;
};

/* Invariant: row lists ascend; q_list[q_start[k] ... q_start[k + 1]) are the query tiles that see KV tile k.
 * before[] counts the seen KV tiles of a row in earlier words of its bits. */
struct ordo_dense_mask {
    int32_t n_q, n_kv, words; /* words: 64-bit words of a row of bits */
    int64_t pairs;
    uint64_t *bits;
    int32_t *before;
    int64_t *q_start;
    int32_t *q_list;
};

enum { ORDO_DENSE_MOST_TILES = 16384 }; /* of either side */

/* ORDO_BAD_INPUT for extents that cannot be used.  The caller frees with ordo_dense_mask_free, also after a
 * failure. */
enum ordo_status ordo_dense_mask_make(const struct ordo_dense_mask_spec *spec, struct ordo_dense_mask *mask,
                                      struct ordo_err *err);
/* From n_q rows of n_kv values, not 0 where the pair is seen. */
enum ordo_status ordo_dense_mask_take(const int32_t *value, int32_t n_q, int32_t n_kv, struct ordo_dense_mask *mask,
                                      struct ordo_err *err);
void ordo_dense_mask_free(struct ordo_dense_mask *mask);

static inline bool ordo_dense_sees(const struct ordo_dense_mask *m, int32_t q, int32_t kv)
{
    return m->bits[(int64_t)q * m->words + kv / 64] >> (kv % 64) & 1;
}

/* How many query tiles see KV tile kv: the tasks of its CTA; and the step'th of them. */
static inline int32_t ordo_dense_steps(const struct ordo_dense_mask *m, int32_t kv)
{
    return (int32_t)(m->q_start[kv + 1] - m->q_start[kv]);
}

static inline int32_t ordo_dense_seen_by(const struct ordo_dense_mask *m, int32_t kv, int32_t step)
{
    return m->q_list[m->q_start[kv] + step];
}

/* How many KV tiles below kv row q sees; with kv = n_kv: all that it sees, the contributions to its dQ. */
static inline int32_t ordo_dense_below(const struct ordo_dense_mask *m, int32_t q, int32_t kv)
{
    int64_t at = (int64_t)q * m->words + kv / 64;

    return m->before[(int64_t)q * (m->words + 1) + kv / 64] +
           (kv % 64 ? __builtin_popcountll(m->bits[at] & ((UINT64_C(1) << (kv % 64)) - 1)) : 0);
}

static inline int32_t ordo_dense_adds(const struct ordo_dense_mask *m, int32_t q)
{
    return m->before[(int64_t)q * (m->words + 1) + m->words];
}

#endif
