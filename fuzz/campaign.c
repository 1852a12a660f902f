/* campaign.c - see campaign.h. */
#include "fuzz/campaign.h"

#include "base/clock.h"
#include "base/progress.h"
#include "corpus/shrink.h"
#include "fuzz/ahead.h"

#include <string.h>

_Thread_local volatile uint64_t ordo_campaign_at;

/* --- shrinking, replay ------------------------------------------------------------------------------------------ */

struct same {
    struct ordo_trial *t;
    const char *outcome;
    const volatile sig_atomic_t *interrupted;
    uint64_t n; /* asked so far */
};

static bool still(void *ctx, const struct ordo_case *candidate)
{
    struct same *s = ctx;
    struct ordo_trial_result r;
    struct ordo_err err = {0};

    if (s->interrupted && *s->interrupted)
        return false;
    ordo_progress("shrink: try", ++s->n, 0);
    return ordo_trial_run(s->t, candidate, &r, &err) == ORDO_OK &&
           strcmp(ordo_trial_outcome(&r), s->outcome) == 0;
}

enum ordo_status ordo_shrink_finding(struct ordo_case *c, const char *outcome,
                                     const volatile sig_atomic_t *interrupted, uint64_t *tries, struct ordo_err *err)
{
    struct ordo_trial t = {.n_schedules = strncmp(outcome, "SCHEDULE", 8) == 0 ? ORDO_REPLAY_SCHEDULES : 0};
    struct same same = {&t, outcome, interrupted, 0};
    bool by_value = strncmp(outcome, "SUM", 3) == 0 || strncmp(outcome, "ORACLE", 6) == 0;
    struct ordo_shrink shrink = {.still = still, .ctx = &same, .n_seed = by_value ? 32 : 0,
                                 .most = by_value ? 200000 : 0};
    enum ordo_status status = ordo_trial_init(&t, err);

    if (status == ORDO_OK)
        status = ordo_shrink_case(&shrink, c, err);
    ordo_progress_end();
#define ORDO_X(name) c->name = UINT64_MAX;
    ORDO_CASE_NUMBERS(ORDO_X)
#undef ORDO_X
    *tries = shrink.tries;
    ordo_trial_free(&t);
    return status;
}

enum ordo_status ordo_replay_case(const struct ordo_case *c, struct ordo_trial_result *r, struct ordo_err *err)
{
    struct ordo_trial t = {.n_schedules = ORDO_REPLAY_SCHEDULES};
    enum ordo_status status = ordo_trial_init(&t, err);

    if (status == ORDO_OK)
        status = ordo_trial_run(&t, c, r, err);
    ordo_trial_free(&t);
    return status;
}

/* --- the campaign ----------------------------------------------------------------------------------------------- */

struct run {
    struct ordo_campaign *c;
    struct ordo_runner own;    /* counts directly */
    struct ordo_aheads *aheads; /* NULL: one thread */
    double start;
    struct ordo_err *err;
};

/* Counts a finding whose signature is known. */
static bool is_known(struct ordo_campaign *c, const char *signature)
{
    for (int32_t i = 0; i < c->n_finding; i++)
        if (strcmp(c->finding[i].finding.signature, signature) == 0 || strcmp(c->finding[i].alias, signature) == 0) {
            c->finding[i].n++;
            return true;
        }
    return false;
}

/* What the copy of a case shows counts: code that reads beyond the ids may have seen others behind the drawn ones. */
static enum ordo_status show_again(struct ordo_campaign_finding *f, struct ordo_err *err)
{
    struct ordo_trial_result r;
    enum ordo_status status = ordo_replay_case(&f->shrunk, &r, err);

    memcpy(f->alias, f->finding.signature, sizeof f->alias);
    if (status == ORDO_OK && r.finding.source != ORDO_SOURCE_NONE)
        f->finding = r.finding;
    return status;
}

/* A finding that is new keeps its case, shrunk. */
static enum ordo_status keep(struct run *run, uint64_t number, const struct ordo_finding *f)
{
    struct ordo_campaign *c = run->c;
    struct ordo_campaign_finding *known;
    enum ordo_status status;
    uint64_t tries;

    if (is_known(c, f->signature))
        return ORDO_OK;
    if (c->n_finding == ORDO_MAX_FINDINGS) {
        c->n_dropped++;
        return ORDO_OK;
    }
    known = &c->finding[c->n_finding];
    status = ordo_case_copy(&run->own.drawer.c, &known->shrunk, run->err);
    if (status != ORDO_OK)
        return status;
    c->n_finding++;
    known->finding = *f;
    known->number = number;
    known->n = 1;
    known->seconds = ordo_seconds() - run->start;
    status = show_again(known, run->err);
    if (status == ORDO_OK)
        status = ordo_shrink_finding(&known->shrunk, known->finding.signature, c->interrupted, &tries, run->err);
    memcpy(known->shrunk.expect, known->finding.signature, sizeof known->shrunk.expect);
    if (status == ORDO_OK && c->found)
        c->found(c->ctx, known);
    return status;
}

static enum ordo_status run_one(struct run *run, const struct ordo_swarm *swarm, uint64_t number)
{
    struct ordo_finding f;
    enum ordo_status status = ordo_runner_run(&run->own, run->c, swarm, number, &f, run->err);

    if (status == ORDO_OK && f.source != ORDO_SOURCE_NONE)
        status = keep(run, number, &f);
    run->c->n_done++;
    return status;
}

/* Case k of a swarm that has run ahead, as if it ran now. */
static enum ordo_status take_one(struct run *run, const struct ordo_swarm *swarm, const struct ordo_ahead *a,
                                 int32_t k)
{
    struct ordo_campaign *c = run->c;
    uint64_t number = a->number + (uint64_t)k;
    enum ordo_status status = ORDO_OK;

    ordo_cover_count(&c->cover, &a->log, k ? a->log_end[k - 1] : 0, a->log_end[k]);
    if (a->finding[k].source != ORDO_SOURCE_NONE) {
        status = ordo_case_draw(&run->own.drawer, swarm, c->seed, number, run->err);
        if (status == ORDO_OK)
            status = keep(run, number, &a->finding[k]);
    }
    c->n_done++;
    return status;
}

static bool over(struct run *run)
{
    struct ordo_campaign *c = run->c;

    c->was_interrupted = c->interrupted && *c->interrupted;
    return c->was_interrupted || (c->n_case && c->n_done >= c->n_case) ||
           (c->stop_after && c->n_finding >= c->stop_after);
}

static bool out_of_time(const struct run *run)
{
    return run->c->seconds > 0 && ordo_seconds() - run->start >= run->c->seconds;
}

/* The cases of one swarm from `number` on, the larger one if it is asked for or they reached something new.  a: the
 * small ones, if they have run. */
static enum ordo_status run_swarm(struct run *run, uint64_t number, const struct ordo_ahead *a)
{
    struct ordo_campaign *c = run->c;
    uint64_t which = number / ORDO_SWARM_CASES, novel = c->cover.novel;
    bool asked = ordo_case_is_larger(number);
    struct ordo_swarm swarm = ordo_swarm_draw(c->seed, which, asked);
    enum ordo_status status = ORDO_OK;

    ordo_cover_class(&c->cover, &c->cover.shape, swarm.shape);
    for (int32_t k = 0; !ordo_case_is_larger(number) && status == ORDO_OK && !over(run); number++, k++)
        status = a ? take_one(run, &swarm, a, k) : run_one(run, &swarm, number);
    if (status != ORDO_OK || over(run) || (!asked && c->cover.novel == novel))
        return status;
    swarm = ordo_swarm_draw(c->seed, which, true);
    c->n_larger++;
    return run_one(run, &swarm, number);
}

/* Some swarms from *number on, which is then that of the next: one, or as many as run ahead together. */
static enum ordo_status run_swarms(struct run *run, uint64_t *number)
{
    const struct ordo_ahead *a = NULL;
    int32_t n = 1;
    enum ordo_status status = ORDO_OK;

    if (run->aheads)
        status = ordo_aheads_run(run->aheads, *number, &a, &n, run->err);
    for (int32_t i = 0; i < n && status == ORDO_OK && !over(run) && !out_of_time(run); i++) {
        status = run_swarm(run, *number, a ? &a[i] : NULL);
        *number = (*number / ORDO_SWARM_CASES + 1) * ORDO_SWARM_CASES;
        ordo_progress("fuzz: case", run->c->n_done, run->c->n_case);
    }
    return status;
}

enum ordo_status ordo_campaign_run(struct ordo_campaign *c, struct ordo_err *err)
{
    struct run run = {.c = c, .start = ordo_seconds(), .err = err};
    uint64_t number = c->first;
    enum ordo_status status = ordo_cover_init(&c->cover, err);

    if (status == ORDO_OK)
        status = ordo_trial_init(&run.own.t, err);
    if (status == ORDO_OK && c->n_thread > 1)
        status = ordo_aheads_make(c, &run.aheads, err);
    ordo_case_init(&run.own.drawer.c);
    run.own.t.cover = &c->cover;
    while (status == ORDO_OK && !over(&run) && !out_of_time(&run))
        status = run_swarms(&run, &number);
    ordo_progress_end();
    c->elapsed = ordo_seconds() - run.start;
    c->n_schedule = c->cover.trace.n_draw;
    ordo_aheads_free(run.aheads);
    ordo_drawer_free(&run.own.drawer);
    ordo_trial_free(&run.own.t);
    return status;
}

void ordo_campaign_free(struct ordo_campaign *c)
{
    for (int32_t i = 0; i < c->n_finding; i++)
        ordo_case_free(&c->finding[i].shrunk);
    c->n_finding = 0;
    ordo_cover_free(&c->cover);
}
