/* run.h - between the files of `ordo run`: what one run is, from index tensor to verdict. */
#ifndef ORDO_CLI_RUN_H
#define ORDO_CLI_RUN_H

#include "cli/run_repeat.h"
#include "cli/tensors.h"
#include "sim/duplicates.h"

/* Not compared: nothing was found, but the twin did not predict the bits. */
enum ordo_rig_verdict {
    ORDO_RIG_PASS,
    ORDO_RIG_NOT_COMPARED,
    ORDO_RIG_DIFFERS,
    ORDO_RIG_RESIDUE,
    ORDO_RIG_UNSTABLE,
    ORDO_RIG_HUNG,
    ORDO_RIG_VERDICTS
};
extern const char *const ordo_rig_verdict_name[ORDO_RIG_VERDICTS];

/* Tier T0 of one output: the card's bits against the twin's. */
struct ordo_rig_bits {
    bool read, compared, promised;
    uint64_t n, differ, first; /* elements; the first that differs */
    uint32_t card, twin;       /* its bits */
    struct ordo_digest digest; /* of the card's, as `ordo ref` prints it */
};

/* What is asked for. */
struct ordo_rig_request {
    int32_t repeats, watchdog; /* seconds */
    int n_thread;
    bool no_twin, planes, no_poison;
    struct ordo_values values;
    const char *inputs, *output; /* .npz, or NULL */
};

/* A fresh one is all zero; ordo_rig_free frees what it has. */
struct ordo_rig {
    struct ordo_problem problem;
    struct ordo_plan plan;
    struct ordo_contract_scan scan;
    struct ordo_twin_run twin;
    struct ordo_card *card; /* the caller's */
    struct ordo_card_name name;
    struct ordo_rig_card on;
    struct ordo_attention_outputs got;
    struct ordo_rig_bits bits[ORDO_OUTPUTS];
    struct ordo_rig_repeats repeats;
    uint64_t residue;
    enum ordo_rig_verdict verdict;
    int64_t started_us;
};

/* Opens this machine's card, with the device code of folder `cubins` if that is not NULL; ORDO_ENVIRONMENT, whose
 * reason begins with "not run: ", where there is none. */
enum ordo_status ordo_rig_open(struct ordo_card **card, const char *cubins, struct ordo_err *err);
/* Plan and card are set: reserves the card's memory.  ORDO_ENVIRONMENT where that, or this machine's, is too small:
 * nothing need be filled before it is known that there is room. */
enum ordo_status ordo_rig_prepare(struct ordo_rig *run, const struct ordo_rig_request *request, struct ordo_err *err);
/* Prepared, and problem and the twin's inputs are set too: runs, compares, repeats, judges.  ORDO_FINDING is no
 * status of it: the verdict is data.  After a hang only the verdict counts, and the card must not be touched. */
enum ordo_status ordo_rig_measure(struct ordo_rig *run, const struct ordo_rig_request *request, struct ordo_err *err);
/* All of it: prepares, makes the inputs, measures. */
enum ordo_status ordo_rig_all(struct ordo_rig *run, const struct ordo_rig_request *request, struct ordo_err *err);
/* Whether a promised output has other bits than the twin's. */
bool ordo_rig_differs(const struct ordo_rig *run);
/* Whether nothing was found: pass, or not compared. */
bool ordo_rig_clean(const struct ordo_rig *run);
void ordo_rig_free(struct ordo_rig *run);
/* After a hang the driver would wait for the card for ever, at exit too: ends the process.  Else returns code. */
int ordo_rig_leave(bool hung, int code);

/* As a row of the results database at `db`. */
enum ordo_status ordo_rig_store(const struct ordo_rig *run, const struct ordo_rig_request *request, const char *db,
                                const char *line, const char *file, int64_t *id, struct ordo_err *err);

#endif
