/* t_protocol.c - E3 on the shipped role headers: every claim holds, over as many executions as are pinned here. */
#include "sim/protocol_e3.h"
#include "tests/test.h"

static void axioms_hold(void **state)
{
    static const uint64_t executions[ORDO_N_E3_CLAIMS] = {1, 1, 1, 1, 1, 1};
    struct ordo_claim claim[ORDO_N_E3_CLAIMS];
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_protocol_e3(claim, &err), err);
    for (int i = 0; i < ORDO_N_E3_CLAIMS; i++) {
        if (claim[i].verdict != ORDO_CLAIM_HOLDS)
            fail_msg("%s: %s: %s", claim[i].name, ordo_claim_verdict_name[claim[i].verdict], claim[i].reason);
        assert_int_equal(claim[i].executions, executions[i]);
        assert_false(claim[i].race);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(axioms_hold)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
