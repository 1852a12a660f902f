/* t_attention_cases.c - the smallest triggers of faults that shipped elsewhere, with what is right.
 *
 * Sources: public threads of cudnn-frontend (#298, #385, #405, #676, #785, #877, #1048), PaddleFleet (#1540, #1626),
 * flash-attention (#2755), aiter (#5491), tilelang, Megatron-LM (#6910); each test names its own. */
#include "ref/attention.h"
#include "tests/attention_case.h"
#include "tests/test.h"

static uint16_t bf16(float x)
{
    return ordo_bf16_round(ordo_fp32_bits(x));
}

static void fill(uint16_t *x, size_t n, float value)
{
    for (size_t i = 0; i < n; i++)
        x[i] = bf16(value);
}

static struct attention_case case_of(int32_t q, int32_t kv, int32_t topk, int32_t heads, int32_t dqk, int32_t dv)
{
    struct ordo_request r = {q, kv, topk, heads, dqk, dv, ORDO_TARGET_SM90, NULL, 0, 0};
    struct attention_case c = case_new(&r, 77);

    for (int32_t h = 0; h < heads; h++)
        c.sink[h] = -HUGE_VALF;
    for (int32_t i = 0; i < q; i++)
        c.problem.length[i] = topk;
    for (int32_t i = 0; i < q * topk; i++)
        c.problem.idx[i] = -1;
    return c;
}

static void all_finite(const struct attention_case *c, const struct ordo_attention_outputs *x)
{
    struct output_sizes n = sizes_of(c);

    for (size_t i = 0; i < n.dq; i++)
        assert_true((x->dq[i] & 0x7f80) != 0x7f80);
    for (size_t i = 0; i < n.dkv; i++)
        assert_true((x->dkv[i] & 0x7f80) != 0x7f80);
    for (size_t i = 0; i < n.dsink; i++)
        assert_true(isfinite(x->dsink[i]));
}

static bool zero16(const uint16_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* cudnn-frontend #385: two queries of 32 heads shared a tile and one index row.  Alone, each gives the same. */
static void rows_keep_their_own_index(void **state)
{
    struct attention_case both = case_of(2, 128, 64, 32, 64, 48), one = case_of(1, 128, 64, 32, 64, 48);
    struct ordo_attention_outputs x, y;

    (void)state;
    for (int32_t j = 0; j < 128; j++)
        both.problem.idx[j] = j;
    x = run_case(&both, 1);
    for (int32_t j = 0; j < 64; j++)
        one.problem.idx[j] = j;
    y = run_case(&one, 1);
    same_words("dq", x.dq, y.dq, 32 * 64, 2);
    same_words("dkv of the first 64 rows", x.dkv, y.dkv, 64 * 64, 2);
    assert_false(zero16(x.dkv + 64 * 64, 64 * 64));
    outputs_free(&x);
    outputs_free(&y);
    case_free(&both);
    case_free(&one);
}

/* cudnn-frontend #676 item 1, #785 item 2, tilelang, flash-attention #2755: padding beside a very negative logit. */
static void padding_beside_tiny_rows(void **state)
{
    struct attention_case c = case_of(1, 256, 128, 16, 64, 48);
    struct ordo_attention_outputs x;

    (void)state;
    fill(c.q, 16 * 64, 2.2f);
    fill(c.kv, 256 * 64, -2.2f);
    c.a.in.scale = 1; /* s = -308: LSE in base 2 is below -132 */
    for (int32_t h = 0; h < 16; h++)
        c.sink[h] = h < 8 ? -400.0f : -HUGE_VALF;
    for (int32_t j = 0; j < 100; j++)
        c.problem.idx[j] = j + 1;
    x = run_case(&c, 1);
    all_finite(&c, &x);
    assert_true(x.lse[0] * 1.4427f < -132);
    assert_true(zero16(x.dkv, 64)); /* -1 is not row 0 */
    assert_false(zero16(x.dkv + 64, 64));
    assert_true(zero16(x.dkv + 101 * 64, 155 * 64));
    outputs_free(&x);
    case_free(&c);
}

/* cudnn-frontend #676 item 2, PaddleFleet #1540: no live slot at all, by length or by padding. */
static void nothing_live(void **state)
{
    static const int32_t length[] = {0, -1, INT32_MIN, 40};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct attention_case c = case_of(1, 64, 40, 24, 32, 32);
        struct ordo_attention_outputs x;

        c.problem.length[0] = length[i];
        for (int32_t j = 0; j < 40; j++)
            c.problem.idx[j] = i < 3 ? j : j % 2 ? -1 : 64;
        c.sink[0] = 1;
        x = run_case(&c, 1);
        assert_true(zero16(x.dq, 24 * 32) && zero16(x.dkv, 64 * 32) && zero16(x.o, 24 * 32));
        for (int h = 0; h < 24; h++)
            assert_int_equal(ordo_fp32_bits(x.dsink[h]), 0);
        outputs_free(&x);
        case_free(&c);
    }
}

/* cudnn-frontend #877: products of O and dO rounded before the sum.  delta is right to fp32's precision. */
static void delta_in_fp32(void **state)
{
    struct attention_case c = case_of(8, 64, 64, 64, 64, 64);
    struct ordo_attention_outputs x;

    (void)state;
    for (int32_t i = 0; i < 8 * 64; i++)
        c.problem.idx[i] = i % 64;
    x = run_case(&c, 1);
    for (size_t row = 0; row < 8 * 64; row++) {
        double sum = 0, size = 0;

        for (size_t d = 0; d < 64; d++) {
            double o = (double)ordo_fp32(ordo_bf16_to_fp32_bits(x.o[row * 64 + d]));
            double dout = (double)ordo_fp32(ordo_bf16_to_fp32_bits(c.dout[row * 64 + d]));

            sum += o * dout;
            size += fabs(o * dout);
        }
        assert_true(fabs((double)x.delta[row] - sum) <= 14 * 0x1p-24 * size); /* 8 in a lane, 5 levels, 1 to spare */
    }
    outputs_free(&x);
    case_free(&c);
}

/* cudnn-frontend #298: more columns than KV rows, the live id at a column beyond; no hole becomes row 0. */
static void column_beyond_kv(void **state)
{
    struct attention_case c = case_of(1, 256, 1024, 16, 32, 32);
    struct ordo_attention_outputs x;

    (void)state;
    c.problem.idx[700] = 9;
    x = run_case(&c, 1);
    assert_false(zero16(x.dkv + 9 * 32, 32));
    assert_true(zero16(x.dkv, 9 * 32) && zero16(x.dkv + 10 * 32, 246 * 32));
    outputs_free(&x);
    case_free(&c);
}

/* cudnn-frontend #405: short rows with a sink of ln T.  With q = 0 and n live slots the sink gets T / (n + T). */
static void sink_in_every_denominator(void **state)
{
    static const int32_t length[] = {1, 63, 64, 65, 512};
    struct attention_case c = case_of(5, 600, 512, 2, 576, 512);
    struct ordo_attention_outputs x;
    double want = 0;

    (void)state;
    fill(c.q, 5 * 2 * 576, 0);
    for (int32_t i = 0; i < 5 * 512; i++)
        c.problem.idx[i] = i % 512;
    c.sink[0] = c.sink[1] = logf(512);
    for (int i = 0; i < 5; i++)
        c.problem.length[i] = length[i];
    x = run_case(&c, 1);
    for (int i = 0; i < 5; i++) {
        assert_true(fabs((double)x.lse[2 * i] - log(length[i])) < 1e-6);
        want -= 512.0 / (512 + length[i]) * (double)x.delta[2 * i];
    }
    assert_true(fabs(want) > 1e-3 && fabs((double)x.dsink[0] - want) < 1e-5 * fabs(want) + 1e-6);
    outputs_free(&x);
    case_free(&c);
}

/* cudnn-frontend #1048 notes, flashinfer #3395: a length beyond the row is the row's. */
static void length_beyond_topk(void **state)
{
    struct attention_case c = case_of(2, 64, 50, 16, 32, 32);
    struct ordo_attention_outputs x, y;

    (void)state;
    for (int32_t i = 0; i < 100; i++)
        c.problem.idx[i] = i % 50;
    x = run_case(&c, 1);
    c.problem.length[0] = 51;
    c.problem.length[1] = INT32_MAX;
    y = run_case(&c, 1);
    same_outputs(&c, &y, &x);
    outputs_free(&x);
    outputs_free(&y);
    case_free(&c);
}

/* cudnn-frontend #1048 review: one live slot of 128, large dO.  dQ = dSink = 0, dKV = 512 2^60 (512 rows of
 * heads). */
static void large_dout(void **state)
{
    struct attention_case c = case_of(4, 16, 128, 128, 512, 512);
    struct output_sizes n = sizes_of(&c);
    uint16_t *o = malloc(n.o * 2);
    float *lse = malloc(n.lse * 4);
    struct ordo_attention_outputs x;

    (void)state;
    assert_true(o && lse);
    fill(c.q, n.dq, 16);
    fill(c.kv, n.dkv, -1);
    fill(c.dout, n.o, 0x1p60f);
    fill(o, n.o, -1);
    for (size_t i = 0; i < n.lse; i++)
        lse[i] = -16 * sqrtf(512);
    for (int q = 0; q < 4; q++)
        c.problem.idx[q * 128] = 0;
    c.a.in.o = o;
    c.a.in.lse = lse;
    x = run_case(&c, 1);
    assert_true(zero16(x.dq, n.dq) && zero16(x.dkv + 512, n.dkv - 512));
    for (int d = 0; d < 512; d++)
        assert_int_equal(ordo_fp32_bits(x.dkv_fp32[d]), ordo_fp32_bits(512 * 0x1p60f));
    for (int h = 0; h < 128; h++)
        assert_int_equal(ordo_fp32_bits(x.dsink[h]), 0);
    free(o);
    free(lse);
    outputs_free(&x);
    case_free(&c);
}

/* PaddleFleet #1626, aiter #5491: a hole inside the length, an id one past the end. */
static void hole_inside_the_length(void **state)
{
    struct attention_case c = case_of(1, 10, 5, 16, 32, 32);
    struct ordo_attention_outputs x;

    (void)state;
    c.problem.length[0] = 4;
    c.problem.idx[0] = 5;
    c.problem.idx[2] = 7;
    c.problem.idx[3] = 10;
    c.problem.idx[4] = 2;
    x = run_case(&c, 1);
    for (int k = 0; k < 10; k++)
        assert_int_equal(zero16(x.dkv + k * 32, 32), k != 5 && k != 7);
    all_finite(&c, &x);
    outputs_free(&x);
    case_free(&c);
}

/* Megatron-LM #6910: an inert row is told by LSE = +Inf, not by LSE = 0, which makes exp(logit). */
static void inert_row(void **state)
{
    struct attention_case c = case_of(1, 4, 1, 1, 16, 16);
    float lse = HUGE_VALF;
    uint16_t o[16] = {0};
    struct ordo_attention_outputs x;

    (void)state;
    fill(c.q, 16, 100);
    fill(c.kv, 64, 100);
    c.problem.idx[0] = 0;
    c.a.in.o = o;
    c.a.in.lse = &lse;
    x = run_case(&c, 1);
    assert_true(zero16(x.dq, 16) && zero16(x.dkv, 64));
    lse = 0;
    outputs_free(&x);
    x = run_case(&c, 1);
    assert_false(zero16(x.dkv, 64));
    outputs_free(&x);
    case_free(&c);
}

/* PaddleFleet #1836: heads that are no multiple of the tile.  Each is as it would be alone. */
static void odd_head_counts(void **state)
{
    struct attention_case c = case_of(1, 40, 33, 67, 24, 16), one = case_of(1, 40, 33, 1, 24, 16);
    struct ordo_attention_outputs x, y;

    (void)state;
    for (int32_t j = 0; j < 33; j++)
        c.problem.idx[j] = one.problem.idx[j] = 39 - j;
    x = run_case(&c, 1);
    for (int32_t h = 0; h < 67; h += 33) {
        memcpy(one.q, c.q + h * 24, 24 * 2);
        memcpy(one.dout, c.dout + h * 16, 16 * 2);
        y = run_case(&one, 1);
        same_words("dq", x.dq + h * 24, y.dq, 24, 2);
        same_words("o", x.o + h * 16, y.o, 16, 2);
        outputs_free(&y);
    }
    outputs_free(&x);
    case_free(&c);
    case_free(&one);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(rows_keep_their_own_index), cmocka_unit_test(padding_beside_tiny_rows),
        cmocka_unit_test(nothing_live),              cmocka_unit_test(delta_in_fp32),
        cmocka_unit_test(column_beyond_kv),          cmocka_unit_test(sink_in_every_denominator),
        cmocka_unit_test(length_beyond_topk),        cmocka_unit_test(large_dout),
        cmocka_unit_test(hole_inside_the_length),    cmocka_unit_test(inert_row),
        cmocka_unit_test(odd_head_counts),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
