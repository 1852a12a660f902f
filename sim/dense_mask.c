/* dense_mask.c - see dense_mask.h. */
#include "sim/dense_mask.h"

#include "base/rng.h"
#include "base/size.h"

#include <stdlib.h>

const char *const ordo_dense_mask_name[ORDO_N_DENSE_MASKS] = {
#define ORDO_X(id, name, help) name,
    ORDO_DENSE_MASKS(ORDO_X)
#undef ORDO_X
};

void ordo_dense_mask_free(struct ordo_dense_mask *m)
{
    free(m->bits);
    free(m->before);
    free(m->q_start);
    free(m->q_list);
    *m = (struct ordo_dense_mask){.n_q = 0};
}

static enum ordo_status no_memory(struct ordo_err *err)
{
    return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "mask", "no memory");
}

/* Extents and empty bits. */
static enum ordo_status start(struct ordo_dense_mask *m, int32_t n_q, int32_t n_kv, struct ordo_err *err)
{
    *m = (struct ordo_dense_mask){.n_q = n_q, .n_kv = n_kv, .words = (n_kv + 63) / 64};
    if (n_q < 1 || n_kv < 1 || n_q > ORDO_DENSE_MOST_TILES || n_kv > ORDO_DENSE_MOST_TILES)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "tiles", "%d by %d tiles, but 1 to %d of each side are taken",
                         (int)n_q, (int)n_kv, ORDO_DENSE_MOST_TILES);
    m->bits = ordo_alloc_zero((uint64_t)n_q * (uint64_t)m->words, sizeof *m->bits);
    return m->bits ? ORDO_OK : no_memory(err);
}

static void see(struct ordo_dense_mask *m, int32_t q, int32_t kv)
{
    m->bits[(int64_t)q * m->words + kv / 64] |= UINT64_C(1) << (kv % 64);
}

/* From bits to counts and lists. */
static enum ordo_status finish(struct ordo_dense_mask *m, struct ordo_err *err)
{
    int64_t n = 0;

    m->before = ordo_alloc((uint64_t)m->n_q * ((uint64_t)m->words + 1), sizeof *m->before);
    m->q_start = ordo_alloc((uint64_t)m->n_kv + 1, sizeof *m->q_start);
    if (!m->before || !m->q_start)
        return no_memory(err);
    for (int32_t q = 0; q < m->n_q; q++) {
        int32_t *before = m->before + (int64_t)q * (m->words + 1);

        before[0] = 0;
        for (int32_t w = 0; w < m->words; w++)
            before[w + 1] = before[w] + __builtin_popcountll(m->bits[(int64_t)q * m->words + w]);
        m->pairs += before[m->words];
    }
    m->q_list = ordo_alloc((uint64_t)m->pairs, sizeof *m->q_list);
    if (!m->q_list)
        return no_memory(err);
    for (int32_t kv = 0; kv < m->n_kv; kv++) {
        m->q_start[kv] = n;
        for (int32_t q = 0; q < m->n_q; q++)
            if (ordo_dense_sees(m, q, kv))
                m->q_list[n++] = q;
    }
    m->q_start[m->n_kv] = n;
    ORDO_BUG_ON(n != m->pairs);
    return ORDO_OK;
}

/* The last KV tile that begins before query tile q ends: kv / n_kv < (q + 1) / n_q. */
static int32_t diagonal(const struct ordo_dense_mask *m, int32_t q)
{
    return (int32_t)((((int64_t)q + 1) * m->n_kv - 1) / m->n_q);
}

/* first[kv]: where the document of KV tile kv begins.  documents - 1 seeded cuts between KV tiles, all different. */
static void cut(const struct ordo_dense_mask_spec *spec, int32_t *first)
{
    struct ordo_rng rng = {spec->seed};

    for (int32_t left = spec->documents - 1; left > 0;) {
        int32_t at = 1 + (int32_t)ordo_rng_below(&rng, (uint64_t)spec->n_kv - 1);

        left -= first[at] == 0;
        first[at] = at;
    }
    for (int32_t kv = 1; kv < spec->n_kv; kv++)
        if (first[kv] == 0)
            first[kv] = first[kv - 1];
}

static void fill(const struct ordo_dense_mask_spec *spec, const int32_t *first, struct ordo_dense_mask *m)
{
    struct ordo_rng rng = {spec->seed};

    for (int32_t q = 0; q < m->n_q; q++) {
        int32_t at = diagonal(m, q);

        for (int32_t kv = 0; kv < m->n_kv; kv++) {
            bool sees[ORDO_N_DENSE_MASKS] = {
                [ORDO_DENSE_MASK_FULL] = true,
                [ORDO_DENSE_MASK_CAUSAL] = kv <= at,
                [ORDO_DENSE_MASK_WINDOW] = kv <= at && kv > at - spec->window,
                [ORDO_DENSE_MASK_DOCUMENTS] = kv <= at && kv >= first[at],
                [ORDO_DENSE_MASK_VARLEN] = first[kv] == first[at],
                [ORDO_DENSE_MASK_BLOCKS] = spec->kind == ORDO_DENSE_MASK_BLOCKS &&
                                           (int32_t)ordo_rng_below(&rng, 100) < spec->density,
            };

            if (sees[spec->kind])
                see(m, q, kv);
        }
    }
}

enum ordo_status ordo_dense_mask_make(const struct ordo_dense_mask_spec *spec, struct ordo_dense_mask *m,
                                      struct ordo_err *err)
{
    bool cuts = spec->kind == ORDO_DENSE_MASK_DOCUMENTS || spec->kind == ORDO_DENSE_MASK_VARLEN;
    enum ordo_status status = start(m, spec->n_q, spec->n_kv, err);
    int32_t *first;

    if (status != ORDO_OK)
        return status;
    if (spec->kind == ORDO_DENSE_MASK_WINDOW && spec->window < 1)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "window", "a window of %d KV tiles holds nothing",
                         (int)spec->window);
    if (cuts && (spec->documents < 1 || spec->documents > spec->n_kv))
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "documents", "%d documents do not fit into %d KV tiles",
                         (int)spec->documents, (int)spec->n_kv);
    first = ordo_alloc_zero((uint64_t)spec->n_kv, sizeof *first);
    if (!first)
        return no_memory(err);
    if (cuts)
        cut(spec, first);
    fill(spec, first, m);
    free(first);
    return finish(m, err);
}

enum ordo_status ordo_dense_mask_take(const int32_t *value, int32_t n_q, int32_t n_kv, struct ordo_dense_mask *m,
                                      struct ordo_err *err)
{
    enum ordo_status status = start(m, n_q, n_kv, err);

    for (int32_t q = 0; q < n_q && status == ORDO_OK; q++)
        for (int32_t kv = 0; kv < n_kv; kv++)
            if (value[(int64_t)q * n_kv + kv])
                see(m, q, kv);
    return status == ORDO_OK ? finish(m, err) : status;
}
