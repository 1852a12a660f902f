/* sum.c - see sum.h. */
#include "sim/sum.h"

#include "base/size.h"
#include "protocol/index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *const ordo_sum_kind_name[ORDO_SUM_KINDS] = {"dkv", "dkv-tail", "dq", "dsink", "delta", "dp"};

static void add(struct ordo_sum *sum, struct ordo_term term)
{
    sum->term[sum->n_term++] = term;
}

/* Column of a query's first live slot from `column` on, or topk. */
static int32_t next_live(const struct ordo_problem *p, int32_t query, int32_t column)
{
    int32_t clamped = ordo_clamp_length(ordo_problem_length(p, query), p->topk);

    for (; column < clamped; column++)
        if (ordo_slot_live(ordo_problem_row(p, query)[column], p->n_kv, column, clamped))
            return column;
    return p->topk;
}

/* --- the terms -------------------------------------------------------------------------------------------------- */

static void dkv_role(const struct ordo_plan *plan, struct ordo_sum *sum, uint32_t i, char role)
{
    uint32_t blocks = (uint32_t)plan->head_blocks, leaf = sum->row.add[i].leaf;
    int32_t first = (int32_t)(leaf % blocks) * ORDO_HEAD_BLOCK, end = first + ORDO_HEAD_BLOCK;

    end = end < plan->request.n_head ? end : plan->request.n_head;
    if (sum->request.blocks)
        end = first + 1;
    for (int32_t h = first; h < end; h++)
        add(sum, (struct ordo_term){.query = (int32_t)(leaf / blocks), .head = h, .add = i, .role = role});
}

static void dkv_terms(const struct ordo_plan *plan, const struct ordo_problem *problem, struct ordo_sum *sum)
{
    (void)problem;
    for (uint32_t i = 0; i < sum->row.n_add; i++) {
        if (sum->request.kind == ORDO_SUM_DKV)
            dkv_role(plan, sum, i, 'v');
        if (sum->request.kind == ORDO_SUM_DKV_TAIL || !sum->request.blocks)
            dkv_role(plan, sum, i, 'k');
    }
}

static void dq_terms(const struct ordo_plan *plan, const struct ordo_problem *problem, struct ordo_sum *sum)
{
    int32_t q = sum->request.query;

    (void)plan;
    for (int32_t j = next_live(problem, q, 0); j < problem->topk; j = next_live(problem, q, j + 1))
        add(sum, (struct ordo_term){
                     .query = q, .head = sum->request.head, .place = j, .kv = ordo_problem_row(problem, q)[j]});
}

static void dsink_terms(const struct ordo_plan *plan, const struct ordo_problem *problem, struct ordo_sum *sum)
{
    for (int32_t lane = 0; lane < 32; lane++) /* a lane's queries next to each other, as they are added */
        for (int32_t q = lane; q < plan->request.n_query; q += 32)
            if (next_live(problem, q, 0) < problem->topk)
                add(sum, (struct ordo_term){.query = q, .head = sum->request.head, .place = q});
}

static void column_terms(const struct ordo_plan *plan, const struct ordo_problem *problem, struct ordo_sum *sum)
{
    int32_t q = sum->request.query, j = next_live(problem, q, 0);

    if (j >= problem->topk)
        return;
    for (int32_t d = 0; d < plan->request.d_v; d++)
        add(sum, (struct ordo_term){
                     .query = q, .head = sum->request.head, .place = d, .kv = ordo_problem_row(problem, q)[j]});
}

static const struct {
    bool of_query, of_head;
    void (*terms)(const struct ordo_plan *plan, const struct ordo_problem *problem, struct ordo_sum *sum);
} kind[ORDO_SUM_KINDS] = {
    {false, false, dkv_terms}, {false, false, dkv_terms}, {true, true, dq_terms},
    {false, true, dsink_terms}, {true, true, column_terms}, {true, true, column_terms},
};

/* --- all -------------------------------------------------------------------------------------------------------- */

static uint64_t room(const struct ordo_plan *plan, const struct ordo_sum *sum)
{
    const struct ordo_request *r = &plan->request;
    int32_t heads = r->n_head < ORDO_HEAD_BLOCK ? r->n_head : ORDO_HEAD_BLOCK;

    return 2 * (uint64_t)sum->row.n_add * (uint64_t)heads + (uint64_t)r->topk + (uint64_t)r->n_query +
           (uint64_t)r->d_v;
}

static enum ordo_status check(const struct ordo_plan *plan, const struct ordo_sum_request *q, struct ordo_err *err)
{
    const struct ordo_request *r = &plan->request;

    if (kind[q->kind].of_query && (q->query < 0 || q->query >= r->n_query))
        return ordo_fail(err, ORDO_USAGE, NULL, "--query", "query %" PRId32 " is not one of %" PRId32, q->query,
                         r->n_query);
    if (kind[q->kind].of_head && q->head >= r->n_head)
        return ordo_fail(err, ORDO_USAGE, NULL, "--head", "head %" PRId32 " is not one of %" PRId32, q->head,
                         r->n_head);
    if (q->kind == ORDO_SUM_DKV_TAIL && r->d_qk == r->d_v)
        return ordo_fail(err, ORDO_USAGE, NULL, "--sum", "without columns beyond V (dqk = dv) dKV has no tail");
    if (r->d_v < 2)
        return ordo_fail(err, ORDO_USAGE, NULL, "--dv", "probes need at least two columns of V");
    return ORDO_OK;
}

enum ordo_status ordo_sum_make(const struct ordo_plan *plan, const struct ordo_problem *problem,
                               const struct ordo_sum_request *request, const struct ordo_row *row,
                               struct ordo_sum *sum, struct ordo_err *err)
{
    enum ordo_status status;

    *sum = (struct ordo_sum){.request = *request};
    if (row)
        sum->row = *row;
    status = check(plan, request, err);
    if (status != ORDO_OK)
        return status;
    sum->term = ordo_alloc(room(plan, sum), sizeof *sum->term);
    if (!sum->term)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the terms of a sum");
    kind[request->kind].terms(plan, problem, sum);
    if (sum->n_term < 2)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, ordo_sum_kind_name[request->kind],
                         "has %s: there is nothing to reveal", sum->n_term ? "a single term" : "no live term");
    return ORDO_OK;
}

void ordo_sum_free(struct ordo_sum *sum)
{
    free(sum->term);
    *sum = (struct ordo_sum){0};
}

char *ordo_sum_name(const struct ordo_sum *sum, uint32_t i, char out[ORDO_TERM_NAME])
{
    const struct ordo_term *t = &sum->term[i];
    enum ordo_sum_kind k = sum->request.kind;

    if (k == ORDO_SUM_DQ)
        (void)snprintf(out, ORDO_TERM_NAME, "t%" PRId32 ".s%" PRId32, t->place / ORDO_TILE, t->place);
    else if (k == ORDO_SUM_DELTA || k == ORDO_SUM_DP)
        (void)snprintf(out, ORDO_TERM_NAME, "d%" PRId32, t->place);
    else if (k == ORDO_SUM_DSINK)
        (void)snprintf(out, ORDO_TERM_NAME, "q%" PRId32, t->query);
    else if (sum->request.blocks)
        (void)snprintf(out, ORDO_TERM_NAME, "q%" PRId32 ".h%" PRId32, t->query, t->head / ORDO_HEAD_BLOCK);
    else
        (void)snprintf(out, ORDO_TERM_NAME, "q%" PRId32 ".h%" PRId32 ".%c%" PRId32, t->query,
                       t->head / ORDO_HEAD_BLOCK, t->role, t->head);
    return out;
}
