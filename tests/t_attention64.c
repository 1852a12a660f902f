/* t_attention64.c - the twin of sparse attention against the formulas in fp64, on random cases of every convention:
 * each element of each output inside its bound, and what contributes nothing exactly zero. */
#include "ref/attention.h"
#include "ref/fp.h"
#include "tests/case64_plan.h"

enum { O, LSE, DELTA, DQ, DKV, DKV_FP32, DSINK, OUTPUTS };

static const char *const name[OUTPUTS] = {"O", "LSE", "delta", "dQ", "dKV", "dKV in fp32", "dSink"};

static uint64_t n_case = 1000;
static struct ordo_err err;

/* What was compared, over all cases. */
static struct {
    size_t n, exact; /* elements; of them with no room at all */
    double worst;    /* largest |error| / bound where there is room */
} seen[OUTPUTS];

/* --- the twin's outputs ----------------------------------------------------------------------------------------- */

static struct ordo_attention_outputs outputs_of(const struct attention64 *a)
{
    return (struct ordo_attention_outputs){
        .o = case64_alloc(a->o.n, sizeof(uint16_t)),       .lse = case64_alloc(a->lse.n, sizeof(float)),
        .delta = case64_alloc(a->delta.n, sizeof(float)),  .dq = case64_alloc(a->dq.n, sizeof(uint16_t)),
        .dkv = case64_alloc(a->dkv.n, sizeof(uint16_t)),   .dkv_fp32 = case64_alloc(a->dkv.n, sizeof(float)),
        .dsink = case64_alloc(a->dsink.n, sizeof(float)),
    };
}

static void outputs_free(struct ordo_attention_outputs *out)
{
    free(out->o), free(out->lse), free(out->delta), free(out->dq), free(out->dkv), free(out->dkv_fp32);
    free(out->dsink);
}

/* --- comparison ------------------------------------------------------------------------------------------------- */

static void compare(uint64_t number, int output, const struct number64 *a, const uint16_t *bf16, const float *fp32)
{
    for (size_t i = 0; i < a->n; i++) {
        double got = bf16 ? attention64_bf16(bf16[i]) : (double)fp32[i], error = fabs(got - a->value[i]);

        if (!attention64_holds(a, i, got))
            fail_msg("case %d: %s[%zu] is %.9g, should be %.9g +- %.3g (terms %.3g)", (int)number, name[output], i,
                     got, a->value[i], a->bound[i], a->terms[i]);
        seen[output].n++;
        seen[output].exact += !(a->bound[i] > 0);
        if (a->bound[i] > 0)
            seen[output].worst = fmax(seen[output].worst, error / a->bound[i]);
    }
}

static void compare_all(uint64_t number, const struct attention64 *a, const struct ordo_attention_outputs *out)
{
    compare(number, O, &a->o, out->o, NULL);
    compare(number, LSE, &a->lse, NULL, out->lse);
    compare(number, DELTA, &a->delta, NULL, out->delta);
    compare(number, DQ, &a->dq, out->dq, NULL);
    compare(number, DKV, &a->dkv, out->dkv, NULL);
    compare(number, DKV_FP32, &a->dkv, NULL, out->dkv_fp32);
    compare(number, DSINK, &a->dsink, NULL, out->dsink);
}

/* Given its own O and LSE, and +Inf for rows without a live slot, the twin's backward makes the same bits. */
static void backward_alone(const struct ordo_attention *twin, const struct attention64 *a,
                           struct ordo_attention_outputs *out)
{
    struct ordo_attention_outputs again = outputs_of(a);
    struct ordo_attention given = *twin;

    for (size_t i = 0; i < a->lse.n; i++)
        if (isinf(out->lse[i]))
            out->lse[i] = HUGE_VALF;
    given.in.o = out->o;
    given.in.lse = out->lse;
    assert_ok(ordo_attention(&given, 1, &again, &err), err);
    assert_memory_equal(again.delta, out->delta, a->delta.n * sizeof(float));
    assert_memory_equal(again.dq, out->dq, a->dq.n * sizeof(uint16_t));
    assert_memory_equal(again.dkv_fp32, out->dkv_fp32, a->dkv.n * sizeof(float));
    assert_memory_equal(again.dsink, out->dsink, a->dsink.n * sizeof(float));
    outputs_free(&again);
}

static void one_case(uint64_t number)
{
    int32_t d_qk = number % 100 == 7 ? 576 : number % 100 == 57 ? 512 : 0;
    int32_t n_head = number % 50 == 3 ? 96 : number % 4 ? 16 : 32;
    struct case64 c = case64_make(number, n_head, d_qk, d_qk ? 512 : 0);
    struct ordo_plan plan = plan_of(&c, number);
    const struct ordo_attention twin = {
        .plan = &plan,
        .problem = &c.problem,
        .in = {.q = c.q, .kv = c.kv, .dout = c.dout, .sink = c.sink, .scale = c.scale},
    };
    struct ordo_attention_outputs out;
    struct attention64 a;

    attention64(&c.in, &a);
    out = outputs_of(&a);
    assert_ok(ordo_attention(&twin, 1, &out, &err), err);
    compare_all(number, &a, &out);
    if (number % 5 == 0)
        backward_alone(&twin, &a, &out);
    outputs_free(&out);
    attention64_free(&a);
    case64_free(&c);
}

/* All outputs are looked at, zeros that must be zeros among them; and a bound that nothing comes near to would hide
 * faults. */
static void twin_is_inside(void **state)
{
    static const double least[OUTPUTS] = {[O] = 0.8, [LSE] = 0.02, [DELTA] = 0.4, [DQ] = 0.8, [DKV] = 0.7,
                                          [DKV_FP32] = 0.7, [DSINK] = 0.5};

    (void)state;
    for (uint64_t number = 0; number < n_case; number++)
        one_case(number);
    for (int o = O; o < OUTPUTS; o++) {
        print_message("%s: %zu elements, %zu exact, worst error / bound %.3f\n", name[o], seen[o].n, seen[o].exact,
                      seen[o].worst);
        assert_true(seen[o].exact > seen[o].n / 8 && seen[o].exact < seen[o].n);
        assert_true(seen[o].worst > least[o]);
    }
}

/* t_attention64 [CASES] */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(twin_is_inside)};

    if (argc > 1)
        n_case = strtoull(argv[1], NULL, 10);
    return cmocka_run_group_tests_name("attention64", tests, NULL, NULL);
}
