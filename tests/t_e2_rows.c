/* t_e2_rows.c - every row of the tables of variants gets its verdict from E2 under the row's scheduler, in the full
 * search and in the reduced one; rows that only the memory model convicts pass under sequential consistency. */
#include "tests/test.h"

#include "sim/e2_variant.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(rows_of_the_memory_model_pass_in_sequence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
