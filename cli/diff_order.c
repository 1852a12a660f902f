/* diff_order.c - which other order or model explains bits that the twin does not have: the twin again, with one
 * choice of plan or contract changed, until all outputs agree in every bit. */
#include "cli/diff.h"

#include "sim/contract.h"
#include "sim/design.h"

#include <string.h>

static const double most_macs = 2e9, most_macs_guessed = 2e8;

/* One changed choice: of the contract, or the plan's cluster (0: private shards). */
struct alternative {
    const char *text;
    enum ordo_triage triage;
    struct ordo_contract contract;
    int32_t cluster;
};

#define CONTRACT(...) .contract = {__VA_ARGS__}, .cluster = -1

static const struct alternative alternative[] = {
    {"tiles walked from last to first", ORDO_TRIAGE_ORDER, CONTRACT(.tile_walk = ORDO_DESCENDING)},
    {"S: k-groups from last to first", ORDO_TRIAGE_ORDER, CONTRACT(.s_groups = ORDO_DESCENDING)},
    {"dP: k-groups from last to first", ORDO_TRIAGE_ORDER, CONTRACT(.dp_groups = ORDO_DESCENDING)},
    {"dQ: slot groups from last to first", ORDO_TRIAGE_ORDER, CONTRACT(.dq_groups = ORDO_DESCENDING)},
    {"O: slot groups from last to first", ORDO_TRIAGE_ORDER, CONTRACT(.pv_groups = ORDO_DESCENDING)},
    {"dKV: head groups from last to first", ORDO_TRIAGE_ORDER, CONTRACT(.dkv_groups = ORDO_DESCENDING)},
    {"dKV: Q^T dS before dO^T P", ORDO_TRIAGE_ORDER, CONTRACT(.dkv_first = ORDO_DKV_Q_DS)},
    {"private shards", ORDO_TRIAGE_ORDER, .cluster = 0},
    {"a relay in clusters of 4", ORDO_TRIAGE_ORDER, .cluster = 4},
    {"a relay in clusters of 8", ORDO_TRIAGE_ORDER, .cluster = 8},
    {"a relay in clusters of 16", ORDO_TRIAGE_ORDER, .cluster = 16},
    {"exp2 of degree 5", ORDO_TRIAGE_MODEL, CONTRACT(.exp = ORDO_EXP_5)},
    {"exp2 of the special-function unit", ORDO_TRIAGE_MODEL, CONTRACT(.exp = ORDO_EXP_EX2)},
    {"additions that flush subnormals", ORDO_TRIAGE_MODEL, CONTRACT(.add = ORDO_ADD_RED_FTZ)},
    {"the other target's tensor core", ORDO_TRIAGE_MODEL, .cluster = -2},
};

/* The plan of an alternative; false where there is none, or it is the plan itself. */
static bool change(const struct alternative *a, const struct ordo_plan *plan, struct ordo_plan *to,
                   struct ordo_contract *contract)
{
    struct ordo_request r = plan->request;

    *to = *plan;
    if (a->cluster == -1) {
        *contract = a->contract;
        to->contract = contract;
        return memcmp(contract, plan->contract, sizeof *contract) != 0;
    }
    r.wave = 0;
    if (a->cluster == -2)
        r.target = r.target == ORDO_TARGET_SM100 ? ORDO_TARGET_SM90 : ORDO_TARGET_SM100;
    else
        r.design = ordo_design_find(a->cluster ? "cluster-relay" : "private-shards");
    r.cluster = a->cluster == -2 ? r.cluster : a->cluster;
    if (ordo_plan_make(&r, to, NULL) != ORDO_OK)
        return false;
    if (a->cluster != -2)
        return memcmp(&to->digest, &plan->digest, sizeof to->digest) != 0;
    *to = *plan;
    to->request.target = r.target;
    return true;
}

static enum ordo_status try(const struct ordo_diff_work *w, const struct ordo_plan *plan, int n_thread,
                            bool *explains, struct ordo_err *err)
{
    struct ordo_twin_run run = {.a = w->c.run.a};
    enum ordo_status status;

    run.a.plan = plan;
    status = ordo_twin_run(&run, n_thread, false, err);
    *explains = status == ORDO_OK;
    for (int i = 0; i < ORDO_REAL_OUTPUTS && *explains; i++) {
        struct ordo_tier t = {0};

        if (w->has[i] && !w->tier[ORDO_DIFF_BITS][i].not_run) {
            ordo_diff_bits(w, i, &run.out, &t);
            *explains = t.n_bad == 0;
        }
    }
    ordo_twin_run_free(&run);
    return status;
}

enum ordo_status ordo_diff_order(int n_thread, struct ordo_diff_work *w, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    w->triage = ORDO_TRIAGE_OPEN;
    if (ordo_diff_macs(w) > (w->guessed ? most_macs_guessed : most_macs)) {
        w->searched = "the problem is too large to try other orders";
        return ORDO_OK;
    }
    for (size_t i = 0; i < sizeof alternative / sizeof alternative[0] && status == ORDO_OK && !w->alternative; i++) {
        struct ordo_contract contract;
        struct ordo_plan plan;
        bool explains;

        if (!change(&alternative[i], &w->c.plan, &plan, &contract))
            continue;
        status = try(w, &plan, n_thread, &explains, err);
        if (status == ORDO_OK && explains) {
            w->triage = alternative[i].triage;
            w->alternative = alternative[i].text;
        }
    }
    return status;
}
