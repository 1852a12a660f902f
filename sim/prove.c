/* prove.c - see prove.h.
 *
 * One plane at a time, launches in stream order.  For each launch the masks of the plane are built as the setup kernel
 * builds them; then its ranks run in ascending order, tile by tile: wait for the slots' lower bits, add, clear the own
 * bits.  Every step is checked against the consumer's own reading of the tensor.  All masks of a launch must be clear
 * at its end, which bits set minus bits cleared decides, since only set bits can be cleared. */
#include "sim/prove.h"

#include "base/progress.h"
#include "base/size.h"
#include "protocol/mask.h"
#include "sim/design.h"
#include "sim/rows_impl.h"


struct run {
    const struct ordo_plan *plan;
    const struct ordo_problem *problem;
    struct ordo_proof *proof;
    struct ordo_rows *rows;
    uint32_t *mask; /* relay: the words of one plane and launch, all zero between launches */
    int64_t n_bits; /* set in it */
};

/* A worker's view while it runs. */
struct lane {
    const struct ordo_worker *worker;
    const int32_t *idx;
    int32_t clamped;
    uint64_t key, launch_first_key; /* with the plane above */
    uint32_t leaf;
};

static int violate(struct run *run, enum ordo_violation_kind kind, const struct ordo_worker *w, int32_t row)
{
    run->proof->violation = (struct ordo_violation){kind, *w, row, 0};
    return 1;
}

static struct lane lane_of(const struct run *run, const struct ordo_worker *w)
{
    uint64_t key = (uint64_t)w->plane << 32 | ordo_worker_key(run->plan, w);

    return (struct lane){w,
                         ordo_problem_row(run->problem, w->query),
                         ordo_clamp_length(ordo_problem_length(run->problem, w->query), run->problem->topk),
                         key,
                         key - (uint64_t)w->rank,
                         ordo_leaf((uint32_t)w->query, (uint32_t)w->head_block, (uint32_t)run->plan->head_blocks)};
}

/* Compact row of a slot, or -1 if it is dead. */
static inline int64_t slot(const struct run *run, const struct lane *lane, int32_t column)
{
    int32_t id = lane->idx[column];

    return ordo_slot_live(id, run->problem->n_kv, column, lane->clamped)
               ? (int64_t)ordo_domain_compact(&run->rows->domain, id)
               : -1;
}

/* --- one step each: wait, add, clear ---------------------------------------------------------------------------- */

static inline int step_wait(struct run *run, const struct lane *lane, int64_t c, int32_t id, int32_t cluster)
{
    if (run->mask[ordo_mask_word(c, cluster)] & ordo_mask_lower(c, cluster, lane->worker->rank))
        return violate(run, ORDO_VIOLATION_BLOCKED, lane->worker, id);
    return 0;
}

static inline int step_add(struct run *run, const struct lane *lane, int64_t c, int32_t id)
{
    struct ordo_row_slot *row = &run->rows->slot[c];
    uint64_t last = row->last;
    bool same_launch = last >= lane->launch_first_key;

    if (last >= lane->key)
        return violate(run, last == lane->key ? ORDO_VIOLATION_DOUBLE_ADD : ORDO_VIOLATION_DESCENDING, lane->worker,
                       id);
    if (same_launch && run->plan->design->sync == ORDO_SYNC_NONE)
        return violate(run, ORDO_VIOLATION_SHARED_PLANE, lane->worker, id);
    row->last = lane->key;
    run->proof->waits += same_launch;
    run->proof->accumulators += last >> 32 != lane->key >> 32 || last == 0;
    run->proof->updates++;
    if (!ordo_rows_append(run->rows, (uint32_t)c, (struct ordo_add){lane->leaf, (uint32_t)lane->worker->plane}))
        return violate(run, ORDO_VIOLATION_STRANGER, lane->worker, id);
    return 0;
}

static inline int step_clear(struct run *run, const struct lane *lane, int64_t c, int32_t id, int32_t cluster)
{
    uint32_t *word = run->mask + ordo_mask_word(c, cluster);
    uint32_t own = ordo_mask_own(c, cluster, lane->worker->rank);

    if (!(*word & own))
        return violate(run, ORDO_VIOLATION_MISSING_BIT, lane->worker, id);
    *word &= ~own;
    run->n_bits--;
    return 0;
}

/* --- workers and launches ---------------------------------------------------------------------------------------- */

/* The cluster is an argument, so that each size gets its own copy: packing then is shifts, not divisions. */
static inline __attribute__((always_inline)) int run_tile(struct run *run, const struct lane *lane, int32_t from,
                                                          int32_t to, bool relay, int32_t cluster)
{
    int64_t c[ORDO_TILE];

    /* Rows are scattered: ask for the next lines a step ahead.  No part of the argument. */
    for (int32_t j = from; j < to; j++) {
        c[j - from] = slot(run, lane, j);
        if (c[j - from] >= 0)
            __builtin_prefetch(&run->rows->slot[c[j - from]], 1);
    }
    for (int32_t j = from; j < to; j++) {
        if (c[j - from] < 0)
            continue;
        __builtin_prefetch(&run->rows->add[run->rows->slot[c[j - from]].cursor], 1);
        if (relay && step_wait(run, lane, c[j - from], lane->idx[j], cluster))
            return 1;
    }
    for (int32_t j = from; j < to; j++)
        if (c[j - from] >= 0 && step_add(run, lane, c[j - from], lane->idx[j]))
            return 1;
    for (int32_t j = from; relay && j < to; j++)
        if (c[j - from] >= 0 && step_clear(run, lane, c[j - from], lane->idx[j], cluster))
            return 1;
    return 0;
}

static inline __attribute__((always_inline)) int run_tiles(struct run *run, const struct lane *lane, bool relay,
                                                           int32_t cluster)
{
    int32_t topk = run->problem->topk;

    for (int32_t from = 0; from < topk; from += ORDO_TILE)
        if (run_tile(run, lane, from, topk - from < ORDO_TILE ? topk : from + ORDO_TILE, relay, cluster))
            return 1;
    return 0;
}

static int run_worker(struct run *run, const struct ordo_worker *w)
{
    struct lane lane = lane_of(run, w);

    if (run->plan->design->sync == ORDO_SYNC_NONE)
        return run_tiles(run, &lane, false, 1);
    switch (run->plan->cluster) {
    case 4:
        return run_tiles(run, &lane, true, 4);
    case 8:
        return run_tiles(run, &lane, true, 8);
    case 16:
        return run_tiles(run, &lane, true, 16);
    default:
        return run_tiles(run, &lane, true, run->plan->cluster);
    }
}

/* The setup kernel's walk, on compact rows: the protocol's own builder where they are the rows themselves. */
static int64_t build_masks(struct run *run, const struct ordo_worker *w)
{
    const struct ordo_domain *d = &run->rows->domain;
    const struct ordo_problem *p = run->problem;
    const int32_t *idx = ordo_problem_row(p, w->query);
    int32_t length = ordo_problem_length(p, w->query), clamped = ordo_clamp_length(length, p->topk);
    int64_t n_set = 0;

    if (!d->live)
        return ordo_mask_build(run->mask, idx, p->topk, length, p->n_kv, run->plan->cluster, w->rank);
    for (int32_t j = 0; j < p->topk; j++)
        if (ordo_slot_live(idx[j], p->n_kv, j, clamped)) {
            int32_t c = (int32_t)ordo_domain_compact(d, idx[j]);

            n_set += ordo_mask_build(run->mask, &c, 1, 1, INT32_MAX, run->plan->cluster, w->rank);
        }
    return n_set;
}

/* Which worker of the group still owns a bit, and of which row: the place of a residual bit. */
static int find_residual(struct run *run, const struct ordo_worker *worker, int n)
{
    int32_t cluster = run->plan->cluster;

    for (uint32_t c = 0; c < run->rows->domain.n; c++)
        for (int i = 0; i < n; i++)
            if (run->mask[ordo_mask_word(c, cluster)] & ordo_mask_own(c, cluster, worker[i].rank))
                return violate(run, ORDO_VIOLATION_EXTRA_BIT, &worker[i], ordo_domain_row(&run->rows->domain, c));
    return violate(run, ORDO_VIOLATION_EXTRA_BIT, worker, -1);
}

static int run_group(void *ctx, const struct ordo_worker *worker, int n)
{
    struct run *run = ctx;

    for (int i = 0; i < n; i++) {
        const struct ordo_worker *w = &worker[i];

        /* The plan's own map, asked the other way round: no two workers share a query or swap planes. */
        if (ordo_lane_wave(w->query, run->plan->wave) != w->wave ||
            ordo_lane_plane(ordo_lane_of(w->query, run->plan->wave), run->plan->cluster) != w->plane ||
            ordo_lane_rank(ordo_lane_of(w->query, run->plan->wave), run->plan->cluster) != w->rank)
            return violate(run, ORDO_VIOLATION_WRONG_PLANE, w, -1);
        if (run->mask)
            run->n_bits += build_masks(run, w);
    }
    for (int i = 0; i < n; i++)
        if (run_worker(run, &worker[i]))
            return 1;
    return run->n_bits != 0 ? find_residual(run, worker, n) : 0;
}

/* --- the whole run ----------------------------------------------------------------------------------------------- */

static void find_lost(struct run *run)
{
    int64_t c = ordo_rows_lacking(run->rows);
    struct ordo_worker nobody = {-1, -1, -1, -1, -1};

    if (c >= 0)
        (void)violate(run, ORDO_VIOLATION_LOST_ADD, &nobody, ordo_domain_row(&run->rows->domain, (uint32_t)c));
}

static enum ordo_status run_planes(struct run *run, struct ordo_err *err)
{
    const struct ordo_plan *plan = run->plan;
    const struct ordo_visitor visitor = {run_group, run};
    uint32_t n = run->rows->domain.n;
    int stop = 0;

    if (plan->design->sync == ORDO_SYNC_RELAY)
        run->mask = ordo_alloc_zero((uint64_t)ordo_mask_words(n, plan->cluster), sizeof *run->mask);
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

static enum ordo_status conclude(struct run *run, enum ordo_status status)
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

enum ordo_status ordo_prove(const struct ordo_plan *plan, const struct ordo_problem *problem, struct ordo_proof *proof,
                            struct ordo_err *err)
{
    struct ordo_domain domain = {0};
    struct run run = {.plan = plan, .problem = problem, .proof = proof};
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
    return conclude(&run, run_planes(&run, err));
}
