/* bench.c - how many cases a second; see campaign.h. */
#include "fuzz/campaign.h"

#include "base/clock.h"

#include <string.h>

static enum ordo_status time_tiny(uint64_t seed, int32_t n_schedules, struct ordo_cover *cover, double seconds,
                                  double *rate, struct ordo_err *err)
{
    struct ordo_swarm swarm = {.params = ordo_gen_defaults, .preset = ordo_preset_find("uniform"), .cluster = 8,
                               .wave = 8, .heads = 64, .rough = true};
    struct ordo_trial t = {.cover = cover, .n_schedules = n_schedules};
    struct ordo_drawer drawer = {.room_idx = 0};
    struct ordo_trial_result r = {.finding = {.source = ORDO_SOURCE_NONE}};
    enum ordo_status status = ordo_trial_init(&t, err);
    double start = ordo_cpu_seconds(), taken = 0;
    uint64_t i = 0;

    swarm.params.n_query = swarm.params.topk = 8;
    swarm.params.n_kv = 32;
    ordo_case_init(&drawer.c);
    for (; status == ORDO_OK && taken < seconds && r.finding.source == ORDO_SOURCE_NONE; i++) {
        status = ordo_case_draw(&drawer, &swarm, seed, i, err);
        if (status == ORDO_OK)
            status = ordo_trial_run(&t, &drawer.c, &r, err);
        if (i % 256 == 0)
            taken = ordo_cpu_seconds() - start;
    }
    if (status == ORDO_OK && r.finding.source != ORDO_SOURCE_NONE)
        status = ordo_fail(err, ORDO_INTERNAL, NULL, "case", "a tiny case fails: %s", r.finding.text);
    *rate = (double)i / taken;
    ordo_drawer_free(&drawer);
    ordo_trial_free(&t);
    return status;
}

enum ordo_status ordo_campaign_bench(uint64_t seed, struct ordo_campaign_rate *rate, struct ordo_err *err)
{
    struct ordo_campaign c;
    enum ordo_status status;
    double start = ordo_cpu_seconds();

    memset(&c, 0, sizeof c);
    c.seed = seed;
    c.seconds = 2;
    status = ordo_campaign_run(&c, err);
    rate->swarm = (double)c.n_done / (ordo_cpu_seconds() - start);
    if (status == ORDO_OK)
        status = time_tiny(seed, 0, &c.cover, 2, &rate->tiny, err);
    if (status == ORDO_OK)
        status = time_tiny(seed, 1, &c.cover, 1, &rate->tiny_scheduled, err);
    ordo_campaign_free(&c);
    return status;
}
