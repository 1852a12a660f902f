/* t_e2_rows.c - every row of the tables of variants gets its verdict from E2 under the row's scheduler, in the full
 * search and in the reduced one; rows that only the memory model convicts pass under sequential consistency. */
#include "tests/test.h"

#include "sim/e2_variant.h"
#include "sim/e4.h"

#include <stdio.h>
#include <stdlib.h>

static struct ordo_e2_result decided(const struct ordo_e2_variant *v, struct ordo_e2_options o)
{
    struct ordo_e2_program p;
    struct ordo_e2_result r = {.verdict = ORDO_E2_REFUSED};

    o.scheduler = v->scheduler;
    o.slots = v->slots;
    assert_true(ordo_e2_variant_program(v, NULL, &p));
    assert_true(ordo_e2_decide(&p, &o, &r));
    ordo_e2_program_free(&p);
    if (getenv("ORDO_SHOW"))
        printf("%-5s %-9s %-16s %8llu states %9llu edges %3d bits %u moves  %s\n", v->id,
               ordo_e2_verdict_name[r.verdict], ordo_e2_bad_name[r.bad], (unsigned long long)r.states,
               (unsigned long long)r.edges, r.bits, r.n_move, r.reason);
    ordo_e2_result_free(&r);
    return r;
}

static int compare(const struct ordo_e2_variant *v, const char *how, const struct ordo_e2_result *r)
{
    if (r->verdict == v->verdict && (v->verdict != ORDO_E2_VIOLATED || v->bad >> r->bad & 1))
        return 0;
    print_error("%s (%s) %s: %s, %s %s\n", v->id, v->text, how, ordo_e2_verdict_name[r->verdict],
                ordo_e2_bad_name[r->bad], r->reason);
    return 1;
}

static void every_row(void **state)
{
    int wrong = 0;

    (void)state;
    for (size_t i = 0; i < ordo_n_e2_variants; i++) {
        const struct ordo_e2_variant *v = &ordo_e2_variants[i];
        struct ordo_e2_result full = decided(v, (struct ordo_e2_options){.most = 1 << 22});
        struct ordo_e2_result fused = decided(v, (struct ordo_e2_options){.fuse = true});
        struct ordo_e2_result reduced = decided(v, (struct ordo_e2_options){.fuse = true, .persist = true});

        wrong += compare(v, "in full", &full) + compare(v, "fused", &fused) + compare(v, "reduced", &reduced);
    }
    assert_int_equal(wrong, 0);
}

static void rows_of_the_memory_model_pass_in_sequence(void **state)
{
    (void)state;
    for (size_t i = 0; i < ordo_n_e2_variants; i++) {
        const struct ordo_e2_variant *v = &ordo_e2_variants[i];
        struct ordo_e2_result r = decided(v, (struct ordo_e2_options){.sc = true});
        struct ordo_e2_result reduced =
            decided(v, (struct ordo_e2_options){.sc = true, .fuse = true, .persist = true});

        assert_int_equal(reduced.verdict, r.verdict);

        if ((r.verdict == ORDO_E2_VIOLATED) != (v->verdict == ORDO_E2_VIOLATED && !v->sc_passes))
            fail_msg("%s in sequence: %s, %s %s", v->id, ordo_e2_verdict_name[r.verdict], ordo_e2_bad_name[r.bad],
                     r.reason);
    }
}

/* --- the rows that one tape convicts: E4 ------------------------------------------------------------------------ */

static void shift_by_32(struct ordo_record *r)
{
    if (r->op == ORDO_OP_AWAIT_CLEAR && r->value >> 16)
        r->value = 0u - (1u << 16); /* (1 << (r + 1 + 16)) - (1 << 16) in 32 bits, r = 15 */
}

static void offset_of_32(struct ordo_record *r)
{
    if (r->op == ORDO_OP_RED_AND && r->index == 1)
        r->value = ~0u; /* row 2 shifted by 32 in word 0: no bit is left */
}

static void spin_weakly(struct ordo_record *r)
{
    if (r->op == ORDO_OP_AWAIT_CLEAR)
        r->sem = ORDO_SEM_weak;
}

static void poll_a_byte(struct ordo_record *r)
{
    if (r->op == ORDO_OP_AWAIT_CLEAR)
        r->width = ORDO_WIDTH_u8;
}

static void rows_of_one_tape_are_convicted_by_e4(void **state)
{
    static const struct {
        const char *id;
        void (*edit)(struct ordo_record *r);
    } want[] = {{"D16", shift_by_32}, {"D16", offset_of_32}, {"D20", spin_weakly}, {"R28", poll_a_byte}};
    static const int32_t idx[16 * 3] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2,
                                        0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const struct ordo_cta_shape shape = {
        .name = "three rows", .cluster = 16, .n_rank = 16, .n_wave = 1, .n_tile = 3, .n_slot = 1, .n_row = 3,
        .n_column = 1, .n_reducer = 1, .idx = idx,
    };

    (void)state;
    for (size_t i = 0; i <= sizeof want / sizeof *want; i++) {
        struct ordo_cluster_tapes tapes;
        struct ordo_e4_finding f;

        assert_true(ordo_cluster_tapes_record(&tapes, &shape));
        for (int32_t t = 0; i > 0 && t < tapes.n_thread; t++)
            for (uint32_t k = 0; tapes.thread[t].rank == 15 && k < tapes.thread[t].tape.n; k++)
                want[i - 1].edit(&tapes.thread[t].tape.record[k]);
        if (ordo_e4_check(&tapes, &f) != (i ? ORDO_E4_VIOLATED : ORDO_E4_HOLDS))
            fail_msg("%s: %s", i ? want[i - 1].id : "as shipped", ordo_e4_rule_info[f.rule].text);
        ordo_cluster_tapes_free(&tapes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(rows_of_the_memory_model_pass_in_sequence),
        cmocka_unit_test(rows_of_one_tape_are_convicted_by_e4),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
