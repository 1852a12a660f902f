/* bench_fuzz.c - `ordo bench fuzz`: how many cases a second the fuzzer judges on one core. */
#include "cli/bench.h"
#include "cli/out.h"
#include "fuzz/campaign.h"

#include <stdio.h>

enum ordo_status ordo_bench_fuzz(const struct ordo_args *args, struct ordo_err *err)
{
    struct ordo_campaign_rate rate;
    enum ordo_status status = ordo_campaign_bench(ordo_opt_u64(args, "seed"), &rate, err);
    json_t *o;

    if (status != ORDO_OK)
        return status;
    if (!args->json) {
        printf("tiny case (Q=8, Top-K 8, KV=32, C=8, width 8): %.0f a second, proved, summed and judged\n"
               "                    and under a random schedule: %.0f a second\n"
               "swarm                                          : %.0f cases a second\n",
               rate.tiny, rate.tiny_scheduled, rate.swarm);
        return ORDO_OK;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "fuzz");
    ordo_json_real(o, "tiny_cases_per_second", rate.tiny);
    ordo_json_real(o, "scheduled_cases_per_second", rate.tiny_scheduled);
    ordo_json_real(o, "swarm_cases_per_second", rate.swarm);
    ordo_out_json(o);
    return ORDO_OK;
}
