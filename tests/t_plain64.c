/* t_plain64.c - the fp64 reference of sparse attention is itself checked: closed forms, gradients against central
 * differences, conventions; and its bound notices what it should. */
#include "ref/fp.h"
#include "tests/case64.h"
#include "tests/near64.h"

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

/* --- gradients against differences -------------------------------------------------------------------------------- */

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

/* --- conventions -------------------------------------------------------------------------------------------------- */

static bool live(int32_t query, int32_t j)
{
    int32_t id = c.in.idx[query * c.in.topk + j], length = c.in.length ? c.in.length[query] : c.in.topk;

    return j < length && id >= 0 && id < c.in.n_kv;
}

/* sum_j dS = scale delta p_sink, which a column of ones in K turns into that column of dQ; a column of ones in V is 1 -
 * p_sink in O; and what is dead is exactly nothing. */
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
    assert_int_equal(n_dead, 823);
}

/* --- the bound ---------------------------------------------------------------------------------------------------- */

/* 8 significant bits: the error of rounding reaches 2^-8 / (1 + 2^-8), and never 2^-8. */
static void unit_of_bf16(void **state)
{
    double worst = 0;

    (void)state;
    for (uint32_t bits = UINT32_C(0x3f800000); bits < UINT32_C(0x40000000); bits += 64) {
        double x = (double)ordo_fp32(bits);

        worst = fmax(worst, fabs(attention64_bf16(ordo_bf16_round(bits)) - x) / x);
    }
    assert_true(worst <= NEAR64_BF16 && worst > 0.99 * NEAR64_BF16);
}

/* NaN, an infinity and what lies just outside are refused; what lies just inside is not. */
static void holds(void **state)
{
    double value[2] = {1, -HUGE_VAL}, terms[2] = {1, 1}, bound[2] = {0.125, 0};
    struct number64 n = {value, terms, bound, 2};

    (void)state;
    assert_true(attention64_holds(&n, 0, 1.125) && attention64_holds(&n, 0, 0.875));
    assert_false(attention64_holds(&n, 0, 1.126) || attention64_holds(&n, 0, 0.874));
    assert_false(attention64_holds(&n, 0, NAN) || attention64_holds(&n, 1, NAN));
    assert_false(attention64_holds(&n, 0, HUGE_VAL) || attention64_holds(&n, 0, -HUGE_VAL));
    assert_true(attention64_holds(&n, 1, -HUGE_VAL));
    assert_false(attention64_holds(&n, 1, HUGE_VAL) || attention64_holds(&n, 1, -1));
}

/* Ordinary inputs: the first family, sinks between -4 and 4. */
static void make_ordinary(uint64_t number)
{
    c = case64_make(5 * number, 16, 0, 0);
    for (int h = 0; c.in.sink && h < 16; h++)
        c.wide[3][h] = fmax(-4, fmin(4, c.wide[3][h]));
    attention64(&c.in, &a);
}

enum { O, LSE, DELTA, DQ, DKV, DSINK, OUTPUTS };

static const struct number64 *output(const struct attention64 *x, int o)
{
    const struct number64 *const all[OUTPUTS] = {&x->o, &x->lse, &x->delta, &x->dq, &x->dkv, &x->dsink};

    return all[o];
}

/* No bound is more than a few roundings to BF16 of the terms. */
static void bound_is_small(void **state)
{
    static const double most[OUTPUTS] = {2.1, 0.005, 2.1, 3, 3.5, 2.1}; /* in units of 2^-8 */
    double worst[OUTPUTS] = {0};

    (void)state;
    for (uint64_t number = 0; number < 200; number++) {
        make_ordinary(number);
        for (int o = 0; o < OUTPUTS; o++) {
            const struct number64 *x = output(&a, o);

            for (size_t i = 0; i < x->n; i++)
                if (isfinite(x->value[i]) && x->bound[i] > 0)
                    worst[o] = fmax(worst[o], x->bound[i] / x->terms[i] / NEAR64_BF16);
        }
        drop();
    }
    for (int o = 0; o < OUTPUTS; o++)
        assert_true(worst[o] > 0 && worst[o] <= most[o]);
}

/* --- what the bound must notice ------------------------------------------------------------------------------------- */

static void no_sink(void)
{
    c.in.sink = NULL;
}

static void sink_in_base_2(void)
{
    for (int h = 0; c.in.sink && h < c.in.n_head; h++)
        c.wide[3][h] *= log(2);
}

static void lse_in_base_2(void)
{
    c.in.scale /= log(2);
}

static void no_length(void)
{
    c.in.length = NULL;
}

/* A hole is taken for row 0. */
static void hole_is_row_0(void)
{
    for (int32_t i = 0; i < c.in.n_query * c.in.topk; i++)
        if (c.problem.idx[i] < 0 || c.problem.idx[i] >= c.in.n_kv)
            c.problem.idx[i] = 0;
}

/* Query 0 loses its last live slot. */
static void slot_lost(void)
{
    for (int32_t j = c.in.topk - 1, lost = 0; !lost && j >= 0; j--)
        if ((lost = live(0, j)))
            c.problem.idx[j] = -1;
}

static void heads_swapped(void)
{
    for (int32_t d = 0; d < c.in.d_qk; d++) {
        double kept = c.wide[0][d];

        c.wide[0][d] = c.wide[0][c.in.d_qk + d];
        c.wide[0][c.in.d_qk + d] = kept;
    }
}

static void column_lost(void)
{
    for (int32_t i = 0; i < c.in.n_query * c.in.n_head; i++)
        c.wide[0][i * c.in.d_qk] = 0;
}

static bool differs(const struct attention64 *b)
{
    for (int o = 0; o < OUTPUTS; o++)
        if (memcmp(output(&a, o)->value, output(b, o)->value, output(b, o)->n * sizeof(double)) != 0)
            return true;
    return false;
}

static bool leaves(const struct attention64 *b)
{
    for (int o = 0; o < OUTPUTS; o++)
        for (size_t i = 0; i < output(b, o)->n; i++)
            if (!attention64_holds(output(&a, o), i, output(b, o)->value[i]))
                return true;
    return false;
}

/* A kernel that is wrong in one convention and exact otherwise: of the cases in which that changes any digit, all but
 * `missed` must leave the bound. */
static void wrong_kernels(void **state)
{
    static const struct {
        const char *name;
        void (*edit)(void);
        int missed;
    } wrong[] = {
        {"no sink", no_sink, 0},         {"sink in base 2", sink_in_base_2, 0}, {"no length", no_length, 0},
        {"a hole is row 0", hole_is_row_0, 0}, {"a slot is lost", slot_lost, 0}, {"LSE in base 2", lse_in_base_2, 0},
        {"a column is lost", column_lost, 1}, {"heads are swapped", heads_swapped, 0},
    };

    (void)state;
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        int n = 0, noticed = 0;

        for (uint64_t number = 0; number < 100; number++) {
            struct attention64 b;

            make_ordinary(number);
            wrong[w].edit();
            attention64(&c.in, &b);
            n += differs(&b);
            noticed += leaves(&b);
            attention64_free(&b);
            drop();
        }
        if (n < 30 || noticed < n - wrong[w].missed)
            fail_msg("%s: noticed in %d of %d cases", wrong[w].name, noticed, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_key),    cmocka_unit_test(equal_logits), cmocka_unit_test(linear_in_dout),
        cmocka_unit_test(gradients),  cmocka_unit_test(invariants),   cmocka_unit_test(unit_of_bf16),
        cmocka_unit_test(holds),      cmocka_unit_test(bound_is_small),
        cmocka_unit_test(wrong_kernels),
    };

    return cmocka_run_group_tests_name("plain64", tests, NULL, NULL);
}
