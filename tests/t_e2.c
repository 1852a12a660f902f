/* t_e2.c - the explorer: exact counts of states, the controls that must pass, reductions that change counts and never
 * a verdict, the table of schedulers, and schedules that replay. */
#include "tests/test.h"

#include "sim/e2_protocol.h"
#include "sim/e2_replay.h"
#include "sim/e2_trail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUSE {.scheduler = ORDO_SCHED_GRID, .fuse = true}
#define PERSIST {.scheduler = ORDO_SCHED_GRID, .fuse = true, .persist = true}

static struct ordo_e2_result explored(struct ordo_e2_spec spec, struct ordo_e2_options o)
{
    struct ordo_e2_program p;
    struct ordo_e2_result r;

    assert_true(ordo_e2_design(&spec, &p));
    assert_true(ordo_e2_decide(&p, &o, &r));
    ordo_e2_program_free(&p);
    ordo_e2_result_free(&r);
    return r;
}

/* --- counts ----------------------------------------------------------------------------------------------------- */

static void coarse_model_has_as_many_states_as_everywhere(void **state)
{
    static const struct {
        int32_t rows;
        uint64_t states, edges;
    } want[] = {{2, 21776, 99840}, {3, 189376, 956160}, {4, 1112576, 6046080}};

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct ordo_e2_spec s = {.design = ORDO_E2_COARSE, .stride = 8, .rows = want[i].rows};
        struct ordo_e2_options o = {.sc = true, .scheduler = ORDO_SCHED_GRID, .expect = want[i].states};
        struct ordo_e2_result r = explored(s, o);

        assert_int_equal(r.verdict, ORDO_E2_PROVED);
        assert_int_equal(r.states, want[i].states);
        assert_int_equal(r.edges, want[i].edges);
        assert_int_equal(r.bits, 128);
    }
}

/* Each shape in full and by each reduction: one verdict, pinned counts. */
static void reductions_change_counts_and_no_verdict(void **state)
{
    static const struct {
        struct ordo_e2_spec spec;
        struct ordo_e2_options options;
        uint64_t states;
    } want[] = {
        {{.design = ORDO_E2_RELAY, .stride = 4, .rows = 2}, {.scheduler = ORDO_SCHED_GRID}, 129},
        {{.design = ORDO_E2_RELAY, .stride = 4, .rows = 2}, FUSE, 34},
        {{.design = ORDO_E2_RELAY, .stride = 4, .rows = 2}, PERSIST, 16},
        {{.design = ORDO_E2_RELAY, .stride = 4, .reducers = 2}, FUSE, 2466},
        {{.design = ORDO_E2_RELAY, .stride = 4, .reducers = 2}, PERSIST, 37},
        {{.design = ORDO_E2_RELAY, .stride = 4, .rows = 2, .slots = 2, .reducers = 1}, FUSE, 612},
        {{.design = ORDO_E2_RELAY, .stride = 4, .rows = 2, .slots = 2, .reducers = 1}, PERSIST, 49},
        {{.design = ORDO_E2_RELAY, .stride = 4, .bulk = 15, .reducers = 1}, FUSE, 9584},
        {{.design = ORDO_E2_RELAY, .stride = 4, .bulk = 15, .reducers = 1}, PERSIST, 48},
        {{.design = ORDO_E2_RELAY, .stride = 4, .rows = 3, .order = ORDO_E2_ANY},
         {.scheduler = ORDO_SCHED_GRID, .fuse = true, .project = true}, 8468},
        {{.design = ORDO_E2_RELAY, .stride = 4, .rows = 3, .order = ORDO_E2_ANY},
         {.scheduler = ORDO_SCHED_GRID, .fuse = true, .project = true, .symmetry = true}, 1508},
        {{.design = ORDO_E2_RELAY, .stride = 8, .rows = 4, .order = ORDO_E2_ANY},
         {.scheduler = ORDO_SCHED_GRID, .fuse = true, .project = true, .persist = true}, 601},
        {{.design = ORDO_E2_RELAY, .stride = 8, .rows = 4, .order = ORDO_E2_ANY},
         {.scheduler = ORDO_SCHED_GRID, .fuse = true, .project = true, .persist = true, .symmetry = true}, 93},
        {{.design = ORDO_E2_RELAY, .stride = 8, .rows = 4, .order = ORDO_E2_ANY}, PERSIST, 13794},
        {{.design = ORDO_E2_RELAY, .stride = 4, .rows = 2, .order = ORDO_E2_ANY, .writes = 0x3F | UINT64_C(1) << 63},
         {.scheduler = ORDO_SCHED_GRID, .project = true, .symmetry = true}, 255}, /* rows not alike: no fewer */
        {{.design = ORDO_E2_RELAY, .stride = 16, .reducers = 2}, PERSIST, 145},
        {{.design = ORDO_E2_TICKET, .ranks = 3, .reducers = 1}, FUSE, 78},
        {{.design = ORDO_E2_GRID, .ranks = 3}, FUSE, 4367},
    };
    int wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct ordo_e2_result r = explored(want[i].spec, want[i].options);

        assert_int_equal(r.verdict, ORDO_E2_PROVED);
        if (r.states != want[i].states) {
            print_error("line %zu: %llu states\n", i, (unsigned long long)r.states);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Words with a history: an await may read any write that its thread does not know to be overwritten. */
static void older_writes_are_read(void **state)
{
    static const struct {
        const char *id;
        uint64_t states;
    } want[] = {{"D08", 20}, {"R16", 49}, {"R18", 58}, {"R21", 7320}, {"R22", 873}};
    int wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct ordo_e2_variant *v = ordo_e2_variant_find(want[i].id);
        struct ordo_e2_options o = {.scheduler = ORDO_SCHED_GRID};
        struct ordo_e2_program p;
        struct ordo_e2_result r;

        assert_true(ordo_e2_variant_program(v, NULL, &p) && ordo_e2_decide(&p, &o, &r));
        ordo_e2_program_free(&p);
        ordo_e2_result_free(&r);
        if (r.states != want[i].states) {
            print_error("%s: %llu states\n", v->id, (unsigned long long)r.states);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void hashes_never_prove(void **state)
{
    struct ordo_e2_options o = {.scheduler = ORDO_SCHED_GRID, .hunt = true};
    struct ordo_e2_result r = explored((struct ordo_e2_spec){.design = ORDO_E2_RELAY, .stride = 4, .rows = 2}, o);

    (void)state;
    assert_int_equal(r.verdict, ORDO_E2_NOT_FOUND);
    assert_int_equal(r.states, 129);
    r = explored((struct ordo_e2_spec){.design = ORDO_E2_GRID, .ranks = 3},
                 (struct ordo_e2_options){.scheduler = ORDO_SCHED_OBE, .slots = 2, .hunt = true});
    assert_int_equal(r.verdict, ORDO_E2_VIOLATED);
}

static void a_budget_that_ends_is_no_proof(void **state)
{
    struct ordo_e2_options o = {.scheduler = ORDO_SCHED_GRID, .most = 100};

    (void)state;
    assert_int_equal(explored((struct ordo_e2_spec){.design = ORDO_E2_RELAY, .stride = 4, .rows = 2}, o).verdict,
                     ORDO_E2_BUDGET);
}

/* --- controls --------------------------------------------------------------------------------------------------- */

static void all_masks_pass(void **state)
{
    uint64_t states[3] = {0};

    (void)state;
    for (uint64_t mask = 0; mask < 256; mask++)
        for (int order = ORDO_E2_SAME; order <= ORDO_E2_ANY; order++) {
            struct ordo_e2_spec s = {.design = ORDO_E2_RELAY, .stride = 4, .rows = 2, .order = order,
                                     .writes = mask | UINT64_C(1) << 63};
            struct ordo_e2_result r = explored(s, (struct ordo_e2_options)FUSE);

            assert_int_equal(r.verdict, ORDO_E2_PROVED);
            assert_int_equal(explored(s, (struct ordo_e2_options)PERSIST).verdict, ORDO_E2_PROVED);
            states[order] += r.states;
        }
    assert_int_equal(states[ORDO_E2_SAME], 3772);
    assert_int_equal(states[ORDO_E2_ROTATED], 3504);
    assert_int_equal(states[ORDO_E2_ANY], 14813);
}

static void controls_pass_at_every_size(void **state)
{
    (void)state;
    for (int32_t c = 4; c <= 16; c *= 2)
        for (int32_t rows = 1; rows <= 4; rows++)
            for (int order = ORDO_E2_SAME; order <= ORDO_E2_ANY; order++) {
                struct ordo_e2_spec s = {.design = ORDO_E2_RELAY, .stride = c, .rows = rows, .order = order};
                uint64_t none = UINT64_C(1) << 63, few[] = {none, none | 1, none | UINT64_C(1) << (c - 1)};
                struct ordo_e2_options o = {.scheduler = ORDO_SCHED_CLUSTER, .slots = c, .fuse = true,
                                            .persist = true, .project = order == ORDO_E2_ANY};

                if (rows * c < 64)
                    assert_int_equal(explored(s, o).verdict, ORDO_E2_PROVED);
                for (int i = 0; i < 3 && rows * c < 64; i++) { /* no writer, the first alone, only the last rank */
                    s.writes = few[i];
                    assert_int_equal(explored(s, o).verdict, ORDO_E2_PROVED);
                }
            }
}

static void the_gate_holds(void **state)
{
    struct ordo_e2_asked asked = {.rows = 4, .scheduler = ORDO_SCHED_CLUSTER};

    (void)state;
    for (asked.cluster = 4; asked.cluster <= 16; asked.cluster *= 2)
        for (int i = 0; i < ORDO_E2_CLAIMS; i++) {
            struct ordo_e2_claim c;

            assert_true(ordo_e2_claim(&asked, i, &c));
            if (c.result.verdict != ORDO_E2_PROVED)
                fail_msg("C=%d, %s: %s %s", (int)asked.cluster, c.name, ordo_e2_verdict_name[c.result.verdict],
                         c.result.reason);
            ordo_e2_result_free(&c.result);
        }
}

/* --- schedulers ------------------------------------------------------------------------------------------------- */

static void each_design_lives_where_it_should(void **state)
{
    /* unfair, obe, window, cluster, grid */
    static const char want[ORDO_E2_LIVES][ORDO_E2_UNDER + 1] = {"+++++", "--+++", "--+-+", "--+-+", "----+", "----+",
                                                                "--+-+"};

    (void)state;
    for (int d = 0; d < ORDO_E2_LIVES; d++)
        for (int s = 0; s < ORDO_E2_UNDER; s++) {
            struct ordo_e2_life l;

            assert_true(ordo_e2_live(d, s, &l));
            if (l.verdict != (want[d][s] == '+' ? ORDO_E2_PROVED : ORDO_E2_VIOLATED) ||
                (want[d][s] == '-' && (l.bad != ORDO_E2_DEADLOCK || l.n_reason < 2)))
                fail_msg("%s under %s: %s %s", l.design, ordo_e2_scheduler_name[l.options.scheduler],
                         ordo_e2_verdict_name[l.verdict], ordo_e2_bad_name[l.bad]);
        }
}

static void a_relay_needs_as_many_slots_as_ranks(void **state)
{
    (void)state;
    for (int32_t c = 4; c <= 8; c *= 2)
        for (int32_t slots = c - 1; slots <= c; slots++) {
            struct ordo_e2_options o = {.scheduler = ORDO_SCHED_OBE, .slots = slots};
            struct ordo_e2_spec s = {.design = ORDO_E2_RELAY, .stride = c};

            assert_int_equal(explored(s, o).verdict, slots < c ? ORDO_E2_VIOLATED : ORDO_E2_PROVED);
        }
}

/* --- schedules -------------------------------------------------------------------------------------------------- */

/* Writes the schedule as a file and follows what is read back. */
static void replays(const struct ordo_e2_variant *v)
{
    struct ordo_e2_replay r = {.variant = v, .spec = ordo_e2_spec_whole(v->spec)}, back;
    struct ordo_e2_program p;
    struct ordo_e2_result found;
    struct ordo_e2_trail t;
    struct ordo_e2 *e2;
    struct ordo_err err = {0};
    FILE *f = tmpfile();

    r.options = (struct ordo_e2_options){.scheduler = v->scheduler, .slots = v->slots};
    assert_true(ordo_e2_variant_program(v, NULL, &p));
    assert_true(ordo_e2_decide(&p, &r.options, &found));
    ordo_e2_program_free(&p);
    assert_true(found.shortest);
    r.move = found.move;
    r.n_move = found.n_move;
    r.ends = found.bad;
    assert_non_null(f);
    ordo_e2_replay_write(&r, f);
    rewind(f);
    assert_ok(ordo_e2_replay_read("schedule", f, &back, &err), err);
    (void)fclose(f);
    assert_true(back.variant == v && back.ends == found.bad && back.n_move == found.n_move);
    assert_true(ordo_e2_variant_program(back.variant, &back.spec, &p));
    e2 = ordo_e2_make(&p, &back.options);
    assert_non_null(e2);
    assert_true(ordo_e2_follow(e2, back.move, back.n_move, &t));
    assert_int_equal(t.wrong, -1);
    assert_int_equal(t.bad, found.bad);
    assert_true(t.n_reason > 0);
    ordo_e2_trail_free(&t);
    if (back.n_move > 1) { /* one step short: nothing is wrong yet */
        assert_true(ordo_e2_follow(e2, back.move, back.n_move - 1, &t));
        assert_int_equal(t.bad, ORDO_E2_NONE);
        ordo_e2_trail_free(&t);
    }
    ordo_e2_free(e2);
    ordo_e2_program_free(&p);
    ordo_e2_replay_free(&back);
    ordo_e2_result_free(&found);
}

static void every_counterexample_replays(void **state)
{
    (void)state;
    for (size_t i = 0; i < ordo_n_e2_variants; i++)
        if (ordo_e2_variants[i].verdict == ORDO_E2_VIOLATED)
            replays(&ordo_e2_variants[i]);
}

static void spoiled_schedules_are_refused(void **state)
{
    static const struct {
        const char *text, *field;
    } row[] = {
        {"", "end"},
        {"ordo-schedule 2\nend\n", "line 1"},
        {"ordo-schedule 1\n", "end"},
        {"ordo-schedule 1\ndesign none\nend\n", "line 2"},
        {"ordo-schedule 1\nranks 17\nend\n", "line 2"},
        {"ordo-schedule 1\nmove 1\nend\n", "line 2"},
        {"ordo-schedule 1\nmove 99999 0\nend\n", "line 2"},
        {"ordo-schedule 1\nvariant R99\nend\n", "line 2"},
        {"ordo-schedule 1\ncolour red\nend\n", "line 2"},
        {"ordo-schedule 1\nranks 2x\nend\n", "line 2"},
        {"ordo-schedule 1\nranks 2\nend\n", "rows"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        FILE *f = tmpfile();
        struct ordo_e2_replay r;
        struct ordo_err err = {0};

        assert_non_null(f);
        fputs(row[i].text, f);
        rewind(f);
        assert_int_equal(ordo_e2_replay_read("schedule", f, &r, &err), ORDO_BAD_INPUT);
        assert_string_equal(err.field, row[i].field);
        assert_true(err.reason[0]);
        (void)fclose(f);
        ordo_e2_replay_free(&r);
    }
}

static void reasons_name_the_lines(void **state)
{
    static const struct {
        const char *id, *says;
    } want[] = {
        {"R04", "the poll does not acquire"}, {"R05", "the clear does not release"},
        {"R06", "scopes do not include"},     {"R10", "weak poll"},
        {"R20", "not carried on"},            {"R24", "wait for completion"},
        {"R26", "async proxy fence"},         {"R03", "a barrier between that addition and CTA 0 slot"},
        {"D05", "waits for CTA 0"},           {"D06", "barrier.cluster.wait"},
        {"D01", "CTA 0 has no slot"},         {"D03", "nobody is going to do"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct ordo_e2_variant *v = ordo_e2_variant_find(want[i].id);
        struct ordo_e2_options o = {.scheduler = v->scheduler, .slots = v->slots};
        struct ordo_e2_program p;
        struct ordo_e2_result r;
        struct ordo_e2_trail t;
        struct ordo_e2 *e2;
        bool met = false;

        assert_true(ordo_e2_variant_program(v, NULL, &p) && ordo_e2_decide(&p, &o, &r));
        e2 = ordo_e2_make(&p, &o);
        assert_true(e2 && ordo_e2_follow(e2, r.move, r.n_move, &t));
        for (int32_t k = 0; k < t.n_reason; k++)
            met |= strstr(t.reason[k], want[i].says) != NULL;
        if (!met)
            fail_msg("%s: %s", v->id, t.reason[t.n_reason - 1]);
        ordo_e2_trail_free(&t);
        ordo_e2_free(e2);
        ordo_e2_result_free(&r);
        ordo_e2_program_free(&p);
    }
}

/* The shipped relay in two waves with one edit of the hand-over: the reason names it and its header. */
static void a_spoiled_hand_over_is_named(void **state)
{
    static const struct {
        enum ordo_op op;
        bool drop;
        const char *says, *at;
    } edit[] = {
        {ORDO_OP_CLUSTER_WAIT, true, "missing: the cluster barrier's wait of CTA", "protocol/launch.h"},
        {ORDO_OP_CLUSTER_ARRIVE, false, "missing: the hand-over of wave 0 does not release: ", "protocol/launch.h:"},
        {ORDO_OP_CLUSTER_WAIT, false, "missing: the hand-over to wave 1 does not acquire: ", "protocol/launch.h:"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++) {
        struct ordo_e2_spec spec = ordo_e2_spec_whole(
            (struct ordo_e2_spec){.design = ORDO_E2_RELAY, .stride = 4, .ranks = 2, .waves = 2, .reducers = 1});
        struct ordo_e2_options o = {.scheduler = ORDO_SCHED_CLUSTER, .slots = 2};
        struct ordo_e2_program p;
        struct ordo_e2_result r;
        struct ordo_e2_trail t;
        struct ordo_e2 *e2;
        bool says = false, at = false;

        assert_true(ordo_e2_design(&spec, &p));
        for (int32_t u = 0; u < p.n_thread; u++)
            for (int32_t k = 0; k < p.thread[u].n_op; k++)
                if (p.thread[u].op[k].record.op == edit[i].op) {
                    p.thread[u].op[k].record.sem = ORDO_SEM_relaxed;
                    if (edit[i].drop) /* as good as none */
                        p.thread[u].op[k].record = (struct ordo_record){.op = ORDO_OP_SHARED_FENCE, .file = "x"};
                }
        assert_true(ordo_e2_decide(&p, &o, &r));
        assert_int_equal(r.verdict, ORDO_E2_VIOLATED);
        e2 = ordo_e2_make(&p, &o);
        assert_true(e2 && ordo_e2_follow(e2, r.move, r.n_move, &t));
        for (int32_t k = 0; k < t.n_reason; k++) {
            says |= strstr(t.reason[k], edit[i].says) != NULL;
            at |= strstr(t.reason[k], edit[i].at) != NULL;
        }
        if (!says || !at)
            fail_msg("%d: %s", (int)i, t.reason[t.n_reason - 1]);
        ordo_e2_trail_free(&t);
        ordo_e2_free(e2);
        ordo_e2_result_free(&r);
        ordo_e2_program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_model_has_as_many_states_as_everywhere),
        cmocka_unit_test(reductions_change_counts_and_no_verdict),
        cmocka_unit_test(older_writes_are_read),
        cmocka_unit_test(hashes_never_prove),
        cmocka_unit_test(a_budget_that_ends_is_no_proof),
        cmocka_unit_test(all_masks_pass),
        cmocka_unit_test(controls_pass_at_every_size),
        cmocka_unit_test(the_gate_holds),
        cmocka_unit_test(each_design_lives_where_it_should),
        cmocka_unit_test(a_relay_needs_as_many_slots_as_ranks),
        cmocka_unit_test(every_counterexample_replays),
        cmocka_unit_test(spoiled_schedules_are_refused),
        cmocka_unit_test(reasons_name_the_lines),
        cmocka_unit_test(a_spoiled_hand_over_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
