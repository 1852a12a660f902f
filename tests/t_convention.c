/* t_convention.c - wrong conventions, each made by plain fp64 loops that share nothing with the oracle: the
 * interval of that convention holds them, no other one does, the right one least of all; and right gradients are
 * explained by none.
 *
 * tests/diff_numpy.py says the same from outside, through the program. */
#include "base/rng.h"
#include "oracle/near.h"
#include "ref/fp.h"
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { Q = 7, KV = 40, H = 5, T = 20, D = 24, DV = 16, SEEDS = 3 };
#define SCALE 0.3

struct made {
    struct ordo_problem problem;
    int32_t idx[Q * T], length[Q];
    uint16_t q[Q * H * D], kv[KV * D], dout[Q * H * DV];
    float sink[H];
    struct ordo_attend a;
};

struct gradients {
    double dq[Q * H * D], dkv[KV * D], dsink[H];
};

static struct ordo_err err;

static uint16_t bf16(double x)
{
    return ordo_bf16_round(ordo_fp32_bits((float)x)); /* inputs: any BF16 will do */
}

static double of(uint16_t x)
{
    return (double)ordo_fp32(ordo_bf16_to_fp32_bits(x));
}

/* Bell-shaped enough: a sum of four uniform numbers, variance 1. */
static double normal(struct ordo_rng *rng)
{
    double x = 0;

    for (int i = 0; i < 4; i++)
        x += (double)(ordo_rng_next(rng) >> 11) * 0x1p-53 - 0.5;
    return x * 1.7320508;
}

static void make(struct made *m, uint64_t seed, bool duplicates)
{
    static const int32_t dead[] = {-1, KV, -7, INT32_MAX, INT32_MIN};
    struct ordo_rng rng = {seed};

    memset(m, 0, sizeof *m);
    m->problem = (struct ordo_problem){Q, T, KV, m->idx, m->length};
    for (int i = 0; i < Q; i++) {
        int32_t first = (int32_t)ordo_rng_below(&rng, KV);

        for (int j = 0; j < T; j++)
            m->idx[i * T + j] = j % 4 == 2 ? dead[j / 4] : (first + 7 * j) % KV;
        if (duplicates)
            m->idx[i * T] = m->idx[i * T + 3] = m->idx[i * T + 4] = 5;
        m->length[i] = T / 2 + (int32_t)ordo_rng_below(&rng, T / 2 - 1);
    }
    for (int i = 0; i < Q * H * D; i++)
        m->q[i] = bf16(normal(&rng));
    for (int i = 0; i < KV * D; i++)
        m->kv[i] = bf16(normal(&rng));
    for (int i = 0; i < Q * H * DV; i++)
        m->dout[i] = bf16(normal(&rng));
    for (int i = 0; i < H; i++)
        m->sink[i] = (float)normal(&rng);
    m->a = (struct ordo_attend){.problem = &m->problem, .n_head = H, .d_qk = D, .d_v = DV, .q = m->q, .kv = m->kv,
                                .dout = m->dout, .sink = m->sink, .scale = (float)SCALE};
}

/* --- the formulas, right and wrong ------------------------------------------------------------------------------ */

static int slots(const struct made *m, int query, enum ordo_wrong wrong, int32_t *row)
{
    int n = 0, end = wrong == ORDO_WRONG_LENGTH_IGNORED ? T : m->length[query];

    for (int j = 0; j < end; j++) {
        int32_t id = m->idx[query * T + j];
        bool seen = false;

        if ((id < 0 || id >= KV) && wrong != ORDO_WRONG_DEAD_TO_ROW_0)
            continue;
        if (id < 0 || id >= KV)
            id = 0;
        for (int i = 0; i < n; i++)
            seen |= row[i] == id;
        if (!seen || wrong != ORDO_WRONG_DUPLICATE_ONCE)
            row[n++] = id;
    }
    return n;
}

static double dot(const uint16_t *a, const uint16_t *b, int n)
{
    double x = 0;

    for (int i = 0; i < n; i++)
        x += of(a[i]) * of(b[i]);
    return x;
}

static double log_add(double a, double b)
{
    return log(exp(a) + exp(b));
}

static double total_of(enum ordo_wrong wrong, double lse, double sink)
{
    switch (wrong) {
    case ORDO_WRONG_LSE_BASE_2:
        return log_add(lse * log(2), sink);
    case ORDO_WRONG_LSE_NATURAL:
        return log_add(lse / log(2), sink);
    case ORDO_WRONG_SINK_IN_LSE:
        return log_add(log_add(lse, sink), sink);
    case ORDO_WRONG_SINK_MISSING:
        return lse;
    default:
        return log_add(lse, sink);
    }
}

static void backward(const struct made *m, enum ordo_wrong wrong, int query, int head, const uint16_t *dout,
                     const int32_t *row, int n, double total, double delta, struct gradients *g)
{
    double scale = (double)m->a.scale, logit = wrong == ORDO_WRONG_LOGIT_SCALE_TWICE ? scale * scale : scale;
    const uint16_t *q = m->q + (query * H + head) * D;
    double *dq = g->dq + (wrong == ORDO_WRONG_DQ_TRANSPOSED ? head * Q + query : query * H + head) * D;
    double factor = wrong == ORDO_WRONG_SCALE_TWICE ? scale * scale : wrong == ORDO_WRONG_SCALE_MISSING ? 1 : scale;

    for (int j = 0; j < n; j++) {
        const uint16_t *k = m->kv + row[j] * D;
        double p = exp(logit * dot(q, k, D) - total), ds = factor * p * (dot(dout, k, DV) - delta);

        for (int d = 0; d < D; d++) {
            dq[d] += ds * of(k[d]);
            g->dkv[row[j] * D + d] += wrong == ORDO_WRONG_K_MISSING ? 0 : ds * of(q[d]);
        }
        for (int d = 0; d < DV; d++)
            g->dkv[row[j] * D + d] += wrong == ORDO_WRONG_V_MISSING ? 0 : p * of(dout[d]);
    }
    g->dsink[head] -= exp((double)m->sink[head] - total) * delta;
}

static void one_row(const struct made *m, enum ordo_wrong wrong, int query, int head, struct gradients *g)
{
    bool back = wrong == ORDO_WRONG_LENGTH_IGNORED_BACK || wrong == ORDO_WRONG_DEAD_TO_ROW_0_BACK;
    enum ordo_wrong ahead = back ? ORDO_WRONG_NONE : wrong;
    enum ordo_wrong behind = wrong == ORDO_WRONG_LENGTH_IGNORED_BACK  ? ORDO_WRONG_LENGTH_IGNORED
                             : wrong == ORDO_WRONG_DEAD_TO_ROW_0_BACK ? ORDO_WRONG_DEAD_TO_ROW_0
                                                                      : wrong;
    const uint16_t *q = m->q + (query * H + head) * D;
    int from = wrong == ORDO_WRONG_DOUT_TRANSPOSED ? head * Q + query : query * H + head;
    const uint16_t *dout = m->dout + from * DV;
    double z = 0, delta = 0, sink = (double)m->sink[head], scale = (double)m->a.scale;
    int32_t row[T];
    int n = slots(m, query, ahead, row);

    for (int j = 0; j < n; j++)
        z += exp(scale * dot(q, m->kv + row[j] * D, D));
    for (int j = 0; j < n; j++)
        delta += exp(scale * dot(q, m->kv + row[j] * D, D)) / (z + exp(sink)) * dot(dout, m->kv + row[j] * D, DV);
    n = slots(m, query, behind, row);
    backward(m, wrong, query, head, dout, row, n, total_of(wrong, log(z), sink), delta, g);
}

static void gradients(const struct made *m, enum ordo_wrong wrong, struct gradients *g)
{
    memset(g, 0, sizeof *g);
    for (int query = 0; query < Q; query++)
        for (int head = 0; head < H; head++)
            one_row(m, wrong, query, head, g);
}

/* --- who explains what ------------------------------------------------------------------------------------------ */

static int64_t misses(const struct made *m, const struct gradients *g, enum ordo_wrong hypothesis, int64_t *n)
{
    const double *got[ORDO_REAL_OUTPUTS] = {g->dq, g->dkv, g->dsink};
    struct ordo_near_gradient near = {0};
    int64_t miss = 0;

    *n = 0;
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        assert_ok(ordo_near_want(&near, &m->a, i, ordo_real_units(&m->a, i), NULL, &err), err);
    assert_ok(ordo_near_run(&m->a, ORDO_NEAR_REAL, hypothesis, NULL, &near, &err), err);
    for (int o = 0; o < ORDO_REAL_OUTPUTS; o++)
        for (int64_t i = 0; i < near.set[o].n_unit * near.set[o].width; i++, ++*n) {
            enum ordo_near_format f = o == ORDO_REAL_DSINK ? ORDO_NEAR_FP32 : ORDO_NEAR_BF16;

            miss += !ordo_near_admits(&near.set[o], i, f, ordo_near_round(f, got[o][i]), NULL);
        }
    ordo_near_free(&near);
    return miss;
}

static void each_is_named(void **state)
{
    static struct made m;
    static struct gradients g;

    (void)state;
    for (int wrong = 0; wrong < ORDO_WRONGS; wrong++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            make(&m, seed + 1, wrong == ORDO_WRONG_DUPLICATE_ONCE);
            gradients(&m, (enum ordo_wrong)wrong, &g);
            for (int h = 0; h < ORDO_WRONGS; h++) {
                int64_t n, miss = misses(&m, &g, (enum ordo_wrong)h, &n);
                bool same = h == wrong || (wrong == 0 && h == ORDO_WRONG_DUPLICATE_ONCE); /* there are none */

                if (wrong == ORDO_WRONG_NONE && h == ORDO_WRONG_NONE && miss)
                    fail_msg("right gradients: %d of %d outside", (int)miss, (int)n);
                if (same != (miss <= n / 1000))
                    fail_msg("seed %d: %s under %s: %d of %d outside", (int)seed, ordo_wrong_name[wrong],
                             ordo_wrong_name[h], (int)miss, (int)n);
            }
        }
}

static void names(void **state)
{
    (void)state;
    for (int i = 0; i < ORDO_WRONGS; i++) {
        assert_non_null(ordo_wrong_name[i]);
        assert_non_null(ordo_wrong_text[i]);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(ordo_wrong_name[i], ordo_wrong_name[j]);
    }
}

int main(void)
{
    const struct CMUnitTest test[] = {cmocka_unit_test(names), cmocka_unit_test(each_is_named)};

    return cmocka_run_group_tests(test, NULL, NULL);
}
