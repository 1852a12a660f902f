/* near_row.c - one softmax row and its gradient as intervals. */
#include "oracle/near_impl.h"

#include <string.h>

static struct near dot(const double *a, const double *b, int32_t n)
{
    double x = 0, top = 0;

    for (int32_t i = 0; i < n; i++) {
        x += a[i] * b[i];
        top += fabs(a[i] * b[i]);
    }
    return near_sum(x, n * 0x1p-53 * top, top, n);
}

static struct near logit(const struct near_operands *o, const double *k)
{
    return near_fp32(near_mul(dot(o->q, k, o->d_qk), near_exact(o->scale)), 8);
}

/* log(e^a + e^b). */
static double log_add(double a, double b)
{
    return fmax(a, b) + (isinf(b) || isinf(a) ? 0 : log1p(exp(-fabs(a - b))));
}

/* What the sink weighs in units of its own rounding: far below LSE it is nothing to the sum, however coarse. */
static double sink_size(double sink, double lse)
{
    return isfinite(sink) && sink > lse - 1000 ? fabs(sink) : 0;
}

struct forward {
    struct near lse;
    double e_exp; /* how far an argument of the forward's exponentials is off, beyond its logit's error */
};

/* LSE over the forward's slots, whose logits are in r->s. */
static struct forward forward_lse(const struct near_operands *o, const struct near *s)
{
    double m = -HUGE_VAL, z = 0, e_s = 0, top = 0, tiles = ceil((double)o->topk / o->tile);
    struct forward f;

    for (int32_t j = 0; j < o->n_forward; j++) {
        m = fmax(m, s[j].x);
        e_s = fmax(e_s, s[j].e);
        top = fmax(top, near_top(s[j]));
    }
    for (int32_t j = 0; j < o->n_forward; j++)
        z += exp(s[j].x - m);
    f.e_exp = (tiles + 1) * (NEAR_EXP2 + 8 * NEAR_U24 * (1 + top));
    f.lse.x = m + log(z);
    f.lse.e = e_s + f.e_exp + (o->topk + 4 * tiles + 8) * NEAR_U24 + NEAR_LOG2 * (1 + log2(z)) +
              8 * NEAR_U24 * (top + fabs(f.lse.x));
    return f;
}

/* The logarithm of the denominator from an LSE. */
static struct near denominator(const struct near_operands *o, struct near lse)
{
    double size = sink_size(o->sink, lse.x);

    return (struct near){log_add(lse.x, o->sink), lse.e + NEAR_EXP2 + 2 * NEAR_LOG2 +
                                                      8 * NEAR_U24 * (fabs(lse.x) + size + 1)};
}

/* O of the forward: o the centres, o_top the sums of |terms|, size those of |v|; returns the relative error of every
 * term. */
static double forward_o(const struct near_operands *o, const struct near *s, const struct forward *f, struct near l,
                        struct near_row *r)
{
    double worst = 0;

    memset(r->o, 0, (size_t)o->d_v * sizeof *r->o);
    memset(r->o_top, 0, (size_t)o->d_v * sizeof *r->o_top);
    memset(r->size, 0, (size_t)o->d_v * sizeof *r->size);
    for (int32_t j = 0; j < o->n_forward; j++) {
        double x = exp(s[j].x - l.x);

        worst = fmax(worst, s[j].e);
        for (int32_t d = 0; d < o->d_v; d++) {
            r->o[d] += x * o->forward_v[j][d];
            r->o_top[d] += x * fabs(o->forward_v[j][d]);
            r->size[d] += fabs(o->forward_v[j][d]);
        }
    }
    worst = exp(worst + l.e + f->e_exp + NEAR_EXP2) * (1 + NEAR_U8) - 1;
    return worst + near_loss(o->n_forward + 8 * ceil((double)o->topk / o->tile)) * (1 + worst);
}

/* delta in real arithmetic: O is rounded to BF16 first.  P, or the one factor 1 / (sum and sink) of an unnormalised
 * O, may be flushed below 2^-126: a sink far above the logits makes them that small, while V may be large. */
static struct near real_delta(const struct near_operands *o, struct near_row *r, double relative)
{
    double x = 0, e = 0, top = 0, largest = 0;

    for (int32_t d = 0; d < o->d_v; d++) {
        double off = relative * r->o_top[d] + o->n_forward * 0x1p-126 + r->size[d] * 0x1p-125;
        double size = fabs(r->o[d]) + off;

        off += NEAR_U8 * size + 0x1p-134;
        x += r->o[d] * o->dout[d];
        e += off * fabs(o->dout[d]);
        top += (fabs(r->o[d]) + off) * fabs(o->dout[d]);
        largest = fmax(largest, size);
    }
    e += o->d_v * 0x1p-52 * top;
    return largest <= NEAR_LARGE ? near_sum(x, e, top, o->d_v) : (struct near){x, (double)INFINITY};
}

/* The denominator as the backward has it, under a wrong convention perhaps. */
static struct near backward_l(const struct near_operands *o, struct near lse)
{
    double ln2 = 0x1.62e42fefa39efp-1;

    switch (o->wrong) {
    case ORDO_WRONG_LSE_BASE_2:
        return denominator(o, (struct near){lse.x * ln2, lse.e});
    case ORDO_WRONG_LSE_NATURAL:
        return denominator(o, (struct near){lse.x / ln2, lse.e / ln2});
    case ORDO_WRONG_SINK_IN_LSE:
        return denominator(o, denominator(o, lse));
    case ORDO_WRONG_SINK_MISSING:
        return lse;
    default:
        return denominator(o, lse);
    }
}

/* The forward's part: LSE and delta; r->s is its scratch. */
static struct near statistics(const struct near_operands *o, struct near_row *r)
{
    struct forward f;
    double relative;

    if (o->kind == ORDO_NEAR_DECLARED) {
        r->delta = dot(o->o, o->dout, o->d_v);
        return near_exact(o->lse);
    }
    for (int32_t j = 0; j < o->n_forward; j++)
        r->s[j] = logit(o, o->forward_k[j]);
    f = forward_lse(o, r->s);
    relative = forward_o(o, r->s, &f, denominator(o, f.lse), r);
    r->delta = real_delta(o, r, relative);
    return f.lse;
}

static void slot(const struct near_operands *o, struct near_row *r, struct near l, int32_t j)
{
    struct near s = logit(o, o->k[j]), dp = dot(o->dout, o->v[j], o->d_v), arg, p, ds;
    double scale = o->scale;

    if (o->wrong == ORDO_WRONG_LOGIT_SCALE_TWICE)
        s = (struct near){s.x * scale, s.e * scale};
    if (o->wrong == ORDO_WRONG_SCALE_TWICE || o->wrong == ORDO_WRONG_SCALE_MISSING)
        scale = o->wrong == ORDO_WRONG_SCALE_TWICE ? scale * scale : 1;
    arg = near_sub(s, l);
    arg.e += 8 * NEAR_U24 * (near_top(s) + near_top(l));
    p = near_exp(arg);
    ds = near_fp32(near_sub(dp, r->delta), 1);
    ds = near_fp32(near_mul(near_exact(scale), near_mul(p, ds)), 3);
    r->p[j] = near_bf16(o->kind, p);
    r->ds[j] = near_bf16(o->kind, ds);
}

/* At most 1, whatever the error of its logarithm. */
static void sink_share(const struct near_operands *o, struct near_row *r, struct near l)
{
    struct near arg = near_sub(near_exact(o->sink), l);

    r->share = near_exact(0);
    if (!isfinite(o->sink))
        return;
    arg.e += 8 * NEAR_U24 * (fabs(o->sink) + near_top(l));
    r->share = near_exp(arg);
    if (o->wrong == ORDO_WRONG_NONE)
        r->share.e = fmin(r->share.e, 1 + 0x1p-20);
}

bool ordo_near_row(struct near_row *r, const struct near_operands *o)
{
    struct near lse, l;

    if (o->n_forward == 0 || o->sink == HUGE_VAL || (o->kind == ORDO_NEAR_DECLARED && isinf(o->lse)))
        return false;
    lse = statistics(o, r);
    l = backward_l(o, lse);
    for (int32_t j = 0; j < o->n; j++)
        slot(o, r, l, j);
    sink_share(o, r, l);
    return true;
}
