/* dense.c - see dense.h: KV head after KV head, each a sparse problem, and its columns taken back. */
#include "oracle/dense_impl.h"

#include "ref/fp.h"

#include <math.h>

const char *const ordo_dense_gradient_name[ORDO_DENSE_GRADIENTS] = {"dq", "dk", "dv"};

/* What a hypothesis is in the sparse form: which list, and what of near.h. */
static const struct {
    enum ordo_wrong wrong;
    enum ordo_dense_reach reach;
    bool top_left, causal; /* causal: though the problem is not */
} form[ORDO_DENSE_WRONGS] = {
    [ORDO_DENSE_WRONG_NONE] = {ORDO_WRONG_NONE, ORDO_DENSE_REACH_SEEN, false, false},
    [ORDO_DENSE_WRONG_DIAGONAL] = {ORDO_WRONG_LENGTH_IGNORED_BACK, ORDO_DENSE_REACH_TILES, false, false},
    [ORDO_DENSE_WRONG_DIAGONAL_BOTH] = {ORDO_WRONG_LENGTH_IGNORED, ORDO_DENSE_REACH_TILES, false, false},
    [ORDO_DENSE_WRONG_NO_MASK] = {ORDO_WRONG_LENGTH_IGNORED_BACK, ORDO_DENSE_REACH_ALL, false, false},
    [ORDO_DENSE_WRONG_NO_MASK_BOTH] = {ORDO_WRONG_LENGTH_IGNORED, ORDO_DENSE_REACH_ALL, false, false},
    [ORDO_DENSE_WRONG_CAUSAL] = {ORDO_WRONG_NONE, ORDO_DENSE_REACH_SEEN, false, true},
    [ORDO_DENSE_WRONG_TOP_LEFT] = {ORDO_WRONG_NONE, ORDO_DENSE_REACH_SEEN, true, false},
    [ORDO_DENSE_WRONG_LSE_BASE_2] = {ORDO_WRONG_LSE_BASE_2, ORDO_DENSE_REACH_SEEN, false, false},
    [ORDO_DENSE_WRONG_LSE_NATURAL] = {ORDO_WRONG_LSE_NATURAL, ORDO_DENSE_REACH_SEEN, false, false},
    [ORDO_DENSE_WRONG_SCALE_TWICE] = {ORDO_WRONG_SCALE_TWICE, ORDO_DENSE_REACH_SEEN, false, false},
    [ORDO_DENSE_WRONG_SCALE_MISSING] = {ORDO_WRONG_SCALE_MISSING, ORDO_DENSE_REACH_SEEN, false, false},
    [ORDO_DENSE_WRONG_LOGIT_SCALE_TWICE] = {ORDO_WRONG_LOGIT_SCALE_TWICE, ORDO_DENSE_REACH_SEEN, false, false},
};

const char *const ordo_dense_wrong_name[ORDO_DENSE_WRONGS] = {
    [ORDO_DENSE_WRONG_NONE] = "none",
    [ORDO_DENSE_WRONG_DIAGONAL] = "diagonal-unmasked-backward",
    [ORDO_DENSE_WRONG_DIAGONAL_BOTH] = "diagonal-unmasked",
    [ORDO_DENSE_WRONG_NO_MASK] = "causal-ignored-backward",
    [ORDO_DENSE_WRONG_NO_MASK_BOTH] = "causal-ignored",
    [ORDO_DENSE_WRONG_CAUSAL] = "causal-unasked",
    [ORDO_DENSE_WRONG_TOP_LEFT] = "causal-top-left",
    [ORDO_DENSE_WRONG_LSE_BASE_2] = "lse-base-2",
    [ORDO_DENSE_WRONG_LSE_NATURAL] = "lse-natural",
    [ORDO_DENSE_WRONG_SCALE_TWICE] = "scale-twice",
    [ORDO_DENSE_WRONG_SCALE_MISSING] = "scale-missing",
    [ORDO_DENSE_WRONG_LOGIT_SCALE_TWICE] = "logit-scale-twice",
};

const char *const ordo_dense_wrong_text[ORDO_DENSE_WRONGS] = {
    [ORDO_DENSE_WRONG_NONE] = "the formulas as they are",
    [ORDO_DENSE_WRONG_DIAGONAL] = "the backward leaves the tiles on the diagonal unmasked",
    [ORDO_DENSE_WRONG_DIAGONAL_BOTH] = "the tiles on the diagonal are left unmasked",
    [ORDO_DENSE_WRONG_NO_MASK] = "the backward ignores the causal mask",
    [ORDO_DENSE_WRONG_NO_MASK_BOTH] = "the causal mask is ignored",
    [ORDO_DENSE_WRONG_CAUSAL] = "a causal mask was applied to a problem that has none",
    [ORDO_DENSE_WRONG_TOP_LEFT] =
        "the causal mask begins with the first query and KV row, and does not end with the last",
    [ORDO_DENSE_WRONG_LSE_BASE_2] = "a natural LSE was taken for one in base 2",
    [ORDO_DENSE_WRONG_LSE_NATURAL] = "an LSE in base 2 was taken for a natural one",
    [ORDO_DENSE_WRONG_SCALE_TWICE] = "dS is scaled twice",
    [ORDO_DENSE_WRONG_SCALE_MISSING] = "dS is not scaled",
    [ORDO_DENSE_WRONG_LOGIT_SCALE_TWICE] = "the backward's logits are scaled twice",
};

enum ordo_status ordo_dense_want_real(struct ordo_real_gradient *g, const struct ordo_dense_attend *a, int output,
                                      int64_t n, const int64_t *unit, struct ordo_err *err)
{
    return ordo_real_set_make(&g->set[output], ordo_dense_gradient_name[output], a->d, n, unit, err);
}

enum ordo_status ordo_dense_want_near(struct ordo_near_gradient *g, const struct ordo_dense_attend *a, int output,
                                      int64_t n, const int64_t *unit, struct ordo_err *err)
{
    return ordo_near_set_make(&g->set[output], ordo_dense_gradient_name[output], a->d, n, unit, err);
}

/* Where the D columns of a dense output begin in its sparse output's 2 D. */
static int32_t first_column(const struct ordo_dense_piece *p, int output)
{
    return output == ORDO_DENSE_DV ? 0 : p->a->d;
}

/* --- the real gradient ------------------------------------------------------------------------------------------ */

static void take_real(const struct ordo_dense_piece *p, const struct ordo_real_gradient *of, int output,
                      struct ordo_real_set *to)
{
    int which = output != ORDO_DENSE_DQ;
    const struct ordo_real_set *from = &of->set[which];

    for (int64_t u = 0; u < p->n_unit[which]; u++) {
        int64_t place = p->place[output][p->unit[which][u]];

        for (int32_t c = 0; place >= 0 && c < to->width; c++)
            to->value[place * to->width + c] = from->value[u * from->width + first_column(p, output) + c];
    }
}

static enum ordo_status real_of_piece(const struct ordo_dense_piece *p, struct ordo_real_gradient *g,
                                      struct ordo_err *err)
{
    struct ordo_real_gradient sparse = {0};
    enum ordo_status status = ordo_real_want(&sparse, &p->attend, ORDO_REAL_DQ, p->n_unit[0], p->unit[0], err);

    if (status == ORDO_OK)
        status = ordo_real_want(&sparse, &p->attend, ORDO_REAL_DKV, p->n_unit[1], p->unit[1], err);
    if (status == ORDO_OK)
        status = ordo_real_want(&sparse, &p->attend, ORDO_REAL_DSINK, 0, NULL, err);
    if (status == ORDO_OK)
        status = ordo_real_run(&p->attend, &sparse, err);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS && status == ORDO_OK; i++)
        take_real(p, &sparse, i, &g->set[i]);
    g->rows += sparse.rows;
    ordo_real_free(&sparse);
    return status;
}

enum ordo_status ordo_dense_real(const struct ordo_dense_attend *a, struct ordo_real_gradient *g,
                                 struct ordo_err *err)
{
    const int64_t *const unit[] = {g->set[0].unit, g->set[1].unit, g->set[2].unit};
    const int64_t n[] = {g->set[0].n_unit, g->set[1].n_unit, g->set[2].n_unit};
    struct ordo_dense_piece p;
    enum ordo_status status = ordo_dense_piece_make(a, ORDO_DENSE_REACH_SEEN, false, false, &p, err);

    g->rows = 0;
    for (int64_t i = 0; i < (int64_t)a->batch * a->kv_heads && status == ORDO_OK; i++) {
        ordo_dense_piece_take(&p, i, NULL);
        if (ordo_dense_piece_want(&p, unit, n))
            status = real_of_piece(&p, g, err);
    }
    ordo_dense_piece_free(&p);
    return status;
}

/* --- intervals -------------------------------------------------------------------------------------------------- */

/* The largest |x|; infinite where one is no finite number. */
static double largest(const uint16_t *x, int64_t n)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) {
        double size = fabs((double)ordo_fp32(ordo_bf16_to_fp32_bits(x[i])));

        most = size <= most ? most : size < HUGE_VAL ? size : HUGE_VAL;
    }
    return most;
}

/* Tiles that the causal mask cuts multiply hidden pairs by zero, and zero times Inf is NaN: through K, V or an
 * overflowing dO V^T anywhere, through Q and dO in dK and dV.  Which pairs share a tile is the kernel's affair. */
static void hidden_pairs(const struct ordo_dense_piece *p, bool open[ORDO_DENSE_GRADIENTS])
{
    const struct ordo_dense_attend *a = p->a;
    bool hidden = a->causal && a->q_len > 1;
    int64_t rows = hidden ? (int64_t)a->q_len * p->group : 0, kv_rows = hidden ? a->kv_len : 0;
    double q = largest(p->q, rows * 2 * a->d), kv = largest(p->kv, kv_rows * 2 * a->d);
    double dout = largest(p->dout, rows * a->d);

    open[ORDO_DENSE_DQ] = !(kv < HUGE_VAL) || (dout < HUGE_VAL && dout * kv * a->d >= 0x1p127);
    open[ORDO_DENSE_DK] = open[ORDO_DENSE_DV] = open[ORDO_DENSE_DQ] || !(q < HUGE_VAL && dout < HUGE_VAL);
}

/* open: nothing is claimed. */
static void take_near(const struct ordo_dense_piece *p, const struct ordo_near_gradient *of, int output, bool open,
                      struct ordo_near_set *to)
{
    int which = output != ORDO_DENSE_DQ;
    const struct ordo_near_set *from = &of->set[which];

    for (int64_t u = 0; u < p->n_unit[which]; u++) {
        int64_t place = p->place[output][p->unit[which][u]];

        for (int32_t c = 0; place >= 0 && c < to->width; c++) {
            int64_t at = u * from->width + first_column(p, output) + c, here = place * to->width + c;

            to->x[here] = from->x[at];
            to->e[here] = open ? HUGE_VAL : from->e[at];
            to->top[here] = from->top[at];
            to->n[place] = from->n[u];
        }
    }
}

static enum ordo_status near_of_piece(const struct ordo_dense_piece *p, enum ordo_near_kind kind,
                                      enum ordo_wrong wrong, struct ordo_near_gradient *g, struct ordo_err *err)
{
    struct ordo_near_saved saved = {p->o, p->lse};
    struct ordo_near_gradient sparse = {0};
    bool open[ORDO_DENSE_GRADIENTS];
    enum ordo_status status = ordo_near_want(&sparse, &p->attend, ORDO_REAL_DQ, p->n_unit[0], p->unit[0], err);

    if (status == ORDO_OK)
        status = ordo_near_want(&sparse, &p->attend, ORDO_REAL_DKV, p->n_unit[1], p->unit[1], err);
    if (status == ORDO_OK)
        status = ordo_near_want(&sparse, &p->attend, ORDO_REAL_DSINK, 0, NULL, err);
    if (status == ORDO_OK)
        status = ordo_near_run(&p->attend, kind, wrong, &saved, &sparse, err);
    hidden_pairs(p, open);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS && status == ORDO_OK; i++)
        take_near(p, &sparse, i, open[i], &g->set[i]);
    ordo_near_free(&sparse);
    return status;
}

enum ordo_status ordo_dense_near(const struct ordo_dense_attend *a, enum ordo_near_kind kind,
                                 enum ordo_dense_wrong wrong, const struct ordo_near_saved *saved,
                                 struct ordo_near_gradient *g, struct ordo_err *err)
{
    const int64_t *const unit[] = {g->set[0].unit, g->set[1].unit, g->set[2].unit};
    const int64_t n[] = {g->set[0].n_unit, g->set[1].n_unit, g->set[2].n_unit};
    bool declared = kind == ORDO_NEAR_DECLARED;
    struct ordo_dense_attend taken = *a;
    struct ordo_dense_piece p;
    enum ordo_status status;

    taken.causal |= form[wrong].causal;
    status = ordo_dense_piece_make(&taken, form[wrong].reach, form[wrong].top_left, declared, &p, err);

    for (int64_t i = 0; i < (int64_t)a->batch * a->kv_heads && status == ORDO_OK; i++) {
        ordo_dense_piece_take(&p, i, declared ? saved : NULL);
        if (ordo_dense_piece_want(&p, unit, n))
            status = near_of_piece(&p, kind, form[wrong].wrong, g, err);
    }
    ordo_dense_piece_free(&p);
    return status;
}
