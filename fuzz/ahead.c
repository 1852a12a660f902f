/* ahead.c - see ahead.h. */
#include "fuzz/ahead.h"

#include "base/parallel.h"

#include <stdlib.h>

struct ordo_aheads {
    const struct ordo_campaign *c;
    struct ordo_runner *runner; /* c->n_thread */
    struct ordo_ahead *ahead;   /* n_ahead */
    int32_t n_ahead;
    uint64_t number; /* of the first case of this go */
};

enum ordo_status ordo_runner_run(struct ordo_runner *runner, const struct ordo_campaign *c,
                                 const struct ordo_swarm *swarm, uint64_t number, struct ordo_finding *f,
                                 struct ordo_err *err)
{
    struct ordo_trial_result r = {.verdict = ORDO_REFUSED};
    enum ordo_status status;

    ordo_campaign_at = number;
    runner->t.n_schedules = number % ORDO_SCHEDULE_EVERY == 0 || ordo_case_is_larger(number);
    status = ordo_case_draw(&runner->drawer, swarm, c->seed, number, err);
    if (status == ORDO_OK)
        status = ordo_trial_run(&runner->t, &runner->drawer.c, &r, err);
    if (status == ORDO_OK && c->judge && r.finding.source == ORDO_SOURCE_NONE)
        c->judge(c->ctx, &runner->drawer.c, &r.finding);
    *f = r.finding;
    return status;
}

enum ordo_status ordo_aheads_make(const struct ordo_campaign *c, struct ordo_aheads **out, struct ordo_err *err)
{
    struct ordo_aheads *a = calloc(1, sizeof *a);
    enum ordo_status status = ORDO_OK;

    *out = a;
    if (a) {
        a->c = c;
        a->n_ahead = c->n_thread * ORDO_AHEAD_SWARMS;
        a->runner = calloc((size_t)c->n_thread, sizeof *a->runner);
        a->ahead = calloc((size_t)a->n_ahead, sizeof *a->ahead);
    }
    if (!a || !a->runner || !a->ahead)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "jobs", "no memory for so many threads");
    for (int32_t i = 0; status == ORDO_OK && i < c->n_thread; i++) {
        struct ordo_runner *r = &a->runner[i];

        ordo_case_init(&r->drawer.c);
        status = ordo_trial_init(&r->t, err);
        if (status == ORDO_OK)
            status = ordo_cover_init_log(&r->cover, err);
        r->t.cover = &r->cover;
    }
    return status;
}

void ordo_aheads_free(struct ordo_aheads *a)
{
    if (!a)
        return;
    for (int32_t i = 0; a->runner && i < a->c->n_thread; i++) {
        ordo_cover_free(&a->runner[i].cover);
        ordo_drawer_free(&a->runner[i].drawer);
        ordo_trial_free(&a->runner[i].t);
    }
    for (int32_t i = 0; a->ahead && i < a->n_ahead; i++)
        free(a->ahead[i].log.event);
    free(a->runner);
    free(a->ahead);
    free(a);
}

/* The small cases of swarm i of this go.  One finding is enough where the campaign ends with it. */
static enum ordo_status run_swarm(void *ctx, int thread, int64_t i, struct ordo_err *err)
{
    const struct ordo_aheads *a = ctx;
    struct ordo_runner *runner = &a->runner[thread];
    struct ordo_ahead *ahead = &a->ahead[i];
    uint64_t which = a->number / ORDO_SWARM_CASES + (uint64_t)i, number = i ? which * ORDO_SWARM_CASES : a->number;
    struct ordo_swarm swarm = ordo_swarm_draw(a->c->seed, which, false);
    enum ordo_status status = ORDO_OK;
    bool over = false;

    ahead->number = number;
    ahead->n = 0;
    ordo_cover_log_start(&runner->cover, &ahead->log);
    for (; status == ORDO_OK && !over && !ordo_case_is_larger(number); number++) {
        struct ordo_finding *f = &ahead->finding[ahead->n];

        status = ordo_runner_run(runner, a->c, &swarm, number, f, err);
        ahead->log_end[ahead->n++] = ahead->log.n;
        over = a->c->stop_after == 1 && f->source != ORDO_SOURCE_NONE;
    }
    if (status == ORDO_OK && ahead->log.lost)
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "coverage", "no memory for what a swarm has reached");
    return status;
}

enum ordo_status ordo_aheads_run(struct ordo_aheads *a, uint64_t number, const struct ordo_ahead **ahead, int32_t *n,
                                 struct ordo_err *err)
{
    uint64_t left = a->c->n_case ? a->c->n_case - a->c->n_done : UINT64_MAX;
    uint64_t swarms = left / (ORDO_SWARM_CASES - 1) + 1;

    *n = swarms < (uint64_t)a->n_ahead ? (int32_t)swarms : a->n_ahead;
    *ahead = a->ahead;
    a->number = number;
    return ordo_parallel(a->c->n_thread, *n, run_swarm, a, err);
}
