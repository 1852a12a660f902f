/* t_mutants.c - what people get wrong in a kernel, one at a time, each before every tier: the tier named for it must
 * see it, and those that make no claim about it must not.
 *
 * The kernel is the naive twin with one thing changed, given the forward's O and LSE as kernels are.  The table
 * says how many results each tier calls wrong, and with how many the named tier misses the fault with a chance of
 * one in a million, were results independent. */
#include "oracle/near.h"
#include "sim/design.h"
#include "sim/domain.h"
#include "sim/duplicates.h"
#include "tests/attention_case.h"
#include "tests/naive_attention.h"
#include "tests/test.h"

#include <math.h>

enum tier { BITS, PLANES, DECLARED, REAL, REPEAT, TIERS };
static const char *const tier_name[TIERS] = {"T0 bits", "T0 planes", "T1", "T2", "T4 repeat"};

/* silent: the tier from which on nothing may be seen: an order of additions is no error. */
static const struct fault {
    enum naive_mutant mutant;
    const char *name;
    enum tier named;
    bool silent_above; /* T1 and T2 must not see it */
    bool private_shards, tiny;
} fault[] = {
    {NAIVE_RIGHT, "none", TIERS, true, false, false},
    {NAIVE_DROPS_LAST_K16, "dQ drops its last k16", DECLARED, false, false, false},
    {NAIVE_SWAPS_TILES, "dQ swaps two tiles", BITS, true, false, false},
    {NAIVE_REVERSES_RELAY, "relay from last to first", BITS, true, false, false},
    {NAIVE_FOLDS_SIXTEEN, "fold by 16 planes", BITS, true, false, false},
    {NAIVE_FRACTION_24, "24 fraction bits", BITS, true, false, false},
    {NAIVE_NEAREST, "tensor core to nearest", BITS, true, false, false},
    {NAIVE_CHUNK_8, "steps of 8", BITS, true, false, false},
    {NAIVE_P_UNROUNDED, "P not rounded", DECLARED, false, false, false},
    {NAIVE_DEGREE_3, "P from a cubic", DECLARED, false, false, false},
    {NAIVE_FLUSHES, "subnormals flushed", BITS, true, false, true},
    {NAIVE_ATOMIC_ROW, "one row by atomics", REPEAT, true, true, false},
    {NAIVE_PLANE_MINUS_ZERO, "planes start at -0", PLANES, true, false, false},
    {NAIVE_PLANE_UNCLEARED, "a plane not cleared", REAL, false, false, false},
    {NAIVE_DELTA_ORDER, "delta in another order", BITS, true, false, false},
    {NAIVE_SCALES_AFTER, "dS scaled after rounding", DECLARED, false, false, false},
};

struct seen {
    uint64_t n, wrong;
};

static struct ordo_err err;

/* --- counting --------------------------------------------------------------------------------------------------- */

static void count_words(struct seen *s, const void *got, const void *want, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        s->wrong += memcmp((const char *)got + i * size, (const char *)want + i * size, size) != 0;
    s->n += n;
}

static void count_outside(struct seen *s, const struct ordo_near_set *set, enum ordo_near_format format,
                          const uint16_t *bf16, const float *fp32)
{
    for (int64_t i = 0; i < set->n_unit * set->width; i++) {
        double got = bf16 ? (double)naive_of_bf16(bf16[i]) : (double)fp32[i];

        s->wrong += !ordo_near_admits(set, i, format, got, NULL);
        s->n++;
    }
}

static void count_intervals(const struct attention_case *c, enum ordo_near_kind kind,
                            const struct ordo_attention_outputs *got, struct seen *s)
{
    const struct ordo_request *r = &c->plan.request;
    const struct ordo_attend a = {.problem = &c->problem, .n_head = r->n_head, .d_qk = r->d_qk, .d_v = r->d_v,
                                  .q = c->q, .kv = c->kv, .dout = c->dout, .sink = c->sink, .scale = c->a.in.scale};
    const struct ordo_near_saved saved = {c->a.in.o, c->a.in.lse};
    struct ordo_near_gradient g = {0};

    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        assert_ok(ordo_near_want(&g, &a, i, ordo_real_units(&a, i), NULL, &err), err);
    assert_ok(ordo_near_run(&a, kind, ORDO_WRONG_NONE, &saved, &g, &err), err);
    count_outside(s, &g.set[ORDO_REAL_DQ], ORDO_NEAR_BF16, got->dq, NULL);
    count_outside(s, &g.set[ORDO_REAL_DKV], ORDO_NEAR_FP32, NULL, got->dkv_fp32);
    count_outside(s, &g.set[ORDO_REAL_DSINK], ORDO_NEAR_FP32, NULL, got->dsink);
    ordo_near_free(&g);
}

static void count_bits(const struct attention_case *c, const struct ordo_attention_outputs *got,
                       const struct ordo_attention_outputs *want, struct seen *s)
{
    struct output_sizes n = sizes_of(c);

    count_words(s, got->dq, want->dq, n.dq, 2);
    count_words(s, got->dkv_fp32, want->dkv_fp32, n.dkv, 4);
    count_words(s, got->dsink, want->dsink, n.dsink, 4);
    count_words(s, got->delta, want->delta, n.lse, 4);
}

/* --- one fault -------------------------------------------------------------------------------------------------- */

/* Rows 2 i and 2 i + 1 are copies but for the sign of the last column, which neither logits nor V see, and every
 * query has both, in different tiles: that column of dQ is 0, and what a kernel has there instead is its order's. */
static void pair_rows(struct attention_case *c)
{
    const struct ordo_request *r = &c->plan.request;
    int32_t n = r->d_qk, half = r->topk / 2;

    for (int32_t k = 0; k < r->n_kv; k++) {
        uint16_t *row = c->kv + (size_t)(k * n);

        if (k % 2)
            memcpy(row, row - n, (size_t)n * sizeof *row);
        row[n - 1] ^= (uint16_t)(k % 2 << 15);
    }
    for (int32_t i = 0; i < r->n_query * r->n_head; i++)
        c->q[i * n + n - 1] = 0;
    for (int32_t q = 0; q < r->n_query; q++)
        for (int32_t j = 0; j < half; j++) {
            c->problem.idx[q * r->topk + j] = (j + 5 * q) % (r->n_kv / 2) * 2;
            c->problem.idx[q * r->topk + half + j] = ((j * 7 + 3) % half + 5 * q) % (r->n_kv / 2) * 2 + 1;
        }
}

static struct attention_case make(const struct fault *f)
{
    static const struct ordo_request relay = {44, 150, 128, 3, 24, 16, ORDO_TARGET_SM90, NULL, 4, 44};
    struct ordo_request r = relay;
    struct attention_case c;

    if (f->private_shards) {
        r.design = ordo_design_find("private-shards");
        r.cluster = 0;
        r.wave = 8;
    }
    c = case_new(&r, 11);
    for (int32_t q = 0; q < r.n_query; q++)
        c.problem.length[q] = f->mutant == NAIVE_PLANE_MINUS_ZERO ? 40 : r.topk; /* rows that nobody adds to */
    pair_rows(&c);
    for (size_t i = 0; i < sizes_of(&c).o && f->tiny; i++)
        c.dout[i] = (uint16_t)((c.dout[i] & 0x807f) | (1 + i % 3) << 7);
    return c;
}

static void judge(const struct fault *f, struct seen seen[TIERS])
{
    struct attention_case c = make(f);
    struct ordo_attention_outputs twin = run_case(&c, 1), got = outputs_new(&c), again = outputs_new(&c);

    case_link(&c);
    c.a.in.o = twin.o;
    c.a.in.lse = twin.lse;
    naive_mutant = f->mutant;
    naive_seed = 0;
    naive_attention(&c.a, &got);
    naive_seed = 3;
    if (f->named == REPEAT)
        naive_attention(&c.a, &again);
    naive_mutant = NAIVE_RIGHT;
    count_bits(&c, &got, &twin, &seen[BITS]);
    count_words(&seen[PLANES], got.planes, twin.planes, sizes_of(&c).planes, 4);
    count_intervals(&c, ORDO_NEAR_DECLARED, &got, &seen[DECLARED]);
    count_intervals(&c, ORDO_NEAR_REAL, &got, &seen[REAL]);
    if (f->named == REPEAT)
        count_bits(&c, &again, &got, &seen[REPEAT]);
    c.a.in.o = NULL;
    c.a.in.lse = NULL;
    outputs_free(&twin);
    outputs_free(&got);
    outputs_free(&again);
    case_free(&c);
}

static void each_is_seen(void **state)
{
    (void)state;
    print_message("%-26s %-10s %9s %9s %9s %9s %9s  results for 1e-6\n", "fault", "named", tier_name[0], tier_name[1],
                  tier_name[2], tier_name[3], tier_name[4]);
    for (size_t i = 0; i < sizeof fault / sizeof fault[0]; i++) {
        const struct fault *f = &fault[i];
        struct seen seen[TIERS] = {{0, 0}};
        double share;

        judge(f, seen);
        share = f->named < TIERS ? (double)seen[f->named].wrong / (double)seen[f->named].n : 0;
        print_message("%-26s %-10s", f->name, f->named < TIERS ? tier_name[f->named] : "-");
        for (int t = 0; t < TIERS; t++)
            print_message(" %9llu", (unsigned long long)seen[t].wrong);
        print_message("  %.0f\n", share > 0 && share < 1 ? ceil(log(1e-6) / log1p(-share)) : share > 0);
        if (f->named < TIERS && seen[f->named].wrong == 0)
            fail_msg("%s is not seen by %s", f->name, tier_name[f->named]);
        if (f->silent_above && (seen[DECLARED].wrong || seen[REAL].wrong))
            fail_msg("%s: an order or a model is no error, but T1 sees %llu, T2 %llu", f->name,
                     (unsigned long long)seen[DECLARED].wrong, (unsigned long long)seen[REAL].wrong);
        if (f->mutant == NAIVE_RIGHT && (seen[BITS].wrong || seen[PLANES].wrong))
            fail_msg("the naive twin is not the twin");
    }
}

/* A duplicate id: refused before anything is computed. */
static void duplicate_is_refused(void **state)
{
    static const struct ordo_request r = {4, 60, 20, 3, 24, 16, ORDO_TARGET_SM90, NULL, 4, 4};
    struct attention_case c = case_new(&r, 5);
    struct ordo_contract_scan scan;
    struct ordo_domain domain;

    (void)state;
    c.problem.length[0] = r.topk;
    c.problem.idx[3] = c.problem.idx[7] = 9;
    assert_ok(ordo_domain_make(&c.problem, &domain, &err), err);
    assert_ok(ordo_contract_scan_make(&c.problem, &domain, NULL, &scan, &err), err);
    assert_true(scan.n_duplicate > 0);
    ordo_contract_scan_free(&scan);
    ordo_domain_free(&domain);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest test[] = {cmocka_unit_test(each_is_seen), cmocka_unit_test(duplicate_is_refused)};

    return cmocka_run_group_tests(test, NULL, NULL);
}
