/* run_check.c - proves a run that came from a file; see run_op.h.
 *
 * Launches follow each other in the stream and planes share nothing, so each (plane, launch) is stepped alone: its
 * bits are set, then its workers step round and round until nobody can.  Then every live slot must have been
 * added. */
#include "sim/run_op.h"

#include "base/size.h"
#include "protocol/index.h"
#include "sim/design.h"
#include "sim/domain.h"

#include <stdlib.h>

/* One bit a rank. */
struct cell {
    uint16_t bits, waited, added;
};

/* An operation with its line, sorted by (plane, wave, head block), inside that by rank and line. */
struct place {
    struct ordo_run_op op;
    uint64_t line;
};

struct check {
    const struct ordo_plan *plan;
    const struct ordo_problem *problem;
    struct ordo_proof *proof;
    struct ordo_domain domain;
    struct cell *cell; /* per compact row; all zero between groups */
    struct place *place;
    uint64_t n_place, at; /* groups before `at` are done */
};

static int violate(struct check *k, enum ordo_violation_kind kind, const struct ordo_run_op *op, uint64_t line)
{
    int64_t q = ordo_lane_query(op->wave, k->plan->wave, op->plane, k->plan->cluster, op->rank,
                                k->problem->n_query);

    if (k->proof->violation.kind == ORDO_VIOLATION_NONE)
        k->proof->violation = (struct ordo_violation){
            kind, {op->wave, op->head_block, op->plane, op->rank, (int32_t)q}, op->row, line, NULL, 0};
    return 1;
}

/* --- is it the plan's worker, and one of its rows? -------------------------------------------------------------- */

static bool names_row(const struct ordo_problem *p, int32_t query, int32_t row)
{
    const int32_t *idx = ordo_problem_row(p, query);
    int32_t clamped = ordo_clamp_length(ordo_problem_length(p, query), p->topk);

    for (int32_t j = 0; j < clamped; j++)
        if (idx[j] == row && ordo_slot_live(idx[j], p->n_kv, j, clamped))
            return true;
    return false;
}

static int check_place(struct check *k, const struct place *p)
{
    const struct ordo_run_op *op = &p->op;
    bool placed = op->wave < k->plan->waves && op->head_block < k->plan->head_blocks && op->plane < k->plan->planes &&
                  op->rank < k->plan->cluster;
    int64_t q = placed ? ordo_lane_query(op->wave, k->plan->wave, op->plane, k->plan->cluster, op->rank,
                                         k->problem->n_query)
                       : -1;

    if (q < 0) {
        k->proof->violation = (struct ordo_violation){
            ORDO_VIOLATION_WRONG_PLANE, {op->wave, op->head_block, op->plane, op->rank, -1}, op->row, p->line, NULL,
            0};
        return 1;
    }
    return names_row(k->problem, (int32_t)q, op->row) ? 0 : violate(k, ORDO_VIOLATION_STRANGER, op, p->line);
}

/* --- one step: 0 done, 1 violated, -1 has to wait --------------------------------------------------------------- */

static int step(struct check *k, const struct place *p)
{
    bool relay = k->plan->design->sync == ORDO_SYNC_RELAY;
    struct cell *c = &k->cell[ordo_domain_compact(&k->domain, p->op.row)];
    uint16_t own = (uint16_t)(1u << p->op.rank);

    switch (p->op.kind) {
    case ORDO_RUN_WAIT:
        if (c->bits & (own - 1))
            return -1;
        c->waited |= own;
        return 0;
    case ORDO_RUN_ADD:
        if (c->added & own)
            return violate(k, ORDO_VIOLATION_DOUBLE_ADD, &p->op, p->line);
        if (c->added >= own)
            return violate(k, relay ? ORDO_VIOLATION_DESCENDING : ORDO_VIOLATION_SHARED_PLANE, &p->op, p->line);
        if (relay && !(c->bits & own))
            return violate(k, ORDO_VIOLATION_MISSING_BIT, &p->op, p->line);
        if (relay && !(c->waited & own))
            return violate(k, ORDO_VIOLATION_NO_WAIT, &p->op, p->line);
        k->proof->waits += c->added != 0;
        k->proof->updates++;
        c->added |= own;
        return 0;
    case ORDO_RUN_CLEAR:
        if (!(c->bits & own))
            return violate(k, ORDO_VIOLATION_DOUBLE_CLEAR, &p->op, p->line);
        if (!(c->added & own))
            return violate(k, ORDO_VIOLATION_EARLY_CLEAR, &p->op, p->line);
        c->bits &= (uint16_t)~own;
        return 0;
    default:
        return 0; /* SET: before the launch */
    }
}

/* --- one group -------------------------------------------------------------------------------------------------- */

static bool same_group(const struct place *p, const struct ordo_worker *w)
{
    return p->op.plane == w->plane && p->op.wave == w->wave && p->op.head_block == w->head_block;
}

static int step_all(struct check *k, uint64_t from, uint64_t to)
{
    uint64_t next[ORDO_MAX_CLUSTER + 1], end[ORDO_MAX_CLUSTER + 1];
    int n = 0, blocked = -1;
    bool moved = true;

    for (uint64_t i = from; i < to; i++) {
        if (i == from || k->place[i].op.rank != k->place[i - 1].op.rank)
            next[n++] = i;
        end[n - 1] = i + 1;
        if (k->place[i].op.kind == ORDO_RUN_SET)
            k->cell[ordo_domain_compact(&k->domain, k->place[i].op.row)].bits |=
                (uint16_t)(1u << k->place[i].op.rank);
    }
    while (moved) {
        moved = false;
        blocked = -1;
        for (int r = 0; r < n; r++) {
            int result = 0;

            while (next[r] < end[r] && (result = step(k, &k->place[next[r]])) == 0) {
                next[r]++;
                moved = true;
            }
            if (result > 0)
                return 1;
            if (result < 0 && blocked < 0)
                blocked = r;
        }
    }
    return blocked >= 0 ? violate(k, ORDO_VIOLATION_BLOCKED, &k->place[next[blocked]].op,
                                  k->place[next[blocked]].line)
                        : 0;
}

/* Every live slot added, no bit left; leaves the cells zero. */
static int check_done(struct check *k, const struct ordo_worker *worker, int n)
{
    int stop = 0;

    for (int i = 0; i < n; i++) {
        const int32_t *idx = ordo_problem_row(k->problem, worker[i].query);
        int32_t clamped = ordo_clamp_length(ordo_problem_length(k->problem, worker[i].query), k->problem->topk);
        struct ordo_run_op op = {worker[i].wave, worker[i].head_block, worker[i].plane, worker[i].rank,
                                 ORDO_RUN_ADD, 0};

        for (int32_t j = 0; j < clamped && !stop; j++) {
            if (!ordo_slot_live(idx[j], k->problem->n_kv, j, clamped))
                continue;
            const struct cell *c = &k->cell[ordo_domain_compact(&k->domain, idx[j])];

            op.row = idx[j];
            if (!(c->added >> op.rank & 1))
                stop = violate(k, ORDO_VIOLATION_LOST_ADD, &op, 0);
            else if (c->bits >> op.rank & 1)
                stop = violate(k, ORDO_VIOLATION_EXTRA_BIT, &op, 0);
        }
    }
    return stop;
}

static int check_group(void *ctx, const struct ordo_worker *worker, int n)
{
    struct check *k = ctx;
    uint64_t from = k->at;
    int stop;

    while (k->at < k->n_place && same_group(&k->place[k->at], worker))
        k->at++;
    stop = step_all(k, from, k->at) || check_done(k, worker, n);
    for (uint64_t i = from; i < k->at; i++)
        k->cell[ordo_domain_compact(&k->domain, k->place[i].op.row)] = (struct cell){0, 0, 0};
    return stop;
}

/* --- the list --------------------------------------------------------------------------------------------------- */

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_group(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int c = compare_i64(x->op.plane, y->op.plane);

    c = c ? c : compare_i64(x->op.wave, y->op.wave);
    c = c ? c : compare_i64(x->op.head_block, y->op.head_block);
    c = c ? c : compare_i64(x->op.rank, y->op.rank);
    return c ? c : compare_i64((int64_t)x->line, (int64_t)y->line);
}

static void compare(struct check *k, const struct ordo_run_list *list, struct ordo_run_difference *difference)
{
    *difference = ordo_run_compare(list, k->plan, k->problem);
    if (difference->line && k->proof->violation.kind == ORDO_VIOLATION_NONE)
        (void)violate(k, ORDO_VIOLATION_NOT_THE_PROGRAM,
                      difference->has_found ? &difference->found : &difference->expected, difference->line);
}

static void simulate(struct check *k)
{
    const struct ordo_visitor visitor = {check_group, k};
    int stop = 0;

    for (uint64_t i = 0; i < k->n_place && !stop; i++)
        stop = check_place(k, &k->place[i]);
    if (k->n_place)
        qsort(k->place, k->n_place, sizeof *k->place, by_group);
    for (int32_t plane = 0; k->problem->topk && plane < k->plan->planes && !stop; plane++)
        stop = k->plan->design->walk(k->plan, plane, &visitor);
}

enum ordo_status ordo_run_prove(const struct ordo_run_list *list, const struct ordo_plan *plan,
                                const struct ordo_problem *problem, struct ordo_proof *proof,
                                struct ordo_run_difference *difference, struct ordo_err *err)
{
    struct ordo_prover once = {.watch = NULL};

    return ordo_run_prove_by(&once, list, plan, problem, proof, difference, err);
}

enum ordo_status ordo_run_prove_by(struct ordo_prover *prover, const struct ordo_run_list *list,
                                   const struct ordo_plan *plan, const struct ordo_problem *problem,
                                   struct ordo_proof *proof, struct ordo_run_difference *difference,
                                   struct ordo_err *err)
{
    struct check k = {.plan = plan, .problem = problem, .proof = proof};
    struct ordo_proof own; /* of the plan's run: the order that an equal list proves */
    enum ordo_status status = ordo_prove_by(prover, plan, problem, &own, err);

    *difference = (struct ordo_run_difference){0};
    *proof = own;
    if (status != ORDO_OK || own.verdict == ORDO_REFUSED)
        return status;
    status = ordo_domain_make(problem, &k.domain, err);
    k.cell = ordo_alloc_zero(k.domain.n, sizeof *k.cell);
    k.place = ordo_alloc(list->n, sizeof *k.place);
    if (status == ORDO_OK && (!k.cell || !k.place))
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "--run", "no memory for its operations");
    if (status == ORDO_OK) {
        for (k.n_place = 0; k.n_place < list->n; k.n_place++)
            k.place[k.n_place] = (struct place){list->op[k.n_place], k.n_place + 1};
        proof->updates = proof->waits = 0;
        simulate(&k);
        compare(&k, list, difference);
        if (proof->violation.kind != ORDO_VIOLATION_NONE) {
            proof->verdict = ORDO_VIOLATED; /* the order that was proved is the plan's, not the list's */
            proof->assumption[0] = '\0';
            ordo_rows_free(proof->order);
            proof->order = NULL;
        }
    }
    free(k.cell);
    free(k.place);
    ordo_domain_free(&k.domain);
    return status;
}
