/* t_real.c - the real gradient: against the formulas in fp64 on random cases of every convention, closed forms that
 * must come out to the bit.
 *
 * With a number as argument: so many random cases. */
#include "oracle/real.h"
#include "ref/fp.h"
#include "tests/case64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t n_case = 400;
static struct ordo_err err;

static struct ordo_attend attend_of(const struct case64 *c)
{
    return (struct ordo_attend){.problem = &c->problem, .n_head = c->in.n_head, .d_qk = c->in.d_qk, .d_v = c->in.d_v,
                                .q = c->q, .kv = c->kv, .dout = c->dout, .sink = c->sink, .scale = c->scale};
}

static void run_all(const struct ordo_attend *a, struct ordo_real_gradient *g)
{
    memset(g, 0, sizeof *g);
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        assert_ok(ordo_real_want(g, a, i, ordo_real_units(a, i), NULL, &err), err);
    assert_ok(ordo_real_run(a, g, &err), err);
}

/* --- against fp64 ----------------------------------------------------------------------------------------------- */

/* Rounded once from the same centre: value and encodings belong together. */
static void consistent(uint64_t number, const struct ordo_real *r)
{
    double fp32 = (double)ordo_fp32(r->fp32), bf16 = attention64_bf16(r->bf16);

    if (isfinite(fp32) && fabs(fp32 - r->value) > fabs(r->value) * 0x1p-24 + 0x1p-150)
        fail_msg("case %d: fp32 %.9g for %.17g", (int)number, fp32, r->value);
    if (isfinite(bf16) && fabs(bf16 - r->value) > fabs(r->value) * 0x1p-8 + 0x1p-134)
        fail_msg("case %d: bf16 %.9g for %.17g", (int)number, bf16, r->value);
    if (r->fp32 == ORDO_FP32_SIGN || r->bf16 == 0x8000 || r->fp16 == 0x8000)
        fail_msg("case %d: a zero is negative", (int)number);
}

static void compare(uint64_t number, const struct ordo_real_set *s, const struct number64 *want)
{
    assert_int_equal(s->n_unit * s->width, want->n);
    for (size_t i = 0; i < want->n; i++) {
        const struct ordo_real *r = &s->value[i];

        if (r->state != ORDO_REAL_ROUNDED && r->state != ORDO_REAL_NEAR)
            fail_msg("case %d: element %zu has state %d", (int)number, i, r->state);
        if (!(fabs(r->value - want->value[i]) <= want->terms[i] * 0x1p-36 + 0x1p-900))
            fail_msg("case %d: element %zu is %.17g, in fp64 %.17g, terms %.3g", (int)number, i, r->value,
                     want->value[i], want->terms[i]);
        consistent(number, r);
    }
}

static void random_cases(void **state)
{
    uint64_t near = 0, again = 0, n = 0;

    (void)state;
    for (uint64_t number = 0; number < n_case; number++) {
        struct case64 c = case64_make(number, 1 + (int32_t)(number % 3), 0, 0);
        struct ordo_attend a = attend_of(&c);
        struct ordo_real_gradient g;
        struct attention64 want;

        run_all(&a, &g);
        attention64(&c.in, &want);
        compare(number, &g.set[ORDO_REAL_DQ], &want.dq);
        compare(number, &g.set[ORDO_REAL_DKV], &want.dkv);
        compare(number, &g.set[ORDO_REAL_DSINK], &want.dsink);
        for (int o = 0; o < ORDO_REAL_OUTPUTS; o++)
            for (int64_t i = 0; i < g.set[o].n_unit * g.set[o].width; i++, n++) {
                near += g.set[o].value[i].state == ORDO_REAL_NEAR;
                again += g.set[o].value[i].passes > 1;
            }
        attention64_free(&want);
        ordo_real_free(&g);
        case64_free(&c);
    }
    print_message("%llu results, %llu took more than 113 bits, %llu are not decided by 320\n", (unsigned long long)n,
                  (unsigned long long)again, (unsigned long long)near);
    assert_true(near * 1000 < n + 1000);
}

/* --- closed forms ----------------------------------------------------------------------------------------------- */

enum { WIDTH = 4, MOST = 8 };

/* One query, one head (or two), up to MOST keys in rows 0, 1, ... */
struct small {
    struct ordo_problem problem;
    int32_t idx[MOST];
    uint16_t q[2 * WIDTH], kv[MOST * WIDTH], dout[2 * WIDTH];
    float sink[2];
    struct ordo_attend a;
};

static uint16_t bf16(float x)
{
    return ordo_bf16_round(ordo_fp32_bits(x));
}

static void small_make(struct small *s, int32_t n)
{
    memset(s, 0, sizeof *s);
    s->problem = (struct ordo_problem){1, n, MOST, s->idx, NULL};
    s->sink[0] = s->sink[1] = -HUGE_VALF;
    s->a = (struct ordo_attend){.problem = &s->problem, .n_head = 1, .d_qk = WIDTH, .d_v = WIDTH, .q = s->q,
                                .kv = s->kv, .dout = s->dout, .sink = s->sink, .scale = 1};
    for (int32_t j = 0; j < n; j++)
        s->idx[j] = j;
    for (int i = 0; i < WIDTH; i++)
        s->dout[i] = bf16(1.0f + 0.25f * (float)i);
}

/* One live key without a sink: p = 1, dS = 0, dQ = 0, dKV = dO, to the bit and without error. */
static void single_key(void **state)
{
    struct ordo_real_gradient g;
    struct small s;

    (void)state;
    small_make(&s, 1);
    for (int i = 0; i < WIDTH; i++) {
        s.q[i] = bf16(1.7f - (float)i);
        s.kv[i] = bf16(0.3f * (float)(i + 1));
    }
    run_all(&s.a, &g);
    for (int i = 0; i < WIDTH; i++) {
        assert_int_equal(g.set[ORDO_REAL_DQ].value[i].fp32, 0);
        assert_int_equal(g.set[ORDO_REAL_DKV].value[i].bf16, s.dout[i]);
        assert_int_equal(g.set[ORDO_REAL_DKV].value[i].state, ORDO_REAL_ROUNDED);
        assert_int_equal(g.set[ORDO_REAL_DKV].value[i].passes, 1);
    }
    assert_int_equal(g.set[ORDO_REAL_DSINK].value[0].fp32, 0);
    ordo_real_free(&g);
}

/* Logits 0, four keys: p = 1/4 exactly, so dKV's V part is dO / 4 exactly; a sink of 0 with three keys: the same. */
static void quarter(void **state)
{
    struct ordo_real_gradient g;
    struct small s;

    (void)state;
    for (int with_sink = 0; with_sink < 2; with_sink++) {
        small_make(&s, 4 - with_sink);
        s.sink[0] = with_sink ? 0.0f : -HUGE_VALF;
        for (int i = 0; i < MOST * WIDTH; i++)
            s.kv[i] = bf16((float)(i % 5 - 2));
        run_all(&s.a, &g);
        for (int i = 0; i < WIDTH * (4 - with_sink); i++) {
            const struct ordo_real *r = &g.set[ORDO_REAL_DKV].value[i];

            assert_true(r->value == (double)ordo_fp32(ordo_bf16_to_fp32_bits(s.dout[i % WIDTH])) / 4);
            assert_int_equal(r->state, ORDO_REAL_ROUNDED);
        }
        ordo_real_free(&g);
    }
}

/* Two heads, four keys: (1 + 2^-8) / 4 is exactly half-way between two BF16, and known to be: to even, at once. */
static void exact_tie(void **state)
{
    const struct ordo_real *r;
    struct ordo_real_gradient g;
    struct small s;

    (void)state;
    small_make(&s, 4);
    s.a.n_head = 2;
    s.dout[0] = bf16(1);
    s.dout[WIDTH] = bf16(0x1p-8f);
    run_all(&s.a, &g);
    r = &g.set[ORDO_REAL_DKV].value[0];
    assert_true(r->value == (1 + 0x1p-8) / 4);
    assert_int_equal(r->bf16, bf16(0.25f));
    assert_int_equal(r->state, ORDO_REAL_ROUNDED);
    assert_int_equal(r->passes, 1);
    ordo_real_free(&g);
}

/* Three equal keys: p = 1/3 is never exact, dS = 0 is only known to within the ball; it rounds to +0 all the same. */
static void thirds(void **state)
{
    struct ordo_real_gradient g;
    struct small s;

    (void)state;
    small_make(&s, 3);
    for (int i = 0; i < WIDTH; i++)
        s.q[i] = bf16(1.1f);
    for (int i = 0; i < 3 * WIDTH; i++)
        s.kv[i] = bf16((float)(i % WIDTH) - 1.3f);
    run_all(&s.a, &g);
    for (int i = 0; i < WIDTH; i++) {
        assert_int_equal(g.set[ORDO_REAL_DQ].value[i].fp32, 0);
        assert_int_equal(g.set[ORDO_REAL_DQ].value[i].state, ORDO_REAL_ROUNDED);
        assert_true(g.set[ORDO_REAL_DQ].value[i].passes > 1); /* 113 bits leave more than half of 2^-149 */
    }
    ordo_real_free(&g);
}

/* Two keys with the same V cannot be told apart through dO: dS = 0; duplicates count each. */
static void duplicates(void **state)
{
    struct ordo_real_gradient g;
    struct small s;

    (void)state;
    small_make(&s, 2);
    s.idx[1] = 0;
    run_all(&s.a, &g);
    for (int i = 0; i < WIDTH; i++)
        assert_int_equal(g.set[ORDO_REAL_DKV].value[i].bf16, s.dout[i]); /* 1/2 + 1/2 */
    ordo_real_free(&g);
}

static void no_real_number(void **state)
{
    struct ordo_real_gradient g;
    struct small s;

    (void)state;
    small_make(&s, 2);
    s.kv[WIDTH + 1] = ORDO_BF16_INF;
    run_all(&s.a, &g);
    assert_int_equal(g.set[ORDO_REAL_DQ].value[0].state, ORDO_REAL_NONE);
    assert_int_equal(g.set[ORDO_REAL_DKV].value[0].state, ORDO_REAL_NONE);
    assert_int_equal(g.set[ORDO_REAL_DKV].value[2 * WIDTH].fp32, 0); /* row 2 is not named */
    ordo_real_free(&g);
    s.sink[0] = HUGE_VALF; /* all mass on the sink: an inert row */
    run_all(&s.a, &g);
    assert_int_equal(g.set[ORDO_REAL_DQ].value[0].state, ORDO_REAL_ROUNDED);
    assert_int_equal(g.set[ORDO_REAL_DQ].value[0].fp32, 0);
    ordo_real_free(&g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(random_cases),   cmocka_unit_test(single_key),         cmocka_unit_test(quarter),
        cmocka_unit_test(thirds),         cmocka_unit_test(duplicates),         cmocka_unit_test(no_real_number),
        cmocka_unit_test(exact_tie),
    };

    if (argc > 1)
        n_case = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(test, NULL, NULL);
}
