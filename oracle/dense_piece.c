/* dense_piece.c - see dense_impl.h. */
#include "oracle/dense_impl.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

/* --- lists ------------------------------------------------------------------------------------------------------ */

static int32_t clamp(int32_t x, int32_t most)
{
    return x < 0 ? 0 : x < most ? x : most;
}

/* How many KV rows query i sees, from row 0. */
static int32_t visible(const struct ordo_dense_attend *a, int32_t i, bool top_left)
{
    return a->causal ? clamp(i + 1 + (top_left ? 0 : a->kv_len - a->q_len), a->kv_len) : a->kv_len;
}

/* How many stand in the list of query i. */
static int32_t listed(const struct ordo_dense_attend *a, int32_t i, enum ordo_dense_reach reach, bool top_left)
{
    int32_t last = i - i % a->tile_q + a->tile_q - 1, n;

    if (reach == ORDO_DENSE_REACH_ALL)
        return a->kv_len;
    if (reach == ORDO_DENSE_REACH_SEEN)
        return visible(a, i, top_left);
    n = visible(a, last < a->q_len ? last : a->q_len - 1, top_left);
    return clamp((n + a->tile_kv - 1) / a->tile_kv * a->tile_kv, a->kv_len);
}

static void fill_lists(struct ordo_problem *problem, const struct ordo_dense_attend *a, enum ordo_dense_reach reach,
                       bool top_left)
{
    for (int32_t i = 0; i < a->q_len; i++) {
        int32_t n = listed(a, i, reach, top_left), *row = problem->idx + (int64_t)i * a->kv_len;

        for (int32_t j = 0; j < a->kv_len; j++)
            row[j] = j < n ? j : -1;
        problem->length[i] = visible(a, i, top_left);
    }
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

void ordo_dense_piece_free(struct ordo_dense_piece *p)
{
    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++)
        free(p->place[i]);
    free(p->unit[0]);
    free(p->unit[1]);
    free(p->q);
    free(p->kv);
    free(p->dout);
    free(p->o);
    free(p->lse);
    ordo_problem_free(&p->problem);
    *p = (struct ordo_dense_piece){0};
}

static bool allocate(struct ordo_dense_piece *p, bool saved)
{
    const struct ordo_dense_attend *a = p->a;
    uint64_t d = (uint64_t)a->d, kv_len = (uint64_t)a->kv_len, rows, n;

    if (!ordo_mul((uint64_t)a->q_len, (uint64_t)p->group, &rows) || !ordo_mul(rows, 2 * d, &n) ||
        !ordo_mul(kv_len, 2 * d, &n) || !ordo_mul((uint64_t)a->q_len, kv_len, &n))
        return false;
    p->problem.idx = ordo_alloc(n, sizeof *p->problem.idx);
    p->problem.length = ordo_alloc((uint64_t)a->q_len, sizeof *p->problem.length);
    p->q = ordo_alloc(rows * 2 * d, sizeof *p->q);
    p->kv = ordo_alloc(kv_len * 2 * d, sizeof *p->kv);
    p->dout = ordo_alloc(rows * d, sizeof *p->dout);
    p->o = saved ? ordo_alloc(rows * d, sizeof *p->o) : NULL;
    p->lse = saved ? ordo_alloc(rows, sizeof *p->lse) : NULL;
    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++)
        p->place[i] = ordo_alloc(i == ORDO_DENSE_DQ ? rows : kv_len, sizeof *p->place[i]);
    p->unit[0] = ordo_alloc(rows, sizeof *p->unit[0]);
    p->unit[1] = ordo_alloc(kv_len, sizeof *p->unit[1]);
    return p->problem.idx && p->problem.length && p->q && p->kv && p->dout && p->place[0] && p->place[1] &&
           p->place[2] && p->unit[0] && p->unit[1] && (!saved || (p->o && p->lse));
}

enum ordo_status ordo_dense_piece_make(const struct ordo_dense_attend *a, enum ordo_dense_reach reach, bool top_left,
                                       bool saved, struct ordo_dense_piece *p, struct ordo_err *err)
{
    *p = (struct ordo_dense_piece){.a = a, .group = a->q_heads / a->kv_heads,
                                   .problem = {.n_query = a->q_len, .topk = a->kv_len, .n_kv = a->kv_len}};
    if (!allocate(p, saved))
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for %d x %d pairs before the oracle",
                         (int)a->q_len, (int)a->kv_len);
    fill_lists(&p->problem, a, reach, top_left);
    p->attend = (struct ordo_attend){.problem = &p->problem, .n_head = p->group, .d_qk = 2 * a->d, .d_v = a->d,
                                     .q = p->q, .kv = p->kv, .dout = p->dout, .scale = a->scale, .parts = p->group,
                                     .tile = a->tile_kv < 64 ? a->tile_kv : 64};
    return ORDO_OK;
}

/* --- tensors ---------------------------------------------------------------------------------------------------- */

static void take_query(struct ordo_dense_piece *p, int32_t i, int32_t g, const struct ordo_near_saved *saved)
{
    const struct ordo_dense_attend *a = p->a;
    int64_t at = ordo_dense_piece_unit(p, ORDO_DENSE_DQ, (int64_t)i * p->group + g), to = (int64_t)i * p->group + g;
    size_t d = (size_t)a->d, bytes = d * sizeof *p->q;
    int32_t head = p->kv_head * p->group + g;

    memset(p->q + to * 2 * a->d, 0, bytes);
    memcpy(p->q + to * 2 * a->d + d, a->q + at * a->d, bytes);
    memcpy(p->dout + to * a->d, a->dout + at * a->d, bytes);
    if (!saved)
        return;
    memcpy(p->o + to * a->d, saved->o + at * a->d, bytes);
    p->lse[to] = saved->lse[((int64_t)p->b * a->q_heads + head) * a->q_len + i];
}

void ordo_dense_piece_take(struct ordo_dense_piece *p, int64_t number, const struct ordo_near_saved *saved)
{
    const struct ordo_dense_attend *a = p->a;
    size_t bytes = (size_t)a->d * sizeof *p->kv;

    p->b = (int32_t)(number / a->kv_heads);
    p->kv_head = (int32_t)(number % a->kv_heads);
    for (int32_t i = 0; i < a->q_len; i++)
        for (int32_t g = 0; g < p->group; g++)
            take_query(p, i, g, saved);
    for (int32_t j = 0; j < a->kv_len; j++) {
        int64_t at = ordo_dense_piece_unit(p, ORDO_DENSE_DK, j) * a->d;
        uint16_t *to = p->kv + (int64_t)j * 2 * a->d;

        memcpy(to, a->v + at, bytes);
        memcpy(to + a->d, a->k + at, bytes);
    }
}

/* --- units ------------------------------------------------------------------------------------------------------ */

int64_t ordo_dense_piece_unit(const struct ordo_dense_piece *p, int output, int64_t unit)
{
    const struct ordo_dense_attend *a = p->a;
    int64_t row = unit / p->group, g = unit % p->group;

    if (output == ORDO_DENSE_DQ)
        return ((int64_t)p->b * a->q_len + row) * a->q_heads + (int64_t)p->kv_head * p->group + g;
    return ((int64_t)p->b * a->kv_len + unit) * a->kv_heads + p->kv_head;
}

/* The number of a dense unit in the piece, or -1. */
static int64_t mine(const struct ordo_dense_piece *p, int output, int64_t unit)
{
    const struct ordo_dense_attend *a = p->a;
    int64_t heads = output == ORDO_DENSE_DQ ? a->q_heads : a->kv_heads;
    int64_t length = output == ORDO_DENSE_DQ ? a->q_len : a->kv_len;
    int64_t head = unit % heads, row = unit / heads % length, b = unit / heads / length;

    if (output == ORDO_DENSE_DQ)
        return b == p->b && head / p->group == p->kv_head ? row * p->group + head % p->group : -1;
    return b == p->b && head == p->kv_head ? row : -1;
}

bool ordo_dense_piece_want(struct ordo_dense_piece *p, const int64_t *const unit[ORDO_DENSE_GRADIENTS],
                           const int64_t n[ORDO_DENSE_GRADIENTS])
{
    int64_t all[2] = {(int64_t)p->a->q_len * p->group, p->a->kv_len};

    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++) {
        memset(p->place[i], -1, (size_t)all[i != ORDO_DENSE_DQ] * sizeof *p->place[i]);
        for (int64_t u = 0; u < n[i]; u++) {
            int64_t at = mine(p, i, unit[i][u]);

            if (at >= 0)
                p->place[i][at] = u;
        }
    }
    p->n_unit[0] = p->n_unit[1] = 0;
    for (int64_t u = 0; u < all[0]; u++)
        if (p->place[ORDO_DENSE_DQ][u] >= 0)
            p->unit[0][p->n_unit[0]++] = u;
    for (int64_t u = 0; u < all[1]; u++)
        if (p->place[ORDO_DENSE_DK][u] >= 0 || p->place[ORDO_DENSE_DV][u] >= 0)
            p->unit[1][p->n_unit[1]++] = u;
    return p->n_unit[0] + p->n_unit[1] > 0;
}
