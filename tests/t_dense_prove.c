/* t_dense_prove.c - what is proved of dense schedules: total orders, waits, least residency, signatures; and that
 * broken ones are convicted. */
#include "tests/test.h"

#include "base/rng.h"
#include "sim/dense_hang.h"
#include "sim/dense_variant.h"

#include <stdlib.h>
#include <string.h>

struct subject {
    const char *schedule;
    enum ordo_dense_mask_kind mask;
    int32_t n, heads, for_sms, sms;
    bool persistent;
};

struct made {
    struct ordo_dense_mask mask;
    struct ordo_dense dense;
    struct ordo_dense_model model;
};

static void make(struct subject s, struct made *m)
{
    struct ordo_dense_mask_spec spec = {s.mask, s.n, s.n, 3, 3, 50, 1};
    struct ordo_dense_launch launch = {.mask = &m->mask, .heads = s.heads, .sms = s.for_sms};
    struct ordo_err err = {0};

    m->model = (struct ordo_dense_model){.c = {3, 1}, .r = {1, 1}, .edge = {0, 1}, .start = {0, 1}, .jitter = {0, 1},
                                         .slots = s.sms, .grid = s.persistent ? s.sms : 0};
    assert_ok(ordo_dense_mask_make(&spec, &m->mask, &err), err);
    assert_ok(ordo_dense_make(ordo_dense_find(s.schedule), &launch, true, &m->dense, &err), err);
}

static void unmake(struct made *m)
{
    ordo_dense_free(&m->dense);
    ordo_dense_mask_free(&m->mask);
}

static struct ordo_dense_proof prove(struct subject s)
{
    struct made m;
    struct ordo_dense_proof proof;
    struct ordo_err err = {0};

    make(s, &m);
    assert_ok(ordo_dense_prove(&m.dense, &m.model, &proof, &err), err);
    unmake(&m);
    return proof;
}

/* Acyclic over tiles and over items; how many CTAs suffice with one an item in launch order; signatures a class. */
static void each_schedule(void **state)
{
    static const struct {
        const char *name;
        enum ordo_dense_mask_kind mask;
        bool tiles, items;
        int64_t least, most;
    } want[] = {
        {"ascending", ORDO_DENSE_MASK_CAUSAL, true, true, 1, 1},
        {"ascending", ORDO_DENSE_MASK_FULL, true, true, 1, 1},
        {"descending", ORDO_DENSE_MASK_CAUSAL, true, true, 1, 1},
        {"descending-pair", ORDO_DENSE_MASK_CAUSAL, true, false, 8, 1},
        {"spt", ORDO_DENSE_MASK_CAUSAL, true, true, 1, 1},
        {"alternating", ORDO_DENSE_MASK_CAUSAL, true, true, 1, 1},
        {"alternating", ORDO_DENSE_MASK_DOCUMENTS, true, true, 1, 1},
        {"shift", ORDO_DENSE_MASK_FULL, false, false, 8, 1},
        {"symmetric", ORDO_DENSE_MASK_CAUSAL, false, false, 4, 1},
        {"symmetric-text", ORDO_DENSE_MASK_CAUSAL, false, false, 4, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        struct ordo_dense_proof p = prove((struct subject){want[i].name, want[i].mask, 8, 8, 8, 8, false});

        if (!ordo_dense_proved(&p) || (p.tiles.n == 0) != want[i].tiles || (p.items.n == 0) != want[i].items ||
            p.least != want[i].least || p.signatures.most != want[i].most)
            fail_msg("%s: proved %d, cycles of %d tiles and %d items, %d CTAs, %d signatures", want[i].name,
                     ordo_dense_proved(&p), (int)p.tiles.n, (int)p.items.n, (int)p.least, (int)p.signatures.most);
        ordo_dense_proof_free(&p);
    }
}

/* The alternating pair on a card: no wait, one signature a parity, acyclic chains, one CTA suffices. */
static void alternating_pair(void **state)
{
    struct ordo_dense_proof p = prove((struct subject){"alternating", ORDO_DENSE_MASK_CAUSAL, 32, 64, 132, 132,
                                                       false});

    (void)state;
    assert_true(ordo_dense_proved(&p));
    assert_int_equal(p.run.stall, 0);
    assert_int_equal(p.items.n, 0);
    assert_int_equal(p.least, 1);
    assert_int_equal(p.signatures.most, 1);
    assert_int_equal(p.signatures.all, 2);
    assert_false(p.signatures.by_sms);
    ordo_dense_proof_free(&p);
}

static bool ends(int32_t n, int32_t sms)
{
    struct made m;
    struct ordo_dense_time t;
    struct ordo_err err = {0};
    bool hangs;

    make((struct subject){"shift", ORDO_DENSE_MASK_FULL, n, 32, 132, sms, true}, &m);
    assert_ok(ordo_dense_time(&m.dense, &m.model, NULL, &t, &err), err);
    hangs = t.hangs;
    ordo_dense_time_free(&t);
    unmake(&m);
    return !hangs;
}

/* Shift made for 132 SMs, persistent on another count, 32 heads: it ends iff a head's tiles are resident at once. */
static void sm_counts(void **state)
{
    static const struct {
        int32_t n, sms;
        bool ends;
    } want[] = {{128, 132, true},  {128, 131, true},  {128, 128, true}, {128, 127, false}, {128, 120, false},
                {128, 114, false}, {128, 78, false},  {96, 114, true},  {96, 96, true},    {96, 95, false},
                {96, 78, false},   {64, 114, true},   {64, 78, true},   {64, 64, true},    {64, 63, false}};
    struct ordo_dense_proof p = prove((struct subject){"shift", ORDO_DENSE_MASK_FULL, 128, 32, 132, 114, true});

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        if (ends(want[i].n, want[i].sms) != want[i].ends)
            fail_msg("%d tiles on %d SMs", (int)want[i].n, (int)want[i].sms);
    assert_false(ordo_dense_proved(&p));
    assert_int_equal(p.least, 0);
    assert_int_equal(p.run.n_blocked, 114);
    ordo_dense_proof_free(&p);
}

static void signatures(void **state)
{
    static const int32_t n[] = {8, 32, 64, 128}, full[] = {2, 8, 16, 32}, causal[] = {1, 4, 8, 16};
    struct ordo_dense_signatures s;
    struct ordo_err err = {0};

    (void)state;
    for (int i = 0; i < 8; i++) {
        bool is_full = i < 4;
        struct made m;

        make((struct subject){is_full ? "shift" : "symmetric", is_full ? ORDO_DENSE_MASK_FULL
                              : ORDO_DENSE_MASK_CAUSAL,
                              n[i % 4], 132, 132, 132, true}, &m);
        assert_ok(ordo_dense_count_signatures(&m.dense, &s, &err), err);
        assert_int_equal(s.all, is_full ? full[i % 4] : causal[i % 4]);
        assert_true(s.by_sms);
        unmake(&m);
    }
}

static struct ordo_digest signature(const char *schedule)
{
    struct made m;
    struct ordo_digest d;

    make((struct subject){schedule, ORDO_DENSE_MASK_CAUSAL, 8, 2, 8, 8, false}, &m);
    d = ordo_dense_signature(&m.dense, 0);
    unmake(&m);
    return d;
}

/* Ascending and SPT differ in ranks only, ascending and descending in rows only; a pair's even head is SPT's. */
static void what_signatures_see(void **state)
{
    struct ordo_digest up = signature("ascending"), down = signature("descending"), spt = signature("spt"),
                       pair = signature("alternating");

    (void)state;
    assert_memory_not_equal(&up, &spt, sizeof up);
    assert_memory_not_equal(&up, &down, sizeof up);
    assert_memory_equal(&pair, &spt, sizeof up);
}

/* A least number that is no power of two. */
static void least_by_halving(void **state)
{
    struct made m;
    int64_t least;
    struct ordo_err err = {0};

    (void)state;
    make((struct subject){"shift", ORDO_DENSE_MASK_FULL, 11, 3, 11, 11, false}, &m);
    assert_ok(ordo_dense_least_slots(&m.dense, &m.model, &least, &err), err);
    assert_int_equal(least, 11);
    unmake(&m);
}

static void convicted(void **state)
{
    (void)state;
    for (const struct ordo_dense_variant *v = ordo_dense_variants; v->name; v++) {
        struct ordo_dense_mask mask;
        struct ordo_dense_launch launch = {.mask = &mask, .heads = v->heads, .sms = v->for_sms};
        struct ordo_dense_model model = {.c = {3, 1}, .r = {1, 1}, .edge = {0, 1}, .start = {0, 1}, .jitter = {0, 1},
                                         .slots = v->sms, .grid = v->sms};
        struct ordo_dense d;
        struct ordo_dense_proof p;
        struct ordo_err err = {0};

        assert_ok(ordo_dense_mask_make(&v->mask, &mask, &err), err);
        assert_ok(ordo_dense_make(v->schedule, &launch, false, &d, &err), err);
        assert_ok(ordo_dense_prove(&d, &model, &p, &err), err);
        if (ordo_dense_proved(&p) || p.conviction.fault != v->fault)
            fail_msg("%s: %s", v->name, ordo_dense_fault_text[p.conviction.fault]);
        if (v->schedule->fits && v->fault != ORDO_DENSE_FAULT_NONE) { /* and the launch refuses it */
            ordo_dense_free(&d);
            assert_int_equal(ordo_dense_make(v->schedule, &launch, true, &d, &err), ORDO_BAD_INPUT);
        }
        ordo_dense_proof_free(&p);
        ordo_dense_free(&d);
        ordo_dense_mask_free(&mask);
    }
}

/* The hang of a launch that offers one CTA less than shift needs ends at a CTA that has not started. */
static void hang(void **state)
{
    struct made m;
    struct ordo_dense_time t;
    struct ordo_dense_hang list[8];
    struct ordo_err err = {0};
    int back, n;

    (void)state;
    make((struct subject){"shift", ORDO_DENSE_MASK_FULL, 4, 1, 4, 3, false}, &m);
    assert_ok(ordo_dense_time(&m.dense, &m.model, NULL, &t, &err), err);
    assert_true(t.hangs);
    n = ordo_dense_hang(&m.dense, &m.model, &t, list, 8, &back);
    assert_int_equal(n, 1);
    assert_int_equal(back, -1);
    assert_int_equal(list[0].turn, ORDO_DENSE_TURN_UNSTARTED);
    assert_int_equal(list[0].turn_kv, 3);
    ordo_dense_time_free(&t);
    unmake(&m);
}

/* Any schedule that fits any launch has total orders and ends with all its CTAs resident. */
static void random_launches(void **state)
{
    struct ordo_rng rng = {11};

    (void)state;
    for (int i = 0; i < 300; i++) {
        struct ordo_dense_mask_spec spec = {(enum ordo_dense_mask_kind)ordo_rng_below(&rng, ORDO_N_DENSE_MASKS),
                                            0, 2 + (int32_t)ordo_rng_below(&rng, 12), 2, 2, 60, (uint64_t)i};
        struct ordo_dense_mask mask;
        struct ordo_err err = {0};

        spec.n_q = spec.n_kv * (1 + (int32_t)ordo_rng_below(&rng, 2));
        assert_ok(ordo_dense_mask_make(&spec, &mask, &err), err);
        for (int k = 0; ordo_dense_schedules[k]; k++) {
            int32_t heads = 1 + (int32_t)ordo_rng_below(&rng, 6), sms = 1 + (int32_t)ordo_rng_below(&rng, 20);
            struct ordo_dense_launch launch = {.mask = &mask, .heads = heads, .sms = sms};
            struct ordo_dense_model model = {.c = {1, 1}, .r = {1, 1}, .edge = {0, 1}, .start = {0, 1},
                                             .jitter = {0, 1}, .slots = 200};
            struct ordo_dense d;
            struct ordo_dense_proof p;

            if (ordo_dense_make(ordo_dense_schedules[k], &launch, true, &d, &err) == ORDO_OK) {
                assert_ok(ordo_dense_prove(&d, &model, &p, &err), err);
                if (!ordo_dense_proved(&p))
                    fail_msg("%s, mask %d, %d tiles, %d heads, for %d SMs: %s", ordo_dense_schedules[k]->name,
                             (int)spec.kind, (int)spec.n_kv, (int)heads, (int)sms,
                             ordo_dense_fault_text[p.conviction.fault]);
                ordo_dense_proof_free(&p);
            }
            ordo_dense_free(&d);
        }
        ordo_dense_mask_free(&mask);
    }
}

/* Tile numbers beyond 16 bits. */
static void many_tiles(void **state)
{
    static const char *const name[] = {"shift", "symmetric"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct made m;
        struct ordo_dense_conviction c;
        struct ordo_err err = {0};

        make((struct subject){name[i], i ? ORDO_DENSE_MASK_CAUSAL : ORDO_DENSE_MASK_FULL, 8, 5000 + i * 4000, 132,
                              132, true},
             &m);
        assert_ok(ordo_dense_check_cover(&m.dense, &c, &err), err);
        if (c.fault != ORDO_DENSE_FAULT_NONE)
            fail_msg("%s: head %d %s", name[i], (int)c.tile.head, ordo_dense_fault_text[c.fault]);
        unmake(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_schedule), cmocka_unit_test(alternating_pair), cmocka_unit_test(sm_counts),
        cmocka_unit_test(signatures),    cmocka_unit_test(convicted),        cmocka_unit_test(hang),
        cmocka_unit_test(random_launches), cmocka_unit_test(many_tiles),
        cmocka_unit_test(what_signatures_see), cmocka_unit_test(least_by_halving)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
