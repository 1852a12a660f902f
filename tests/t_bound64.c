/* t_bound64.c - the bound of the fp64 reference: its constants, that it is small, and that it notices kernels which
 * are wrong in one convention. */
#include "ref/fp.h"
#include "tests/case64.h"
#include "tests/near64.h"

static struct case64 c;
static struct attention64 a;

static void drop(void)
{
    attention64_free(&a);
    case64_free(&c);
}

static bool live(int32_t query, int32_t j)
{
    int32_t id = c.in.idx[query * c.in.topk + j], length = c.in.length ? c.in.length[query] : c.in.topk;

    return j < length && id >= 0 && id < c.in.n_kv;
}

/* --- the bound -------------------------------------------------------------------------------------------------- */

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
    assert_false(attention64_holds(&n, 0, nan("")) || attention64_holds(&n, 1, nan("")));
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

/* --- what the bound must notice --------------------------------------------------------------------------------- */

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
        cmocka_unit_test(unit_of_bf16),
        cmocka_unit_test(holds),
        cmocka_unit_test(bound_is_small),
        cmocka_unit_test(wrong_kernels),
    };

    return cmocka_run_group_tests_name("bound64", tests, NULL, NULL);
}
