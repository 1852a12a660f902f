/* trial.c - see trial.h. */
#include "fuzz/trial.h"

#include "base/rng.h"
#include "fuzz/outputs.h"
#include "fuzz/nearby.h"
#include "ref/fp.h"
#include "ref/ordered.h"
#include "sim/design.h"
#include "sim/schedule.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of so many rows one goes to MPFR too, which takes as long as some dozens of exact sums. */
enum { MPFR_PERIOD = 512 };

static const char *const source_name[ORDO_N_SOURCES] = {
#define ORDO_X(id) #id,
    ORDO_SOURCES(ORDO_X)
#undef ORDO_X
};

/* --- findings --------------------------------------------------------------------------------------------------- */

/* "relay.h", however the compiler was told to find it. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The first one stays. */
static void find(struct ordo_trial_result *r, enum ordo_noticed source, const char *rule, const char *file, int line,
                 const char *text, ...) __attribute__((format(printf, 6, 7), cold));
static void find(struct ordo_trial_result *r, enum ordo_noticed source, const char *rule, const char *file, int line,
                 const char *text, ...)
{
    struct ordo_finding *f = &r->finding;
    va_list args;

    if (f->source != ORDO_SOURCE_NONE)
        return;
    f->source = source;
    if (file)
        (void)snprintf(f->signature, sizeof f->signature, "%s %s %s:%d", source_name[source], rule, base_name(file),
                       line);
    else
        (void)snprintf(f->signature, sizeof f->signature, "%s %s", source_name[source], rule);
    va_start(args, text);
    (void)vsnprintf(f->text, sizeof f->text, text, args);
    va_end(args);
}

/* --- masks ------------------------------------------------------------------------------------------------------ */

static void watch_masks(void *ctx, const struct ordo_worker *worker, int n, const uint32_t *word, int64_t n_word)
{
    struct ordo_trial *t = ctx;

    if (t->bad_mask_row < 0)
        t->bad_mask_row = ordo_expect_masks(t->expected, &t->plan, &t->c->problem, worker, n, word, n_word);
    if (t->cover)
        ordo_cover_masks(t->cover, t->plan.cluster, word, n_word);
}

/* --- the proof -------------------------------------------------------------------------------------------------- */

static void judge_proof(const struct ordo_trial *t, const struct ordo_proof *proof, struct ordo_trial_result *r)
{
    const struct ordo_violation *v = &proof->violation;
    const struct ordo_expected *e = &r->expected;
    int32_t row;

    if (t->bad_mask_row >= 0)
        find(r, ORDO_SOURCE_MASK, "other bits", NULL, 0, "row %" PRId32 ": the mask built is not the definition's",
             t->bad_mask_row);
    if (v->kind != ORDO_VIOLATION_NONE)
        find(r, proof->protocol ? ORDO_SOURCE_E4 : ORDO_SOURCE_E1,
             ordo_violation_info[v->kind].name, v->source_file, v->source_line,
             "query %" PRId32 ", rank %" PRId32 ", row %" PRId32 ": %s", v->worker.query, v->worker.rank, v->row,
             proof->protocol ? proof->protocol : ordo_violation_info[v->kind].text);
    if ((proof->verdict == ORDO_REFUSED) != (e->duplicates > 0) || proof->scan.n_duplicate != e->duplicates)
        find(r, ORDO_SOURCE_CONTRACT, "duplicates", NULL, 0,
             "%" PRIu64 " duplicates reported, there are %" PRIu64, proof->scan.n_duplicate, e->duplicates);
    if (proof->verdict != ORDO_PROVED)
        return;
    row = ordo_expect_order(e, proof->order);
    if (row >= 0)
        find(r, ORDO_SOURCE_ORDER, "other additions", NULL, 0,
             "row %" PRId32 ": the proved additions are not the definition's", row);
    if (proof->updates != e->updates || proof->rows != e->touched || proof->waits != e->waits ||
        proof->scan.live != e->live || proof->scan.dead_queries != e->dead_queries)
        find(r, ORDO_SOURCE_COUNT, "other counts", NULL, 0,
             "%" PRIu64 " updates, %" PRIu64 " rows, %" PRIu64 " waits; there are %" PRIu64 ", %" PRIu64 ", %" PRIu64,
             proof->updates, proof->rows, proof->waits, e->updates, e->touched, e->waits);
}

/* --- sums ------------------------------------------------------------------------------------------------------- */

static enum ordo_status judge_sums(struct ordo_trial *t, const struct ordo_rows *rows, struct ordo_trial_result *r,
                                   struct ordo_err *err)
{
    const struct ordo_inputs in = {t->c->rough ? ORDO_ROUGH : ORDO_EXACT, t->c->value_seed, t->width};
    uint32_t n = ordo_rows_count(rows), longest = 0, planes = (uint32_t)t->plan.planes;
    size_t width = (size_t)t->width;
    enum ordo_status status = ORDO_OK;
    float *term, *sum;

    for (uint32_t i = 0; i < n; i++)
        longest = ordo_rows_get(rows, i).n_add > longest ? ordo_rows_get(rows, i).n_add : longest;
    term = ordo_arena_alloc(&t->arena, longest * (uint64_t)width, sizeof *term);
    sum = ordo_arena_alloc(&t->arena, 2 * (uint64_t)width, sizeof *sum);
    if (!term || !sum)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "width", "no memory for a row's terms");
    ordo_oracle_restart(&t->oracle, in.kind == ORDO_EXACT && ordo_exact_holds(longest), planes);
    for (uint32_t i = 0; i < n && status == ORDO_OK; i++) {
        struct ordo_row row = ordo_rows_get(rows, i);

        ordo_ref_terms(&in, &row, term);
        ordo_ref_sum(&row, planes, term, t->width, sum);
        ordo_expect_sum(&row, t->plan.planes, term, t->width, sum + width);
        if (memcmp(sum, sum + width, width * sizeof *sum) != 0)
            find(r, ORDO_SOURCE_SUM, "other bits", NULL, 0,
                 "row %" PRId32 ": the reference's sum is not the literal fold's", row.row);
        status = ordo_judge_row(&t->oracle, &row, (t->c->value_seed & 0xffff) + i, term, t->width, sum, NULL, err);
    }
    if (!ordo_oracle_clean(&t->oracle.summary))
        find(r, ORDO_SOURCE_ORACLE, t->oracle.summary.outside_bound ? "outside bound" : "not exact", NULL, 0,
             "row %" PRId32 ", column %" PRId32 ": tree 0x%08" PRIx32 ", exact sum 0x%08" PRIx32,
             t->oracle.summary.failed_row, t->oracle.summary.failed_column,
             t->oracle.summary.failed_judgement.tree, t->oracle.summary.failed_judgement.exact_fp32);
    return status;
}

/* --- attention -------------------------------------------------------------------------------------------------- */

static enum ordo_status judge_outputs(const struct ordo_trial *t, const struct ordo_rows *rows,
                                      struct ordo_trial_result *r, struct ordo_err *err)
{
    struct ordo_outputs x = {.o = NULL};
    struct ordo_wrong wrong = {.rule = ""};
    enum ordo_status status = ordo_outputs_make(t->c, &t->plan, &x, err);

    if (status == ORDO_OK)
        status = ordo_outputs_judge(t->c, rows, &x, &wrong, err);
    if (wrong.rule[0])
        find(r, ORDO_SOURCE_OUTPUTS, wrong.rule, NULL, 0, "%s", wrong.text);
    ordo_outputs_free(&x);
    return status;
}

/* --- schedules -------------------------------------------------------------------------------------------------- */

struct launches {
    struct ordo_trial *t;
    struct ordo_trial_result *r;
    struct ordo_err *err;
    struct ordo_rng rng;
    struct ordo_nearby near;              /* made where rows are many */
    const struct ordo_problem *problem; /* the case's, or the near one */
    enum ordo_status status;
};

static void watch_wait(void *ctx, int32_t cluster, int32_t rank, uint32_t lower, uint32_t found)
{
    ordo_cover_wait(ctx, cluster, rank, lower, found);
}

static int run_launch(void *ctx, const struct ordo_worker *worker, int n)
{
    struct launches *l = ctx;
    const struct ordo_schedule_watch watch = {watch_wait, l->t->cover};
    struct ordo_schedule_outcome o;

    for (int32_t i = 0; i < l->t->n_schedules; i++) {
        uint64_t seed = ordo_rng_next(&l->rng);
        enum ordo_scheduler s = (enum ordo_scheduler)((seed >> 32) % ORDO_N_SCHEDULERS);

        l->status = ordo_schedule_run(&l->t->arena, &l->t->plan, l->problem, worker, n, s, seed,
                                      l->t->cover ? &watch : NULL, &o, l->err);
        if (l->status != ORDO_OK)
            return 1;
        if (l->t->cover && s == ORDO_SCHEDULER_PCT && o.n_wait)
            ordo_cover_pct(l->t->cover, o.n_thread, o.most_steps);
        if (l->t->cover)
            ordo_cover_class(l->t->cover, &l->t->cover->trace, ordo_mix(o.trace + (uint64_t)l->t->plan.cluster));
        if (o.end != ORDO_SCHEDULE_CLEAN) {
            o.row = l->problem == &l->near.problem ? ordo_nearby_row(&l->near, o.row) : o.row;
            find(l->r, ORDO_SOURCE_SCHEDULE, ordo_schedule_end_name[o.end], o.file, o.line,
                 "rank %" PRId32 ", row %" PRId32 " under scheduler %s: %s", o.rank, o.row, ordo_scheduler_name[s],
                 ordo_schedule_end_text[o.end]);
            return 1;
        }
    }
    return 0;
}

static enum ordo_status run_schedules(struct ordo_trial *t, struct ordo_trial_result *r, struct ordo_err *err)
{
    struct launches l = {.t = t, .r = r, .err = err, .rng = {t->c->schedule_seed}, .problem = &t->c->problem};
    const struct ordo_visitor visitor = {run_launch, &l};
    int stop = 0;

    if (l.problem->n_kv > ORDO_DENSE_ROWS) {
        l.status = ordo_nearby_make(&t->arena, l.problem, &l.near, err);
        l.problem = &l.near.problem;
        stop = l.status != ORDO_OK;
    }
    for (int32_t plane = 0; !stop && plane < t->plan.planes; plane++)
        stop = t->plan.design->walk(&t->plan, plane, &visitor);
    return l.status;
}

/* --- the case --------------------------------------------------------------------------------------------------- */

static enum ordo_status make_plan(struct ordo_trial *t, const struct ordo_case *c, struct ordo_err *err)
{
    struct ordo_request request;
    enum ordo_status status;

    memset(&request, 0, sizeof request); /* compared as bytes */
    request.n_query = c->problem.n_query;
    request.n_kv = c->problem.n_kv;
    request.topk = c->problem.topk;
    request.n_head = c->heads;
    request.d_qk = c->d_qk ? c->d_qk : 576;
    request.d_v = c->d_v ? c->d_v : 512;
    request.cluster = c->cluster;
    request.wave = c->wave;
    if (c->design[0] && !(request.design = ordo_design_find(c->design)))
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "design", "there is none that is called %s", c->design);
    if (t->planned && memcmp(&request, &t->request, sizeof request) == 0)
        return ORDO_OK;
    status = ordo_plan_make(&request, &t->plan, err);
    t->request = request;
    t->planned = status == ORDO_OK;
    return status;
}

enum ordo_status ordo_trial_run(struct ordo_trial *t, const struct ordo_case *c, struct ordo_trial_result *r,
                                struct ordo_err *err)
{
    struct ordo_proof proof = {.verdict = ORDO_REFUSED};
    enum ordo_status status = make_plan(t, c, err);
    int32_t query = 0;

    t->c = c;
    t->expected = &r->expected;
    t->bad_mask_row = -1;
    r->finding = (struct ordo_finding){.source = ORDO_SOURCE_NONE};
    r->is_virtual = c->is_virtual;
    if (status != ORDO_OK)
        return status;
    r->plan = t->plan;
    if (!ordo_expect_fold(t->plan.planes))
        find(r, ORDO_SOURCE_FOLD, "other groups", NULL, 0, "%" PRId32 " planes: groups of eight are promised",
             t->plan.planes);
    if (!c->is_virtual && !ordo_expect_live(&c->problem, &query))
        find(r, ORDO_SOURCE_LIVE, "other slots", NULL, 0, "query %" PRId32 ": a slot is alive or dead against the "
             "definition", query);
    r->verdict = ORDO_VIOLATED;
    if (c->is_virtual || r->finding.source != ORDO_SOURCE_NONE)
        return ORDO_OK;
    ordo_arena_reset(&t->arena);
    status = ordo_expect(&t->arena, &t->plan, &c->problem, &r->expected, err);
    if (status == ORDO_OK)
        status = ordo_prover_prove(&t->prover, &t->plan, &c->problem, &proof, err);
    if (status == ORDO_OK) {
        judge_proof(t, &proof, r);
        r->verdict = proof.verdict;
        r->updates = proof.updates;
        r->touched = proof.rows;
        r->waits = proof.waits;
    }
    if (status == ORDO_OK && proof.verdict == ORDO_PROVED && r->finding.source == ORDO_SOURCE_NONE)
        status = judge_sums(t, proof.order, r, err);
    if (status == ORDO_OK && proof.verdict == ORDO_PROVED && r->finding.source == ORDO_SOURCE_NONE && c->outputs[0])
        status = judge_outputs(t, proof.order, r, err);
    if (status == ORDO_OK && proof.verdict == ORDO_PROVED && r->finding.source == ORDO_SOURCE_NONE &&
        t->n_schedules && t->plan.design->sync == ORDO_SYNC_RELAY && c->problem.topk)
        status = run_schedules(t, r, err);
    ordo_proof_free(&proof);
    return status;
}

enum ordo_status ordo_trial_init(struct ordo_trial *t, struct ordo_err *err)
{
    t->watch = (struct ordo_prove_watch){watch_masks, t};
    t->prover.watch = &t->watch;
    t->width = ORDO_DEFAULT_WIDTH;
    return ordo_oracle_init(&t->oracle, false, 1, MPFR_PERIOD, err);
}

void ordo_trial_free(struct ordo_trial *t)
{
    ordo_prover_free(&t->prover);
    ordo_arena_free(&t->arena);
    ordo_oracle_free(&t->oracle);
}
