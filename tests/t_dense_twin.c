/* t_dense_twin.c - the dense twin against whole matrices written out, bit for bit, and against fp64. */
#include "tests/dense_tensors.h"
#include "tests/naive_dense.h"

/* --- against whole matrices ------------------------------------------------------------------------------------- */

static struct naive_dense matrices; /* of one head */

static void take_head(const struct tensors *t, int32_t b, int32_t h)
{
    const struct ordo_dense_problem *p = &t->p;
    int32_t kv_head = h / (p->q_heads / p->kv_heads);
    struct naive_dense *x = &matrices;

    *x = (struct naive_dense){.n_q = p->q_len, .n_kv = p->kv_len, .d = p->d, .tile_q = p->tile_q,
                              .tile_kv = p->tile_kv, .causal = p->causal, .scale = t->scale};
    for (int32_t i = 0; i < p->q_len; i++) {
        int64_t at = (((int64_t)b * p->q_len + i) * p->q_heads + h) * p->d;

        memcpy(x->q[i], t->q + at, (size_t)p->d * 2);
        memcpy(x->dout[i], t->dout + at, (size_t)p->d * 2);
        memcpy(x->o[i], t->out.o + at, (size_t)p->d * 2);
        x->lse[i] = t->out.lse[((int64_t)b * p->q_heads + h) * p->q_len + i];
    }
    for (int32_t j = 0; j < p->kv_len; j++) {
        int64_t at = (((int64_t)b * p->kv_len + j) * p->kv_heads + kv_head) * p->d;

        memcpy(x->k[j], t->k + at, (size_t)p->d * 2);
        memcpy(x->v[j], t->v + at, (size_t)p->d * 2);
    }
}

static void gradients_of_head(const struct tensors *t, int32_t head)
{
    int32_t list[64];

    naive_weights(&matrices);
    for (int32_t q = 0; q < t->mask.n_q; q++)
        naive_dq(&matrices, q, list, ordo_dense_order(&t->schedule, head, q, list));
    for (int32_t kv = 0; kv < t->mask.n_kv; kv++) {
        int32_t steps = ordo_dense_steps(&t->mask, kv);

        for (int32_t s = 0; s < steps; s++)
            list[s] = t->schedule.schedule->query(&t->schedule, head, kv, s);
        naive_dkv(&matrices, kv, list, steps);
    }
}

static void assert_bf16(uint16_t got, float want, const char *what, int32_t row, int32_t c)
{
    if (got != ordo_bf16_round(ordo_fp32_bits(want)))
        fail_msg("%s[%d][%d] is %04x, not the rounding of %a", what, (int)row, (int)c, got, (double)want);
}

/* The sums over the heads of a group so far. */
static float sum_dk[NAIVE_LONGEST][NAIVE_D], sum_dv[NAIVE_LONGEST][NAIVE_D];

static void assert_head(const struct tensors *t, int32_t b, int32_t h)
{
    const struct ordo_dense_problem *p = &t->p;
    int32_t group = p->q_heads / p->kv_heads;

    for (int32_t i = 0; i < p->q_len; i++)
        for (int32_t c = 0; c < p->d; c++) {
            int64_t at = (((int64_t)b * p->q_len + i) * p->q_heads + h) * p->d + c;

            assert_int_equal(ordo_fp32_bits(t->out.dq_fp32[at]), ordo_fp32_bits(matrices.dq[i][c]));
            assert_bf16(t->out.dq[at], matrices.dq[i][c], "dq", i, c);
        }
    for (int32_t j = 0; j < p->kv_len; j++)
        for (int32_t c = 0; c < p->d; c++) {
            int64_t at = (((int64_t)b * p->kv_len + j) * p->kv_heads + h / group) * p->d + c;

            sum_dk[j][c] += matrices.dk[j][c];
            sum_dv[j][c] += matrices.dv[j][c];
            if (h % group != group - 1)
                continue;
            assert_int_equal(ordo_fp32_bits(t->out.dk_fp32[at]), ordo_fp32_bits(sum_dk[j][c]));
            assert_int_equal(ordo_fp32_bits(t->out.dv_fp32[at]), ordo_fp32_bits(sum_dv[j][c]));
            assert_bf16(t->out.dk[at], sum_dk[j][c], "dk", j, c);
            assert_bf16(t->out.dv[at], sum_dv[j][c], "dv", j, c);
        }
}

static void assert_equal_to_matrices(const struct tensors *t)
{
    const struct ordo_dense_problem *p = &t->p;

    for (int32_t head = 0; head < p->batch * p->q_heads; head++) {
        take_head(t, head / p->q_heads, head % p->q_heads);
        gradients_of_head(t, head);
        if (head % (p->q_heads / p->kv_heads) == 0) {
            memset(sum_dk, 0, sizeof sum_dk);
            memset(sum_dv, 0, sizeof sum_dv);
        }
        assert_head(t, head / p->q_heads, head % p->q_heads);
    }
}

static const struct {
    struct ordo_dense_problem p;
    const char *schedule;
} cases[] = {
    {{1, 64, 64, 1, 1, 32, 16, 16, false}, "ascending"},
    {{1, 64, 64, 1, 1, 32, 16, 16, false}, "shift"},
    {{2, 64, 64, 2, 2, 32, 16, 16, true}, "ascending"},
    {{1, 50, 61, 2, 1, 24, 16, 32, true}, "ascending"}, /* lengths no multiple of anything, grouped heads */
    {{1, 33, 96, 3, 1, 17, 32, 16, false}, "ascending"},
    {{2, 40, 33, 4, 2, 16, 16, 16, true}, "ascending"},
    {{1, 90, 40, 1, 1, 32, 16, 16, true}, "ascending"}, /* the first 50 queries see nothing */
    {{1, 1, 1, 1, 1, 1, 16, 16, true}, "ascending"},
};

static void equals_whole_matrices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tensors t;

        make(&t, cases[i].p, cases[i].schedule, 7 + i);
        run(&t, 2, false);
        assert_equal_to_matrices(&t);
        release(&t);
    }
}

/* Statistics from elsewhere: rows whose LSE is infinite add nothing, whatever they see. */
static void given_statistics(void **state)
{
    struct tensors t;
    struct ordo_dense_twin twin;
    struct ordo_err err = {0};
    uint16_t *o;
    float *lse;

    (void)state;
    make(&t, (struct ordo_dense_problem){1, 64, 64, 1, 1, 32, 16, 16, true}, "ascending", 23);
    run(&t, 1, false);
    o = room(64 * 32, 2);
    lse = room(64, 4);
    memcpy(o, t.out.o, 64 * 32 * 2);
    memcpy(lse, t.out.lse, 64 * 4);
    for (int32_t i = 0; i < 64; i += 5)
        lse[i] = i % 2 ? HUGE_VALF : -HUGE_VALF;
    o[64] = 0x4000;
    twin = twin_of(&t);
    twin.in.o = o;
    twin.in.lse = lse;
    assert_int_equal(ordo_dense_attention(&twin, 1, &t.out, &err), ORDO_OK);
    assert_memory_equal(t.out.o, o, 64 * 32 * 2);
    assert_memory_equal(t.out.lse, lse, 64 * 4);
    for (int32_t c = 0; c < 32; c++)
        assert_int_equal(t.out.dq[5 * 32 + c], 0);
    assert_equal_to_matrices(&t);
    twin.in.o = NULL;
    assert_int_equal(ordo_dense_attention(&twin, 1, &t.out, &err), ORDO_BAD_INPUT);
    assert_string_equal(err.field, "o");
    free(o);
    free(lse);
    release(&t);
}

/* --- against fp64 ----------------------------------------------------------------------------------------------- */

static double number(uint16_t bits)
{
    return (double)ordo_fp32(ordo_bf16_to_fp32_bits(bits));
}

/* |x - y| <= 2^-5 of the sum of |terms|: a few roundings to BF16; what is wrong is wrong by a term. */
static void assert_near(uint16_t got, double want, double terms, const char *what, int32_t row, int32_t c)
{
    if (!(fabs(number(got) - want) <= 0x1p-5 * terms))
        fail_msg("%s[%d][%d] is %g, not %g (terms %g)", what, (int)row, (int)c, number(got), want, terms);
}

static double p64[NAIVE_LONGEST][NAIVE_LONGEST], ds64[NAIVE_LONGEST][NAIVE_LONGEST];

/* P and dS of query i from the formulas. */
static void row_in_fp64(int32_t i)
{
    const struct naive_dense *x = &matrices;
    double sum = 0, delta = 0;

    for (int32_t j = 0; j < x->n_kv; j++) {
        double s = 0;

        for (int32_t c = 0; c < x->d; c++)
            s += number(x->q[i][c]) * number(x->k[j][c]);
        p64[i][j] = naive_sees(x, i, j) ? exp(s * (double)x->scale) : 0;
        sum += p64[i][j];
    }
    for (int32_t j = 0; j < x->n_kv; j++) {
        p64[i][j] = sum > 0 ? p64[i][j] / sum : 0;
        ds64[i][j] = 0;
        for (int32_t c = 0; c < x->d; c++)
            ds64[i][j] += number(x->dout[i][c]) * number(x->v[j][c]);
        delta += p64[i][j] * ds64[i][j];
    }
    for (int32_t j = 0; j < x->n_kv; j++)
        ds64[i][j] = (double)x->scale * p64[i][j] * (ds64[i][j] - delta);
}

static void columns_in_fp64(const struct tensors *t, int32_t c)
{
    const struct naive_dense *x = &matrices;

    for (int32_t i = 0; i < x->n_q; i++) {
        double sum = 0, terms = 0x1p-20;

        for (int32_t j = 0; j < x->n_kv; j++) {
            sum += ds64[i][j] * number(x->k[j][c]);
            terms += p64[i][j] * 8;
        }
        assert_near(t->out.dq[(int64_t)i * x->d + c], sum, terms, "dq", i, c);
    }
    for (int32_t j = 0; j < x->n_kv; j++) {
        double dk = 0, dv = 0, terms = 0x1p-20;

        for (int32_t i = 0; i < x->n_q; i++) {
            dk += ds64[i][j] * number(x->q[i][c]);
            dv += p64[i][j] * number(x->dout[i][c]);
            terms += p64[i][j] * 8;
        }
        assert_near(t->out.dk[(int64_t)j * x->d + c], dk, terms, "dk", j, c);
        assert_near(t->out.dv[(int64_t)j * x->d + c], dv, terms, "dv", j, c);
    }
}

static void near_fp64(void **state)
{
    (void)state;
    for (int causal = 0; causal < 2; causal++) {
        struct tensors t;

        make(&t, (struct ordo_dense_problem){1, 80, 96, 1, 1, 32, 16, 32, causal}, "ascending", 5);
        run(&t, 1, false);
        take_head(&t, 0, 0);
        for (int32_t i = 0; i < t.p.q_len; i++)
            row_in_fp64(i);
        for (int32_t c = 0; c < t.p.d; c++)
            columns_in_fp64(&t, c);
        release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(equals_whole_matrices),
        cmocka_unit_test(given_statistics),
        cmocka_unit_test(near_fp64),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
