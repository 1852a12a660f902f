/* t_dense_predict.c - what is known of dense schedules beyond the closed forms: slots, ranks of the published code,
 * waves of 132 SMs, latency, head sections and jitter.
 *
 * Sources: DASH (arXiv 2601.21824), its published code, and exact simulations of both. */
#include "tests/dense_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ordo_rational three = {3, 1}, one = {1, 1}, zero = {0, 1};

static double ratio(const struct dense_timed *t)
{
    return ordo_rational_real(ordo_dense_makespan(&t->time)) / ordo_rational_real(t->bounds.work);
}

static void near(double got, double want, const char *what)
{
    double off = got > want ? got - want : want - got;

    if (!(off <= 0.03))
        fail_msg("%s: %.4f, not %.4f", what, got, want);
}

/* --- ratios and slots ------------------------------------------------------------------------------------------- */

static void ratios(void **state)
{
    (void)state;
    for (int64_t n = 2; n <= 16; n *= 2)
        for (int64_t m = 2; m <= 8; m *= 2) {
            struct dense_case c = {.mask = ORDO_DENSE_MASK_FULL, .n_q = (int32_t)n, .n_kv = (int32_t)n,
                                   .heads = (int32_t)m, .c = three, .r = one};
            int64_t base, shift;

            c.schedule = "ascending";
            base = dense_whole_time(c);
            c.schedule = "shift";
            shift = dense_whole_time(c);
            /* 1 + (n - 1) r / (m n (c + r)), at most 1 + r / (m (c + r)) */
            assert_int_equal(base * m * n * 4, shift * (m * n * 4 + n - 1));
            assert_true(base * m * 4 <= shift * (m * 4 + 1));
            c.mask = ORDO_DENSE_MASK_CAUSAL;
            c.schedule = "ascending";
            base = dense_whole_time(c);
            c.schedule = "alternating";
            /* towards 2 n / (n + 1) */
            assert_int_equal(base * m * (n + 1) * 4, dense_whole_time(c) * 2 * (m * n * 4 + n - 1));
        }
}

struct slots {
    int64_t slot_ticks;
    int64_t last[16][16]; /* by head, query tile: the last contribution's slot; -1 */
    bool ascending;
};

static void look(void *ctx, const struct ordo_dense_event *e)
{
    struct slots *s = ctx;
    int64_t slot = e->begin / s->slot_ticks, *last = &s->last[e->tile.head][e->query];

    s->ascending &= slot > *last;
    *last = slot;
}

/* Contributions of a row stand in strictly rising slots of the stall-free schedules, and not of the ramps. */
static void strictly_rising(void **state)
{
    static const struct {
        const char *name;
        enum ordo_dense_mask_kind mask;
        int32_t heads;
        bool rising;
    } want[] = {
        {"shift", ORDO_DENSE_MASK_FULL, 4, true},           {"symmetric", ORDO_DENSE_MASK_CAUSAL, 4, true},
        {"symmetric-text", ORDO_DENSE_MASK_CAUSAL, 4, true}, {"alternating", ORDO_DENSE_MASK_CAUSAL, 4, true},
        {"spt", ORDO_DENSE_MASK_CAUSAL, 1, true},           {"ascending", ORDO_DENSE_MASK_FULL, 4, false},
        {"ascending", ORDO_DENSE_MASK_CAUSAL, 4, false},    {"descending-pair", ORDO_DENSE_MASK_CAUSAL, 4, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        /* Slots are those of an undisturbed run: r = 0 keeps all in step. */
        struct dense_case c = {.schedule = want[i].name, .mask = want[i].mask, .n_q = 8, .n_kv = 8,
                               .heads = want[i].heads, .c = one, .r = zero};
        struct dense_timed t = dense_time(c);
        struct ordo_dense_model model = {.c = one, .r = zero, .edge = zero, .start = zero, .jitter = zero, .slots = 8,
                                         .grid = 8};
        struct slots s = {.slot_ticks = 1, .ascending = true};
        struct ordo_dense_watch watch = {look, &s};
        struct ordo_dense_time again;
        struct ordo_err err = {0};

        memset(s.last, 0xff, sizeof s.last);
        assert_ok(ordo_dense_time(&t.dense, &model, &watch, &again, &err), err);
        if (s.ascending != want[i].rising)
            fail_msg("%s: slots rise: %d", want[i].name, s.ascending);
        ordo_dense_time_free(&again);
        dense_timed_free(&t);
    }
}

/* --- the published code ----------------------------------------------------------------------------------------- */

/* The published row index subtracts the number of rows once: it leaves the range iff a wave has n_q + 2 tiles or
 * more. */
static void row_index(void **state)
{
    (void)state;
    for (int32_t n_q = 1; n_q <= 20; n_q++)
        for (int32_t active = 1; active <= 40; active++) {
            bool out = false;

            for (int32_t i = 0; i < active; i++)
                for (int32_t k = 0; k < n_q; k++)
                    out |= (i + k >= n_q ? i + k - n_q : i + k) >= n_q;
            assert_int_equal(out, active >= n_q + 2);
        }
}

/* Its ranks are permutations for any cut by waves: full with n_q >= n_kv, causal with even n_kv and one or two query
 * tiles a KV tile. */
static void ranks(void **state)
{
    int32_t kv[64];

    (void)state;
    for (int32_t n = 2; n <= 24; n++)
        for (int32_t sms = 1; sms <= 40; sms += 3)
            for (int kind = 0; kind < 4; kind++) {
                struct ordo_dense_mask_spec spec = {kind < 2 ? ORDO_DENSE_MASK_FULL : ORDO_DENSE_MASK_CAUSAL,
                                                    kind == 0 ? n + n / 3 : kind == 2 ? 2 * n : n, n, 0, 0, 0, 0};
                struct ordo_dense_mask m;
                struct ordo_dense_launch l = {.mask = &m, .heads = 5, .sms = sms};
                struct ordo_dense d;
                struct ordo_err err = {0};
                enum ordo_status status;

                assert_ok(ordo_dense_mask_make(&spec, &m, &err), err);
                status = ordo_dense_make(kind < 2 ? &ordo_dense_shift : &ordo_dense_symmetric, &l, true, &d, &err);
                assert_int_equal(status, kind >= 2 && n % 2 ? ORDO_BAD_INPUT : ORDO_OK);
                for (int32_t head = 0; head < 5 && status == ORDO_OK; head++)
                    for (int32_t q = 0; q < m.n_q; q++)
                        assert_int_equal(ordo_dense_order(&d, head, q, kv), ordo_dense_adds(&m, q));
                ordo_dense_free(&d);
                ordo_dense_mask_free(&m);
            }
}

/* Waves of 132 SMs, c = 3, r = 1, 16,384 tokens: no stall, ceil(items / 132) waves. */
static void waves(void **state)
{
    static const struct {
        int32_t n_q, n_kv, heads, want;
    } full[] = {{4, 4, 1024, 512},    {8, 8, 512, 1024},   {32, 32, 128, 4096},   {128, 128, 32, 16384},
                {52, 32, 64, 3328},   {103, 64, 32, 6592}, {205, 128, 16, 13120}},
      causal[] = {{32, 16, 128, 1088}, {64, 32, 64, 2112}, {128, 64, 32, 4160}, {256, 128, 16, 8256}};

    (void)state;
    for (int i = 0; i < 11; i++) {
        bool is_full = i < 7;
        int32_t n_q = is_full ? full[i].n_q : causal[i - 7].n_q, n_kv = is_full ? full[i].n_kv : causal[i - 7].n_kv;
        int32_t heads = is_full ? full[i].heads : causal[i - 7].heads;
        int64_t items = (int64_t)heads * n_kv / (is_full ? 1 : 2), rounds = (items + 131) / 132;
        struct dense_timed t = dense_time((struct dense_case){
            .schedule = is_full ? "shift" : "symmetric", .mask = is_full ? ORDO_DENSE_MASK_FULL
                : ORDO_DENSE_MASK_CAUSAL,
            .n_q = n_q, .n_kv = n_kv, .heads = heads, .sms = 132, .c = three, .r = one});

        assert_int_equal(t.time.stall, 0);
        assert_int_equal(t.time.makespan, is_full ? full[i].want : causal[i - 7].want);
        assert_int_equal(t.time.makespan, rounds * 4 * (is_full ? n_q : (n_kv + 1) * (n_q / n_kv)));
        near(ratio(&t), 1.031, "waves");
        dense_timed_free(&t);
    }
}

/* --- beyond the model ------------------------------------------------------------------------------------------- */

/* Shift's gain over ascending shrinks where fewer heads share a wave, at every latency. */
static void heads_of_a_wave(void **state)
{
    (void)state;
    for (int edge = 0; edge < 4; edge++) {
        double before = 0;

        for (int32_t n = 128; n >= 16; n /= 2) {
            struct dense_case c = {.schedule = "ascending", .mask = ORDO_DENSE_MASK_FULL, .n_q = n, .n_kv = n,
                                   .heads = 2048 / n, .sms = 132, .grid = -1, .c = three, .r = one, .edge = {edge, 1}};
            int64_t ascending = dense_whole_time(c);
            double gain;

            c.schedule = "shift";
            gain = (double)ascending / (double)dense_whole_time(c);
            if (!(gain >= before))
                fail_msg("latency %d, %d tiles: %.4f below %.4f", edge, (int)n, gain, before);
            before = gain;
        }
    }
}

static void latency(void **state)
{
    static const double want[2][4] = {{1.07, 1.17, 1.28, 1.40}, {1.04, 1.05, 1.06, 1.08}};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (int edge = 0; edge < 4; edge++) {
            struct dense_case c = {.schedule = "ascending", .mask = ORDO_DENSE_MASK_FULL, .n_q = i ? 128 : 32,
                                   .n_kv = i ? 128 : 32, .heads = i ? 16 : 64, .sms = 132, .grid = -1, .c = three,
                                   .r = one, .edge = {edge, 1}};
            struct dense_timed t = dense_time(c);

            near(ratio(&t), want[i][edge], "ascending under latency");
            dense_timed_free(&t);
            c.schedule = "shift";
            t = dense_time(c);
            near(ratio(&t), 1.03, "shift under latency");
            dense_timed_free(&t);
        }
}

/* Ascending over descending, causal, with the head sections of FlashAttention: 40 MiB over one head's bytes. */
static void sections(void **state)
{
    static const struct {
        int32_t n, heads, section;
        double want;
    } s[] = {{128, 16, 2, 1.37}, {64, 32, 4, 1.36},  {32, 64, 8, 1.34},  {16, 128, 16, 1.29},
             {128, 32, 4, 1.19}, {64, 64, 8, 1.18},  {32, 128, 16, 1.16}, {16, 256, 32, 1.13}, {128, 16, 0, 1.7}};

    (void)state;
    for (size_t i = 0; i < sizeof s / sizeof s[0]; i++) {
        struct dense_case c = {.schedule = "ascending", .mask = ORDO_DENSE_MASK_CAUSAL, .n_q = s[i].n, .n_kv = s[i].n,
                               .heads = s[i].heads, .sms = 132, .grid = -1, .section = s[i].section, .c = three, .r =
                                   one};
        int64_t up = dense_whole_time(c);

        c.schedule = "descending";
        near((double)up / (double)dense_whole_time(c), s[i].want, "sections");
    }
}

static void jitter(void **state)
{
    static const struct {
        const char *name;
        double want;
    } j[] = {{"ascending", 1.12}, {"shift", 1.04}, {"descending", 1.23}, {"spt", 1.08}, {"symmetric", 1.04},
             {"alternating", 1.05}};

    (void)state;
    for (int i = 0; i < 6; i++) {
        struct dense_timed t = dense_time((struct dense_case){
            .schedule = j[i].name, .mask = i < 2 ? ORDO_DENSE_MASK_FULL : ORDO_DENSE_MASK_CAUSAL, .n_q = 32, .n_kv =
                32,
            .heads = 64, .sms = 132, .grid = -1, .c = three, .r = one, .jitter = {1, 5}});

        near(ratio(&t), j[i].want, j[i].name);
        dense_timed_free(&t);
    }
}

/* With reductions beside products shift takes m n c + r, for r <= c. */
static void overlap(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= 16; n *= 2)
        for (int32_t m = 1; m <= 4; m++)
            for (int64_t r = 0; r <= 3; r++)
                assert_int_equal(dense_whole_time((struct dense_case){
                                     .schedule = "shift", .mask = ORDO_DENSE_MASK_FULL, .n_q = n, .n_kv = n,
                                     .heads = m, .c = three, .r = {r, 1}, .overlap = true}),
                                 (int64_t)m * n * 3 + r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
                cmocka_unit_test(ratios),         cmocka_unit_test(strictly_rising),  cmocka_unit_test(row_index),
        cmocka_unit_test(ranks),          cmocka_unit_test(waves),            cmocka_unit_test(latency), cmocka_unit_test(heads_of_a_wave),
        cmocka_unit_test(sections),       cmocka_unit_test(jitter),           cmocka_unit_test(overlap)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
