/* t_tape.c - E4: the shipped role headers hold, with pinned counts. */
#include "tests/tape_edit.h"

static void assert_holds(const struct ordo_e4_protocol *p)
{
    for (int c = 0; c < p->n_claim; c++) {
        const struct ordo_e4_finding *f = &p->claim[c].finding;

        if (f->other_file)
            print_error("%s: the other of %s at %s:%d\n", p->claim[c].name, ordo_e4_rule_info[f->rule].name,
                        f->other_file, f->other_line);
        if (f->rule != ORDO_E4_NONE)
            fail_msg("%s: %s at %s:%d", p->claim[c].name, ordo_e4_rule_info[f->rule].name, f->file ? f->file : "",
                     f->line);
    }
    assert_int_equal(p->verdict, ORDO_E4_HOLDS);
}

static void shipped_headers_hold(void **state)
{
    (void)state;
    for (int32_t cluster = 1; cluster <= 16; cluster += cluster == 1 ? 3 : cluster) {
        struct ordo_e4_protocol p;

        ordo_e4_protocol(cluster, &p);
        assert_holds(&p);
    }
}

/* Starts and folds, from one plane to several groups, in few columns and in more than 2^32 elements. */
static void planes_hold(void **state)
{
    static const struct {
        struct ordo_e4_planes planes;
        uint64_t records, folded;
    } want[] = {
        {{1, 1, 8}, 4, 2},         {{2, 8, 8}, 5, 3},          {{8, 4096, 576}, 11, 9},
        {{9, 4104, 576}, 14, 11},  {{16, 64, 104}, 21, 18},    {{17, 64, 96}, 24, 20},
        {{128, 1 << 20, 576}, 161, 144}, {{16, 1 << 28, 1024}, 21, 18},
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct ordo_e4_protocol p = {.verdict = ORDO_E4_HOLDS};

        ordo_e4_launch(&want[i].planes, &p);
        assert_holds(&p);
        assert_int_equal(p.n_claim, 3);
        for (int c = 0; c < 2; c++) { /* four rows */
            assert_int_equal(p.claim[c].finding.pairs, 4 * want[i].planes.d8);
            assert_int_equal(p.claim[c].finding.records, 4 * want[i].planes.d8);
        }
        /* A whole row, and three columns of three: each plane, then each group, is loaded once; each group and the
         * sum are stored. */
        assert_int_equal(p.claim[2].finding.pairs, (uint64_t)(want[i].planes.d8 + 9) * want[i].folded);
        assert_int_equal(p.claim[2].finding.records, (uint64_t)(want[i].planes.d8 + 9) * want[i].records);
    }
}

static void as_much_is_looked_at(void **state)
{
    static const struct {
        int32_t cluster;
        int n_claim;
        uint64_t records, pairs;
    } want[] = {{1, 4, 108, 0}, {4, 10, 1543, 2086}, {8, 10, 2991, 8740}, {16, 10, 5915, 36738}};
    /* A tile of 51 live slots: by reducers in 104 and 8 columns, in bulk in 576, in fragments in 576 and 512, relayed
     * and in a plane of the CTA's own; of 8: in 576 and 1152, in bulk in 1152, in fragments in 512, twice too.  Each
     * rank clears the bits of 51; one's builders have 3280 live columns. */
    const uint64_t added = 51 * (104 + 8 + 576 + 2 * (576 + 512)) + 8 * (576 + 1152 + 1152 + 2 * 512);

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct ordo_e4_protocol p;
        uint64_t records = 0, pairs = 0;

        ordo_e4_protocol(want[i].cluster, &p);
        assert_int_equal(p.n_claim, want[i].n_claim);
        for (int c = 0; c + 1 < p.n_claim; c++) {
            records += p.claim[c].finding.records;
            pairs += p.claim[c].finding.pairs;
        }
        assert_int_equal(p.claim[p.n_claim - 1].finding.pairs,
                         want[i].cluster == 1 ? added : added + 51 * (uint64_t)want[i].cluster + 3280);
        if (records != want[i].records || pairs != want[i].pairs)
            fail_msg("C=%d: %d records, %d pairs", want[i].cluster, (int)records, (int)pairs);
    }
}

static void own_instances_hold(void **state)
{
    const struct ordo_cta_shape *shape[] = {&RELAY, &BULK, &TICKET, &PERSISTENT, &FIRST};

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct ordo_cluster_tapes tapes = recorded(shape[i]);

        assert_rule(&tapes, ORDO_E4_NONE, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_headers_hold),
        cmocka_unit_test(planes_hold),
        cmocka_unit_test(as_much_is_looked_at),
        cmocka_unit_test(own_instances_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
