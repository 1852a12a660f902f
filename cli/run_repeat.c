/* run_repeat.c - see run_repeat.h. */
#include "cli/run_repeat.h"

#include "base/progress.h"
#include "base/size.h"
#include "protocol/live.h"
#include "sim/design.h"

#include <stdlib.h>

static const uint32_t poison[4] = {0, 0xffffffff, 0xa5a5a5a5, 0x7fc07fc0}; /* the last: a NaN in fp32 and in BF16 */

enum { CHANGED_EVERY = 8, BUSY_MICROSECONDS = 2000 };

struct repeat {
    struct ordo_rig_card *r;
    const struct ordo_problem *problem;
    int32_t *idx, *length;                 /* the other ids and lengths */
    void *kept[2][ORDO_DSA_TENSORS], *count; /* outputs of the first run, and of the first with the others */
    struct ordo_card_graph *graph;
};

bool ordo_rig_promised(const struct ordo_plan *plan, int tensor)
{
    return plan->design->sync != ORDO_SYNC_ATOMIC || (tensor != ORDO_DSA_DKV && tensor != ORDO_DSA_DKV_FP32);
}

static bool is_output(const struct ordo_rig_card *r, int tensor)
{
    return ordo_dsa_tensor[tensor].output || (!r->saved && (tensor == ORDO_DSA_O || tensor == ORDO_DSA_LSE));
}

static uint64_t words_of(const struct ordo_rig_card *r, int tensor)
{
    return (ordo_dsa_bytes(r->plan, tensor) + 3) / 4;
}

/* --- the other ids ---------------------------------------------------------------------------------------------- */

/* Rows and slots backwards, about half of each row live.  Ids stay those of one row, so nothing is named twice. */
static enum ordo_status make_other(struct repeat *x, struct ordo_err *err)
{
    const struct ordo_problem *p = x->problem;

    x->idx = ordo_alloc((uint64_t)p->n_query * (uint64_t)p->topk, sizeof *x->idx);
    x->length = ordo_alloc((uint64_t)p->n_query, sizeof *x->length);
    if (!x->idx || !x->length)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for other ids");
    for (int32_t q = 0; q < p->n_query; q++) {
        const int32_t *from = ordo_problem_row(p, p->n_query - 1 - q);
        int32_t clamped = ordo_clamp_length(ordo_problem_length(p, p->n_query - 1 - q), p->topk);
        int32_t *to = x->idx + (int64_t)q * p->topk;

        for (int32_t j = 0; j < p->topk; j++)
            to[j] = j < clamped ? from[clamped - 1 - j] : -1;
        x->length[q] = clamped - clamped / 2;
    }
    return ORDO_OK;
}

/* --- keeping and comparing -------------------------------------------------------------------------------------- */

static enum ordo_status keep(struct repeat *x, int which, struct ordo_err *err)
{
    struct ordo_rig_card *r = x->r;
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < ORDO_DSA_TENSORS && status == ORDO_OK; i++)
        if (is_output(r, i)) {
            status = ordo_card_alloc(r->card, 4 * words_of(r, i), &x->kept[which][i], err);
            if (status == ORDO_OK)
                status = ordo_card_keep(r->card, x->kept[which][i], r->room[i], 4 * words_of(r, i), err);
        }
    return status;
}

static enum ordo_status compare(struct repeat *x, int which, struct ordo_err *err)
{
    struct ordo_rig_card *r = x->r;
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < ORDO_DSA_TENSORS && status == ORDO_OK; i++)
        if (is_output(r, i))
            status = ordo_card_compare(r->card, r->room[i], x->kept[which][i], words_of(r, i),
                                       (uint64_t *)x->count + i, err);
    return status;
}

/* --- one run ---------------------------------------------------------------------------------------------------- */

static enum ordo_status run_one(struct repeat *x, int32_t i, struct ordo_rig_repeats *out, struct ordo_err *err)
{
    struct ordo_rig_card *r = x->r;
    bool changed = i % CHANGED_EVERY == CHANGED_EVERY - 1, graph = i % 2, busy = i / 2 % 2;
    enum ordo_status status = ordo_rig_poison(r, poison[i / 4 % 4], err);

    if (status == ORDO_OK && changed)
        status = ordo_rig_set_index(r, x->idx, x->length, err);
    if (status == ORDO_OK && busy)
        status = ordo_card_busy(r->card, BUSY_MICROSECONDS, err);
    if (status == ORDO_OK)
        status = graph ? ordo_card_graph_run(r->card, x->graph, err) : ordo_rig_start(r, err);
    if (status == ORDO_OK)
        status = compare(x, changed, err);
    if (status == ORDO_OK)
        status = ordo_rig_wait(r, err);
    if (status == ORDO_OK && changed && !r->hung)
        status = ordo_rig_set_index(r, x->problem->idx, x->problem->length, err);
    out->n++;
    out->graph += graph;
    out->changed += changed;
    out->busy += busy;
    return status;
}

/* What has differed so far; whether it is more than before in a promised output. */
static enum ordo_status count(struct repeat *x, int32_t i, struct ordo_rig_repeats *out, struct ordo_err *err)
{
    uint64_t before[ORDO_DSA_TENSORS];
    enum ordo_status status;

    for (int t = 0; t < ORDO_DSA_TENSORS; t++)
        before[t] = out->differ[t];
    status = ordo_card_copy_out(x->r->card, out->differ, x->count, sizeof out->differ, err);
    if (status == ORDO_OK)
        status = ordo_rig_wait(x->r, err);
    for (int t = 0; t < ORDO_DSA_TENSORS && status == ORDO_OK; t++)
        if (out->differ[t] != before[t] && ordo_rig_promised(x->r->plan, t) && out->first < 0)
            out->first = i;
    return status;
}

/* --- all -------------------------------------------------------------------------------------------------------- */

/* The first run's outputs, those with the other ids, and the graph. */
static enum ordo_status prepare(struct repeat *x, int32_t n, struct ordo_err *err)
{
    struct ordo_rig_card *r = x->r;
    enum ordo_status status = keep(x, 0, err);

    if (status == ORDO_OK)
        status = ordo_card_alloc(r->card, ORDO_DSA_TENSORS * sizeof(uint64_t), &x->count, err);
    if (status == ORDO_OK)
        status = ordo_card_fill(r->card, x->count, 0, ORDO_DSA_TENSORS * sizeof(uint64_t), err);
    if (status == ORDO_OK && n >= CHANGED_EVERY) {
        status = make_other(x, err);
        if (status == ORDO_OK)
            status = ordo_rig_set_index(r, x->idx, x->length, err);
        if (status == ORDO_OK)
            status = ordo_rig_start(r, err);
        if (status == ORDO_OK)
            status = keep(x, 1, err);
        if (status == ORDO_OK)
            status = ordo_rig_wait(r, err);
        if (status == ORDO_OK && !r->hung)
            status = ordo_rig_set_index(r, x->problem->idx, x->problem->length, err);
    }
    if (status == ORDO_OK && !r->hung)
        status = ordo_card_graph_begin(r->card, err);
    if (status == ORDO_OK && !r->hung) {
        enum ordo_status recorded = ordo_rig_start(r, err);

        status = ordo_card_graph_end(r->card, &x->graph, recorded == ORDO_OK ? err : NULL);
        status = recorded == ORDO_OK ? status : recorded;
    }
    return status;
}

static void release(struct repeat *x)
{
    free(x->idx);
    free(x->length);
    if (x->r->hung)
        return;
    ordo_card_graph_free(x->r->card, x->graph);
    (void)ordo_card_free(x->r->card, x->count, NULL);
    for (int i = 0; i < ORDO_DSA_TENSORS; i++) {
        (void)ordo_card_free(x->r->card, x->kept[0][i], NULL);
        (void)ordo_card_free(x->r->card, x->kept[1][i], NULL);
    }
}

enum ordo_status ordo_rig_repeat(struct ordo_rig_card *r, const struct ordo_problem *problem, int32_t n,
                                 struct ordo_rig_repeats *out, struct ordo_err *err)
{
    struct repeat x = {.r = r, .problem = problem};
    enum ordo_status status;

    *out = (struct ordo_rig_repeats){.first = -1};
    if (n == 0)
        return ORDO_OK;
    status = prepare(&x, n, err);
    for (int32_t i = 0; i < n && status == ORDO_OK && !r->hung; i++) {
        status = run_one(&x, i, out, err);
        if (status == ORDO_OK && !r->hung)
            status = count(&x, i, out, err);
        ordo_progress("run: repeat", (uint64_t)i, (uint64_t)n);
    }
    ordo_progress_end();
    release(&x);
    return status;
}
