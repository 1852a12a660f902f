/* trial.h - one case through everything that can judge it, and what was found.
 *
 * The plan is made; the shipped roles run under E1, E4 has spoken for the cluster; masks, order and sums are
 * compared with what fuzz/expect.h says; each sum goes before the oracle; a case that claims outputs of attention
 * goes through the twin (fuzz/outputs.h); and, where asked, each launch of a relay runs under the schedulers of
 * sim/schedule.h, which must not contradict E1.  That machine keeps a word for every row, so of more KV rows than
 * ORDO_DENSE_ROWS only those beside named ones go there (fuzz/nearby.h). */
#ifndef ORDO_FUZZ_TRIAL_H
#define ORDO_FUZZ_TRIAL_H

#include "corpus/case.h"
#include "fuzz/cover.h"
#include "fuzz/expect.h"
#include "oracle/judge.h"
#include "sim/prove.h"

enum { ORDO_DENSE_ROWS = 1 << 20 };

/* Who noticed.  X(id) */
#define ORDO_SOURCES(X)                                                                                              \
    X(NONE) X(LIVE) X(FOLD) X(CONTRACT) X(E1) X(E4) X(COUNT) X(ORDER) X(MASK) X(SUM) X(ORACLE) X(OUTPUTS) X(SCHEDULE)
enum ordo_noticed {
#define ORDO_X(id) ORDO_SOURCE_##id,
    ORDO_SOURCES(ORDO_X)
#undef ORDO_X
        ORDO_N_SOURCES
};

/* A finding's signature names what is wrong and not where in the tensor, so that it survives shrinking. */
struct ordo_finding {
    enum ordo_noticed source;
    char signature[ORDO_CASE_RULE]; /* "E1 BLOCKED relay.h:22" */
    char text[256];                 /* one line: place and sentence */
};

struct ordo_trial_result {
    enum ordo_verdict verdict;
    bool is_virtual; /* only planned */
    struct ordo_plan plan;
    struct ordo_expected expected;
    uint64_t updates, touched, waits;
    struct ordo_finding finding;
};

/* Reused from case to case.  A fresh one is all zero, then ordo_trial_init. */
struct ordo_trial {
    struct ordo_prover prover;
    struct ordo_prove_watch watch;
    struct ordo_arena arena;
    struct ordo_oracle oracle;
    struct ordo_request request; /* of plan */
    struct ordo_plan plan;
    bool planned;
    struct ordo_cover *cover; /* counts what is reached; NULL for nothing */
    int32_t n_schedules;      /* schedulers tried on each launch, 0 for none */
    int32_t width;
    /* of the case at hand */
    const struct ordo_case *c;
    const struct ordo_expected *expected;
    int32_t bad_mask_row;
};

enum ordo_status ordo_trial_init(struct ordo_trial *t, struct ordo_err *err);
void ordo_trial_free(struct ordo_trial *t);

/* Status not OK: the case itself cannot be planned, or there is no memory. */
enum ordo_status ordo_trial_run(struct ordo_trial *t, const struct ordo_case *c, struct ordo_trial_result *r,
                                struct ordo_err *err);

/* In a word what came out: a finding's signature, or "proved", "refused", "planned". */
const char *ordo_trial_outcome(const struct ordo_trial_result *r);

/* Where the result is not what the case promises: a sentence in out, and true. */
bool ordo_trial_breaks_promise(const struct ordo_case *c, const struct ordo_trial_result *r, char *out, size_t size);

#endif
