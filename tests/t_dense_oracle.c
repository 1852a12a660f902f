/* t_dense_oracle.c - the oracle on dense attention: the real gradient is the dense one, no order of the twin is ever
 * refused, and the tiles on the diagonal left unmasked are.
 *
 * t_dense_oracle N runs N random cases instead of those of `make check`. */
#include "ref/fp.h"
#include "tests/dense_oracle.h"

#include <math.h>

static uint64_t n_case = 120;

/* --- the truth against plain loops in fp64 ---------------------------------------------------------------------- */

static double number(uint16_t bits)
{
    return (double)ordo_fp32(ordo_bf16_to_fp32_bits(bits));
}

struct plain {
    double *dq, *dk, *dv;
};

/* Adds what query i of head h gives, from the formulas. */
static void plain_row(const struct tensors *t, int32_t b, int32_t h, int32_t i, struct plain *g)
{
    const struct ordo_dense_problem *p = &t->p;
    int32_t kv_head = h / (p->q_heads / p->kv_heads), seen = p->causal ? i + p->kv_len - p->q_len + 1 : p->kv_len;
    const int64_t at = (((int64_t)b * p->q_len + i) * p->q_heads + h) * p->d;
    double s[128], dp[128], sum = 0, delta = 0;

    for (int32_t j = 0; j < seen; j++) {
        int64_t row = (((int64_t)b * p->kv_len + j) * p->kv_heads + kv_head) * p->d;

        s[j] = dp[j] = 0;
        for (int32_t c = 0; c < p->d; c++) {
            s[j] += number(t->q[at + c]) * number(t->k[row + c]);
            dp[j] += number(t->dout[at + c]) * number(t->v[row + c]);
        }
        s[j] = exp((double)t->scale * s[j]);
        sum += s[j];
    }
    for (int32_t j = 0; j < seen; j++)
        delta += s[j] / sum * dp[j];
    for (int32_t j = 0; j < seen; j++) {
        int64_t row = (((int64_t)b * p->kv_len + j) * p->kv_heads + kv_head) * p->d;
        double weight = s[j] / sum, ds = (double)t->scale * weight * (dp[j] - delta);

        for (int32_t c = 0; c < p->d; c++) {
            g->dq[at + c] += ds * number(t->k[row + c]);
            g->dk[row + c] += ds * number(t->q[at + c]);
            g->dv[row + c] += weight * number(t->dout[at + c]);
        }
    }
}

static void truth_is_the_dense_gradient(void **state)
{
    static const struct ordo_dense_problem shape[] = {
        {2, 19, 24, 4, 2, 8, 16, 16, true}, {1, 17, 9, 3, 1, 5, 16, 16, true}, {2, 12, 15, 2, 2, 7, 16, 16, false}};

    (void)state;
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        struct ordo_real_gradient g = {0};
        struct ordo_dense_attend a;
        struct ordo_err err = {0};
        struct tensors t;
        double *plain[ORDO_DENSE_GRADIENTS];

        make(&t, shape[k], "ascending", 11 + k);
        a = attend_of(&t);
        for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++) {
            plain[i] = calloc((size_t)actual_of(&t, i, true).n, sizeof **plain);
            assert_non_null(plain[i]);
            assert_int_equal(ordo_dense_want_real(&g, &a, i, ordo_dense_units(&a, i), NULL, &err), ORDO_OK);
        }
        for (int64_t row = 0; row < rows_q(&t.p); row++)
            plain_row(&t, (int32_t)(row / t.p.q_heads / t.p.q_len), (int32_t)(row % t.p.q_heads),
                      (int32_t)(row / t.p.q_heads % t.p.q_len), &(struct plain){plain[0], plain[1], plain[2]});
        assert_int_equal(ordo_dense_real(&a, &g, &err), ORDO_OK);
        for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++) {
            for (int64_t e = 0; e < g.set[i].n_unit * t.p.d; e++)
                if (!(fabs(g.set[i].value[e].value - plain[i][e]) <= 1e-12 * (g.set[i].value[e].terms + 1e-300)))
                    fail_msg("shape %zu: %s element %d is %.17g, plainly %.17g", k, ordo_dense_gradient_name[i],
                             (int)e, g.set[i].value[e].value, plain[i][e]);
            free(plain[i]);
        }
        ordo_real_free(&g);
        release(&t);
    }
}

/* --- no false alarm --------------------------------------------------------------------------------------------- */

static int32_t below(struct ordo_rng *rng, int32_t n)
{
    return (int32_t)(ordo_rng_next(rng) % (uint64_t)n);
}

static struct ordo_dense_problem draw(struct ordo_rng *rng)
{
    static const int32_t group[] = {1, 1, 2, 3, 8, 100};
    struct ordo_dense_problem p = {.batch = 1 + below(rng, 2), .kv_heads = 1 + below(rng, 2),
                                   .tile_q = 16 << below(rng, 2), .tile_kv = 16 << below(rng, 3),
                                   .causal = below(rng, 3) > 0};
    int32_t heads = group[below(rng, 6)];

    p.q_heads = p.kv_heads * heads;
    p.q_len = 1 + below(rng, heads > 50 ? 4 : heads > 3 ? 20 : 70);
    p.kv_len = below(rng, 3) ? 1 + below(rng, 90) : p.q_len;
    p.d = (int32_t[]){16, 24, 32, 33}[below(rng, 4)];
    return p;
}

static void assert_admitted(const struct tensors *t, enum ordo_near_kind kind, uint64_t number_of, double worst[2])
{
    struct ordo_near_gradient g = {0};

    near_of(t, kind, ORDO_DENSE_WRONG_NONE, &g);
    for (int fp32 = 0; fp32 < 2; fp32++) {
        uint64_t n, bad;
        double ratio;

        bad = refused(t, &g, fp32, &n, &ratio);
        worst[kind] = fp32 && ratio > worst[kind] ? ratio : worst[kind];
        if (bad)
            fail_msg("case %d, kind %d: %d of %d elements of the twin are refused", (int)number_of, (int)kind,
                     (int)bad, (int)n);
    }
    ordo_near_free(&g);
}

static void no_order_is_refused(void **state)
{
    static const char *const schedule[] = {"ascending", "descending", "general"};
    struct ordo_rng rng = {2026};
    double worst[2] = {0, 0};

    (void)state;
    for (uint64_t i = 0; i < n_case; i++) {
        struct tensors t;

        make(&t, draw(&rng), schedule[i % 3], i);
        if (i % 5 == 0)
            t.scale = 1; /* weights that are nearly 0 or 1 */
        run(&t, 1, false);
        assert_admitted(&t, ORDO_NEAR_REAL, i, worst);
        assert_admitted(&t, ORDO_NEAR_DECLARED, i, worst);
        release(&t);
    }
    print_message("%d cases, worst %.3f of the real bound, %.3f of the declared one\n", (int)n_case, worst[0],
                  worst[1]);
}

/* --- the diagonal left unmasked --------------------------------------------------------------------------------- */

/* Euclidean norm of the difference of dq, over that of the right one. */
static double relative_error(const uint16_t *got, const uint16_t *right, int64_t n)
{
    double error = 0, size = 0;

    for (int64_t i = 0; i < n; i++) {
        error += pow(number(got[i]) - number(right[i]), 2);
        size += pow(number(right[i]), 2);
    }
    return sqrt(error / size);
}

/* Which hypotheses admit all but a thousandth. */
static uint32_t explanations(const struct tensors *t)
{
    struct ordo_near_gradient g = {0};
    uint32_t set = 0;

    for (int wrong = 0; wrong < ORDO_DENSE_WRONGS; wrong++) {
        uint64_t n, bad;
        double worst;

        near_of(t, ORDO_NEAR_REAL, (enum ordo_dense_wrong)wrong, &g);
        bad = refused(t, &g, false, &n, &worst);
        set |= (uint32_t)(bad <= n / 1000) << wrong;
    }
    ordo_near_free(&g);
    return set;
}

static void diagonal_is_convicted(void **state)
{
    /* Two are no mistakes where the mask is causal and lengths are equal. */
    const uint32_t right_ones =
        1U << ORDO_DENSE_WRONG_NONE | 1U << ORDO_DENSE_WRONG_CAUSAL | 1U << ORDO_DENSE_WRONG_TOP_LEFT;
    struct tensors t;
    struct ordo_near_gradient g = {0};
    uint16_t *right;
    uint64_t n, bad;
    int64_t n_dq;
    double worst, error;

    (void)state;
    make(&t, (struct ordo_dense_problem){1, 110, 110, 2, 1, 64, 64, 32, true}, "ascending", 3);
    run(&t, 1, false);
    n_dq = rows_q(&t.p) * t.p.d;
    right = room(n_dq, 2);
    memcpy(right, t.out.dq, (size_t)n_dq * 2);
    assert_int_equal(explanations(&t), right_ones);

    unmask_diagonal(&t);
    error = relative_error(t.out.dq, right, n_dq);
    assert_true(error > 1);
    near_of(&t, ORDO_NEAR_DECLARED, ORDO_DENSE_WRONG_NONE, &g);
    bad = refused(&t, &g, false, &n, &worst);
    assert_true(bad > n / 2);
    near_of(&t, ORDO_NEAR_REAL, ORDO_DENSE_WRONG_NONE, &g);
    bad = refused(&t, &g, false, &n, &worst);
    assert_true(bad > n / 2);
    print_message("dq off by %.2f of itself, %d of %d elements outside the real interval\n", error, (int)bad, (int)n);
    assert_int_equal(explanations(&t), 1 << ORDO_DENSE_WRONG_DIAGONAL);
    ordo_near_free(&g);
    free(right);
    release(&t);
}

/* --- samples ---------------------------------------------------------------------------------------------------- */

/* A sample has the numbers of the whole, unit for unit; a small budget takes few units, of KV heads alike. */
static void samples_are_of_the_whole(void **state)
{
    struct ordo_units units[ORDO_DENSE_GRADIENTS];
    struct ordo_real_gradient whole = {0}, sample = {0};
    struct ordo_dense_attend a;
    struct ordo_err err = {0};
    struct tensors t;

    (void)state;
    make(&t, (struct ordo_dense_problem){2, 12, 16, 4, 2, 8, 16, 16, true}, "ascending", 31);
    a = attend_of(&t);
    assert_int_equal(ordo_dense_choose(&a, &ordo_unit_cost_real, ORDO_NEAR_REAL, 2e4, 1e7, units, &err), ORDO_OK);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++) {
        assert_true(units[i].n > 0 && units[i].n < units[i].all);
        assert_int_equal(ordo_dense_want_real(&whole, &a, i, ordo_dense_units(&a, i), NULL, &err), ORDO_OK);
        assert_int_equal(ordo_dense_want_real(&sample, &a, i, units[i].n, units[i].unit, &err), ORDO_OK);
    }
    assert_int_equal(ordo_dense_real(&a, &whole, &err), ORDO_OK);
    assert_int_equal(ordo_dense_real(&a, &sample, &err), ORDO_OK);
    assert_true(sample.rows < whole.rows);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++)
        for (int64_t k = 0; k < units[i].n * a.d; k++)
            assert_int_equal(sample.set[i].value[k].fp32,
                             whole.set[i].value[units[i].unit[k / a.d] * a.d + k % a.d].fp32);
    ordo_units_free(units);
    assert_int_equal(ordo_dense_choose(&a, &ordo_unit_cost_real, ORDO_NEAR_REAL, 1e9, 1e7, units, &err), ORDO_OK);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++)
        assert_int_equal(units[i].n, units[i].all);
    ordo_units_free(units);
    ordo_real_free(&whole);
    ordo_real_free(&sample);
    release(&t);
}

/* The same of declared intervals, where KV rows alone take a shorter way. */
static void declared_rows_stand_alone(void **state)
{
    struct ordo_near_gradient whole = {0}, sample = {0};
    struct ordo_near_saved saved;
    struct ordo_units units[ORDO_DENSE_GRADIENTS];
    struct ordo_dense_attend a;
    struct ordo_err err = {0};
    struct tensors t;

    (void)state;
    make(&t, (struct ordo_dense_problem){1, 40, 40, 2, 1, 8, 16, 16, true}, "ascending", 37);
    run(&t, 1, false);
    a = attend_of(&t);
    saved = (struct ordo_near_saved){t.out.o, t.out.lse};
    near_of(&t, ORDO_NEAR_DECLARED, ORDO_DENSE_WRONG_NONE, &whole);
    assert_int_equal(ordo_dense_choose(&a, &ordo_unit_cost_near, ORDO_NEAR_DECLARED, 4e5, 1e7, units, &err), ORDO_OK);
    assert_true(units[ORDO_DENSE_DK].n > 1 && units[ORDO_DENSE_DK].n < units[ORDO_DENSE_DK].all);
    assert_int_equal(units[ORDO_DENSE_DK].unit[0], 0); /* and not the last rows only */
    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++)
        assert_int_equal(
            ordo_dense_want_near(&sample, &a, i, i == ORDO_DENSE_DQ ? 0 : units[i].n, units[i].unit, &err), ORDO_OK);
    assert_int_equal(ordo_dense_near(&a, ORDO_NEAR_DECLARED, ORDO_DENSE_WRONG_NONE, &saved, &sample, &err), ORDO_OK);
    for (int i = ORDO_DENSE_DK; i < ORDO_DENSE_GRADIENTS; i++)
        for (int64_t k = 0; k < units[i].n * a.d; k++) {
            int64_t at = units[i].unit[k / a.d] * a.d + k % a.d;

            assert_true(sample.set[i].x[k] == whole.set[i].x[at] && sample.set[i].e[k] == whole.set[i].e[at]);
        }
    ordo_units_free(units);
    ordo_near_free(&whole);
    ordo_near_free(&sample);
    release(&t);
}

/* The twin multiplies hidden pairs by zero, as kernels do: an Inf of row 3 is NaN in rows that do not see it, and no
 * tier may call that wrong.  dQ of other rows takes nothing from an Inf in q, and stays judged. */
static void hidden_infinities_are_no_fault(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        struct ordo_near_gradient g = {0};
        struct tensors t;
        uint64_t n;
        double worst;

        make(&t, (struct ordo_dense_problem){1, 20, 20, 1, 1, 8, 16, 16, true}, "ascending", 41);
        (which == 0 ? t.q : which == 1 ? t.k : which == 2 ? t.v : t.dout)[3 * 8 + 5] = 0x7f80;
        run(&t, 1, true);
        for (int kind = ORDO_NEAR_REAL; kind <= ORDO_NEAR_DECLARED; kind++) {
            near_of(&t, (enum ordo_near_kind)kind, ORDO_DENSE_WRONG_NONE, &g);
            if (refused(&t, &g, true, &n, &worst))
                fail_msg("tensor %d, interval %d: an Inf is held against the twin", which, kind);
            assert_int_equal(isfinite(g.set[ORDO_DENSE_DQ].e[0]), which == 0 || which == 3);
        }
        ordo_near_free(&g);
        release(&t);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(truth_is_the_dense_gradient),
        cmocka_unit_test(no_order_is_refused),
        cmocka_unit_test(diagonal_is_convicted),
        cmocka_unit_test(samples_are_of_the_whole),
        cmocka_unit_test(declared_rows_stand_alone),
        cmocka_unit_test(hidden_infinities_are_no_fault),
    };

    n_case = argc > 1 ? strtoull(argv[1], NULL, 10) : n_case;
    return cmocka_run_group_tests(test, NULL, NULL);
}
