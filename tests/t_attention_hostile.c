/* t_attention_hostile.c - infinities, NaNs and the largest numbers anywhere in the tensors: the twin and the naive
 * one agree on every bit, vectors and threads too, and what no live slot names is never looked at. */
#include "ref/attention.h"
#include "tests/attention_case.h"
#include "tests/naive_attention.h"
#include "tests/test.h"

#include <float.h>

static int n_case = 24;

static const struct ordo_request request[] = {
    {3, 40, 70, 5, 24, 16, ORDO_TARGET_SM90, NULL, 4, 4},
    {2, 90, 20, 66, 16, 16, ORDO_TARGET_SM100, NULL, 0, 3},
};

static const uint16_t bf16_special[] = {0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f7f, 0xff7f, 0x8000, 0x0001, 0x7f00};

static uint32_t below(struct ordo_rng *rng, size_t n)
{
    return (uint32_t)ordo_rng_below(rng, n);
}

/* One element, or a whole line of `width` of them. */
static void plant16(struct ordo_rng *rng, uint16_t *x, size_t n, size_t width)
{
    size_t line = below(rng, n / width) * width, from = below(rng, width), to = from + 1;
    uint16_t special = bf16_special[below(rng, sizeof bf16_special / sizeof bf16_special[0])];

    if (below(rng, 3) == 0)
        from = 0, to = width;
    for (size_t i = from; i < to; i++)
        x[line + i] = special;
}

static void plant32(struct ordo_rng *rng, float *x, size_t n)
{
    static const float special[] = {HUGE_VALF, -HUGE_VALF, NAN, FLT_MAX, -FLT_MAX, 2.4e38f, -2.4e38f, 1e-45f, -0.0f};

    x[below(rng, n)] = special[below(rng, sizeof special / sizeof special[0])];
}

static void plant(struct ordo_rng *rng, struct attention_case *c)
{
    struct output_sizes n = sizes_of(c);
    size_t d_qk = (size_t)c->plan.request.d_qk, d_v = (size_t)c->plan.request.d_v;

    for (uint32_t i = 0; i <= below(rng, 4); i++)
        switch (below(rng, 4)) {
        case 0:
            plant16(rng, c->q, n.dq, d_qk);
            break;
        case 1:
            plant16(rng, c->kv, n.dkv, d_qk);
            break;
        case 2:
            plant16(rng, c->dout, n.o, d_v);
            break;
        default:
            plant32(rng, c->sink, n.dsink);
        }
}

static void against_naive(struct attention_case *c, int number)
{
    struct ordo_attention_outputs got = run_case(c, 1 + number % 3), want = outputs_new(c);

    naive_attention(&c->a, &want);
    same_outputs(c, &got, &want);
    c->a.scalar = true;
    outputs_free(&got);
    got = run_case(c, 1);
    c->a.scalar = false;
    same_outputs(c, &got, &want);
    outputs_free(&want);
    outputs_free(&got);
}

static void specials(void **state)
{
    (void)state;
    for (int i = 0; i < n_case; i++) {
        struct ordo_rng rng = {ordo_mix((uint64_t)i)};
        struct attention_case c = case_new(&request[i % 2], (uint64_t)i);
        struct ordo_attention_outputs first;

        plant(&rng, &c);
        against_naive(&c, i);
        first = run_case(&c, 1);
        plant16(&rng, first.o, sizes_of(&c).o, (size_t)c.plan.request.d_v);
        plant32(&rng, first.lse, sizes_of(&c).lse);
        c.a.in.o = first.o;
        c.a.in.lse = first.lse;
        against_naive(&c, i);
        outputs_free(&first);
        case_free(&c);
    }
}

/* Poison in every KV row that no live slot names, those of dead slots among them: not one bit moves. */
static void unnamed_rows(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct attention_case c = case_new(&request[i], 9);
        const struct ordo_request *r = &c.plan.request;
        struct ordo_attention_outputs x, y;
        bool *named = calloc((size_t)r->n_kv, sizeof *named);
        int poisoned_rows = 0;

        assert_non_null(named);
        c.problem.length[0] = r->topk / 2; /* what is behind it names rows, but is dead */
        for (int32_t q = 0; q < r->n_query; q++)
            for (int32_t j = 0; j < r->topk; j++) {
                int32_t *id = &c.problem.idx[q * r->topk + j];

                if (q > 0 && *id >= r->n_kv / 2)
                    *id = -1;
                if (j < c.problem.length[q] && *id >= 0 && *id < r->n_kv)
                    named[*id] = true;
            }
        x = run_case(&c, 1);
        for (int32_t k = 0; k < r->n_kv; k++)
            for (int32_t d = 0; !named[k] && d < r->d_qk; d++) {
                c.kv[k * r->d_qk + d] = bf16_special[(k + d) % 4];
                poisoned_rows += d == 0;
            }
        assert_true(poisoned_rows > r->n_kv / 8);
        y = run_case(&c, 2);
        same_outputs(&c, &y, &x);
        outputs_free(&x);
        outputs_free(&y);
        case_free(&c);
        free(named);
    }
}

/* --- scores of -Inf --------------------------------------------------------------------------------------------- */

/* One query over 80 rows, of which the first n score -Inf, though they are finite; gives its outputs. */
static struct ordo_attention_outputs overflowing(int n, bool dead, struct attention_case **of)
{
    static const struct ordo_request r = {1, 80, 80, 2, 16, 16, ORDO_TARGET_SM90, NULL, 0, 0};
    static struct attention_case c;
    struct ordo_attention_outputs x;

    c = case_new(&r, 31);
    c.problem.length[0] = 80;
    for (int d = 0; d < 2 * 16; d++)
        c.q[d] = 0x7180; /* 2^100 */
    c.sink[0] = 0.5f;
    c.sink[1] = -HUGE_VALF;
    for (int k = 0; k < 80; k++) {
        c.problem.idx[k] = dead && k < n ? -1 : k;
        for (int d = 0; d < 16; d++)
            c.kv[k * 16 + d] = k < n ? 0xf180 : (uint16_t)((c.kv[k * 16 + d] & 0x80ff) | 0x0d00); /* about 2^-100 */
    }
    x = run_case(&c, 1);
    *of = &c;
    return x;
}

/* Such slots add nothing, and a row of nothing else is as one without a live slot. */
static void minus_infinite_scores(void **state)
{
    (void)state;
    for (int n = 16; n <= 80; n += 16) { /* a part of a tile, a tile, all */
        struct attention_case *c;
        struct ordo_attention_outputs dead = overflowing(n, true, &c), x;

        case_free(c);
        x = overflowing(n, false, &c);
        same_words("o", x.o, dead.o, 32, 2);
        same_words("lse", x.lse, dead.lse, 2, 4);
        same_words("dq", x.dq, dead.dq, 32, 2);
        same_words("dkv", x.dkv, dead.dkv, 80 * 16, 2);
        same_words("dsink", x.dsink, dead.dsink, 2, 4);
        assert_int_equal(x.lse[0] == -HUGE_VALF, n == 80);
        against_naive(c, n);
        outputs_free(&x);
        outputs_free(&dead);
        case_free(c);
    }
}

/* A NaN in one live score, or in all of a tile, is a NaN in LSE, O and dQ, and never a slot that adds nothing. */
static void nan_scores(void **state)
{
    (void)state;
    for (int n = 1; n <= 64; n += 63) {
        struct attention_case *c;
        struct ordo_attention_outputs x = overflowing(0, false, &c);

        outputs_free(&x);
        for (int d = 0; d < n * 16; d++)
            c->kv[d] = 0xffc1;
        x = run_case(c, 1);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(ordo_fp32_bits(x.lse[i]), 0x7fffffff);
            assert_int_equal(x.o[i * 16], 0x7fff);
            assert_int_equal(x.dq[i * 16], 0x7fff);
        }
        against_naive(c, n);
        outputs_free(&x);
        case_free(c);
    }
}

/* t_attention_hostile [CASES] */
int main(int argc, char **argv)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(specials),
        cmocka_unit_test(unnamed_rows),
        cmocka_unit_test(minus_infinite_scores),
        cmocka_unit_test(nan_scores),
    };

    if (argc > 1)
        n_case = atoi(argv[1]);
    return cmocka_run_group_tests(test, NULL, NULL);
}
