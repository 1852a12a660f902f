/* attention64.c - see attention64.h. */
#include "tests/attention64.h"

#include "tests/near64.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 64, HEAD_BLOCK = 64, FOLDED = 128 + 16 };

/* One query and head: its live slots' KV rows, and what the formulas say of each. */
struct row {
    const double *q, *dout;
    double sink;
    int32_t n, *k;
    struct near64 *s, *p, *ds;
    double *ds_terms;
    struct near64 lse, l, delta, *o;
    double *o_terms, delta_terms;
};

static double tiles(const struct attention64_in *in)
{
    return ceil((double)in->topk / TILE);
}

static const double *kv_row(const struct attention64_in *in, int32_t k)
{
    return in->kv + (size_t)k * (size_t)in->d_qk;
}

static struct sum64 dot(const double *a, const double *b, int32_t n)
{
    struct sum64 sum = {0};

    for (int32_t i = 0; i < n; i++)
        sum64_add(&sum, near64_exact(a[i]), near64_exact(b[i]));
    return sum;
}

/* --- forward ---------------------------------------------------------------------------------------------------- */

static void live_slots(const struct attention64_in *in, int32_t query, struct row *r)
{
    int32_t n = in->length ? in->length[query] : in->topk;

    r->n = 0;
    for (int32_t j = 0; j < in->topk && j < n; j++) {
        int32_t id = in->idx[(size_t)query * (size_t)in->topk + (size_t)j];

        if (id >= 0 && id < in->n_kv)
            r->k[r->n++] = id;
    }
}

/* s of each live slot; returns the largest |s|. */
static double scores(const struct attention64_in *in, struct row *r)
{
    double top = 0;

    for (int32_t j = 0; j < r->n; j++) {
        struct sum64 sum = dot(r->q, kv_row(in, r->k[j]), in->d_qk);

        r->s[j] = sum64_done(&sum, ceil(in->d_qk / 16.0), 0);
        r->s[j] = near64_fp32(near64_mul(r->s[j], near64_exact(in->scale)), 8);
        top = fmax(top, near64_top(r->s[j]));
    }
    return top;
}

static double log_add(double a, double b)
{
    return fmax(a, b) + (isinf(b) ? 0 : log1p(exp(-fabs(a - b))));
}

/* LSE and L.  *e: how far the logarithm of Z is off where the forward divides by it.  A sink 1000 below LSE is
 * nothing to Z, however coarse its rounding. */
static void normalise(const struct attention64_in *in, struct row *r, double top, double *e)
{
    double m = -HUGE_VAL, z = 0, e_s = 0, sink;
    double e_exp = (tiles(in) + 1) * (NEAR64_EXP2 + 8 * NEAR64_FP32 * (1 + top));

    for (int32_t j = 0; j < r->n; j++) {
        m = fmax(m, r->s[j].x);
        e_s = fmax(e_s, r->s[j].e);
    }
    for (int32_t j = 0; j < r->n; j++)
        z += exp(r->s[j].x - m);
    e_s += e_exp + (in->topk + 4 * tiles(in) + 8) * NEAR64_FP32;
    r->lse.x = m + log(z);
    r->lse.e = e_s + NEAR64_LOG2 * (1 + log2(z)) + 8 * NEAR64_FP32 * (top + fabs(r->lse.x));
    sink = isfinite(r->sink) && r->sink > r->lse.x - 1000 ? fabs(r->sink) : 0;
    r->l.x = log_add(r->lse.x, r->sink);
    r->l.e = r->lse.e + NEAR64_EXP2 + 2 * NEAR64_LOG2 + 8 * NEAR64_FP32 * (fabs(r->lse.x) + sink + 1);
    *e = e_s + e_exp + 8 * NEAR64_FP32 * (top + sink);
}

/* O of a row with live slots. */
static void output(const struct attention64_in *in, struct row *r, double e)
{
    struct sum64 *sum = calloc((size_t)in->d_v, sizeof *sum);

    if (!sum)
        abort();
    for (int32_t j = 0; j < r->n; j++) {
        const double *v = kv_row(in, r->k[j]);
        struct near64 p = near64_bf16(near64_exp((struct near64){r->s[j].x - r->l.x, r->s[j].e + e}));

        for (int32_t d = 0; d < in->d_v; d++) {
            sum64_add(&sum[d], p, near64_exact(v[d]));
            r->o_terms[d] += fabs(p.x * v[d]);
        }
    }
    for (int32_t d = 0; d < in->d_v; d++)
        r->o[d] = near64_bf16(sum64_done(&sum[d], 4 * tiles(in), 4 * tiles(in) + 4));
    free(sum);
}

/* --- backward of one row ---------------------------------------------------------------------------------------- */

static void delta(const struct attention64_in *in, struct row *r)
{
    struct sum64 sum = {0};

    for (int32_t d = 0; d < in->d_v; d++) {
        sum64_add(&sum, r->o[d], near64_exact(r->dout[d]));
        r->delta_terms += r->o_terms[d] * fabs(r->dout[d]);
    }
    r->delta = sum64_done(&sum, 0, in->d_v + 1);
}

/* p and dS of slot j, both as the BF16 factors that they become. */
static void slot(const struct attention64_in *in, struct row *r, int32_t j)
{
    struct sum64 sum = dot(r->dout, kv_row(in, r->k[j]), in->d_v);
    struct near64 dp = sum64_done(&sum, ceil(in->d_v / 16.0), 0);
    struct near64 scale = near64_exact(in->scale), arg = near64_sub(r->s[j], r->l), p, ds;

    arg.e += 8 * NEAR64_FP32 * (near64_top(r->s[j]) + near64_top(r->l));
    p = near64_exp(arg);
    ds = near64_fp32(near64_sub(dp, r->delta), 1);
    ds = near64_fp32(near64_mul(scale, near64_mul(p, ds)), 3);
    r->p[j] = near64_bf16(p);
    r->ds[j] = near64_bf16(ds);
    r->ds_terms[j] = in->scale * p.x * (sum.top + r->delta_terms);
}

static void add_dq(const struct attention64_in *in, const struct row *r, double *value, double *terms, double *bound)
{
    for (int32_t d = 0; d < in->d_qk; d++) {
        struct sum64 sum = {0};
        struct near64 dq;

        terms[d] = 0;
        for (int32_t j = 0; j < r->n; j++) {
            double k = kv_row(in, r->k[j])[d];

            sum64_add(&sum, r->ds[j], near64_exact(k));
            terms[d] += r->ds_terms[j] * fabs(k);
        }
        dq = near64_bf16(sum64_done(&sum, 4 * tiles(in), 4 * tiles(in)));
        value[d] = dq.x;
        bound[d] = dq.e;
    }
}

/* Until all rows are in, dkv's bound holds the sums' own errors and their roundings but the last. */
static void add_dkv(const struct attention64_in *in, const struct row *r, struct number64 *dkv)
{
    double adds = (double)in->n_query * ceil((double)in->n_head / HEAD_BLOCK) + FOLDED;

    for (int32_t j = 0; j < r->n; j++)
        for (int32_t d = 0; d < in->d_qk; d++) {
            size_t at = (size_t)r->k[j] * (size_t)in->d_qk + (size_t)d;
            struct sum64 sum = {0};

            sum64_add(&sum, r->ds[j], near64_exact(r->q[d]));
            dkv->terms[at] += r->ds_terms[j] * fabs(r->q[d]);
            if (d < in->d_v) {
                sum64_add(&sum, r->p[j], near64_exact(r->dout[d]));
                dkv->terms[at] += fabs(r->p[j].x * r->dout[d]);
            }
            dkv->value[at] += sum.x;
            dkv->bound[at] += sum64_done(&sum, 8, adds).e;
        }
}

/* The share of the sink is at most 1, whatever the error of its logarithm. */
static void add_dsink(const struct attention64_in *in, const struct row *r, int32_t head, struct number64 *dsink)
{
    struct near64 arg = near64_sub(near64_exact(r->sink), r->l), share = near64_exact(r->sink > 0);
    struct sum64 sum = {0};

    if (isfinite(r->sink)) {
        arg.e += 8 * NEAR64_FP32 * (fabs(r->sink) + near64_top(r->l));
        share = near64_exp(arg);
        share.e = fmin(share.e, 1 + 0x1p-20);
    }
    sum64_add(&sum, share, r->delta);
    dsink->value[head] -= sum.x;
    dsink->terms[head] += fabs(share.x) * r->delta_terms;
    dsink->bound[head] += sum64_done(&sum, 0, in->n_query + 8).e;
}

/* --- all rows --------------------------------------------------------------------------------------------------- */

/* Fills the row's slots, O and delta; what contributes nothing is left at zero. */
static void forward(const struct attention64_in *in, int32_t query, int32_t head, struct row *r)
{
    size_t at = (size_t)query * (size_t)in->n_head + (size_t)head;
    double e = 0;

    memset(r->o, 0, (size_t)in->d_v * sizeof *r->o);
    memset(r->o_terms, 0, (size_t)in->d_v * sizeof *r->o_terms);
    r->q = in->q + at * (size_t)in->d_qk;
    r->dout = in->dout + at * (size_t)in->d_v;
    r->sink = in->sink ? in->sink[head] : -HUGE_VAL;
    r->delta = near64_exact(r->delta_terms = 0);
    r->lse = near64_exact(-HUGE_VAL);
    live_slots(in, query, r);
    if (r->n == 0)
        return;
    normalise(in, r, scores(in, r), &e);
    if (r->sink < HUGE_VAL) {
        output(in, r, e);
        delta(in, r);
    }
}

static void set(struct number64 *a, size_t i, struct near64 x, double terms)
{
    a->value[i] = x.x;
    a->bound[i] = x.e;
    a->terms[i] = terms;
}

static void one_row(const struct attention64_in *in, int32_t query, int32_t head, struct row *r,
                    struct attention64 *a)
{
    size_t at = (size_t)query * (size_t)in->n_head + (size_t)head, i = at * (size_t)in->d_qk;

    forward(in, query, head, r);
    for (int32_t d = 0; d < in->d_v; d++)
        set(&a->o, at * (size_t)in->d_v + (size_t)d, r->o[d], r->o_terms[d]);
    set(&a->lse, at, r->lse, 1 + fabs(r->lse.x));
    set(&a->delta, at, r->delta, r->delta_terms);
    if (r->n == 0 || r->sink == HUGE_VAL)
        return;
    for (int32_t j = 0; j < r->n; j++)
        slot(in, r, j);
    add_dq(in, r, a->dq.value + i, a->dq.terms + i, a->dq.bound + i);
    add_dkv(in, r, &a->dkv);
    add_dsink(in, r, head, &a->dsink);
}

static void *zeros(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);

    return p ? p : (abort(), NULL);
}

static struct number64 number(size_t n)
{
    return (struct number64){zeros(n, sizeof(double)), zeros(n, sizeof(double)), zeros(n, sizeof(double)), n};
}

void attention64(const struct attention64_in *in, struct attention64 *out)
{
    size_t rows = (size_t)in->n_query * (size_t)in->n_head, d_qk = (size_t)in->d_qk, d_v = (size_t)in->d_v;
    size_t topk = (size_t)in->topk;
    struct row r = {.k = zeros(topk, sizeof *r.k),
                    .s = zeros(topk, sizeof *r.s),
                    .p = zeros(topk, sizeof *r.p),
                    .ds = zeros(topk, sizeof *r.ds),
                    .ds_terms = zeros(topk, sizeof *r.ds_terms),
                    .o = zeros(d_v, sizeof *r.o),
                    .o_terms = zeros(d_v, sizeof *r.o_terms)};

    *out = (struct attention64){number(rows * d_v),  number(rows), number(rows),
                                number(rows * d_qk), number((size_t)in->n_kv * d_qk),
                                number((size_t)in->n_head)};
    for (int32_t query = 0; query < in->n_query; query++)
        for (int32_t head = 0; head < in->n_head; head++)
            one_row(in, query, head, &r, out);
    for (size_t i = 0; i < out->dkv.n; i++)
        out->dkv.bound[i] = near64_bf16((struct near64){out->dkv.value[i], out->dkv.bound[i]}).e;
    free(r.k), free(r.s), free(r.p), free(r.ds), free(r.ds_terms), free(r.o), free(r.o_terms);
}

void attention64_free(struct attention64 *a)
{
    struct number64 *all[] = {&a->o, &a->lse, &a->delta, &a->dq, &a->dkv, &a->dsink};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]->value);
        free(all[i]->terms);
        free(all[i]->bound);
        *all[i] = (struct number64){0};
    }
}
