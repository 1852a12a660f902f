/* prove.c - see prove.h: the contract check, then one plane at a time, launches in stream order (one_run.c), then the
 * protocol itself (e4.h) and the digest of what was accepted. */
#include "sim/prove.h"

#include "base/progress.h"
#include "base/size.h"
#include "protocol/index.h"
#include "sim/design.h"
#include "sim/e4.h"
#include "sim/one_run.h"
#include "sim/tape_cta.h"

enum { MAX_COLUMNS = 1 << 20 };

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
    uint32_t n = run->rows->domain.n;
    int stop = 0;

    if (plan->design->sync == ORDO_SYNC_RELAY)
        run->n_word = ordo_mask_words(n, plan->cluster);
    if (plan->design->sync == ORDO_SYNC_RELAY)
        run->mask = ordo_alloc_zero((uint64_t)run->n_word + 1, sizeof *run->mask);
    if (plan->design->sync == ORDO_SYNC_RELAY && !run->mask)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for the row tables");
    for (int32_t plane = 0; !stop && run->problem->topk && plane < plan->planes; plane++) {
        stop = plan->design->walk(plan, plane, &visitor);
        ordo_progress("prove: plane", (uint64_t)plane + 1, (uint64_t)plan->planes);
    }
    ordo_progress_end();
    if (!stop)
        find_lost(run);
    return ORDO_OK;
}

/* No kernel has more than 2^20 columns, and the roles know no limit of their own: a wider plan is checked at that. */
static struct ordo_e4_planes planes_of(const struct ordo_plan *plan)
{
    const struct ordo_request *r = &plan->request;
    int64_t k8 = ((int64_t)r->n_kv + 7) / 8 * 8;
    int32_t d8 = r->d_qk < MAX_COLUMNS ? (r->d_qk + 7) / 8 * 8 : MAX_COLUMNS;

    return (struct ordo_e4_planes){plan->planes, k8 + (int64_t)plan->mask_rows, d8};
}

/* Whether E1 has found a form that it does not know, and E4 cannot decide either: it may be right after all. */
static bool undecided(enum ordo_violation_kind kind, enum ordo_e4_rule rule)
{
    bool weak = kind == ORDO_VIOLATION_WEAK_WAIT || kind == ORDO_VIOLATION_WEAK_CLEAR;

    return weak ? rule == ORDO_E4_FENCE_SC
                : kind == ORDO_VIOLATION_NOT_THE_PROGRAM && ordo_e4_rule_info[rule].verdict == ORDO_E4_REFUSED;
}

/* Where a role has the operation whose lack E1 found, and E4 did not; nowhere for most. */
static void name_operation(struct ordo_violation *v)
{
    if (v->kind == ORDO_VIOLATION_LOST_ADD)
        ordo_tape_place(ORDO_OP_STORE, &v->source_file, &v->source_line);
    if (v->kind == ORDO_VIOLATION_NO_WAIT)
        ordo_tape_place(ORDO_OP_AWAIT_CLEAR, &v->source_file, &v->source_line);
}

/* E4, once for the plan's cluster and planes.  What E1 found on the real tensor goes first, unless E1 merely does not
 * know such a program, or E4 cannot decide it; where it is an operation that lacks, and so has no line, E4's line is
 * named. */
static enum ordo_status check_protocol(struct ordo_one_run *run, struct ordo_err *err)
{
    struct ordo_proof *proof = run->proof;
    bool relay = run->plan->design->sync == ORDO_SYNC_RELAY;
    const struct ordo_e4_planes planes = planes_of(run->plan);
    struct ordo_e4_protocol protocol;
    const struct ordo_e4_finding *f = NULL;

    ordo_e4_protocol(relay ? run->plan->cluster : 1, &protocol);
    ordo_e4_launch(&planes, &protocol);
    for (int i = 0; !f && i < protocol.n_claim; i++)
        f = protocol.claim[i].verdict == ORDO_E4_HOLDS ? NULL : &protocol.claim[i].finding;
    if (f && f->rule == ORDO_E4_NO_MEMORY)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "protocol", "%s", ordo_e4_rule_info[f->rule].text);
    proof->e4 = true;
    if (f && proof->violation.kind != ORDO_VIOLATION_NONE && !proof->violation.source_file) {
        proof->violation.source_file = f->file;
        proof->violation.source_line = f->line;
    }
    if (!proof->violation.source_file)
        name_operation(&proof->violation);
    if (f && undecided(proof->violation.kind, f->rule))
        proof->violation.kind = ORDO_VIOLATION_OUTSIDE;
    if (!f || (proof->violation.kind != ORDO_VIOLATION_NONE && proof->violation.kind != ORDO_VIOLATION_OUTSIDE))
        return ORDO_OK;
    proof->violation = (struct ordo_violation){
        ordo_e4_rule_info[f->rule].verdict == ORDO_E4_REFUSED ? ORDO_VIOLATION_OUTSIDE : ORDO_VIOLATION_PROTOCOL,
        {-1, -1, -1, -1, -1}, -1, 0, f->file, f->line};
    proof->protocol = ordo_e4_rule_info[f->rule].text;
    return ORDO_OK;
}

static enum ordo_status conclude(struct ordo_one_run *run, enum ordo_status status)
{
    struct ordo_proof *proof = run->proof;

    free(run->mask);
    proof->rows = ordo_rows_count(run->rows);
    if (status == ORDO_OK && proof->violation.kind == ORDO_VIOLATION_NONE) {
        proof->verdict = ORDO_PROVED;
        proof->order = run->rows;
        proof->order_digest = ordo_rows_digest(run->rows, (uint32_t)run->plan->planes);
        ordo_proof_assume(proof, run->plan);
        return status;
    }
    proof->verdict = proof->violation.kind == ORDO_VIOLATION_OUTSIDE ? ORDO_REFUSED : ORDO_VIOLATED;
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

enum ordo_status ordo_prove(const struct ordo_plan *plan, const struct ordo_problem *problem, struct ordo_proof *proof,
                            struct ordo_err *err)
{
    struct ordo_domain domain = {0};
    struct ordo_one_run run = {.plan = plan, .problem = problem, .proof = proof};
    enum ordo_status status = check_width(plan, err);

    *proof = (struct ordo_proof){.verdict = ORDO_REFUSED};
    if (status == ORDO_OK)
        status = ordo_domain_make(problem, &domain, err);
    if (status == ORDO_OK)
        status = ordo_contract_scan_make(problem, &domain, &proof->scan, err);
    if (status != ORDO_OK || proof->scan.n_duplicate > 0) {
        for (uint32_t c = 0; status == ORDO_OK && c < domain.n; c++)
            proof->rows += proof->scan.writers[c] != 0;
        proof->updates = (proof->scan.live - proof->scan.n_duplicate) * (uint64_t)plan->head_blocks;
        ordo_domain_free(&domain);
        return status;
    }
    run.rows = ordo_rows_make(&domain, &proof->scan, plan->head_blocks, &status, err);
    if (!run.rows)
        return status;
    status = run_planes(&run, err);
    return conclude(&run, status == ORDO_OK ? check_protocol(&run, err) : status);
}
