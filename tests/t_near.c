/* t_near.c - no false alarm: what the twin computes, in either design, for either target, in many orders and models
 * of exp2 and of additions, lies in the declared
 * interval (T1) and in the real one (T2), and so does the real gradient itself, on random cases of every convention;
 * subnormals, values near overflow, condition numbers of 2^60 among them.  And the intervals are not idle: each has
 * elements that come near to its ends.
 *
 * With a number as argument: so many cases. */
#include "oracle/near.h"
#include "ref/attention.h"
#include "ref/fp.h"
#include "sim/contract.h"
#include "tests/case64_plan.h"

#include <math.h>

enum { KINDS = 2 };

static uint64_t n_case = 300;
static struct ordo_err err;

static struct {
    uint64_t n, open;
    double worst;
} seen[KINDS][ORDO_REAL_OUTPUTS];
static double largest_condition;
static uint64_t n_real, n_subnormal;

/* --- cases ------------------------------------------------------------------------------------------------------ */

static void scale_exponents(uint16_t *x, size_t n, int by)
{
    for (size_t i = 0; i < n; i++) {
        int field = x[i] >> 7 & 0xff;

        if (field)
            field = field + by < 0 ? 0 : field + by > 254 ? 254 : field + by;
        x[i] = (uint16_t)((x[i] & 0x807f) | (uint16_t)field << 7);
    }
}

/* Rows 2 i and 2 i + 1 become one another's copies but for the last column, which is 2^60 of either sign and which
 * neither logits nor V see: it cancels in dQ, and the sums have a condition number of 2^60. */
static void pair_rows(struct case64 *c)
{
    int32_t n = c->in.d_qk, last = n - 1, rows = c->in.n_query * c->in.n_head;

    if (c->in.d_v >= n)
        return;
    for (int32_t k = 0; k < c->problem.n_kv; k++) {
        uint16_t *row = c->kv + (size_t)k * (size_t)n;

        if (k % 2)
            memcpy(row, row - n, (size_t)n * sizeof *row);
        row[last] = (uint16_t)((127 + 60) << 7 | k % 2 << 15);
    }
    for (int32_t r = 0; r < rows; r++)
        c->q[(size_t)r * (size_t)n + (size_t)last] = 0;
}

static struct case64 make(uint64_t number)
{
    struct case64 c = case64_make(number, 1 + (int32_t)(number % 5), 0, 0);
    size_t rows = (size_t)c.in.n_query * (size_t)c.in.n_head, n_kv = (size_t)c.in.n_kv;

    switch (number / 5 % 5) {
    case 1: /* products and p far below 2^-126 */
        scale_exponents(c.dout, rows * (size_t)c.in.d_v, -122);
        scale_exponents(c.kv, n_kv * (size_t)c.in.d_qk, number % 2 ? -40 : 0);
        scale_exponents(c.q, rows * (size_t)c.in.d_qk, number / 25 % 2 ? -40 : 0);
        break;
    case 2: /* gradients near or past the end of fp32 */
        scale_exponents(c.dout, rows * (size_t)c.in.d_v, 118);
        break;
    case 3:
        pair_rows(&c);
        break;
    case 4: /* O's factor below 2^-126, times large values: flushed, or of few bits */
        scale_exponents(c.kv, n_kv * (size_t)c.in.d_qk, 30);
        scale_exponents(c.q, rows * (size_t)c.in.d_qk, -40);
        for (int32_t h = 0; c.sink && h < c.in.n_head; h++)
            c.sink[h] = 85 + (float)(h % 3) * 8;
        break;
    default:
        break;
    }
    return c;
}

/* Orders and models that a correct kernel may have. */
static const struct ordo_contract contract[] = {
    {.tile_walk = ORDO_ASCENDING}, {.tile_walk = ORDO_DESCENDING}, {.add = ORDO_ADD_RED_FTZ},
    {.s_groups = ORDO_DESCENDING, .dq_groups = ORDO_DESCENDING, .pv_groups = ORDO_DESCENDING},
    {.dkv_first = ORDO_DKV_Q_DS, .dkv_groups = ORDO_DESCENDING}, {.exp = ORDO_EXP_5}, {.exp = ORDO_EXP_EX2},
};

/* --- comparison ------------------------------------------------------------------------------------------------- */

static void admitted(uint64_t number, int kind, int output, const char *what, const struct ordo_near_set *s,
                     enum ordo_near_format format, int64_t i, double got)
{
    double ratio;

    if (!ordo_near_admits(s, i, format, got, &ratio))
        fail_msg("case %d: %s kind %d: %s[%d] is %.9g, outside %.9g +- %.3g (sum of terms %.3g)", (int)number, what,
                 kind, ordo_real_name[output], (int)i, got, s->x[i], s->e[i], s->top[i]);
    seen[kind][output].n++;
    seen[kind][output].open += isfinite(s->e[i]) ? 0 : 1;
    seen[kind][output].worst = fmax(seen[kind][output].worst, isfinite(ratio) ? ratio : 0);
}

static void twin_inside(uint64_t number, int kind, const struct ordo_near_gradient *g,
                        const struct ordo_attention_outputs *out)
{
    const struct ordo_near_set *dq = &g->set[ORDO_REAL_DQ], *dkv = &g->set[ORDO_REAL_DKV];
    const struct ordo_near_set *dsink = &g->set[ORDO_REAL_DSINK];

    for (int64_t i = 0; i < dq->n_unit * dq->width; i++)
        admitted(number, kind, ORDO_REAL_DQ, "bf16", dq, ORDO_NEAR_BF16, i, attention64_bf16(out->dq[i]));
    for (int64_t i = 0; i < dkv->n_unit * dkv->width; i++) {
        admitted(number, kind, ORDO_REAL_DKV, "bf16", dkv, ORDO_NEAR_BF16, i, attention64_bf16(out->dkv[i]));
        admitted(number, kind, ORDO_REAL_DKV, "fp32", dkv, ORDO_NEAR_FP32, i, (double)out->dkv_fp32[i]);
    }
    for (int64_t i = 0; i < dsink->n_unit; i++)
        admitted(number, kind, ORDO_REAL_DSINK, "fp32", dsink, ORDO_NEAR_FP32, i, (double)out->dsink[i]);
}

/* The truth is itself a correct result; and its distance from the fp64 centre is fp64's. */
static void real_inside(uint64_t number, const struct ordo_attend *a, const struct ordo_near_gradient *near)
{
    struct ordo_real_gradient g = {0};

    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        assert_ok(ordo_real_want(&g, a, i, ordo_real_units(a, i), NULL, &err), err);
    assert_ok(ordo_real_run(a, &g, &err), err);
    for (int o = 0; o < ORDO_REAL_OUTPUTS; o++)
        for (int64_t i = 0; i < g.set[o].n_unit * g.set[o].width; i++) {
            const struct ordo_real *r = &g.set[o].value[i];

            if (!ordo_near_admits(&near->set[o], i, ORDO_NEAR_FP32, (double)ordo_fp32(r->fp32), NULL))
                fail_msg("case %d: the real %s[%d] is %.9g, outside %.9g +- %.3g", (int)number, ordo_real_name[o],
                         (int)i, r->value, near->set[o].x[i], near->set[o].e[i]);
            n_real++;
            n_subnormal += fabs(r->value) > 0 && fabs(r->value) < 0x1p-126;
            if (fabs(r->value) > 0)
                largest_condition = fmax(largest_condition, r->terms / fabs(r->value));
        }
    ordo_real_free(&g);
}

static void one_case(uint64_t number)
{
    struct case64 c = make(number);
    struct ordo_plan plan = plan_of(&c, number);
    const struct ordo_attention twin = {
        .plan = &plan, .problem = &c.problem,
        .in = {.q = c.q, .kv = c.kv, .dout = c.dout, .sink = c.sink, .scale = c.scale}};
    const struct ordo_attend a = {.problem = &c.problem, .n_head = c.in.n_head, .d_qk = c.in.d_qk, .d_v = c.in.d_v,
                                  .q = c.q, .kv = c.kv, .dout = c.dout, .sink = c.sink, .scale = c.scale};
    size_t rows = (size_t)c.in.n_query * (size_t)c.in.n_head, width = (size_t)c.in.d_qk, n_kv = (size_t)c.in.n_kv;
    struct ordo_attention_outputs out = {
        .o = case64_alloc(rows * (size_t)c.in.d_v, 2), .lse = case64_alloc(rows, 4),
        .dq = case64_alloc(rows * width, 2), .dkv = case64_alloc(n_kv * width, 2),
        .dkv_fp32 = case64_alloc(n_kv * width, 4),
        .dsink = case64_alloc((size_t)c.in.n_head, 4)};
    struct ordo_near_saved saved = {out.o, out.lse};
    struct ordo_near_gradient near = {0};

    plan.contract = &contract[number / 25 % (sizeof contract / sizeof contract[0])];
    assert_ok(ordo_attention(&twin, 1, &out, &err), err);
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        assert_ok(ordo_near_want(&near, &a, i, ordo_real_units(&a, i), NULL, &err), err);
    for (int kind = 0; kind < KINDS; kind++) {
        assert_ok(ordo_near_run(&a, (enum ordo_near_kind)kind, ORDO_WRONG_NONE, &saved, &near, &err), err);
        twin_inside(number, kind, &near, &out);
        if (kind == ORDO_NEAR_REAL && number % 4 == 3)
            real_inside(number, &a, &near);
    }
    ordo_near_free(&near);
    free(out.o), free(out.lse), free(out.dq), free(out.dkv), free(out.dkv_fp32), free(out.dsink);
    case64_free(&c);
}

static void no_false_alarm(void **state)
{
    static const char *const kind_name[KINDS] = {"real", "declared"};

    (void)state;
    for (uint64_t number = 0; number < n_case; number++)
        one_case(number);
    for (int kind = 0; kind < KINDS; kind++)
        for (int o = 0; o < ORDO_REAL_OUTPUTS; o++) {
            print_message("%-8s %-5s %llu results, %llu unbounded, worst error / bound %.3f\n", kind_name[kind],
                          ordo_real_name[o], (unsigned long long)seen[kind][o].n,
                          (unsigned long long)seen[kind][o].open, seen[kind][o].worst);
            assert_true(seen[kind][o].open < seen[kind][o].n / 4);
            assert_true(seen[kind][o].worst > (o == ORDO_REAL_DSINK ? 0.1 : 0.5));
        }
    print_message("%llu real results, %llu subnormal, condition numbers up to 2^%.1f\n", (unsigned long long)n_real,
                  (unsigned long long)n_subnormal, log2(largest_condition));
    assert_true(n_subnormal > n_real / 100 && largest_condition > 0x1p60);
}

/* --- rounding by fp64 ------------------------------------------------------------------------------------------- */

static void rounding(void **state)
{
    struct ordo_rng rng = {99};

    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint32_t bits = (uint32_t)ordo_rng_next(&rng);
        double x = (double)ordo_fp32(bits), bf16, fp16;

        if (!isfinite(x))
            continue;
        bf16 = attention64_bf16(ordo_bf16_round(bits));
        fp16 = (double)ordo_fp32(ordo_widen(&ordo_format_fp16, ordo_round(&ordo_format_fp16, bits)));
        assert_true(ordo_near_round(ORDO_NEAR_BF16, x) == bf16);
        assert_true(ordo_near_round(ORDO_NEAR_FP16, x) == fp16);
        assert_true(ordo_near_round(ORDO_NEAR_FP32, x) == x);
    }
    assert_true(ordo_near_round(ORDO_NEAR_BF16, 1 + 0x1p-8 + 0x1p-40) == 1 + 0x1p-7); /* not through fp32 */
    assert_true(ordo_near_round(ORDO_NEAR_FP32, 0x1.8p-149) == 0x1p-148);
    assert_true(ordo_near_round(ORDO_NEAR_FP32, 0x1p-150) == 0);
    assert_true(isinf(ordo_near_round(ORDO_NEAR_FP16, 65520)));
    assert_true(ordo_near_round(ORDO_NEAR_FP16, -65519.99) == -65504);
}

/* t_near [CASES] */
int main(int argc, char **argv)
{
    const struct CMUnitTest test[] = {cmocka_unit_test(rounding), cmocka_unit_test(no_false_alarm)};

    if (argc > 1)
        n_case = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests(test, NULL, NULL);
}
