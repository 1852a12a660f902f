/* t_plain64.c - the fp64 reference of sparse attention is itself checked: closed forms, gradients against central
 * differences, conventions. */
#include "tests/case64.h"

static struct case64 c;
static struct attention64 a;

/* Case `number`, with the exponents of family `number % 5`. */
static void make(uint64_t number, int32_t n_head, int32_t d_qk, int32_t d_v)
{
    c = case64_make(number, n_head, d_qk, d_v);
    attention64(&c.in, &a);
}

static void drop(void)
{
    attention64_free(&a);
    case64_free(&c);
}

/* --- closed forms ----------------------------------------------------------------------------------------------- */

/* One live key and no sink: p = 1, so O = v, LSE = s, and no gradient but dKV[k] = sum dO in V's columns. */
static void one_key(void **state)
{
    enum { KEY = 3, HEADS = 5, DQK = 12, DV = 7 };
    int32_t idx[6] = {-1, 99, KEY, 5, 6, -7}, length = 3;

    (void)state;
    c = case64_make(5, HEADS, DQK, DV);
    c.in.idx = idx, c.in.length = &length, c.in.sink = NULL;
    c.in.n_query = 1, c.in.topk = 6, c.in.n_kv = 4;
    assert_true(c.problem.n_kv >= 4);
    attention64(&c.in, &a);
    for (size_t d = 0; d < DV; d++) {
        double sum = 0;

        for (size_t h = 0; h < HEADS; h++) {
            assert_true(a.o.value[h * DV + d] == c.in.kv[KEY * DQK + d]);
            sum += c.in.dout[h * DV + d];
        }
        assert_true(a.dkv.value[KEY * DQK + d] == sum);
    }
    for (size_t i = 0; i < a.dq.n; i++)
        assert_true(a.dq.value[i] == 0);
    for (size_t k = 0; k < 4; k++)
        for (size_t d = k == KEY ? DV : 0; d < DQK; d++)
            assert_true(a.dkv.value[k * DQK + d] == 0);
    for (size_t h = 0; h < HEADS; h++) {
        double s = 0;

        for (size_t d = 0; d < DQK; d++)
            s += c.in.q[h * DQK + d] * c.in.kv[KEY * DQK + d];
        assert_true(a.lse.value[h] == c.in.scale * s);
        assert_true(a.dsink.value[h] == 0);
    }
    drop();
}

/* Equal logits: p = 1 / (n + e^sink), LSE = ln n, dSink = -p_sink delta.  The base is e. */
static void equal_logits(void **state)
{
    double q[2] = {0, 0}, kv[6] = {1, 2, 3, 4, 5, 6}, dout[1] = {1}, sink = log(5);
    int32_t idx[3] = {2, 0, 1};
    struct attention64_in in = {1, 3, 1, 3, 2, 1, 0.5, q, kv, dout, &sink, idx, NULL};

    (void)state;
    attention64(&in, &a);
    assert_true(fabs(a.lse.value[0] - log(3)) < 1e-15);
    assert_true(fabs(a.o.value[0] - 9 / 8.0) < 1e-15);
    assert_true(fabs(a.delta.value[0] - 9 / 8.0) < 1e-15);
    assert_true(fabs(a.dsink.value[0] + 5 / 8.0 * 9 / 8.0) < 1e-15);
    /* dS = 1/2 1/8 (v - 9/8); dQ = sum dS k */
    for (size_t d = 0; d < 2; d++) {
        double want = ((1 - 9 / 8.0) * kv[d] + (3 - 9 / 8.0) * kv[2 + d] + (5 - 9 / 8.0) * kv[4 + d]) / 16;

        assert_true(fabs(a.dq.value[d] - want) < 1e-15);
    }
    attention64_free(&a);
}

/* A power of two on dO is one on all gradients. */
static void linear_in_dout(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 40; number++) {
        struct attention64 b;

        make(5 * number, 3, 0, 0);
        for (size_t i = 0; i < (size_t)(c.in.n_query * c.in.n_head * c.in.d_v); i++)
            c.wide[2][i] *= 0x1p-5;
        attention64(&c.in, &b);
        for (size_t i = 0; i < a.dq.n; i++)
            assert_true(b.dq.value[i] * 0x1p5 == a.dq.value[i]);
        for (size_t i = 0; i < a.dkv.n; i++)
            assert_true(b.dkv.value[i] * 0x1p5 == a.dkv.value[i]);
        for (size_t i = 0; i < a.dsink.n; i++)
            assert_true(b.dsink.value[i] * 0x1p5 == a.dsink.value[i]);
        attention64_free(&b);
        drop();
    }
}

/* --- gradients against differences ------------------------------------------------------------------------------ */

/* sum O dO */
static double loss(const struct attention64_in *in)
{
    struct attention64 b;
    double sum = 0;

    attention64(in, &b);
    for (size_t i = 0; i < b.o.n; i++)
        sum += b.o.value[i] * in->dout[i];
    attention64_free(&b);
    return sum;
}

/* The derivative of the loss by x[i]: fourth-order central difference. */
static double slope(double *x, size_t i)
{
    const double h = 0x1p-9, x0 = x[i];
    double f[4];

    for (int j = 0; j < 4; j++) {
        static const int step[4] = {-2, -1, 1, 2};

        x[i] = x0 + step[j] * h;
        f[j] = loss(&c.in);
    }
    x[i] = x0;
    return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
}

static void assert_slopes(const struct number64 *gradient, double *x)
{
    for (size_t i = 0; i < gradient->n; i++) {
        double error = fabs(gradient->value[i] - slope(x, i));

        if (!(error <= 1e-7 * (1 + gradient->terms[i])))
            fail_msg("element %zu: gradient %.12g, difference %.12g", i, gradient->value[i], slope(x, i));
    }
}

static void gradients(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 60; number++) {
        c = case64_make(5 * number, 2, 1 + (int32_t)(number % 5), 1);
        c.in.topk = c.in.topk > 12 ? 12 : c.in.topk; /* the rows then start elsewhere: any ids do */
        attention64(&c.in, &a);
        assert_slopes(&a.dq, c.wide[0]);
        assert_slopes(&a.dkv, c.wide[1]);
        if (c.sink && isfinite(c.sink[0]) && isfinite(c.sink[1]) && fabsf(c.sink[0]) + fabsf(c.sink[1]) < 1000)
            assert_slopes(&a.dsink, c.wide[3]);
        drop();
    }
}

/* --- conventions ------------------------------------------------------------------------------------------------ */

static bool live(int32_t query, int32_t j)
{
    int32_t id = c.in.idx[query * c.in.topk + j], length = c.in.length ? c.in.length[query] : c.in.topk;

    return j < length && id >= 0 && id < c.in.n_kv;
}

/* sum_j dS = scale delta p_sink, which a column of ones in K turns into that column of dQ; a column of ones in V is
 * 1 - p_sink in O; and what is dead is exactly nothing. */
static void invariants(void **state)
{
    size_t n_dead = 0;

    (void)state;
    for (uint64_t number = 0; number < 300; number++) {
        c = case64_make(number, 4, 9, 5);
        for (size_t k = 0; k < (size_t)c.in.n_kv; k++)
            c.wide[1][k * 9] = 1;
        attention64(&c.in, &a);
        for (size_t at = 0; at < a.lse.n; at++) {
            double sink = c.in.sink ? c.in.sink[at % 4] : -(double)HUGE_VALF, lse = a.lse.value[at], share;
            int32_t n = 0;

            for (int32_t j = 0; j < c.in.topk; j++)
                n += live((int32_t)at / 4, j);
            assert_true(isinf(lse) ? lse < 0 && n == 0 : n > 0);
            share = n == 0 ? 1 : sink > lse ? 1 / (1 + exp(lse - sink)) : 1 - 1 / (1 + exp(sink - lse));
            assert_true(fabs(a.o.value[at * 5] - (1 - share)) < 1e-12);
            assert_true(fabs(a.dq.value[at * 9] - c.in.scale * a.delta.value[at] * share) <=
                        1e-12 * a.dq.terms[at * 9] + 1e-300);
            if (n && sink < 1e30)
                continue;
            for (size_t d = 0; d < 9; d++)
                assert_true(a.dq.value[at * 9 + d] == 0 && a.dq.bound[at * 9 + d] == 0);
            assert_true(a.delta.value[at] == 0 && a.delta.bound[at] == 0);
            n_dead++;
        }
        drop();
    }
    assert_int_equal(n_dead, 1802);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_key),   cmocka_unit_test(equal_logits), cmocka_unit_test(linear_in_dout),
        cmocka_unit_test(gradients), cmocka_unit_test(invariants),
    };

    return cmocka_run_group_tests_name("plain64", tests, NULL, NULL);
}
