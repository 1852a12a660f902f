/* e2_protocol.h - what E2 claims of the shipped role headers: instances that stand for all of their kind, and under
 * which schedulers each design lives. */
#ifndef ORDO_SIM_E2_PROTOCOL_H
#define ORDO_SIM_E2_PROTOCOL_H

#include "sim/e2.h"
#include "sim/e2_design.h"

#include <stdio.h>

struct ordo_e2_claim {
    const char *name;
    struct ordo_e2_spec spec; /* whole; masks > 1: the last one explored, or the first that is not proved */
    int32_t masks;            /* programs explored: one for each mask of who writes which row */
    struct ordo_e2_options options;
    struct ordo_e2_result result; /* the caller frees it */
    int32_t n_reason;
    char reason[24][256]; /* violated: the missing edge or the cycle */
};

enum { ORDO_E2_CLAIMS = 14, ORDO_E2_LIVES = 7, ORDO_E2_UNDER = 5 };

struct ordo_e2_asked {
    int32_t cluster, rows; /* C, rows of the instances that have several */
    enum ordo_e2_scheduler scheduler;
    int32_t slots; /* 0: as many as the ranks */
    bool brief;    /* a violation is only explained if that takes no long search */
};

/* Claim i of ORDO_E2_CLAIMS; false without memory. */
bool ordo_e2_claim(const struct ordo_e2_asked *asked, int i, struct ordo_e2_claim *claim);

/* A cell of the table of schedulers: design d under scheduler s, both small. */
struct ordo_e2_life {
    const char *design;
    struct ordo_e2_spec spec;
    struct ordo_e2_options options;
    enum ordo_e2_verdict verdict;
    enum ordo_e2_bad bad;
    uint64_t states;
    int32_t n_reason;
    char reason[24][256]; /* the wait-for cycle */
};
bool ordo_e2_live(int d, int s, struct ordo_e2_life *life);

#endif
