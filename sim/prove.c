/* prove.c - see prove.h: the contract check, then one plane at a time, launches in stream order (one_run.c), then the
 * protocol itself (e4.h) and the digest of what was accepted. */
#include "sim/prove.h"

#include "base/progress.h"
#include "protocol/index.h"
#include "sim/design.h"
#include "sim/e4.h"
#include "sim/one_run.h"
#include "sim/tape_cta.h"

enum { MAX_COLUMNS = 1 << 20 };

/* --- the whole run ---------------------------------------------------------------------------------------------- */

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
        run->mask = ordo_arena_alloc_zero(run->rows->arena, (uint64_t)run->n_word + 1, sizeof *run->mask);
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

/* No kernel has more than 2^20 columns, and the roles know no limit of their own: a wider plan is checked at that. */
static struct ordo_e4_planes planes_of(const struct ordo_plan *plan)
{
    const struct ordo_request *r = &plan->request;
    int64_t k8 = ((int64_t)r->n_kv + 7) / 8 * 8;
    int32_t d8 = r->d_qk < MAX_COLUMNS ? (r->d_qk + 7) / 8 * 8 : MAX_COLUMNS;

    return (struct ordo_e4_planes){plan->planes, k8 + (int64_t)plan->mask_rows, d8};
}

/* The first claim that does not hold; rule NONE if all do. */
static struct ordo_e4_finding first_finding(const struct ordo_e4_protocol *protocol)
{
    for (int i = 0; i < protocol->n_claim; i++)
        if (protocol->claim[i].verdict != ORDO_E4_HOLDS)
            return protocol->claim[i].finding;
    return (struct ordo_e4_finding){.rule = ORDO_E4_NONE};
}

static const struct ordo_e4_finding *ask_cluster(struct ordo_prover *prover, int32_t cluster)
{
    struct ordo_prover_e4 *e4 = &prover->cluster[cluster];
    struct ordo_e4_protocol protocol;

    if (!e4->asked) {
        ordo_e4_protocol(cluster, &protocol);
        e4->finding = first_finding(&protocol);
        e4->asked = e4->finding.rule != ORDO_E4_NO_MEMORY;
    }
    return &e4->finding;
}

/* Extents that share a place of the table push each other out. */
static const struct ordo_e4_finding *ask_launch(struct ordo_prover *prover, const struct ordo_e4_planes *planes)
{
    uint64_t place = (uint64_t)planes->rows * 31 + (uint64_t)planes->d8 * 7 + (uint64_t)planes->n_plane;
    struct ordo_prover_e4 *e4 = &prover->launch[place % ORDO_PROVER_PLANES];
    struct ordo_e4_protocol protocol = {.verdict = ORDO_E4_HOLDS};

    if (!e4->asked || e4->planes.n_plane != planes->n_plane || e4->planes.rows != planes->rows ||
        e4->planes.d8 != planes->d8) {
        ordo_e4_launch(planes, &protocol);
        e4->planes = *planes;
        e4->finding = first_finding(&protocol);
        e4->asked = e4->finding.rule != ORDO_E4_NO_MEMORY;
    }
    return &e4->finding;
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
static enum ordo_status check_protocol(struct ordo_one_run *run, struct ordo_prover *prover, struct ordo_err *err)
{
    struct ordo_proof *proof = run->proof;
    struct ordo_violation *violation = &proof->violation;
    bool relay = run->plan->design->sync == ORDO_SYNC_RELAY;
    const struct ordo_e4_planes planes = planes_of(run->plan);
    const struct ordo_e4_finding *f = ask_cluster(prover, relay ? run->plan->cluster : 1);
    bool found;

    if (f->rule == ORDO_E4_NONE)
        f = ask_launch(prover, &planes);
    found = f->rule != ORDO_E4_NONE;
    if (f->rule == ORDO_E4_NO_MEMORY)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "protocol", "%s", ordo_e4_rule_info[f->rule].text);
    proof->e4 = true;
    if (found && violation->kind != ORDO_VIOLATION_NONE && !violation->source_file) {
        violation->source_file = f->file;
        violation->source_line = f->line;
    }
    if (!violation->source_file)
        name_operation(violation);
    if (found && undecided(violation->kind, f->rule))
        violation->kind = ORDO_VIOLATION_OUTSIDE;
    if (!found || (violation->kind != ORDO_VIOLATION_NONE && violation->kind != ORDO_VIOLATION_OUTSIDE))
        return ORDO_OK;
    *violation = (struct ordo_violation){
        ordo_e4_rule_info[f->rule].verdict == ORDO_E4_REFUSED ? ORDO_VIOLATION_OUTSIDE : ORDO_VIOLATION_PROTOCOL,
        {-1, -1, -1, -1, -1}, -1, 0, f->file, f->line};
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

static enum ordo_status prove(struct ordo_one_run *run, struct ordo_arena *arena, struct ordo_prover *prover,
                              struct ordo_err *err)
{
    const struct ordo_plan *plan = run->plan;
    struct ordo_proof *proof = run->proof;
    struct ordo_domain domain = {0};
    enum ordo_status status = ordo_design_ordered(plan->design, err);

    *proof = (struct ordo_proof){.verdict = ORDO_REFUSED};
    if (status == ORDO_OK)
        status = check_width(plan, err);
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
    return conclude(run, status == ORDO_OK ? check_protocol(run, prover, err) : status);
}

enum ordo_status ordo_prove(const struct ordo_plan *plan, const struct ordo_problem *problem,
                            struct ordo_proof *proof, struct ordo_err *err)
{
    struct ordo_prover once = {.watch = NULL};

    return ordo_prove_by(&once, plan, problem, proof, err);
}

enum ordo_status ordo_prove_by(struct ordo_prover *prover, const struct ordo_plan *plan,
                               const struct ordo_problem *problem, struct ordo_proof *proof, struct ordo_err *err)
{
    struct ordo_one_run run = {.plan = plan, .watch = prover->watch, .problem = problem, .proof = proof};
    enum ordo_status status = prove(&run, NULL, prover, err);

    if (proof->verdict == ORDO_PROVED)
        proof->order_digest = ordo_rows_digest(proof->order, (uint32_t)plan->planes);
    return status;
}

enum ordo_status ordo_prover_prove(struct ordo_prover *prover, const struct ordo_plan *plan,
                                   const struct ordo_problem *problem, struct ordo_proof *proof, struct ordo_err *err)
{
    struct ordo_one_run run = {.plan = plan, .watch = prover->watch, .problem = problem, .proof = proof};

    ordo_arena_reset(&prover->arena);
    return prove(&run, &prover->arena, prover, err);
}

void ordo_prover_free(struct ordo_prover *prover)
{
    ordo_arena_free(&prover->arena);
}
