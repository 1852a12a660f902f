/* prove.c - see prove.h: the contract check, then one plane at a time, launches in stream order (one_run.c), then the
 * protocol itself (e4.h) and the digest of what was accepted. */
#include "sim/prove.h"

#include "base/progress.h"
#include "protocol/index.h"
#include "sim/design.h"
#include "sim/e4.h"
#include "sim/one_run.h"

/* --- the whole run ----------------------------------------------------------------------------------------------- */

static void find_lost(struct ordo_one_run *run)
{
    int64_t c = ordo_rows_lacking(run->rows);
    struct ordo_worker nobody = {-1, -1, -1, -1, -1};

    if (c >= 0)
        run->proof->violation = (struct ordo_violation){
            ORDO_VIOLATION_LOST_ADD, nobody, ordo_domain_row(&run->rows->domain, (uint32_t)c), 0, NULL, 0};
}

static enum ordo_status run_planes(struct ordo_one_run *run, struct ordo_err *err)
{
    const struct ordo_plan *plan = run->plan;
    const struct ordo_visitor visitor = {ordo_one_run_group, run};
    bool relay = plan->design->sync == ORDO_SYNC_RELAY, slow = !run->rows->arena;
    int stop = 0;

    run->n_word = relay ? ordo_mask_words(run->rows->domain.n, plan->cluster) : 0;
    if (relay)
        run->mask = ordo_arena_alloc_zero(run->rows->arena, (uint64_t)run->n_word, sizeof *run->mask);
    if (relay && !run->mask)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for the row tables");
    for (int32_t plane = 0; !stop && run->problem->topk && plane < plan->planes; plane++) {
        stop = plan->design->walk(plan, plane, &visitor);
        if (slow)
            ordo_progress("prove: plane", (uint64_t)plane + 1, (uint64_t)plan->planes);
    }
    if (slow)
        ordo_progress_end();
    if (!stop)
        find_lost(run);
    return ORDO_OK;
}

static struct ordo_e4_finding ask_e4(int32_t cluster)
{
    struct ordo_e4_protocol protocol;

    ordo_e4_protocol(cluster, &protocol);
    for (int i = 0; i < protocol.n_claim; i++)
        if (protocol.claim[i].verdict != ORDO_E4_HOLDS)
            return protocol.claim[i].finding;
    return (struct ordo_e4_finding){.rule = ORDO_E4_NONE};
}

/* E4, once for the plan's cluster.  What E1 found on the real tensor goes first. */
static enum ordo_status check_protocol(struct ordo_one_run *run, struct ordo_prover_e4 *e4, struct ordo_err *err)
{
    struct ordo_proof *proof = run->proof;
    const struct ordo_e4_finding *f = &e4->finding;

    if (!e4->asked)
        e4->finding = ask_e4(run->plan->design->sync == ORDO_SYNC_RELAY ? run->plan->cluster : 1);
    e4->asked = f->rule != ORDO_E4_NO_MEMORY;
    if (!e4->asked)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "protocol", "%s", ordo_e4_rule_info[f->rule].text);
    proof->e4 = true;
    if (f->rule == ORDO_E4_NONE || proof->violation.kind != ORDO_VIOLATION_NONE)
        return ORDO_OK;
    proof->violation = (struct ordo_violation){
        ORDO_VIOLATION_PROTOCOL, {-1, -1, -1, -1, -1}, -1, 0, f->file, f->line};
    proof->protocol = ordo_e4_rule_info[f->rule].text;
    return ORDO_OK;
}

static enum ordo_status conclude(struct ordo_one_run *run, enum ordo_status status)
{
    struct ordo_proof *proof = run->proof;

    ordo_arena_drop(run->rows->arena, run->mask);
    proof->rows = ordo_rows_count(run->rows);
    if (status == ORDO_OK && proof->violation.kind == ORDO_VIOLATION_NONE) {
        proof->verdict = ORDO_PROVED;
        proof->order = run->rows;
        ordo_proof_assume(proof, run->plan);
        return status;
    }
    proof->verdict = ORDO_VIOLATED;
    ordo_rows_free(run->rows);
    return status;
}

/* Leaf numbers and keys are 32 bits wide: 0xFFFFFFFE and 0xFFFFFFFF are marks of the digest. */
static enum ordo_status check_width(const struct ordo_plan *plan, struct ordo_err *err)
{
    uint64_t keys = (uint64_t)plan->waves * (uint64_t)plan->head_blocks * (uint64_t)plan->cluster;
    uint64_t leaves = (uint64_t)plan->request.n_query * (uint64_t)plan->head_blocks;

    if (keys >= UINT32_MAX || leaves >= 0xFFFFFFFE)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "heads", "queries times head blocks leave 32 bits");
    return ORDO_OK;
}

static enum ordo_status prove(struct ordo_one_run *run, struct ordo_arena *arena, struct ordo_prover_e4 *e4,
                              struct ordo_err *err)
{
    const struct ordo_plan *plan = run->plan;
    struct ordo_proof *proof = run->proof;
    struct ordo_domain domain = {0};
    enum ordo_status status = check_width(plan, err);

    *proof = (struct ordo_proof){.verdict = ORDO_REFUSED};
    if (status == ORDO_OK)
        status = ordo_domain_make(run->problem, &domain, err);
    if (status == ORDO_OK)
        status = ordo_contract_scan_make(run->problem, &domain, arena, &proof->scan, err);
    if (status != ORDO_OK || proof->scan.n_duplicate > 0) {
        for (uint32_t c = 0; status == ORDO_OK && c < domain.n; c++)
            proof->rows += proof->scan.writers[c] != 0;
        proof->updates = (proof->scan.live - proof->scan.n_duplicate) * (uint64_t)plan->head_blocks;
        ordo_domain_free(&domain);
        return status;
    }
    run->rows = ordo_rows_make(&domain, &proof->scan, plan->head_blocks, &status, err);
    if (!run->rows)
        return status;
    status = run_planes(run, err);
    return conclude(run, status == ORDO_OK ? check_protocol(run, e4, err) : status);
}

enum ordo_status ordo_prove(const struct ordo_plan *plan, const struct ordo_problem *problem, struct ordo_proof *proof,
                            struct ordo_err *err)
{
    struct ordo_one_run run = {.plan = plan, .problem = problem, .proof = proof};
    struct ordo_prover_e4 e4 = {.asked = false};
    enum ordo_status status = prove(&run, NULL, &e4, err);

    if (proof->verdict == ORDO_PROVED)
        proof->order_digest = ordo_rows_digest(proof->order, (uint32_t)plan->planes);
    return status;
}

enum ordo_status ordo_prover_prove(struct ordo_prover *prover, const struct ordo_plan *plan,
                                   const struct ordo_problem *problem, struct ordo_proof *proof, struct ordo_err *err)
{
    struct ordo_one_run run = {.plan = plan, .watch = prover->watch, .problem = problem, .proof = proof};
    bool relay = plan->design->sync == ORDO_SYNC_RELAY;

    ordo_arena_reset(&prover->arena);
    return prove(&run, &prover->arena, &prover->e4[relay ? plan->cluster : 1], err);
}

void ordo_prover_free(struct ordo_prover *prover)
{
    ordo_arena_free(&prover->arena);
}
