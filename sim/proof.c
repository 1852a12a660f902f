/* proof.c - what a proof claims, in words, and under which scheduler; see prove.h. */
#include "sim/prove.h"

#include <stdio.h>

const char *const ordo_verdict_name[3] = {"proved", "violated", "refused"};

void ordo_proof_free(struct ordo_proof *proof)
{
    ordo_contract_scan_free(&proof->scan);
    ordo_rows_free(proof->order);
    proof->order = NULL;
}

void ordo_proof_assume(struct ordo_proof *proof, const struct ordo_plan *plan)
{
    if (proof->waits == 0)
        (void)snprintf(proof->assumption, sizeof proof->assumption, "unfair");
    else
        (void)snprintf(proof->assumption, sizeof proof->assumption, "cluster=%d", (int)plan->cluster);
}

const char *ordo_proof_engines(const struct ordo_proof *proof)
{
    return proof->e4 ? "E1,E4" : "E1";
}

/* A claim in words.  Checking ends at the first violation, so what that does not break is undecided. */
static const char *claim(const struct ordo_proof *proof, bool broken, const char *holds, const char *breaks)
{
    return broken ? breaks : proof->verdict == ORDO_PROVED ? holds : "undecided";
}

const char *ordo_proof_ordering(const struct ordo_proof *proof)
{
    return claim(proof, ordo_violation_info[proof->violation.kind].ordering, "total", "violated");
}

const char *ordo_proof_deadlock(const struct ordo_proof *proof)
{
    return claim(proof, ordo_violation_info[proof->violation.kind].deadlock, "free", "possible");
}

const char *ordo_proof_race(const struct ordo_proof *proof)
{
    return claim(proof, ordo_violation_info[proof->violation.kind].race, "none", "found");
}
