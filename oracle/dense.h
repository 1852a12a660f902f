/* dense.h - dense attention before the oracle: the real gradient and the intervals of near.h, by an exact embedding.
 *
 * What one KV head of one sequence gives is a sparse problem, said with attend.h's formulas: its heads are the query
 * heads that read the KV head, a KV row is [v | k], a query [0 | q], dO is dO, ids are 0, 1, ... and a query's length
 * is what it sees.  The zeros add nothing to a score, so S, P, O, delta and dS are the dense ones exactly; the first
 * D columns of dKV are dV (Q adds zeros there), the last D columns of dKV are dK, and those of dQ are dQ.  So
 * whatever real.h and near.h prove holds here; the bounds count the zeros as terms, which only widens them, and
 * attend.h's parts and tile are set, which the order of a dense kernel needs:
 *
 *   dQ      one product from zero for each KV tile, then one fp32 addition a tile: at most n / 16 + 1 for n terms,
 *           inside what near_loss leaves beside its products
 *   dK, dV  a chain over all query rows for each head of the group, then one fp32 addition a head: parts
 *   O       rescaled once a KV tile of tile_kv, at most: tile
 *
 * An Inf or NaN in v leaves no claim about dV either, though dV does not read v: such rows are without a real value.
 * Under a causal mask one in k or v leaves no interval to its KV head, one in q or dO none to dK and dV: a kernel
 * multiplies hidden pairs of a tile by zero. */
#ifndef ORDO_ORACLE_DENSE_H
#define ORDO_ORACLE_DENSE_H

#include "oracle/near.h"
#include "oracle/units.h"

/* Tensors as ref/dense.h has them: q, dout BF16 [B][q_len][Hq][D], k, v [B][kv_len][Hkv][D]; all the caller's.
 * causal: KV row j is seen by query i iff j <= i + kv_len - q_len.  Tiles: rows of a kernel's, multiples of 16. */
struct ordo_dense_attend {
    int32_t batch, q_len, kv_len, q_heads, kv_heads, d;
    int32_t tile_q, tile_kv;
    bool causal;
    const uint16_t *q, *k, *v, *dout;
    float scale;
};

/* Outputs, in the place of ORDO_REAL_DQ ...: sets of ordo_real_gradient and ordo_near_gradient are theirs, D wide.  A
 * unit is a row: (b * length + i) * heads + h. */
enum { ORDO_DENSE_DQ, ORDO_DENSE_DK, ORDO_DENSE_DV, ORDO_DENSE_GRADIENTS };
extern const char *const ordo_dense_gradient_name[ORDO_DENSE_GRADIENTS]; /* "dq", "dk", "dv" */

int64_t ordo_dense_units(const struct ordo_dense_attend *a, int output);

/* As ordo_units_choose.  Where the budget does not pay for all, evenly spaced KV heads are looked at, and of each
 * evenly spaced query rows and the last KV rows (dense_units.c says why); for ORDO_NEAR_DECLARED, whose KV rows need
 * their own slots only, evenly spaced ones. */
enum ordo_status ordo_dense_choose(const struct ordo_dense_attend *a, const struct ordo_unit_cost *cost,
                                   enum ordo_near_kind kind, double budget, double most,
                                   struct ordo_units units[ORDO_DENSE_GRADIENTS], struct ordo_err *err);

/* Asks for n units (unit NULL: the first n); free with ordo_real_free, ordo_near_free. */
enum ordo_status ordo_dense_want_real(struct ordo_real_gradient *g, const struct ordo_dense_attend *a, int output,
                                      int64_t n, const int64_t *unit, struct ordo_err *err);
enum ordo_status ordo_dense_want_near(struct ordo_near_gradient *g, const struct ordo_dense_attend *a, int output,
                                      int64_t n, const int64_t *unit, struct ordo_err *err);

/* What people get wrong in a dense kernel. */
enum ordo_dense_wrong {
    ORDO_DENSE_WRONG_NONE,
    ORDO_DENSE_WRONG_DIAGONAL,      /* tiles are skipped by the mask, the backward masks no element of the others */
    ORDO_DENSE_WRONG_DIAGONAL_BOTH, /* nor does the forward */
    ORDO_DENSE_WRONG_NO_MASK,       /* the backward is not causal */
    ORDO_DENSE_WRONG_NO_MASK_BOTH,  /* nor is the forward */
    ORDO_DENSE_WRONG_CAUSAL,        /* a causal mask where there is none, forward and backward */
    ORDO_DENSE_WRONG_TOP_LEFT,      /* query i sees j <= i, though the lengths differ */
    ORDO_DENSE_WRONG_LSE_BASE_2,
    ORDO_DENSE_WRONG_LSE_NATURAL,
    ORDO_DENSE_WRONG_SCALE_TWICE,
    ORDO_DENSE_WRONG_SCALE_MISSING,
    ORDO_DENSE_WRONG_LOGIT_SCALE_TWICE,
    ORDO_DENSE_WRONGS
};
extern const char *const ordo_dense_wrong_name[ORDO_DENSE_WRONGS], *const ordo_dense_wrong_text[ORDO_DENSE_WRONGS];

/* As ordo_real_run and ordo_near_run; saved: o BF16 [B][q_len][Hq][D], lse fp32 [B][Hq][q_len].  ORDO_ENVIRONMENT
 * without memory. */
enum ordo_status ordo_dense_real(const struct ordo_dense_attend *a, struct ordo_real_gradient *g,
                                 struct ordo_err *err);
enum ordo_status ordo_dense_near(const struct ordo_dense_attend *a, enum ordo_near_kind kind,
                                 enum ordo_dense_wrong wrong, const struct ordo_near_saved *saved,
                                 struct ordo_near_gradient *g, struct ordo_err *err);

#endif
