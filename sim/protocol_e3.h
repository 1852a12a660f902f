/* protocol_e3.h - the claims about the shipped role headers that the axioms decide: small instances, all
 * executions. */
#ifndef ORDO_SIM_PROTOCOL_E3_H
#define ORDO_SIM_PROTOCOL_E3_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum ordo_claim_verdict { ORDO_CLAIM_HOLDS, ORDO_CLAIM_VIOLATED, ORDO_CLAIM_REFUSED };
extern const char *const ordo_claim_verdict_name[3];

struct ordo_claim {
    const char *name;  /* "relay, reducers" */
    const char *text;  /* what holds, one sentence */
    enum ordo_claim_verdict verdict;
    uint64_t executions;
    bool race;
    char reason[520];  /* unless it holds */
};

enum { ORDO_N_E3_CLAIMS = 6 };

/* Decides all claims by E3.  ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_protocol_e3(struct ordo_claim claim[ORDO_N_E3_CLAIMS], struct ordo_err *err);

/* The litmus program of claim i, as text to out. */
void ordo_protocol_litmus(int i, FILE *out);

#endif
