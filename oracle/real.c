/* real.c - the passes: every softmax row that something open needs, and what it adds to each output. */
#include "oracle/real.h"

#include "base/progress.h"
#include "base/size.h"
#include "oracle/real_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const ordo_real_name[ORDO_REAL_OUTPUTS] = {"dq", "dkv", "dsink"};

static const mpfr_prec_t pass_bits[] = {113, 200, 320};
enum { PASSES = sizeof pass_bits / sizeof pass_bits[0] };

const char *ordo_real_library(void)
{
    return mpfr_get_version();
}

int64_t ordo_real_units(const struct ordo_attend *a, int output)
{
    const int64_t n[ORDO_REAL_OUTPUTS] = {(int64_t)a->problem->n_query * a->n_head, a->problem->n_kv, a->n_head};

    return n[output];
}

enum ordo_status ordo_real_set_make(struct ordo_real_set *s, const char *name, int32_t width, int64_t n,
                                    const int64_t *unit, struct ordo_err *err)
{
    uint64_t count;

    *s = (struct ordo_real_set){.n_unit = n, .width = width};
    s->unit = ordo_alloc((uint64_t)n, sizeof *s->unit);
    s->value = ordo_mul((uint64_t)n, (uint64_t)s->width, &count) ? ordo_alloc_zero(count, sizeof *s->value) : NULL;
    if (!s->unit || !s->value)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, name, "no room for its real values");
    for (int64_t i = 0; i < n; i++)
        s->unit[i] = unit ? unit[i] : i;
    return ORDO_OK;
}

enum ordo_status ordo_real_want(struct ordo_real_gradient *g, const struct ordo_attend *a, int output, int64_t n,
                                const int64_t *unit, struct ordo_err *err)
{
    return ordo_real_set_make(&g->set[output], ordo_real_name[output], output == ORDO_REAL_DSINK ? 1 : a->d_qk, n,
                              unit, err);
}

void ordo_real_free(struct ordo_real_gradient *g)
{
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        free(g->set[i].unit);
        free(g->set[i].value);
    }
    *g = (struct ordo_real_gradient){0};
}

/* --- a pass ----------------------------------------------------------------------------------------------------- */

struct pass {
    const struct ordo_attend *a;
    struct ordo_real_gradient *g;
    struct ordo_real_row row;
    struct ordo_real_sums sums[ORDO_REAL_OUTPUTS];
    int64_t *place[ORDO_REAL_OUTPUTS]; /* of a unit: its first element, or -1 */
    mpfr_t product, square;            /* scratch of bits + 8 and 2 bits */
    int32_t *live;
    const uint16_t **key, **value;
};

static bool open_unit(const struct ordo_real_set *s, int64_t i)
{
    for (int32_t d = 0; d < s->width; d++)
        if (s->value[i * s->width + d].state == ORDO_REAL_OPEN)
            return true;
    return false;
}

static enum ordo_status place_units(struct pass *p, int output, struct ordo_err *err)
{
    const struct ordo_real_set *s = &p->g->set[output];
    int64_t units = ordo_real_units(p->a, output);

    p->place[output] = ordo_alloc((uint64_t)units, sizeof *p->place[output]);
    if (!p->place[output])
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to number the units of %s",
                         ordo_real_name[output]);
    memset(p->place[output], -1, (size_t)units * sizeof *p->place[output]);
    for (int64_t i = 0; i < s->n_unit; i++)
        if (open_unit(s, i))
            p->place[output][s->unit[i]] = i * s->width;
    return ORDO_OK;
}

static void pass_free(struct pass *p)
{
    ordo_real_row_free(&p->row);
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        ordo_real_sums_free(&p->sums[i]);
        free(p->place[i]);
    }
    mpfr_clears(p->product, p->square, (mpfr_ptr)NULL);
    free(p->live);
    free(p->key);
    free(p->value);
}

static enum ordo_status pass_make(struct pass *p, mpfr_prec_t bits, struct ordo_err *err)
{
    int32_t topk = p->a->problem->topk;
    enum ordo_status status = ordo_real_row_make(&p->row, topk, bits, err);

    mpfr_init2(p->product, bits + ORDO_REAL_BF16_BITS);
    mpfr_init2(p->square, 2 * bits);
    p->live = ordo_alloc((uint64_t)topk, sizeof *p->live);
    p->key = ordo_alloc((uint64_t)topk, sizeof *p->key);
    p->value = ordo_alloc((uint64_t)topk, sizeof *p->value);
    if (status == ORDO_OK && (!p->live || !p->key || !p->value))
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the slots of a query");
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++) {
        const struct ordo_real_set *s = &p->g->set[i];

        status = ordo_real_sums_make(&p->sums[i], s->n_unit * s->width, bits, err);
        if (status == ORDO_OK)
            status = place_units(p, i, err);
    }
    return status;
}

/* Whether something open needs the rows of this query; per head. */
static bool query_needed(const struct pass *p, int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        if (p->place[ORDO_REAL_DKV][p->live[j]] >= 0)
            return true;
    return false;
}

static void undefine(struct ordo_real_sums *s, int64_t at, int32_t n)
{
    if (at >= 0)
        memset(s->undefined + at, 1, (size_t)n);
}

/* No real number anywhere that this row reaches. */
static void undefined_row(struct pass *p, int64_t dq, int64_t dsink, int32_t n)
{
    undefine(&p->sums[ORDO_REAL_DQ], dq, p->a->d_qk);
    undefine(&p->sums[ORDO_REAL_DSINK], dsink, 1);
    for (int32_t j = 0; j < n; j++)
        undefine(&p->sums[ORDO_REAL_DKV], p->place[ORDO_REAL_DKV][p->live[j]], p->a->d_qk);
}

static void add_slot(struct pass *p, const struct ordo_real_operands *o, int32_t j, int64_t dq)
{
    int64_t dkv = p->place[ORDO_REAL_DKV][p->live[j]];

    if (dq >= 0)
        ordo_real_add(&p->sums[ORDO_REAL_DQ], dq, p->product, &p->row.ds[j], o->k[j], o->d_qk);
    if (dkv < 0)
        return;
    ordo_real_add(&p->sums[ORDO_REAL_DKV], dkv, p->product, &p->row.ds[j], o->q, o->d_qk);
    ordo_real_add(&p->sums[ORDO_REAL_DKV], dkv, p->product, &p->row.p[j], o->dout, o->d_v);
}

static void one_row(struct pass *p, int32_t query, int32_t head, int32_t n, bool for_dkv)
{
    const struct ordo_attend *a = p->a;
    int64_t dq = p->place[ORDO_REAL_DQ][(int64_t)query * a->n_head + head], dsink = p->place[ORDO_REAL_DSINK][head];
    struct ordo_real_operands o = {.q = ordo_attend_q(a, query, head), .dout = ordo_attend_dout(a, query, head),
                                   .k = p->key, .v = p->value, .n = n, .d_qk = a->d_qk, .d_v = a->d_v,
                                   .scale = a->scale, .sink = a->sink ? a->sink[head] : -HUGE_VALF};
    enum ordo_real_kind kind;

    if (!for_dkv && dq < 0 && dsink < 0)
        return;
    kind = ordo_real_row(&p->row, &o);
    p->g->rows++;
    if (kind == ORDO_REAL_UNDEFINED)
        undefined_row(p, dq, dsink, n);
    if (kind != ORDO_REAL_FINITE)
        return;
    for (int32_t j = 0; j < n && (for_dkv || dq >= 0); j++)
        add_slot(p, &o, j, dq);
    if (dsink >= 0)
        ordo_real_subtract(&p->sums[ORDO_REAL_DSINK], dsink, p->square, &p->row.share, &p->row.delta);
}

static void all_rows(struct pass *p)
{
    const struct ordo_problem *problem = p->a->problem;

    for (int32_t query = 0; query < problem->n_query; query++) {
        int32_t n = ordo_attend_live(problem, query, p->live);
        bool for_dkv = query_needed(p, n);

        for (int32_t j = 0; j < n; j++)
            p->key[j] = p->value[j] = ordo_attend_kv(p->a, p->live[j]);
        for (int32_t head = 0; head < p->a->n_head; head++)
            one_row(p, query, head, n, for_dkv);
        ordo_progress("real gradient: query", (uint64_t)query, (uint64_t)problem->n_query);
    }
    ordo_progress_end();
}

/* Returns how many results are still open. */
static int64_t finish(const struct pass *p, int output, bool last)
{
    const struct ordo_real_set *s = &p->g->set[output];
    int64_t open = 0;

    for (int64_t i = 0; i < s->n_unit * s->width; i++) {
        struct ordo_real *out = &s->value[i];

        if (out->state == ORDO_REAL_OPEN)
            ordo_real_finish(&p->sums[output], i, last, out);
        open += out->state == ORDO_REAL_OPEN;
    }
    return open;
}

enum ordo_status ordo_real_run(const struct ordo_attend *a, struct ordo_real_gradient *g, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;
    int64_t open = 1;

    g->rows = 0;
    for (int i = 0; i < PASSES && open > 0 && status == ORDO_OK; i++) {
        struct pass p = {.a = a, .g = g};

        open = 0;
        status = pass_make(&p, pass_bits[i], err);
        if (status == ORDO_OK)
            all_rows(&p);
        for (int output = 0; output < ORDO_REAL_OUTPUTS && status == ORDO_OK; output++)
            open += finish(&p, output, i + 1 == PASSES);
        pass_free(&p);
    }
    mpfr_free_cache();
    return status;
}
