/* t_attention_contract.c - each choice of the numeric contract is read, moves bits, and moves them as the naive twin
 * says; and where scale enters, one dS at a time. */
#include "ref/attention.h"
#include "sim/design.h"
#include "tests/attention_case.h"
#include "tests/naive_attention.h"
#include "tests/test.h"

static void against_naive(struct attention_case *c)
{
    struct ordo_attention_outputs got = run_case(c, 1), want = outputs_new(c);

    naive_attention(&c->a, &want);
    same_outputs(c, &got, &want);
    outputs_free(&got);
    outputs_free(&want);
}

/* Whether any output of the two differs. */
static bool differ(const struct attention_case *c, const struct ordo_attention_outputs *x,
                   const struct ordo_attention_outputs *y)
{
    struct output_sizes n = sizes_of(c);

    return memcmp(x->o, y->o, n.o * 2) || memcmp(x->lse, y->lse, n.lse * 4) || memcmp(x->dq, y->dq, n.dq * 2) ||
           memcmp(x->planes, y->planes, n.planes * 4);
}

/* Each choice's other values: the twin follows, and they are told apart. */
static void contract_is_read(void **state)
{
    static const struct ordo_request r = {3, 100, 90, 20, 64, 64, ORDO_TARGET_SM90, NULL, 4, 4};
    struct attention_case c = case_new(&r, 7);
    struct ordo_attention_outputs first = run_case(&c, 1);

    (void)state;
    for (int i = 0; i < 10; i++) {
        struct ordo_contract other = ordo_contract_sparse;
        struct ordo_attention_outputs out;

        other.s_groups = i == 0 ? ORDO_DESCENDING : ORDO_ASCENDING;
        other.dp_groups = i == 1 ? ORDO_DESCENDING : ORDO_ASCENDING;
        other.pv_groups = i == 2 ? ORDO_DESCENDING : ORDO_ASCENDING;
        other.dq_groups = i == 3 ? ORDO_DESCENDING : ORDO_ASCENDING;
        other.dkv_groups = i == 4 ? ORDO_DESCENDING : ORDO_ASCENDING;
        other.tile_walk = i == 5 ? ORDO_DESCENDING : ORDO_ASCENDING;
        other.dkv_first = i == 6 ? ORDO_DKV_Q_DS : ORDO_DKV_DO_P;
        other.exp = i == 7 ? ORDO_EXP_5 : i == 8 ? ORDO_EXP_EX2 : ORDO_EXP_6;
        other.add = i == 9 ? ORDO_ADD_RED_FTZ : ORDO_ADD_IEEE;
        c.plan.contract = &other;
        against_naive(&c);
        out = run_case(&c, 1);
        if (differ(&c, &out, &first) != (i != 9)) /* subnormal_contributions tells the last apart */
            fail_msg("choice %d", i);
        outputs_free(&out);
    }
    outputs_free(&first);
    case_free(&c);
}

/* Tiny dO: contributions are subnormal.  IEEE keeps them, red-ftz does not. */
static void subnormal_contributions(void **state)
{
    static const struct ordo_request r = {10, 12, 8, 4, 16, 16, ORDO_TARGET_SM90, &ordo_design_private_shards, 0, 3};
    struct ordo_contract flush = ordo_contract_sparse;
    struct attention_case c = case_new(&r, 9);
    struct ordo_attention_outputs kept, flushed;

    (void)state;
    for (size_t i = 0; i < sizes_of(&c).o; i++)
        c.dout[i] = (uint16_t)((c.dout[i] & 0x807f) | (1 + i % 3) << 7); /* 2^-126 and a little more */
    against_naive(&c);
    kept = run_case(&c, 1);
    flush.add = ORDO_ADD_RED_FTZ;
    c.plan.contract = &flush;
    against_naive(&c);
    flushed = run_case(&c, 1);
    assert_true(differ(&c, &kept, &flushed));
    outputs_free(&kept);
    outputs_free(&flushed);
    case_free(&c);
}

/* --- one dS at a time ------------------------------------------------------------------------------------------- */

enum { PICKED = 16 };

static float of_bf16(uint16_t x)
{
    return ordo_fp32((uint32_t)x << 16);
}

/* dS as declared, and as others would have it. */
static uint16_t ds_of(int way, float scale, float p, float dp, float delta)
{
    float x = way == 0   ? scale * p * (dp - delta)
              : way == 1 ? scale * (p * (dp - delta))
              : way == 2 ? p * (scale * (dp - delta))
                         : p * (scale * dp - scale * delta);

    return ordo_bf16_round(ordo_fp32_bits(x));
}

/* With q = 0 and one slot of K = (1, 0, ...), dQ's first column is dS.  Of many LSE those are picked on which a way
 * to write the formula gives another BF16. */
static void where_scale_enters(void **state)
{
    static const struct ordo_request r = {1, 1, 1, PICKED, 16, 1, ORDO_TARGET_SM90, NULL, 0, 0};
    const float scale = 1 / 24.0f;

    (void)state;
    for (int way = 1; way < 4; way++) {
        struct attention_case c = case_new(&r, 3);
        struct ordo_attention_outputs x;
        uint16_t o[PICKED], want[PICKED];
        float lse[PICKED];
        struct ordo_rng rng = {(uint64_t)way};

        memset(c.q, 0, PICKED * 16 * 2);
        memset(c.kv, 0, 16 * 2);
        c.kv[0] = 0x3f80;
        c.problem.idx[0] = 0;
        c.problem.length[0] = 1;
        for (int h = 0; h < PICKED; h++) {
            float p, dp, delta;

            c.sink[h] = -HUGE_VALF;
            do {
                uint64_t word = ordo_rng_next(&rng);

                c.dout[h] = (uint16_t)(0x3f80 | (word & 0x7f));
                o[h] = (uint16_t)(0x3e80 | (word >> 7 & 0x7f));
                lse[h] = ordo_fp32(0x3f000000 | (uint32_t)(word >> 32 & 0x7fffff));
                dp = of_bf16(c.dout[h]);
                delta = of_bf16(o[h]) * dp;
                p = ordo_exp2_6(-(lse[h] * 0x1.715476p+0f));
                want[h] = ds_of(0, scale, p, dp, delta);
            } while (want[h] == ds_of(way, scale, p, dp, delta));
        }
        c.a.in.o = o;
        c.a.in.lse = lse;
        c.a.in.scale = scale;
        x = run_case(&c, 1);
        for (int h = 0; h < PICKED; h++)
            if (x.dq[h * 16] != want[h])
                fail_msg("way %d, head %d: %04x, not %04x", way, h, x.dq[h * 16], want[h]);
        outputs_free(&x);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(contract_is_read),
        cmocka_unit_test(subnormal_contributions),
        cmocka_unit_test(where_scale_enters),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
