/* claims.h - a proof and its three claims, for the tests of the prover. */
#ifndef ORDO_TESTS_CLAIMS_H
#define ORDO_TESTS_CLAIMS_H

#include "sim/prove.h"
#include "tests/test.h"

static struct ordo_proof proof_of(const struct ordo_plan *plan, const struct ordo_problem *p)
{
    struct ordo_proof proof;
    struct ordo_err err = {0};

    assert_ok(ordo_prove(plan, p, &proof, &err), err);
    return proof;
}

static void assert_claims(const struct ordo_proof *proof, const char *ordering, const char *deadlock,
                          const char *race)
{
    assert_string_equal(ordo_proof_ordering(proof), ordering);
    assert_string_equal(ordo_proof_deadlock(proof), deadlock);
    assert_string_equal(ordo_proof_race(proof), race);
}

#endif
