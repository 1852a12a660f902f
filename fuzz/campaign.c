/* campaign.c - see campaign.h. */
#include "fuzz/campaign.h"

#include "base/clock.h"
#include "base/progress.h"
#include "corpus/shrink.h"

#include <string.h>

volatile uint64_t ordo_campaign_at;

/* --- shrinking, replay ------------------------------------------------------------------------------------------ */

struct same {
    struct ordo_trial *t;
    const char *signature;
    const volatile sig_atomic_t *interrupted;
};

static bool still(void *ctx, const struct ordo_case *candidate)
{
    const struct same *s = ctx;
    struct ordo_trial_result r;
    struct ordo_err err = {0};

    if (s->interrupted && *s->interrupted)
        return false;
    return ordo_trial_run(s->t, candidate, &r, &err) == ORDO_OK && strcmp(r.finding.signature, s->signature) == 0;
}

enum ordo_status ordo_shrink_finding(struct ordo_case *c, const char *signature,
                                     const volatile sig_atomic_t *interrupted, uint64_t *tries, struct ordo_err *err)
{
    struct ordo_trial t = {.n_schedules = strncmp(signature, "SCHEDULE", 8) == 0 ? ORDO_REPLAY_SCHEDULES : 0};
    struct same same = {&t, signature, interrupted};
    bool by_value = strncmp(signature, "SUM", 3) == 0 || strncmp(signature, "ORACLE", 6) == 0;
    struct ordo_shrink shrink = {.still = still, .ctx = &same, .n_seed = by_value ? 32 : 0,
                                 .most = by_value ? 200000 : 0};
    enum ordo_status status = ordo_trial_init(&t, err);

    if (status == ORDO_OK)
        status = ordo_shrink_case(&shrink, c, err);
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
    struct ordo_trial t;
    struct ordo_drawer drawer;
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
    status = ordo_case_copy(&run->drawer.c, &known->shrunk, run->err);
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
    struct ordo_campaign *c = run->c;
    struct ordo_trial_result r;
    enum ordo_status status;

    ordo_campaign_at = number;
    run->t.n_schedules = number % ORDO_SCHEDULE_EVERY == 0 || ordo_case_is_larger(number);
    status = ordo_case_draw(&run->drawer, swarm, c->seed, number, run->err);
    if (status == ORDO_OK)
        status = ordo_trial_run(&run->t, &run->drawer.c, &r, run->err);
    if (status == ORDO_OK && c->judge && r.finding.source == ORDO_SOURCE_NONE)
        c->judge(c->ctx, &run->drawer.c, &r.finding);
    if (status == ORDO_OK && r.finding.source != ORDO_SOURCE_NONE)
        status = keep(run, number, &r.finding);
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

/* The cases of one swarm from `number` on, the larger one if it is asked for or they reached something new. */
static enum ordo_status run_swarm(struct run *run, uint64_t number)
{
    struct ordo_campaign *c = run->c;
    uint64_t which = number / ORDO_SWARM_CASES, novel = c->cover.novel;
    bool asked = ordo_case_is_larger(number);
    struct ordo_swarm swarm = ordo_swarm_draw(c->seed, which, asked);
    enum ordo_status status = ORDO_OK;

    ordo_cover_class(&c->cover, &c->cover.shape, swarm.shape);
    for (; !ordo_case_is_larger(number) && status == ORDO_OK && !over(run); number++)
        status = run_one(run, &swarm, number);
    if (status != ORDO_OK || over(run) || (!asked && c->cover.novel == novel))
        return status;
    swarm = ordo_swarm_draw(c->seed, which, true);
    c->n_larger++;
    return run_one(run, &swarm, number);
}

enum ordo_status ordo_campaign_run(struct ordo_campaign *c, struct ordo_err *err)
{
    struct run run = {.c = c, .start = ordo_seconds(), .err = err};
    uint64_t number = c->first;
    enum ordo_status status = ordo_cover_init(&c->cover, err);

    if (status == ORDO_OK)
        status = ordo_trial_init(&run.t, err);
    ordo_case_init(&run.drawer.c);
    run.t.cover = &c->cover;
    while (status == ORDO_OK && !over(&run) && (!(c->seconds > 0) || ordo_seconds() - run.start < c->seconds)) {
        status = run_swarm(&run, number);
        number = (number / ORDO_SWARM_CASES + 1) * ORDO_SWARM_CASES;
        ordo_progress("fuzz: case", c->n_done, c->n_case);
    }
    ordo_progress_end();
    c->elapsed = ordo_seconds() - run.start;
    c->n_schedule = c->cover.trace.n_draw;
    ordo_drawer_free(&run.drawer);
    ordo_trial_free(&run.t);
    return status;
}

void ordo_campaign_free(struct ordo_campaign *c)
{
    for (int32_t i = 0; i < c->n_finding; i++)
        ordo_case_free(&c->finding[i].shrunk);
    c->n_finding = 0;
    ordo_cover_free(&c->cover);
}
